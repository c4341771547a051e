//! Well-known text (WKT 1, WKT 2 and ESRI's .prj) to PROJ strings.
//!
//! An EPSG code that the text gives for the whole is trusted first: the lists know shifts of datums that the text often lacks.
//! Else `proj4wkt` converts, and a datum known by name gets its shift.

use super::{CrsError, codes};

/// The largest depth of nested brackets: WKT needs less than ten, and the parser recurses.
const MAX_DEPTH: usize = 32;

/// Names of datums, lower case without `d_`, and a geographic system whose definition has their shift to WGS 84.
const DATUMS: [(&str, u16); 27] = [
    ("amersfoort", 4289),
    ("deutsches_hauptdreiecksnetz", 4314),
    ("osgb_1936", 4277),
    ("osgb36", 4277),
    ("reseau_national_belge_1972", 4313),
    ("belge_1972", 4313),
    ("mgi", 4312),
    ("militar-geographische_institut", 4312),
    ("militar_geographische_institute", 4312),
    ("ch1903", 4149),
    ("ch1903+", 4150),
    ("s_jtsk", 4156),
    ("system_jednotne_trigonometricke_site_katastralni", 4156),
    (
        "system_of_the_unified_trigonometrical_cadastral_network",
        4156,
    ),
    ("european_1950", 4230),
    ("european_datum_1950", 4230),
    ("pulkovo_1942", 4284),
    ("pulkovo_1942_58", 4179),
    ("north_american_1927", 4267),
    ("north_american_datum_1927", 4267),
    ("new_zealand_1949", 4272),
    ("new_zealand_geodetic_datum_1949", 4272),
    ("tm65", 4299),
    ("luxembourg_1930", 4181),
    ("monte_mario", 4265),
    ("nouvelle_triangulation_francaise", 4275),
    ("hungarian_1972", 4237),
];

/// The meaning of a text.
pub(super) enum Wkt {
    /// It names a code.
    Code(u32),
    /// It defines a projection.
    Definition(String),
}

/// Reads `text`, which has the form `KEY[...]`.
pub(super) fn read(text: &str) -> Result<Wkt, CrsError> {
    let refuse = |problem: &str| CrsError::Definition {
        definition: abridged(text),
        problem: problem.to_owned(),
    };
    if depth(text).is_none_or(|depth| depth > MAX_DEPTH) {
        return Err(refuse("its brackets do not match, or are nested too deep"));
    }
    let text = text.replace('(', "[").replace(')', "]");
    let key = text.split('[').next().unwrap_or_default().trim();
    if ["VERT_CS", "VERTCRS", "VERTICALCRS", "VERTCS"].contains(&key.to_ascii_uppercase().as_str())
    {
        return Err(CrsError::HeightsOnly(abridged(&text)));
    }
    if let Some(code) = own_code(&text)
        && (codes::horizontal_part(code).is_some() || codes::definition(code).is_some())
    {
        return Ok(Wkt::Code(code));
    }
    let definition = proj4wkt::wkt_to_projstring(&text)
        .map_err(|error| refuse(&format!("not WKT that is understood: {error}")))?;
    Ok(Wkt::Definition(with_datum_shift(&text, definition)))
}

/// The beginning of a text, for messages.
pub(super) fn abridged(text: &str) -> String {
    const LENGTH: usize = 100;
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LENGTH)
        .collect();
    if text.chars().count() > LENGTH {
        format!("{line}...")
    } else {
        line
    }
}

/// The largest depth of nested brackets; `None` if they do not match.
fn depth(text: &str) -> Option<usize> {
    let (mut depth, mut deepest, mut is_quoted) = (0_usize, 0, false);
    for c in text.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '[' | '(' if !is_quoted => depth += 1,
            ']' | ')' if !is_quoted => depth = depth.checked_sub(1)?,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (depth == 0 && !is_quoted).then_some(deepest)
}

/// The EPSG code of the outermost object: `AUTHORITY["EPSG","25832"]` or `ID["EPSG",25832]` directly in it.
fn own_code(text: &str) -> Option<u32> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '[' if !is_quoted => {
                depth += 1;
                let key = text[..at]
                    .trim_end()
                    .rsplit([',', '[', ' ', '\n', '\t'])
                    .next()?;
                let is_id = key.eq_ignore_ascii_case("AUTHORITY") || key.eq_ignore_ascii_case("ID");
                if depth == 2 && is_id {
                    let end = at + text[at..].find(']')?;
                    let mut parts = text[at + 1..end]
                        .split(',')
                        .map(|p| p.trim().trim_matches('"'));
                    return match (parts.next(), parts.next()) {
                        (Some("EPSG"), Some(code)) => code.parse().ok(),
                        _ => None,
                    };
                }
            }
            ']' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Adds the shift to WGS 84 to a definition without one whose datum is known by name.
fn with_datum_shift(text: &str, definition: String) -> String {
    if ["+towgs84=", "+datum=", "+nadgrids="]
        .iter()
        .any(|key| definition.contains(key))
    {
        return definition;
    }
    let name = ["DATUM[\"", "TRF[\"", "GEODETICDATUM[\""]
        .iter()
        .find_map(|key| {
            // ASCII case folding keeps byte positions.
            let start = text.to_ascii_uppercase().find(key)? + key.len();
            text[start..].split('"').next()
        });
    let name = name.unwrap_or_default().to_lowercase().replace(' ', "_");
    let name = name.strip_prefix("d_").unwrap_or(&name);
    let Some(&(_, code)) = DATUMS.iter().find(|(known, _)| *known == name) else {
        return definition;
    };
    let Some(known) = codes::definition(u32::from(code)) else {
        return definition;
    };
    let is_ellipsoid = |word: &&str| {
        !["+a=", "+rf=", "+b="]
            .iter()
            .any(|key| word.starts_with(key))
    };
    let is_datum = |word: &&str| {
        ["+ellps=", "+datum=", "+towgs84=", "+a=", "+b=", "+rf="]
            .iter()
            .any(|key| word.starts_with(key))
    };
    let words = definition.split_whitespace().filter(is_ellipsoid);
    let words: Vec<&str> = words
        .chain(known.split_whitespace().filter(is_datum))
        .collect();
    words.join(" ")
}

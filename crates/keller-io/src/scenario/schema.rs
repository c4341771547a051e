//! The keys of a scenario as a JSON schema, by which editors complete keys, explain them and mark what is not accepted.
//!
//! It comes from the table of keys. It says types, ranges and choices where the table says them plainly, and accepts any value elsewhere:
//! what a schema refuses, keller refuses too.

use serde_json::{Map, Value, json};

use super::keys::{
    ALTERNATIVE, ARRAY, BACKGROUND, BEAMS, BUILDING, CALIBRATE, CALIBRATE_BACKGROUND,
    CALIBRATE_MATERIAL, CHANNEL, CLUTTER, COVERAGE, DIFFUSE, GRID, Key, LAYER, MATERIAL, MOVING,
    OPENING, PATHS, REFINE, RX, SCENE, STREETS, TILES, TOP, TX, VARIANTS,
};

/// What a key holds that has keys of its own.
enum Holds {
    Table(Value),
    Tables(Value),
    TableOrTables(Value),
    Named(Value),
}

/// The JSON schema (draft 07) of scenarios.
///
/// ```
/// let schema = keller_io::scenario::schema();
/// assert_eq!(schema["properties"]["frequency_hz"]["minimum"], 1e6);
/// ```
pub fn schema() -> Value {
    use Holds::{Named, Table, TableOrTables, Tables};
    let plain = |keys| object(keys, []);
    let array = || ("array", Table(plain(ARRAY)));
    let layers = ("layers", Tables(plain(LAYER)));
    let alternatives = ("alternatives", Tables(plain(ALTERNATIVE)));
    let calibrate = [
        ("materials", Named(plain(CALIBRATE_MATERIAL))),
        ("background", Table(plain(CALIBRATE_BACKGROUND))),
    ];
    let sections = [
        ("scene", Table(plain(SCENE))),
        ("building", Tables(plain(BUILDING))),
        ("opening", Tables(plain(OPENING))),
        ("materials", Named(object(MATERIAL, [layers]))),
        ("tx", Tables(object(TX, [array()]))),
        (
            "rx",
            Tables(object(RX, [array(), ("grid", Table(plain(GRID)))])),
        ),
        ("paths", Table(object(PATHS, [alternatives]))),
        ("channel", Table(plain(CHANNEL))),
        ("coverage", TableOrTables(plain(COVERAGE))),
        ("beams", Table(plain(BEAMS))),
        ("streets", Table(plain(STREETS))),
        (
            "tiles",
            Table(object(TILES, [("refine", Tables(plain(REFINE)))])),
        ),
        ("clutter", Tables(plain(CLUTTER))),
        ("moving", Tables(plain(MOVING))),
        ("diffuse", Table(plain(DIFFUSE))),
        ("background", Table(plain(BACKGROUND))),
        ("calibrate", Table(object(CALIBRATE, calibrate))),
        ("variants", Table(plain(VARIANTS))),
    ];
    let mut schema = object(TOP, sections);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("A scenario of keller");
    schema["required"] = json!(["frequency_hz", "scene"]);
    schema
}

/// A table with these keys, of which some hold tables.
fn object<const N: usize>(keys: &[Key], nested: [(&str, Holds); N]) -> Value {
    let mut properties: Map<String, Value> = keys
        .iter()
        .map(|key| (key.name.to_owned(), described(value(key.accepted), key)))
        .collect();
    for (name, holds) in nested {
        let key = keys.iter().find(|key| key.name == name);
        let key = key.expect("a key of the table");
        let value = match holds {
            Holds::Table(table) => table,
            Holds::Tables(table) => json!({ "type": "array", "items": table }),
            Holds::TableOrTables(table) => {
                json!({ "anyOf": [table, { "type": "array", "items": table }] })
            }
            Holds::Named(table) => json!({ "type": "object", "additionalProperties": table }),
        };
        properties.insert(name.to_owned(), described(value, key));
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn described(mut value: Value, key: &Key) -> Value {
    value["description"] = json!(format!(
        "{} Accepted: {}. Without it: {}.",
        key.meaning, key.accepted, key.absent
    ));
    value
}

/// What a value is, as far as the words of the table say it plainly.
fn value(accepted: &str) -> Value {
    // What stands behind these is about the meaning, not about the value.
    let plain = accepted.split([':', ';']).next().unwrap_or_default();
    let words: Vec<&str> = plain.split(' ').collect();
    if plain.contains(" or a ") || plain.contains(", or ") && !plain.contains("or else") {
        return json!({});
    }
    match &words[..] {
        ["true", "or", "false", ..] | ["true,", "false"] => json!({ "type": "boolean" }),
        ["text"] | ["a", "text", ..] | ["the", "name", "of", ..] => json!({ "type": "string" }),
        ["a", "whole", "number", rest @ ..] => ranged("integer", rest),
        ["a", "number" | "number,", rest @ ..] => ranged("number", rest),
        ["a", "positive", "number" | "number,", ..] => {
            json!({ "type": "number", "exclusiveMinimum": 0 })
        }
        ["two" | "three" | "four", "numbers", ..] if !plain.contains("table") => {
            json!({ "type": "array" })
        }
        ["a", "list", ..] => json!({ "type": "array" }),
        all if is_choice(all) => {
            let names = all.iter().map(|word| word.trim_end_matches(','));
            json!({ "enum": names.collect::<Vec<_>>() })
        }
        _ => json!({}),
    }
}

/// A number `from A to B`, `of at least A`, or any.
fn ranged(kind: &str, words: &[&str]) -> Value {
    let number = |word: &str| word.trim_end_matches([',', '.']).parse::<f64>().ok();
    let [low, high] = match words {
        ["from", low, "to", high, ..] => [number(low), number(high)],
        ["of", "at", "least", low, ..] => [number(low), None],
        _ => [None, None],
    };
    let mut value = json!({ "type": kind });
    if let Some(low) = low {
        value["minimum"] = json!(low);
    }
    if let Some(high) = high {
        value["maximum"] = json!(high);
    }
    value
}

/// Whether words are the choices of a list: `quick, default, thorough`.
fn is_choice(words: &[&str]) -> bool {
    let Some((last, others)) = words.split_last() else {
        return false;
    };
    let named = others
        .iter()
        .map(|word| word.strip_suffix(',').unwrap_or_default());
    !others.is_empty() && named.chain([*last]).all(is_name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
}

#[cfg(test)]
mod tests {
    use toml::de::DeValue;

    use super::*;

    /// What of `value` the schema does not accept, by the words of draft 07 that [`schema`] uses.
    fn refused(value: &Value, schema: &Value, at: &str) -> Vec<String> {
        if let Some(any) = schema["anyOf"].as_array() {
            let kind = if value.is_array() { "array" } else { "object" };
            let one = any.iter().find(|schema| schema["type"] == kind);
            return refused(value, one.unwrap(), at);
        }
        let mut found = Vec::new();
        let is_of_type = match schema["type"].as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.as_f64().is_some_and(|v| v.fract() == 0.0),
            Some("number") => value.is_number(),
            _ => true,
        };
        let number = value.as_f64();
        let is_below = |limit: &Value| {
            number
                .zip(limit.as_f64())
                .is_some_and(|(v, limit)| v < limit)
        };
        let is_above = |limit: &Value| {
            number
                .zip(limit.as_f64())
                .is_some_and(|(v, limit)| v > limit)
        };
        let is_out = is_below(&schema["minimum"]) || is_above(&schema["maximum"]);
        let is_no_choice = schema["enum"]
            .as_array()
            .is_some_and(|all| !all.contains(value));
        if !is_of_type || is_out || is_no_choice {
            found.push(format!("{at}: {value} is not {schema}"));
        }
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            found.extend(refused(item, &schema["items"], &format!("{at}[{index}]")));
        }
        for (key, item) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{key}");
            let known = &schema["properties"][key];
            let other = &schema["additionalProperties"];
            match (known.is_null(), other) {
                (false, _) => found.extend(refused(item, known, &at)),
                (true, Value::Bool(false)) => found.push(format!("{at}: unknown")),
                (true, other) => found.extend(refused(item, other, &at)),
            }
        }
        found
    }

    fn of_text(text: &str) -> Vec<String> {
        let table = toml::de::DeTable::parse(text).unwrap();
        let value = table.get_ref().iter();
        let value = value.map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref())));
        refused(&value.collect(), &schema(), "")
    }

    fn json_of(value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => json!(text),
            DeValue::Integer(number) => json!(number.as_str().parse::<i64>().unwrap()),
            DeValue::Float(number) => json!(number.as_str().parse::<f64>().unwrap()),
            DeValue::Boolean(is_true) => json!(is_true),
            DeValue::Datetime(time) => json!(time.to_string()),
            DeValue::Array(items) => items.iter().map(|item| json_of(item.get_ref())).collect(),
            DeValue::Table(table) => {
                let items = table.iter();
                items
                    .map(|(key, item)| (key.get_ref().to_string(), json_of(item.get_ref())))
                    .collect()
            }
        }
    }

    #[test]
    fn every_example_is_accepted() {
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let mut folders = vec![std::path::PathBuf::from(examples)];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "toml")
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    assert_eq!(of_text(&text), [""; 0], "{}", path.display());
                    count += 1;
                }
            }
        }
        assert!(count >= 8, "{count} examples");
    }

    #[test]
    fn what_keller_refuses_plainly_the_schema_refuses() {
        let refused = |more: &str| {
            let text = format!("frequency_hz = 3.5e9\n{more}\n[scene]\nfile = \"a.obj\"\n");
            of_text(&text).len()
        };
        assert_eq!(refused(""), 0);
        for (more, count) in [
            ("frequency = 1", 1),
            ("paths = { max_reflections = 1000 }", 1),
            ("paths = { max_reflections = 1.5, effort = \"lazy\" }", 2),
            ("coverage = { engine = \"tube\" }", 1),
            ("coverage = [{ engine = \"tube\", noise_dbm = \"low\" }]", 2),
            (
                "materials = { wall = { itu = 3, layers = [{ thicknes = 0.1 }] } }",
                2,
            ),
            (
                "tx = [{ position = [0, 0, 9], array = { rows = \"two\" } }]",
                1,
            ),
        ] {
            assert_eq!(refused(more), count, "{more}");
        }
    }
}

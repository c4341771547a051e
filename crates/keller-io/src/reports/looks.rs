//! The colours of materials in pictures and models, chosen by the names of the materials.

/// The red, green and blue of a material, 0 to 1 as screens take them.
pub(crate) fn colour(material: &str) -> [f64; 3] {
    const COLOURS: [(&str, [f64; 3]); 8] = [
        ("roof", [0.78, 0.50, 0.42]),
        ("ground", [0.72, 0.77, 0.64]),
        ("brick", [0.80, 0.54, 0.44]),
        ("glass", [0.66, 0.80, 0.88]),
        ("metal", [0.72, 0.74, 0.77]),
        ("wood", [0.74, 0.61, 0.45]),
        ("marble", [0.95, 0.94, 0.92]),
        ("concrete", [0.84, 0.83, 0.81]),
    ];
    let found = COLOURS.iter().find(|(part, _)| material.contains(part));
    found.map_or([0.90, 0.87, 0.80], |(_, colour)| *colour)
}

/// The colours of several materials. If names have the same colour, the second and later ones take quiet colours of
/// their own, so that they can be distinguished.
pub(crate) fn distinct_colours<'a>(materials: impl IntoIterator<Item = &'a str>) -> Vec<[f64; 3]> {
    const QUIET: [[f64; 3]; 6] = [
        [0.74, 0.82, 0.88],
        [0.93, 0.85, 0.66],
        [0.76, 0.87, 0.79],
        [0.90, 0.76, 0.74],
        [0.70, 0.80, 0.78],
        [0.86, 0.78, 0.88],
    ];
    let mut taken: Vec<[f64; 3]> = Vec::new();
    for material in materials {
        let own = colour(material);
        let free = QUIET.iter().find(|quiet| !taken.contains(quiet));
        let is_taken = taken.contains(&own);
        taken.push(free.copied().filter(|_| is_taken).unwrap_or(own));
    }
    taken
}

/// Whether a material is one of the ground, as those of ITU-R P.2040 and the `ground` of imported places.
pub(crate) fn is_ground(material: &str) -> bool {
    material.contains("ground")
}

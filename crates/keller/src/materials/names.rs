//! Spellings of a material's name that mean the same.

/// A material's name without the differences between exporters: lower case, `_` for `-` and spaces, no leading `mat_`
/// or `itu_`.
///
/// ```
/// assert_eq!(keller::materials::canonical_name("mat-ITU_Wet Ground"), "wet_ground");
/// ```
pub fn canonical_name(name: &str) -> String {
    let name = name.trim().to_lowercase().replace(['-', ' '], "_");
    let name = name.strip_prefix("mat_").unwrap_or(&name);
    name.strip_prefix("itu_").unwrap_or(name).to_owned()
}

/// [`canonical_name`] without the number that Blender puts behind a copy: `itu_concrete.001` is `concrete`.
///
/// ```
/// use keller::materials::base_name;
/// assert_eq!(base_name("mat-itu_concrete.001"), "concrete");
/// assert_eq!(base_name("glass_v1.5"), "glass_v1.5");
/// ```
pub fn base_name(name: &str) -> String {
    let mut name = canonical_name(name);
    while let Some((base, number)) = name.rsplit_once('.')
        && number.len() >= MIN_DIGITS
        && number.bytes().all(|digit| digit.is_ascii_digit())
        && !base.is_empty()
    {
        name.truncate(base.len());
    }
    name
}

/// Digits of the number behind a copy's name, at least.
const MIN_DIGITS: usize = 3;

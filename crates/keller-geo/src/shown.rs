//! Text from files and users as messages quote it: short, and on one line.

/// More characters of a text than this say nothing more to a reader.
const MOST: usize = 80;

/// The text, at most 80 characters of it with an ellipsis in place of the rest, control characters escaped.
///
/// ```
/// use keller_geo::shown::shown;
/// assert_eq!(shown("a\nb"), "a\\nb");
/// assert_eq!(shown(&"x".repeat(1000)).chars().count(), 81);
/// ```
pub fn shown(text: &str) -> String {
    let mut short = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MOST {
            short.push('…');
            break;
        }
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    short
}

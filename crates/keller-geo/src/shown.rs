//! Text from files and users as messages quote it: short, and on one line.

/// The largest number of characters of a text: more say nothing more to a reader.
const MAX_CHARACTERS: usize = 80;

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
        if count == MAX_CHARACTERS {
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

/// Whether a text has a control character: a line break, a tab, an escape that a terminal obeys, or NUL.
pub fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// The error of a name that [`has_control`], escaped, and the accepted names.
///
/// ```
/// let message = keller_geo::shown::not_a_name("a\u{1b}[2J");
/// assert_eq!(message, "`a\\u{1b}[2J`, which has control characters; accepted: a name without them");
/// ```
pub fn not_a_name(name: &str) -> String {
    format!(
        "`{}`, which has control characters; accepted: a name without them",
        shown(name)
    )
}

//! Messages on standard error: whoever reads them may have gone, and the names that they quote may hold anything.
//!
//! `eprintln!` panics where nobody reads, so nothing else in this crate writes there but the progress bar.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes a line to standard error, formatted as `eprintln!` does.
macro_rules! say {
    ($($message:tt)*) => {
        $crate::messages::line(&format_args!($($message)*))
    };
}
pub(crate) use say;

/// The same for messages that are neither a warning nor an error, which `--quiet` leaves out.
macro_rules! summarize {
    ($($message:tt)*) => {
        if !$crate::messages::is_quiet() {
            $crate::messages::line(&format_args!($($message)*))
        }
    };
}
pub(crate) use summarize;

/// Whether only warnings and errors are said.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says only warnings and errors from now on, if `is_quiet`.
pub(crate) fn set_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a message of one line to standard error. Control characters are escaped, line breaks too, so that no name moves the
/// cursor or makes up a line of its own. Where nobody reads, nothing happens.
pub(crate) fn line(message: &dyn Display) {
    let mut text = printable(&message.to_string());
    text.push('\n');
    // The text goes out in one piece, so that no other thread writes into it.
    io::stderr().write_all(text.as_bytes()).ok();
}

/// A text in which control characters are escaped: `\u{1b}`.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.extend(character.escape_default()),
            other if other.is_control() => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_letters_are_not() {
        let text = "`a\u{1b}[2J\r\u{9b}3\u{7f}\0` is no Größe\n下";
        let shown = "`a\\u{1b}[2J\\r\\u{9b}3\\u{7f}\\u{0}` is no Größe\\n下";
        assert_eq!(printable(text), shown);
    }
}

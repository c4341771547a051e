//! The names of columns, which SQLite keeps as the text of the command that made the table.

/// The columns of a table.
#[derive(Debug, PartialEq)]
pub(super) struct Columns {
    /// Names in the order of the records.
    pub(super) names: Vec<String>,
    /// The column that is the number of the row itself and is not stored.
    pub(super) row_id: Option<usize>,
}

/// The columns of `CREATE TABLE name (column type ..., ...)`.
pub(super) fn columns(sql: &str) -> Columns {
    let mut found = Columns {
        names: Vec::new(),
        row_id: None,
    };
    for words in definitions(sql) {
        let Some(name) = words.first() else { continue };
        let word = |at: usize| words.get(at).map(|word| word.text.to_uppercase());
        let first = word(0).unwrap_or_default();
        let is_constraint = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];
        if !name.is_quoted && is_constraint.contains(&first.as_str()) {
            continue;
        }
        let has = |wanted: &str| {
            let plain = words[1..].iter().filter(|word| !word.is_quoted);
            plain
                .into_iter()
                .any(|word| word.text.eq_ignore_ascii_case(wanted))
        };
        // A column that is computed when it is read is in no record.
        if has("AS") && !has("STORED") {
            continue;
        }
        if word(1).as_deref() == Some("INTEGER") && has("PRIMARY") {
            found.row_id = Some(found.names.len());
        }
        found.names.push(name.text.clone());
    }
    found
}

/// A word of SQL, or a name in quotes.
struct Word {
    text: String,
    is_quoted: bool,
}

/// The words of every definition between the outermost brackets; those in inner brackets are left out.
fn definitions(sql: &str) -> Vec<Vec<Word>> {
    let mut all = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut depth = 0_usize;
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let close = match first {
            '"' | '`' | '\'' => Some(first),
            '[' => Some(']'),
            _ => None,
        };
        if let Some(close) = close {
            let (text, behind) = quoted(&rest[1..], close);
            rest = behind;
            if depth == 1 {
                words.push(Word {
                    text,
                    is_quoted: true,
                });
            }
        } else if rest.starts_with("--") {
            rest = rest.split_once('\n').map_or("", |(_, behind)| behind);
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, behind)| behind);
        } else if first.is_alphanumeric() || first == '_' {
            let is_in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let end = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
            if depth == 1 {
                let text = rest[..end].to_owned();
                words.push(Word {
                    text,
                    is_quoted: false,
                });
            }
            rest = &rest[end..];
        } else {
            match first {
                '(' => depth += 1,
                ')' if depth == 1 => break,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 1 => all.push(std::mem::take(&mut words)),
                _ => {}
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    all.push(words);
    all
}

/// The text up to a closing quote, of which two stand for one, and the rest.
fn quoted(text: &str, close: char) -> (String, &str) {
    let mut name = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character != close {
            name.push(character);
        } else if characters.peek().is_some_and(|(_, next)| *next == close) {
            name.push(close);
            characters.next();
        } else {
            return (name, &text[at + close.len_utf8()..]);
        }
    }
    (name, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_all_quotes_and_constraints_are_none() {
        let sql = "CREATE TABLE \"a (b), c\" ( -- the key, it is
            fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \"geom\" MULTIPOLYGON,
            [roof:height] REAL DEFAULT (1, 2), `say \"` TEXT(20), 'single''s' DATE, Höhe FLOAT CHECK (x IN (1, 2)),
            /* none, */ area REAL GENERATED ALWAYS AS (1 + 2) VIRTUAL, kept REAL AS (3) STORED,
            \"check\" TEXT, CONSTRAINT c UNIQUE (geom), PRIMARY KEY (fid), FOREIGN KEY (a) REFERENCES b(c))";
        let found = columns(sql);
        let names = [
            "fid",
            "geom",
            "roof:height",
            "say \"",
            "single's",
            "Höhe",
            "kept",
            "check",
        ];
        assert_eq!(found.names, names);
        assert_eq!(found.row_id, Some(0));
        assert_eq!(columns("CREATE TABLE t (id INT PRIMARY KEY)").row_id, None);
        assert_eq!(columns("no table").names, [""; 0]);
    }
}

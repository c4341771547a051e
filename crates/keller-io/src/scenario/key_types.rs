//! The type of a key of a scenario. It checks values; the description of accepted values, the JSON schema and Python's
//! types follow from it.

use toml::de::DeValue;

/// A key of a scenario.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// The values it accepts.
    pub(super) kind: KeyType,
    /// The default, in words.
    pub(super) absent: &'static str,
    /// The meaning, in a sentence.
    pub(super) meaning: &'static str,
}

/// The values that a key accepts.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyType {
    pub(super) shape: Shape,
    unit: &'static str,
    note: &'static str,
    /// The words that replace those that follow from the shape.
    words: Option<&'static str>,
}

/// The form of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// `true` or `false`.
    Flag,
    Number(Range),
    /// A whole number from the first to the second.
    Whole(usize, usize),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// The name of something.
    Name(&'static str),
    /// The name of a file, found from the folder of the scenario.
    File(&'static str),
    /// A list of numbers, one for each of these names, all in a range.
    Vector(&'static [&'static str], Range),
    /// A list of any length.
    List(&'static Self),
    /// A table of keys, and the name of its type in Python.
    Table(&'static str, &'static [Key]),
    /// A list of such tables.
    Tables(&'static str, &'static [Key]),
    /// Such tables, each under a name of the user's.
    Named(&'static str, &'static [Key]),
    /// A table of any keys.
    AnyTable,
    /// One of several shapes.
    Any(&'static [Self]),
}

/// A range of finite numbers that a key accepts; limits belong to it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Range {
    All,
    Positive,
    AtLeast(f64),
    /// Numbers whose magnitude is no larger than this.
    AtMost(f64),
    Within(f64, f64),
}

pub(super) const fn key(
    name: &'static str,
    kind: KeyType,
    absent: &'static str,
    meaning: &'static str,
) -> Key {
    Key {
        name,
        kind,
        absent,
        meaning,
    }
}

pub(super) const FLAG: KeyType = of(Shape::Flag);
pub(super) const TEXT: KeyType = of(Shape::Text);

pub(super) const fn of(shape: Shape) -> KeyType {
    KeyType {
        shape,
        unit: "",
        note: "",
        words: None,
    }
}

pub(super) const fn number(unit: &'static str) -> KeyType {
    of(Shape::Number(Range::All)).unit(unit)
}

pub(super) const fn positive(unit: &'static str) -> KeyType {
    of(Shape::Number(Range::Positive)).unit(unit)
}

pub(super) const fn at_least(min: f64, unit: &'static str) -> KeyType {
    of(Shape::Number(Range::AtLeast(min))).unit(unit)
}

pub(super) const fn at_most(max: f64, unit: &'static str) -> KeyType {
    of(Shape::Number(Range::AtMost(max))).unit(unit)
}

pub(super) const fn within(min: f64, max: f64, unit: &'static str) -> KeyType {
    of(Shape::Number(Range::Within(min, max))).unit(unit)
}

pub(super) const fn whole(min: usize, max: usize) -> KeyType {
    of(Shape::Whole(min, max))
}

pub(super) const fn choice(words: &'static [&'static str]) -> KeyType {
    of(Shape::Choice(words))
}

pub(super) const fn name(what: &'static str) -> KeyType {
    of(Shape::Name(what))
}

pub(super) const fn file(what: &'static str) -> KeyType {
    of(Shape::File(what))
}

pub(super) const fn vector(names: &'static [&'static str], range: Range) -> KeyType {
    of(Shape::Vector(names, range))
}

pub(super) const fn list(item: &'static Shape) -> KeyType {
    of(Shape::List(item))
}

pub(super) const fn table(class: &'static str, keys: &'static [Key]) -> KeyType {
    of(Shape::Table(class, keys))
}

pub(super) const fn tables(class: &'static str, keys: &'static [Key]) -> KeyType {
    of(Shape::Tables(class, keys))
}

pub(super) const fn any(shapes: &'static [Shape]) -> KeyType {
    of(Shape::Any(shapes))
}

/// The names of choices whose values are defined elsewhere.
pub(super) const fn names_of<T, const N: usize>(
    choices: &[(&'static str, T); N],
) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = choices[index].0;
        index += 1;
    }
    names
}

impl KeyType {
    /// The same type in a unit, or with other words after a comma.
    pub(super) const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// The same type with words after all others.
    pub(super) const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// The same type described in other words.
    pub(super) const fn said(mut self, words: &'static str) -> Self {
        self.words = Some(words);
        self
    }
}

impl Key {
    /// The values it accepts, in words.
    pub(super) fn accepted(&self) -> String {
        let KeyType {
            shape,
            unit,
            note,
            words,
        } = self.kind;
        let words = words.map_or_else(|| shape.words(Some(self.name)), str::to_owned);
        let comma = if unit.is_empty() { "" } else { ", " };
        format!("{words}{comma}{unit}{note}")
    }
}

impl Shape {
    /// The description of the shape; that of a section of the scenario names it by its `key`.
    fn words(&self, key: Option<&str>) -> String {
        match (self, key) {
            (Self::Flag, _) => "true or false".to_owned(),
            (Self::Number(range), _) => {
                let (before, after) = range.words();
                format!("a {before}number{after}")
            }
            (Self::Whole(min, usize::MAX), _) => format!("a whole number of at least {min}"),
            (Self::Whole(min, max), _) => format!("a whole number from {min} to {max}"),
            (Self::Choice(words), _) => words.join(", "),
            (Self::Text, _) => "text".to_owned(),
            (Self::Name(what), _) => format!("the name of {what}"),
            (Self::File(what), _) => format!("the name of {what}, relative to the scenario"),
            (Self::Vector(names, range), _) => {
                const COUNTS: [&str; 5] = ["no", "one", "two", "three", "four"];
                let (before, after) = range.words();
                let (count, names) = (COUNTS[names.len()], names.join(", "));
                format!("{count} {before}numbers [{names}]{after}")
            }
            (Self::List(Self::Number(range)), _) => {
                let (before, after) = range.words();
                format!("a list of {before}numbers{after}")
            }
            (Self::List(Self::Choice(words)), _) => format!("a list of {}", words.join(", ")),
            (Self::List(item), _) => format!("a list, each {}", item.words(None)),
            (Self::Table(..), Some(key)) => format!("a table: [{key}]"),
            (Self::Table(_, keys), None) => {
                let names: Vec<_> = keys.iter().map(|key| key.name).collect();
                format!("a table {{ {} }}", names.join(", "))
            }
            (Self::Tables(..), Some(key)) => format!("tables: one or more [[{key}]]"),
            (Self::Tables(..), None) => "a list of tables".to_owned(),
            (Self::Named(..), _) => format!("tables: [{}.NAME]", key.unwrap_or_default()),
            (Self::AnyTable, _) => "a table".to_owned(),
            (Self::Any(shapes), _) => {
                let words: Vec<_> = shapes.iter().map(|shape| shape.words(None)).collect();
                words.join(", or ")
            }
        }
    }

    /// The shapes that a value may have: this one, or several.
    pub(super) fn alternatives(&self) -> &[Self] {
        match self {
            Self::Any(shapes) => shapes,
            one => std::slice::from_ref(one),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Choice(_) | Self::Text | Self::Name(_) | Self::File(_)
        )
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether it is a number that may be this one.
    pub(super) fn has(&self, number: f64) -> bool {
        matches!(self, Self::Number(range) if number.is_finite() && range.has(number))
    }

    pub(super) fn is_vector_of<const N: usize>(&self) -> bool {
        matches!(self, Self::Vector(names, _) if names.len() == N)
    }

    /// The keys of the tables of this shape, or of the list of them.
    pub(super) fn keys(&self) -> Option<&'static [Key]> {
        self.alternatives().iter().find_map(|shape| match shape {
            Self::Table(_, keys) | Self::Tables(_, keys) | Self::Named(_, keys) => Some(*keys),
            _ => None,
        })
    }

    /// Whether `value` is accepted. The content of texts and the insides of tables are not checked.
    pub(super) fn accepts(&self, value: &DeValue<'_>) -> bool {
        let in_range =
            |range: &Range, value: &DeValue<'_>| finite_number(value).is_some_and(|v| range.has(v));
        match self {
            Self::Flag => value.is_bool(),
            Self::Number(range) => in_range(range, value),
            Self::Whole(min, max) => {
                whole_number(value).is_some_and(|v| (*min..=*max).contains(&v))
            }
            Self::Choice(_) | Self::Text | Self::Name(_) | Self::File(_) => value.is_str(),
            Self::Vector(names, range) => {
                let is_full = value.as_array().is_some_and(|v| v.len() == names.len());
                is_full && is_list_of(value, &|one| in_range(range, one))
            }
            Self::List(item) => is_list_of(value, &|one| item.accepts(one)),
            Self::Tables(..) => is_list_of(value, &|one| one.is_table()),
            Self::Table(..) | Self::Named(..) | Self::AnyTable => value.is_table(),
            Self::Any(shapes) => shapes.iter().any(|shape| shape.accepts(value)),
        }
    }
}

impl Range {
    /// The words before and after "number".
    fn words(self) -> (&'static str, String) {
        match self {
            Self::All => ("", String::new()),
            Self::Positive => ("positive ", String::new()),
            Self::AtLeast(min) => ("", format!(" of at least {}", shortest(min))),
            Self::AtMost(max) => ("", format!(" of at most {}", shortest(max))),
            Self::Within(min, max) => ("", format!(" from {} to {}", shortest(min), shortest(max))),
        }
    }

    /// Whether it has a finite number.
    pub(super) fn has(self, number: f64) -> bool {
        match self {
            Self::All => true,
            Self::Positive => number > 0.0,
            Self::AtLeast(min) => number >= min,
            Self::AtMost(max) => number.abs() <= max,
            Self::Within(min, max) => (min..=max).contains(&number),
        }
    }
}

fn is_list_of(value: &DeValue<'_>, is_it: &dyn Fn(&DeValue<'_>) -> bool) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(|item| is_it(item.get_ref())))
}

/// A number as a scenario writes it: `1e7`, `0.57`.
fn shortest(number: f64) -> String {
    if number.abs() >= 1e6 {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// A finite number, however it is written.
pub(super) fn finite_number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .map(|v| v as f64),
        DeValue::Float(float) => float.as_str().parse().ok().filter(|v: &f64| v.is_finite()),
        _ => None,
    }
}

/// A whole number that is not negative.
pub(super) fn whole_number(value: &DeValue<'_>) -> Option<usize> {
    let integer = value.as_integer()?;
    usize::from_str_radix(integer.as_str(), integer.radix()).ok()
}

//! The keys of a scenario as a JSON schema, by which editors complete keys, explain them and mark errors.
//!
//! The schema follows from the types of keys: everything that it refuses, keller refuses too.

use serde_json::{Map, Value, json};

use super::key_types::{Key, Range, Shape};
use super::keys::TOP;

/// The JSON schema (draft 07) of scenarios.
///
/// ```
/// let schema = keller_io::scenario::schema();
/// assert_eq!(schema["properties"]["frequency_hz"]["minimum"], 1e6);
/// ```
pub fn schema() -> Value {
    let mut schema = object(TOP);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("A scenario of keller");
    schema["required"] = json!(["frequency_hz", "scene"]);
    schema
}

/// A table with these keys.
fn object(keys: &[Key]) -> Value {
    let property = |key: &Key| {
        let mut value = value(&key.kind.shape);
        value["description"] = json!(format!(
            "{} Accepted: {}. Without it: {}.",
            key.meaning,
            key.accepted(),
            key.absent
        ));
        (key.name.to_owned(), value)
    };
    let properties: Map<String, Value> = keys.iter().map(property).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// The values of a shape.
fn value(shape: &Shape) -> Value {
    match shape {
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Number(range) => number(*range),
        Shape::Whole(min, usize::MAX) => json!({ "type": "integer", "minimum": min }),
        Shape::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Choice(words) => json!({ "enum": words }),
        Shape::Text | Shape::Name(_) | Shape::File(_) => json!({ "type": "string" }),
        Shape::Vector(names, range) => json!({
            "type": "array",
            "items": number(*range),
            "minItems": names.len(),
            "maxItems": names.len(),
        }),
        Shape::List(item) => json!({ "type": "array", "items": value(item) }),
        Shape::Table(_, keys) => object(keys),
        Shape::Tables(_, keys) => json!({ "type": "array", "items": object(keys) }),
        Shape::Named(_, keys) => {
            json!({ "type": "object", "additionalProperties": object(keys) })
        }
        Shape::AnyTable => json!({ "type": "object" }),
        Shape::Any(shapes) => {
            json!({ "anyOf": shapes.iter().map(value).collect::<Vec<_>>() })
        }
    }
}

fn number(range: Range) -> Value {
    let mut value = json!({ "type": "number" });
    match range {
        Range::All => {}
        Range::Positive => value["exclusiveMinimum"] = json!(0),
        Range::AtLeast(min) => value["minimum"] = json!(min),
        Range::AtMost(max) => (value["minimum"], value["maximum"]) = (json!(-max), json!(max)),
        Range::Within(min, max) => (value["minimum"], value["maximum"]) = (json!(min), json!(max)),
    }
    value
}

#[cfg(test)]
mod tests {
    use toml::de::DeValue;

    use super::*;

    /// The parts of `value` that the schema does not accept, by the words of draft 07 that [`schema`] uses.
    fn refused(value: &Value, schema: &Value, at: &str) -> Vec<String> {
        if let Some(any) = schema["anyOf"].as_array() {
            let told = any.iter().map(|one| {
                let found = refused(value, one, at);
                (!is_of_type(value, one), found.len(), found)
            });
            return told.min().unwrap().2;
        }
        let mut found = Vec::new();
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
        let is_out = is_below(&schema["minimum"])
            || is_above(&schema["maximum"])
            || schema["exclusiveMinimum"].is_number() && number.is_some_and(|v| v <= 0.0)
            || value.as_array().is_some_and(|items| {
                let wanted = schema["minItems"].as_u64();
                wanted.is_some_and(|wanted| items.len() as u64 != wanted)
            });
        let is_no_choice = schema["enum"]
            .as_array()
            .is_some_and(|all| !all.contains(value));
        if !is_of_type(value, schema) || is_out || is_no_choice {
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

    fn is_of_type(value: &Value, schema: &Value) -> bool {
        match schema["type"].as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.as_f64().is_some_and(|v| v.fract() == 0.0),
            Some("number") => value.is_number(),
            _ => true,
        }
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
            ("paths = { max_reflection = 1 }", 1),
            (
                "tiles = { side = 0, refine = [{ centre = [1], radius = 2 }] }",
                2,
            ),
            ("background = { level_db = -60, exponent = 21 }", 1),
            ("coverage = { resolution = [1, 2, 3, 4], heights = 1.5 }", 1),
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

//! The closed bodies of a scene that are inside out, or have some faces turned.

use std::io::{self, Write};

use keller::scene::{Body, Fronts, Scene};
use serde_json::{Value, json};

use crate::report::write_table;

/// A closed body whose fronts do not all look outwards.
pub(super) struct BodyFacts {
    face: usize,
    material: String,
    fronts: &'static str,
    bounds: [[f64; 3]; 2],
}

impl BodyFacts {
    /// More are not written for people.
    const MOST: usize = 20;

    pub(super) fn of(scene: &Scene, body: &Body) -> Self {
        Self {
            face: body.face.index(),
            material: scene.materials()[scene.face(body.face).material.index()].clone(),
            fronts: match body.fronts {
                Fronts::Outwards => "outwards",
                Fronts::Inwards => "inwards",
                Fronts::Mixed => "mixed",
            },
            bounds: body.bounds.map(|corner| corner.to_array()),
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "face": self.face,
            "material": self.material,
            "fronts": self.fronts,
            "bounds": { "min": self.bounds[0], "max": self.bounds[1] },
        })
    }

    pub(super) fn write(bodies: &[Self], out: &mut impl Write) -> io::Result<()> {
        if bodies.is_empty() {
            return Ok(());
        }
        let rows: Vec<_> = bodies
            .iter()
            .take(Self::MOST)
            .map(|body| {
                let [min, max] = body.bounds.map(|[x, y, z]| format!("{x:.2} {y:.2} {z:.2}"));
                let face = body.face.to_string();
                vec![
                    body.fronts.to_owned(),
                    face,
                    body.material.clone(),
                    min,
                    max,
                ]
            })
            .collect();
        writeln!(out)?;
        let header = [
            "body with fronts ",
            "first face",
            "material ",
            "min m",
            "max m",
        ];
        write_table(out, &header, &rows)?;
        let more = bodies.len() - rows.len();
        if more > 0 {
            writeln!(out, "and {more} more; --json has them all")?;
        }
        writeln!(
            out,
            "Diffraction does not depend on fronts; the order of layers does, and the sides of tiles."
        )
    }
}

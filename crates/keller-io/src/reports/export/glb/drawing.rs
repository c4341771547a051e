//! Coloured surfaces in a GLB that are no part of the scene: they show results.
//!
//! # Source
//! Khronos Group, extension `KHR_materials_unlit`, 2017: colours as they are, without light and shade.

use glam::{DVec3, Vec3};

use super::legend::Legend;
use super::parts::{Attributes, NodeExtras, Primitive, TRIANGLES, UNSIGNED_SHORT, View};
use super::{Glb, centre, turned};

/// The extension of the material of drawings.
pub(super) const UNLIT: &str = "KHR_materials_unlit";

/// The name of that material.
pub(super) const DRAWING_MATERIAL: &str = "drawing";

/// A coloured surface.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// The name, as other programs show it.
    pub name: String,
    /// Its corners, metres.
    pub vertices: Vec<DVec3>,
    /// The red, green and blue of each corner, as screens show them (sRGB).
    pub colours: Vec<[u8; 3]>,
    /// Its triangles, indices of corners.
    pub triangles: Vec<[u32; 3]>,
    /// The legend of its colours, if they have one.
    pub legend: Option<Legend>,
}

impl<'a> Glb<'a> {
    /// Adds a drawing; one without triangles is left out. `material` is the index of [`DRAWING_MATERIAL`].
    pub(super) fn draw(&mut self, drawing: &'a Drawing, material: usize) {
        if drawing.triangles.is_empty() {
            return;
        }
        let place = centre(drawing.vertices.iter().copied());
        let rounded = |p: &DVec3| turned(*p - place).as_vec3();
        let positions: Vec<Vec3> = drawing.vertices.iter().map(rounded).collect();
        let corners = drawing.triangles.iter().flatten().map(|v| *v as usize);
        let corners: Vec<usize> = corners.collect();
        let primitive = Primitive {
            attributes: Attributes {
                position: self.bounded(&positions),
                low: None,
                colour: Some(self.colours(&drawing.colours)),
            },
            indices: self.indices(&corners),
            material,
            mode: TRIANGLES,
        };
        let extras = Some(NodeExtras {
            drawing: true,
            legend: drawing.legend.as_ref(),
        });
        self.node(&drawing.name, place, vec![primitive], extras);
    }

    /// Adds the colours as linear and opaque ones.
    fn colours(&mut self, colours: &[[u8; 3]]) -> usize {
        let linear: Vec<u16> = (0..=u8::MAX).map(linear).collect();
        let rgba = colours.iter().flat_map(|[r, g, b]| {
            let [r, g, b] = [r, g, b].map(|c| linear[usize::from(*c)]);
            [r, g, b, u16::MAX]
        });
        let bytes = rgba.flat_map(u16::to_le_bytes);
        let accessor = self.accessor(View::Colours, UNSIGNED_SHORT, "VEC4", colours.len(), bytes);
        self.accessors[accessor].normalized = true;
        accessor
    }
}

/// The intensity of a value of sRGB, of 65535.
pub(super) fn linear(value: u8) -> u16 {
    let share = f64::from(value) / 255.0;
    let light = if share <= 0.04045 {
        share / 12.92
    } else {
        ((share + 0.055) / 1.055).powf(2.4)
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 65535"
    )]
    let whole = (light * 65535.0).round() as u16;
    whole
}

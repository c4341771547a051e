//! Polygons as the text of a Wavefront file, with fronts that look either way and corners that begin anywhere.

use std::fmt::Write as _;

use glam::DVec2;
use keller::DVec3;

use super::draws::Draws;

/// The text of a scene file.
#[derive(Debug)]
pub(super) struct Obj {
    pub(super) text: String,
    vertices: usize,
    draws: Draws,
}

impl Obj {
    /// A file without a polygon; `draws` says where fronts look.
    pub(super) fn new(draws: Draws) -> Self {
        Self {
            text: String::new(),
            vertices: 0,
            draws,
        }
    }

    pub(super) fn object(&mut self, name: &str) {
        let _ = writeln!(self.text, "o {name}");
    }

    pub(super) fn polygon(&mut self, material: &str, corners: &[DVec3]) {
        let _ = writeln!(self.text, "usemtl {material}");
        for corner in corners {
            let _ = writeln!(self.text, "v {:?} {:?} {:?}", corner.x, corner.y, corner.z);
        }
        let mut order: Vec<usize> = (1..=corners.len()).map(|k| self.vertices + k).collect();
        order.rotate_left(self.draws.below(corners.len()));
        if self.draws.below(2) == 1 {
            order.reverse();
        }
        self.vertices += corners.len();
        let order: Vec<String> = order.iter().map(usize::to_string).collect();
        let _ = writeln!(self.text, "f {}", order.join(" "));
    }

    /// Upright walls along a closed line, from `low` to `high`.
    pub(super) fn walls(&mut self, material: &str, ring: &[DVec2], [low, high]: [f64; 2]) {
        for (k, a) in ring.iter().enumerate() {
            let b = ring[(k + 1) % ring.len()];
            let corners = [a.extend(low), b.extend(low), b.extend(high), a.extend(high)];
            self.polygon(material, &corners);
        }
    }

    /// A level polygon.
    pub(super) fn plate(&mut self, material: &str, ring: &[DVec2], height: f64) {
        let corners: Vec<DVec3> = ring.iter().map(|at| at.extend(height)).collect();
        self.polygon(material, &corners);
    }

    /// The triangles of a mesh with the materials that it names.
    pub(super) fn mesh(&mut self, mesh: &keller::scene::Mesh) {
        for triangle in &mesh.triangles {
            let corners = triangle
                .vertices
                .map(|vertex| mesh.vertices[vertex as usize]);
            let material = &mesh.materials[triangle.material as usize].name;
            self.polygon(material, &corners);
        }
    }
}

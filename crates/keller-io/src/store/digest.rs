//! Sixteen bytes that say whether two runs have the same scenario and scene.

use std::fmt::{self, Write as _};

use keller::scene::Scene;
use twox_hash::xxhash3_128::Hasher;

use crate::formats::VERSION;

/// A digest of everything that a result follows from. It reveals accidents and does not withstand an adversary.
///
/// # Source
/// XXH3, 128 bits: <https://github.com/Cyan4973/xxHash>.
pub struct Digest(Hasher);

impl Digest {
    /// The digest of this version of keller, and nothing else yet.
    pub fn new() -> Self {
        let mut digest = Self(Hasher::new());
        digest.add(&VERSION);
        digest
    }

    /// Adds a value. [`fmt::Debug`] shows every digit of a number, so different values look different.
    ///
    /// # Panics
    /// If the value cannot be shown.
    pub fn add(&mut self, value: &dyn fmt::Debug) {
        // A mark between values distinguishes "ab", "c" from "a", "bc".
        writeln!(self, "{value:?}").expect("a digest takes all");
    }

    /// Adds the triangles of a scene and the names of their materials.
    pub fn add_scene(&mut self, scene: &Scene) {
        for vertex in scene.vertices() {
            for coordinate in vertex.to_array() {
                self.0.write(&coordinate.to_bits().to_le_bytes());
            }
        }
        for (triangle, face) in scene.triangles().iter().zip(scene.triangle_faces()) {
            let material = scene.face(*face).material.index() as u64;
            for index in triangle.map(u64::from).into_iter().chain([material]) {
                self.0.write(&index.to_le_bytes());
            }
        }
        self.add(&scene.materials());
        self.add(scene.clutter());
    }

    /// The digest.
    pub fn finish(&self) -> [u8; 16] {
        self.0.finish_128().to_le_bytes()
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:02x?})", self.finish())
    }
}

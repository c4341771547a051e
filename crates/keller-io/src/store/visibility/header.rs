//! The header of a visibility file: the scene and the tiling to which it belongs.

use keller::scene::Scene;
use keller::tiles::{Finer, Tiles, Tiling};
use twox_hash::XxHash3_64;
use twox_hash::xxhash3_128::Hasher;

use super::BLOCK;

const MAGIC: &[u8; 16] = b"keller visible\r\n";

/// Of the format, and of the rules by which tiles see each other.
const VERSION: u32 = 2;

/// What a visibility file is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Of vertices, triangles and planes.
    pub scene: [u8; 16],
    /// Of faces and centres of all tiles.
    pub tiles: [u8; 16],
    /// How many tiles there are, a row each.
    pub num_tiles: u64,
    /// How tiles were cut. It has no places with finer tiles: the file only tells such places from others.
    pub tiling: Tiling,
    /// The places with finer tiles.
    pub finer: FinerDigest,
}

/// Tells lists of places with finer tiles from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinerDigest {
    /// How many there are.
    pub count: u32,
    /// Of their numbers; zero if there are none.
    pub digest: u64,
}

impl FinerDigest {
    fn of(all: &[Finer]) -> Self {
        if all.is_empty() {
            return Self::default();
        }
        let mut bytes = Vec::new();
        for Finer {
            at,
            z,
            radius,
            side,
        } in all
        {
            // No coordinate is infinite.
            for number in [at.x, at.y, z.unwrap_or(f64::INFINITY), *radius, *side] {
                bytes.extend(number.to_bits().to_le_bytes());
            }
        }
        Self {
            count: u32::try_from(all.len()).unwrap_or(u32::MAX),
            digest: XxHash3_64::oneshot(&bytes),
        }
    }
}

impl Header {
    pub(super) const BYTES: usize = 112;

    /// That of the tiles of a scene.
    pub fn new(scene: &Scene, tiles: &Tiles) -> Self {
        Self {
            scene: of_scene(scene),
            tiles: of_tiles(tiles),
            num_tiles: tiles.len() as u64,
            tiling: Tiling {
                finer: Vec::new(),
                ..tiles.tiling().clone()
            },
            finer: FinerDigest::of(&tiles.tiling().finer),
        }
    }

    pub(super) fn num_blocks(&self) -> u64 {
        self.num_tiles.div_ceil(BLOCK as u64)
    }

    /// Where the first block begins.
    pub(super) fn blocks_at(&self) -> u64 {
        Self::BYTES as u64 + super::index::ENTRY_BYTES as u64 * self.num_blocks()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let Tiling {
            side,
            ground_side,
            min_face_area,
            terrain_grid,
            under_buildings,
            finer: _,
        } = &self.tiling;
        // No side is negative.
        let lengths = [*side, ground_side.unwrap_or(-1.0), *min_face_area];
        let mut bytes = [
            &MAGIC[..],
            &VERSION.to_le_bytes(),
            &u32::try_from(BLOCK)
                .expect("a block is small")
                .to_le_bytes(),
            &self.scene,
            &self.tiles,
            &self.num_tiles.to_le_bytes(),
            &lengths.map(f64::to_le_bytes).concat(),
            &[(*terrain_grid).into(), (*under_buildings).into()],
            &self.finer.count.to_le_bytes(),
            &self.finer.digest.to_le_bytes(),
        ]
        .concat();
        bytes.resize(Self::BYTES - 8, 0);
        bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
        bytes
    }

    /// The header of a file that begins so, or what is wrong with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err(
                "this is no visibility file of keller; `keller visibility SCENE -o FILE` makes one"
                    .to_owned(),
            );
        }
        let Some(bytes) = bytes.get(..Self::BYTES) else {
            return Err(format!(
                "the file ends after {} bytes, within its header of {}; make it anew",
                bytes.len(),
                Self::BYTES
            ));
        };
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k]));
        // A version says how the rest is to be read.
        let version = word(16);
        if version != VERSION {
            let newer = if version > VERSION { "newer" } else { "older" };
            return Err(format!(
                "version {version} of the format is {newer} than this keller, which accepts version {VERSION}; make it anew"
            ));
        }
        let (content, sum) = bytes.split_at(Self::BYTES - 8);
        if XxHash3_64::oneshot(content).to_le_bytes() != *sum {
            return Err("the header is damaged (its checksum differs); make it anew".to_owned());
        }
        if word(20) as usize != BLOCK {
            let found = word(20);
            return Err(format!(
                "blocks of {found} tiles; {BLOCK} are accepted; make it anew"
            ));
        }
        let long = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes);
        let long = |at: usize| long(at).expect("eight bytes");
        let digest = |at: usize| bytes[at..at + 16].try_into().expect("sixteen bytes");
        let number = |at: usize| f64::from_bits(long(at));
        Ok(Self {
            scene: digest(24),
            tiles: digest(40),
            num_tiles: long(56),
            tiling: Tiling {
                side: number(64),
                ground_side: Some(number(72)).filter(|side| *side > 0.0),
                min_face_area: number(80),
                terrain_grid: bytes[88] != 0,
                under_buildings: bytes[89] != 0,
                finer: Vec::new(),
            },
            finer: FinerDigest {
                count: word(90),
                digest: long(94),
            },
        })
    }

    /// Says why this file is not `wanted`.
    pub(super) fn check(&self, wanted: &Self) -> Result<(), String> {
        if self.scene != wanted.scene {
            return Err("the file is of another scene; make it anew for this one".to_owned());
        }
        if self.tiling != wanted.tiling || self.finer.count != wanted.finer.count {
            return Err(format!(
                "the file is of another tiling, {}; wanted is {}",
                self.name(),
                wanted.name()
            ));
        }
        if self.finer != wanted.finer {
            return Err(
                "the file is of another tiling, finer in other places; make it anew for these"
                    .to_owned(),
            );
        }
        if self != wanted {
            return Err(format!(
                "the file is of {} tiles that another version of keller has cut, not of these {}; make it anew",
                self.num_tiles, wanted.num_tiles
            ));
        }
        Ok(())
    }

    /// How the tiles were cut, in words.
    fn name(&self) -> String {
        let Self { tiling, finer, .. } = self;
        let ground = tiling
            .ground_side
            .map_or(String::new(), |side| format!(" and {side} m on the ground"));
        let least = tiling.min_face_area;
        let terrain = if tiling.terrain_grid {
            "a grid"
        } else {
            "facets"
        };
        let without = if tiling.under_buildings {
            "also"
        } else {
            "not"
        };
        let finer = match finer.count {
            0 => String::new(),
            1 => ", finer around 1 point".to_owned(),
            count => format!(", finer around {count} points"),
        };
        format!(
            "sides of {} m{ground}, faces from {least} m² on, terrain by {terrain}, {without} under buildings{finer}",
            tiling.side
        )
    }
}

/// A digest of what hides and of what is seen: it depends neither on materials nor on clutter.
fn of_scene(scene: &Scene) -> [u8; 16] {
    let mut digest = Hasher::new();
    let mut add = |values: &[f64]| {
        for value in values {
            digest.write(&value.to_bits().to_le_bytes());
        }
    };
    for vertex in scene.vertices() {
        add(&vertex.to_array());
    }
    for plane in scene.planes() {
        let [x, y, z] = plane.normal.to_array();
        add(&[x, y, z, plane.offset]);
    }
    for (triangle, face) in scene.triangles().iter().zip(scene.triangle_faces()) {
        for index in triangle {
            digest.write(&index.to_le_bytes());
        }
        for index in [face.index(), scene.plane_of(*face).index()] {
            digest.write(&(index as u64).to_le_bytes());
        }
    }
    digest.finish_128().to_le_bytes()
}

fn of_tiles(tiles: &Tiles) -> [u8; 16] {
    let mut digest = Hasher::new();
    for tile in tiles.all() {
        digest.write(&(tile.face.index() as u64).to_le_bytes());
        for coordinate in tile.centre.to_array() {
            digest.write(&coordinate.to_bits().to_le_bytes());
        }
    }
    digest.finish_128().to_le_bytes()
}

//! The header of a visibility file: the scene and the tiling to which it belongs.

use keller::scene::Scene;
use keller::tiles::{Finer, Tiles, Tiling};
use twox_hash::XxHash3_64;
use twox_hash::xxhash3_128::Hasher;

use super::BLOCK;
use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::store::Unit;
use crate::store::records::{self, Begin};

const KIND: records::Kind = *b"visible ";

/// The version of the format, and of the rules by which tiles see each other.
const VERSION: u32 = 3;

/// The beginning of files of the versions before the third.
const OLD_MAGIC: &[u8; 16] = b"keller visible\r\n";

/// The scene and tiles of a visibility file.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The digest of vertices, triangles and planes.
    pub scene: [u8; 16],
    /// The digest of faces and centres of all tiles.
    pub tiles: [u8; 16],
    /// The number of tiles, a row each.
    pub num_tiles: usize,
    /// The tiling. It has no places with finer tiles: the file only distinguishes such places from others.
    pub tiling: Tiling,
    /// The places with finer tiles.
    pub finer: FinerDigest,
}

/// A digest that distinguishes lists of places with finer tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinerDigest {
    /// The number of places.
    pub count: u32,
    /// The digest of their numbers; zero if there are none.
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
    /// The header for the tiles of a scene.
    pub fn new(scene: &Scene, tiles: &Tiles) -> Self {
        Self {
            scene: of_scene(scene),
            tiles: of_tiles(tiles),
            num_tiles: tiles.len(),
            tiling: Tiling {
                finer: Vec::new(),
                ..tiles.tiling().clone()
            },
            finer: FinerDigest::of(&tiles.tiling().finer),
        }
    }

    pub(super) fn num_blocks(&self) -> usize {
        self.num_tiles.div_ceil(BLOCK)
    }

    /// The tiles of a block.
    pub(super) fn unit(&self, block: usize) -> Unit {
        Unit {
            family: 0,
            region: 0,
            tx: Vec::new(),
            range: BLOCK * block..self.num_tiles.min(BLOCK * (block + 1)),
        }
    }

    /// The beginning of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Tiling {
            side,
            ground_side,
            min_face_area,
            terrain_grid,
            under_buildings,
            finer: _,
        } = &self.tiling;
        let mut head = ByteWriter::default();
        head.whole(VERSION);
        head.raw(&self.scene);
        head.raw(&self.tiles);
        head.count(self.num_tiles);
        head.reals(&[*side, *min_face_area]);
        head.maybe(*ground_side);
        head.flag(*terrain_grid);
        head.flag(*under_buildings);
        head.whole(self.finer.count);
        head.raw(&self.finer.digest.to_le_bytes());
        records::header(KIND, [0; 16], head.bytes())
    }

    /// The header of a file with this beginning, and its length; or what is wrong with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Self, u64), String> {
        let damaged = "the header is damaged (its checksum differs); make it anew";
        let begin =
            records::begin(&mut records::reader(bytes)).map_err(|error| error.to_string())?;
        let head = match begin {
            Begin::Container {
                kind: KIND, head, ..
            } => head,
            Begin::Empty if bytes.is_empty() => return Err("the file is empty".to_owned()),
            Begin::Empty | Begin::Cut => {
                let length = bytes.len();
                return Err(format!(
                    "the file ends after {length} bytes, within its header; make it anew"
                ));
            }
            Begin::Damaged => return Err(damaged.to_owned()),
            Begin::Other if bytes.starts_with(OLD_MAGIC) => return Err(other_version("older")),
            Begin::Other | Begin::Container { .. } => return Err(
                "this is no visibility file of keller; `keller visibility SCENE -o FILE` makes one"
                    .to_owned(),
            ),
        };
        let mut reader = ByteReader::new(&head);
        // The version says how the rest is to be read.
        match reader.whole() {
            Some(VERSION) => {}
            Some(version) => {
                let is_newer = version > VERSION;
                return Err(other_version(if is_newer { "newer" } else { "older" }));
            }
            None => return Err(damaged.to_owned()),
        }
        let header = Self::read(&mut reader).filter(|_| reader.is_at_end());
        let header = header.ok_or(damaged)?;
        if u32::try_from(header.num_tiles).is_err() {
            return Err(format!(
                "{} tiles; fewer than 2^32 are accepted",
                header.num_tiles
            ));
        }
        Ok((header, records::HEADER_BYTES + head.len() as u64))
    }

    /// The part of the header after the version.
    fn read(reader: &mut ByteReader) -> Option<Self> {
        let (scene, tiles) = (reader.take(16)?, reader.take(16)?);
        let num_tiles = reader.count()?;
        let [side, min_face_area] = reader.reals()?;
        Some(Self {
            scene: scene.try_into().ok()?,
            tiles: tiles.try_into().ok()?,
            num_tiles,
            tiling: Tiling {
                side,
                ground_side: reader.maybe()?,
                min_face_area,
                terrain_grid: reader.flag()?,
                under_buildings: reader.flag()?,
                finer: Vec::new(),
            },
            finer: FinerDigest {
                count: reader.whole()?,
                digest: u64::from_le_bytes(reader.take(8)?.try_into().ok()?),
            },
        })
    }

    /// Fails with the reason why this header differs from `wanted`.
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

    /// The tiling, in words.
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

fn other_version(which: &str) -> String {
    format!(
        "the version of the format is {which} than that of this keller, {VERSION}; make it anew"
    )
}

/// A digest of the geometry that blocks and that is visible: it depends neither on materials nor on clutter.
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

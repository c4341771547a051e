//! glTF 2.0 and GLB: the nodes of the default scene with their transforms, turned from y up to z up.
//!
//! The schema is our own (`schema.rs`): it has the parts that are read here, trusts no length and no index, and keeps
//! transforms in double precision.
//!
//! The names of materials are kept, and their definitions if keller wrote them. Closed bodies of clutter become
//! volumes, one for each mesh and material. Looks, textures, skins, morphs, cameras and lights are passed over.

mod accessor;
mod buffers;
mod extras;
mod nodes;
mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DAffine3, DVec3};
use keller::clutter::Volume;

use self::buffers::Buffers;
use self::extras::Kept;
use self::nodes::Placed;
use self::schema::{Mode, Root};
use super::soup::Soup;
use super::{DEFAULT_MATERIAL, Imported, Object, ReadFile, Warning, plain_name};
use crate::formats::kept::POSITION_LOW;
use crate::formats::{ImportError, Place};

/// The extensions that a file may require: they change looks, or are read here.
const ACCEPTED_EXTENSIONS: [&str; 4] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_lights_",
    "KHR_texture_",
];

/// The triangles of a glTF scene.
///
/// `read` is asked for the buffers that stand in files of their own.
///
/// # Errors
/// [`ImportError`] where the file breaks the format, is cut off, or requires an extension that is not read
/// (compression).
pub fn parse(bytes: &[u8], file: &Path, read: &ReadFile<'_>) -> Result<Imported, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty {
            file: file.to_owned(),
        });
    }
    let (json_text, blob) = buffers::split(bytes, file)?;
    let root = Root::parse(json_text, file)?;
    check_extensions(&root, file)?;
    root.check(file)?;
    let mut reader = Reader {
        root: &root,
        buffers: Buffers::new(file, blob, read),
        soup: Soup::new(file),
        file,
        left_out: 0,
        definitions: extras::definitions(&root, file)?,
        volumes: Vec::new(),
    };
    if reader
        .root
        .extensions_used
        .iter()
        .any(|used| used == "EXT_mesh_gpu_instancing")
    {
        let message = "EXT_mesh_gpu_instancing is not read: each instanced mesh comes once";
        reader.soup.warnings.push(Warning::new(file, message));
    }
    let mut objects = Vec::new();
    for Placed { mesh, world, node } in nodes::meshes(reader.root, file)? {
        let start = reader.soup.mesh.triangles.len();
        reader.add_mesh(mesh, &world)?;
        let end = reader.soup.mesh.triangles.len();
        if start < end {
            let name = root.nodes[node].name.clone();
            objects.push(Object {
                name: name.unwrap_or_else(|| format!("node {node}")),
                triangles: start..end,
            });
        }
    }
    if reader.left_out > 0 {
        let message = format!(
            "{} primitives of points or lines are left out",
            reader.left_out
        );
        reader.soup.warnings.push(Warning::new(file, message));
    }
    Ok(Imported {
        georeference: extras::georeference(&root, file)?,
        objects,
        volumes: reader.volumes,
        ..reader.soup.finish()
    })
}

struct Reader<'a> {
    root: &'a Root,
    buffers: Buffers<'a>,
    soup: Soup<'a>,
    file: &'a Path,
    /// The number of primitives that are points or lines.
    left_out: usize,
    /// The definitions of the materials that keller wrote.
    definitions: Vec<Kept>,
    volumes: Vec<Volume>,
}

impl Reader<'_> {
    /// Adds the triangles of mesh `index`, placed by `world`.
    fn add_mesh(&mut self, index: usize, world: &DAffine3) -> Result<(), ImportError> {
        let root = self.root;
        // Primitives often share their vertices: the accessor, its first vertex, and their number.
        let mut placed: Vec<(usize, u32, u32)> = Vec::new();
        let is_mirrored = world.matrix3.determinant() < 0.0;
        // The corners of the triangles of clutter, by material.
        let mut bodies: BTreeMap<usize, Vec<DVec3>> = BTreeMap::new();
        for primitive in &root.meshes[index].primitives {
            let place = || Place::Item("mesh".to_owned(), index);
            let mode = primitive.mode;
            if mode == Mode::PointsOrLines {
                self.left_out += 1;
                continue;
            }
            let attribute = |name: &str| primitive.attributes.get(name).copied();
            let low = attribute(&format!("_{POSITION_LOW}"));
            let Some(positions) = attribute("POSITION") else {
                return Err(ImportError::malformed(
                    self.file,
                    place(),
                    "a primitive has no POSITION",
                ));
            };
            let known = placed.iter().find(|(accessor, ..)| *accessor == positions);
            let (base, count) = if let Some(&(_, base, count)) = known {
                (base, count)
            } else {
                let (base, count) = self.add_vertices(positions, low, world)?;
                placed.push((positions, base, count));
                (base, count)
            };
            let indices = match primitive.indices {
                Some(accessor) => accessor::indices(root, accessor, &mut self.buffers)?,
                None => (0..count).collect(),
            };
            if let Some(&bad) = indices.iter().find(|&&index| index >= count) {
                return Err(ImportError::IndexOutOfRange {
                    file: self.file.to_owned(),
                    place: place(),
                    index: bad.to_string(),
                    count: count as usize,
                });
            }
            let number = primitive.material;
            let kept = number.map(|number| self.definitions[number].clone());
            if let (Some(number), Some(Kept::Clutter(_))) = (number, &kept) {
                let corners = bodies.entry(number).or_default();
                for_each_triangle(mode, &indices, |triangle| {
                    let vertices = triangle.map(|v| self.soup.mesh.vertices[(base + v) as usize]);
                    corners.extend(vertices);
                    Ok(())
                })?;
                continue;
            }
            let name = match number {
                Some(number) => self.material_name(number),
                None => DEFAULT_MATERIAL.to_owned(),
            };
            let material = self.soup.mesh.material_index(&name);
            if let Some(Kept::Wall(Some(definition))) = kept {
                self.soup.mesh.materials[material as usize].definition = Some(definition);
            }
            for_each_triangle(mode, &indices, |[a, b, c]| {
                let corners = if is_mirrored { [a, c, b] } else { [a, b, c] };
                let corners = corners.map(|corner| base + corner);
                self.soup.triangle(corners, material, place)
            })?;
        }
        for (material, corners) in bodies {
            self.add_volume(index, material, &corners)?;
        }
        Ok(())
    }

    /// Adds the volume inside the triangles that mesh `index` has of a material of clutter.
    fn add_volume(
        &mut self,
        index: usize,
        material: usize,
        corners: &[DVec3],
    ) -> Result<(), ImportError> {
        let Kept::Clutter(kept) = &self.definitions[material] else {
            return Ok(());
        };
        let numbers: Vec<u32> = (0..).take(corners.len()).collect();
        let (attenuation, max) = (kept.attenuation_db_per_m, kept.max_attenuation_db);
        let volume = Volume::new(corners, numbers.as_chunks::<3>().0, attenuation, max);
        let volume = volume.map_err(|problem| {
            let place = Place::Item("mesh".to_owned(), index);
            ImportError::malformed(self.file, place, problem.to_string())
        })?;
        self.volumes.push(volume);
        Ok(())
    }

    /// Adds the vertices of an accessor, with the low parts of their coordinates from another one: the index of the
    /// first, and their number.
    fn add_vertices(
        &mut self,
        accessor: usize,
        low: Option<usize>,
        world: &DAffine3,
    ) -> Result<(u32, u32), ImportError> {
        let base = self.soup.mesh.vertices.len();
        let mut positions = accessor::positions(self.root, accessor, &mut self.buffers)?;
        // Positions that another program has changed may have lost their low parts.
        if let Some(low) = low {
            let lows = accessor::positions(self.root, low, &mut self.buffers)?;
            if lows.len() == positions.len() {
                positions
                    .iter_mut()
                    .zip(lows)
                    .for_each(|(p, low)| *p += low);
            }
        }
        for (index, &position) in positions.iter().enumerate() {
            let placed = world.transform_point3(position);
            // The axes change from y up to z up. Subtracting leaves no negative zero.
            let turned = DVec3::new(placed.x, 0.0 - placed.z, placed.y);
            self.soup.vertex(turned, || {
                Place::Named(format!(
                    "accessor {accessor}, element {index} (counted from 0)"
                ))
            })?;
        }
        let too_large = || ImportError::TooLarge {
            file: self.file.to_owned(),
        };
        let base = u32::try_from(base).map_err(|_| too_large())?;
        let count = u32::try_from(positions.len()).map_err(|_| too_large())?;
        Ok((base, count))
    }

    fn material_name(&self, index: usize) -> String {
        let name = self.root.materials[index].name.as_deref();
        match name.filter(|name| !name.is_empty()) {
            Some(name) => plain_name(name).to_owned(),
            None => format!("material_{index}"),
        }
    }
}

/// Calls `add` with each triangle; a strip's triangles without area, which join its parts, are left out.
fn for_each_triangle(
    mode: Mode,
    indices: &[u32],
    mut add: impl FnMut([u32; 3]) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    match mode {
        Mode::TriangleStrip => {
            for (number, window) in indices.windows(3).enumerate() {
                let [a, b, c] = [window[0], window[1], window[2]];
                if a != b && b != c && c != a {
                    // Every other triangle runs the other way round.
                    add(if number % 2 == 0 {
                        [a, b, c]
                    } else {
                        [a, c, b]
                    })?;
                }
            }
        }
        Mode::TriangleFan => {
            for pair in indices.get(1..).unwrap_or_default().windows(2) {
                add([indices[0], pair[0], pair[1]])?;
            }
        }
        Mode::Triangles => {
            for &triangle in indices.as_chunks::<3>().0 {
                add(triangle)?;
            }
        }
        Mode::PointsOrLines => {}
    }
    Ok(())
}

fn check_extensions(root: &Root, file: &Path) -> Result<(), ImportError> {
    let is_accepted = |name: &&String| {
        ACCEPTED_EXTENSIONS
            .iter()
            .any(|accepted| name.starts_with(accepted))
            || name.as_str() == "EXT_texture_webp"
    };
    match root
        .extensions_required
        .iter()
        .find(|name| !is_accepted(name))
    {
        None => Ok(()),
        Some(name) => Err(ImportError::Unsupported {
            file: file.to_owned(),
            place: Place::Named("extensionsRequired".to_owned()),
            what: format!("the extension {}", super::text::quoted(name.as_bytes())),
            accepted: "export the model without it, that is without compression".to_owned(),
        }),
    }
}

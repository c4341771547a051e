//! The office: walls as upright sheets with the slabs of their materials, a floor and a ceiling.
//!
//! `WHERE1.lay` has points, and segments between them with the name of a slab and the heights they reach from and to.
//! The materials of a slab stand in `ini/slabDB.ini` and `ini/matDB.ini`: the thicknesses in the layout itself are all
//! 5 cm and not used.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::materials::{Layer, Material, Medium};
use keller::scene::{Mesh, MeshTriangle};
use keller::units::VACUUM_PERMITTIVITY;
use keller::{DVec3, Frequency};

/// The walls, and each material of the mesh.
#[derive(Debug)]
pub(crate) struct Office {
    pub(crate) mesh: Mesh,
    pub(crate) materials: Vec<Material>,
}

/// Metres: floor and ceiling.
const HEIGHT: f64 = 3.0;

/// An imaginary permittivity of the data is a conductivity here, the same at `centre`.
pub(crate) fn read(folder: &Path, centre: Frequency) -> Result<Office> {
    let media = media(&sections(&folder.join("ini/matDB.ini"))?, centre)?;
    let slabs = slabs(&sections(&folder.join("ini/slabDB.ini"))?, &media)?;
    let layout = sections(&folder.join("WHERE1.lay"))?;
    let part = |name: &str| {
        layout
            .get(name)
            .with_context(|| format!("the layout has no [{name}]"))
    };
    let points: BTreeMap<&str, [f64; 2]> = part("points")?
        .iter()
        .map(|(id, value)| {
            let [x, y] = *numbers(value)? else {
                anyhow::bail!("point {id}: {value}");
            };
            Ok((id.as_str(), [x, y]))
        })
        .collect::<Result<_>>()?;

    let mut mesh = Mesh::default();
    let mut add = |slab: &str, corners: [DVec3; 4]| -> Result<()> {
        ensure!(slabs.contains_key(slab), "no slab {slab}");
        let material = mesh.material_index(slab);
        let base = u32::try_from(mesh.vertices.len())?;
        mesh.vertices.extend(corners);
        for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
            mesh.triangles.push(MeshTriangle {
                vertices: [base + a, base + b, base + c],
                material,
            });
        }
        Ok(())
    };
    for (id, segment) in part("segments")? {
        let name = between(segment, "'name': '", "'")?;
        let ends = between(segment, "'connect': [", "]")?;
        let [low, high] = *numbers(between(segment, "'z': (", ")")?)? else {
            anyhow::bail!("segment {id}: {segment}");
        };
        if name.ends_with("AIR") {
            continue;
        }
        let ends: Vec<[f64; 2]> = ends
            .split(',')
            .map(|end| points.get(end.trim()).copied().context("no such point"))
            .collect::<Result<_>>()?;
        let [[ax, ay], [bx, by]] = ends[..] else {
            anyhow::bail!("segment {id}: {segment}");
        };
        let corners = [(ax, ay, low), (bx, by, low), (bx, by, high), (ax, ay, high)];
        add(name, corners.map(|(x, y, z)| DVec3::new(x, y, z)))?;
    }
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
        points.values().map(|p| p[axis]).fold(start, pick)
    };
    let (west, east) = (
        bound(0, f64::min, f64::INFINITY),
        bound(0, f64::max, f64::NEG_INFINITY),
    );
    let (south, north) = (
        bound(1, f64::min, f64::INFINITY),
        bound(1, f64::max, f64::NEG_INFINITY),
    );
    for (slab, z) in [("FLOOR", 0.0), ("CEIL", HEIGHT)] {
        let plan = [(west, south), (east, south), (east, north), (west, north)];
        add(slab, plan.map(|(x, y)| DVec3::new(x, y, z)))?;
    }
    let materials = mesh.materials.iter();
    Ok(Office {
        materials: materials.map(|m| slabs[&m.name].clone()).collect(),
        mesh,
    })
}

impl Office {
    /// The materials as sections of a scenario.
    ///
    /// # Errors
    /// For walls that are no slabs of media with numbers of their own.
    pub(crate) fn toml(&self) -> Result<String> {
        let mut text = String::new();
        for (material, wall) in self.mesh.materials.iter().zip(&self.materials) {
            let Material::Slab(layers) = wall else {
                anyhow::bail!("{}: no slab", material.name);
            };
            let layers: Vec<String> = layers.iter().map(layer).collect::<Result<_>>()?;
            let (name, layers) = (&material.name, layers.join(", "));
            writeln!(text, "[materials.\"{name}\"]\nlayers = [{layers}]")?;
        }
        Ok(text)
    }
}

fn layer(layer: &Layer) -> Result<String> {
    let medium = match layer.medium {
        Medium::PerfectConductor => "pec = true".to_owned(),
        Medium::Constant {
            relative_permittivity,
            conductivity,
        } => format!("permittivity = {relative_permittivity:?}, conductivity = {conductivity:?}"),
        Medium::Itu(_) => anyhow::bail!("the data has media of its own"),
    };
    Ok(format!("{{ {medium}, thickness = {:?} }}", layer.thickness))
}

/// Devices of `ini/NAME.ini` by number, metres.
pub(crate) fn devices(folder: &Path, name: &str) -> Result<BTreeMap<usize, DVec3>> {
    sections(&folder.join("ini").join(name))?
        .get("coordinates")
        .context("no [coordinates]")?
        .iter()
        .map(|(id, value)| {
            let position: Vec<f64> = value
                .split_whitespace()
                .map(|v| Ok(v.parse()?))
                .collect::<Result<_>>()?;
            ensure!(position.len() == 3, "device {id}: {value}");
            Ok((id.parse()?, DVec3::from_slice(&position)))
        })
        .collect()
}

/// Sections of `key = value` lines.
type Sections = BTreeMap<String, Vec<(String, String)>>;

fn sections(file: &Path) -> Result<Sections> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut sections = Sections::new();
    let mut current = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.starts_with(';')) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            name.clone_into(&mut current);
        } else if let Some((key, value)) = line.split_once('=') {
            let entries = sections.entry(current.clone()).or_default();
            entries.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    Ok(sections)
}

fn value<'a>(entries: &'a [(String, String)], key: &str) -> Result<&'a str> {
    let entry = entries.iter().find(|(k, _)| k == key);
    Ok(&entry.with_context(|| format!("no {key}"))?.1)
}

/// `epr = (2.84-0.02j)`, `sigma = 0.0`.
fn media(file: &Sections, centre: Frequency) -> Result<BTreeMap<String, Medium>> {
    let omega = std::f64::consts::TAU * centre.hz();
    file.iter()
        .map(|(name, entries)| {
            let sigma: f64 = value(entries, "sigma")?.parse()?;
            let epr = value(entries, "epr")?.trim_matches(['(', ')', 'j']);
            let sign = epr[1..].find(['+', '-']).context("no complex number")? + 1;
            let (re, im): (f64, f64) = (epr[..sign].parse()?, epr[sign..].parse()?);
            let medium = if re < 1.0 {
                Medium::PerfectConductor
            } else {
                Medium::Constant {
                    relative_permittivity: re,
                    conductivity: sigma - im * omega * VACUUM_PERMITTIVITY,
                }
            };
            Ok((name.clone(), medium))
        })
        .collect()
}

/// `lthick = [0.07]`, `lmatname = ['BRICK']`; slabs of media that are not listed are left out.
fn slabs(file: &Sections, media: &BTreeMap<String, Medium>) -> Result<BTreeMap<String, Material>> {
    let mut slabs = BTreeMap::new();
    for (name, entries) in file {
        let thicknesses = numbers(value(entries, "lthick")?)?;
        let names = value(entries, "lmatname")?.trim_matches(['[', ']']);
        let layers: Option<Vec<Layer>> = names
            .split(',')
            .zip(&thicknesses)
            .map(|(medium, &thickness)| {
                let medium = *media.get(medium.trim().trim_matches('\''))?;
                Some(Layer { medium, thickness })
            })
            .collect();
        if let Some(layers) = layers {
            slabs.insert(name.clone(), Material::Slab(layers));
        }
    }
    Ok(slabs)
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    text.trim_matches(['(', ')', '[', ']'])
        .split(',')
        .map(|n| n.trim().parse().with_context(|| format!("no number: {n}")))
        .collect()
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Result<&'a str> {
    text.split_once(from)
        .and_then(|(_, rest)| rest.split_once(to))
        .map(|(found, _)| found)
        .with_context(|| format!("no {from} in {text}"))
}

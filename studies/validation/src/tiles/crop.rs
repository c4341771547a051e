//! A square out of a city: its buildings on a level ground.

use std::collections::HashMap;

use anyhow::Result;
use glam::{DVec2, DVec3};
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::tiles::{Tiles, Tiling};

/// Parts wider than this are ground, metres.
const WIDEST_BUILDING: f64 = 400.0;

/// Corners nearer than this are one, metres.
const SAME: f64 = 1e-3;

/// The buildings whose centres lie within `side` / 2 of `centre` along x and y, and level ground under them as far,
/// metres.
pub(super) fn crop(mesh: &Mesh, centre: DVec2, side: f64) -> Mesh {
    let parts = parts(mesh);
    let mut low = vec![DVec3::INFINITY; mesh.vertices.len()];
    let mut high = vec![DVec3::NEG_INFINITY; mesh.vertices.len()];
    for (v, at) in mesh.vertices.iter().enumerate() {
        low[parts[v]] = low[parts[v]].min(*at);
        high[parts[v]] = high[parts[v]].max(*at);
    }
    let is_kept = |part: usize| {
        let (low, high) = (low[part].truncate(), high[part].truncate());
        let beside = (0.5 * (low + high) - centre).abs();
        (high - low).max_element() < WIDEST_BUILDING && beside.max_element() <= 0.5 * side
    };
    let mut kept = Mesh {
        vertices: mesh.vertices.clone(),
        materials: mesh.materials.clone(),
        ..Mesh::default()
    };
    let part = |t: &MeshTriangle| parts[t.vertices[0] as usize];
    let buildings = mesh.triangles.iter().filter(|t| is_kept(part(t)));
    kept.triangles = buildings.copied().collect();
    let ground = kept
        .triangles
        .iter()
        .map(|t| low[part(t)].z)
        .fold(f64::INFINITY, f64::min);
    let material = kept.material_index("concrete");
    let base = u32::try_from(kept.vertices.len()).expect("fewer than 2^32 vertices");
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        let corner = centre + side * DVec2::new(x, y);
        kept.vertices.push(corner.extend(ground - 1e-2));
    }
    for vertices in [[0, 1, 2], [0, 2, 3]] {
        kept.triangles.push(MeshTriangle {
            vertices: vertices.map(|v| base + v),
            material,
        });
    }
    kept
}

/// The square around `centre` of at most `most` metres whose tiles are as nearly `num_tiles` as can be, and its width,
/// metres.
pub(super) fn crop_to(
    mesh: &Mesh,
    centre: DVec2,
    most: f64,
    tiling: &Tiling,
    num_tiles: usize,
) -> Result<(Scene, Tiles, f64)> {
    let cut = |side: f64| -> Result<(Scene, Tiles)> {
        let scene = Scene::new(&crop(mesh, centre, side))?;
        let tiles = Tiles::new(&scene, tiling.clone())?;
        Ok((scene, tiles))
    };
    let (mut least, mut most) = (50.0, most);
    for _ in 0..12 {
        let side = 0.5 * (least + most);
        if cut(side)?.1.len() > num_tiles {
            most = side;
        } else {
            least = side;
        }
    }
    let (scene, tiles) = cut(least)?;
    Ok((scene, tiles, least))
}

/// The first vertex of the part that each vertex belongs to: triangles that share corners are of one part.
fn parts(mesh: &Mesh) -> Vec<usize> {
    let mut first: HashMap<[i64; 3], usize> = HashMap::new();
    let mut parent: Vec<usize> = (0..mesh.vertices.len())
        .map(|v| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a cast of floats saturates"
            )]
            let key = (mesh.vertices[v] / SAME)
                .round()
                .to_array()
                .map(|c| c as i64);
            *first.entry(key).or_insert(v)
        })
        .collect();
    for t in &mesh.triangles {
        let [a, b, c] = t.vertices.map(|v| root(&mut parent, v as usize));
        parent[b] = a;
        parent[c] = root(&mut parent, a);
    }
    (0..parent.len()).map(|v| root(&mut parent, v)).collect()
}

fn root(parent: &mut [usize], mut v: usize) -> usize {
    while parent[v] != v {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    v
}

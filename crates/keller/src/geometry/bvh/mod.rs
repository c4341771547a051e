//! The ray-intersection index (stand-in).
use glam::{DVec3, Vec3};
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
};

/// A triangle of the index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    /// Corners relative to the origin.
    pub vertices: [Vec3; 3],
    /// Triangles of one group are skipped together.
    pub group: u32,
}

/// Stand-in.
pub struct Bvh(Bvh2);
impl std::fmt::Debug for Bvh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bvh")
    }
}
impl Bvh {
    /// Builds.
    pub fn build(triangles: &[Triangle]) -> Self {
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|t| {
                Aabb::new(
                    (t.vertices[0].min(t.vertices[1]).min(t.vertices[2])).to_vec3a() - 1e-3,
                    (t.vertices[0].max(t.vertices[1]).max(t.vertices[2])).to_vec3a() + 1e-3,
                )
            })
            .collect();
        let mut time = std::time::Duration::ZERO;
        Self(build_bvh2(
            &boxes,
            BvhBuildParams::very_fast_build(),
            &mut time,
        ))
    }
    /// Candidates.
    pub fn candidates(&self, a: DVec3, b: DVec3, margin: f32, visit: &mut impl FnMut(u32) -> bool) {
        let bounds = Aabb::new(
            a.min(b).as_vec3().to_vec3a() - margin,
            a.max(b).as_vec3().to_vec3a() + margin,
        );
        self.0.aabb_traverse(bounds, |tree, node| {
            let node = &tree.nodes[node as usize];
            let first = node.first_index as usize;
            for &i in &tree.primitive_indices[first..first + node.prim_count as usize] {
                if !visit(i) {
                    return false;
                }
            }
            true
        });
    }
}

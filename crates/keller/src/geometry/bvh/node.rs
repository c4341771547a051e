//! The memory layout of the tree: flat arrays without pointers, so that a GPU could read them too.

use glam::Vec3;

use super::{Triangle, simd::LANES};

/// Largest number of triangles of a leaf: one step of the intersector.
pub(super) const MAX_LEAF: usize = LANES;

/// Floats that a triangle takes: three vertices.
pub(super) const FLOATS: usize = 9;

/// Eight child boxes, coordinate by coordinate, in four cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Min x, max x, min y, max y, min z, max z of the children. An empty child has min above max, so no ray meets it.
    pub(super) bounds: [[f32; LANES]; 6],
    pub(super) children: [Child; LANES],
    /// The lanes from far to near for the directions of each octant (bit 0: x negative, 1: y, 2: z), three bits each
    /// from the lowest.
    pub(super) order: [u32; 8],
}

impl Node {
    /// A node without children.
    pub(super) const EMPTY: Self = Self {
        bounds: [
            [f32::INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
            [f32::INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
            [f32::INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
        ],
        children: [Child::NONE; LANES],
        order: [0; 8],
    };

    pub(super) fn set(&mut self, lane: usize, bounds: Bounds, child: Child) {
        for axis in 0..3 {
            self.bounds[2 * axis][lane] = bounds.min[axis];
            self.bounds[2 * axis + 1][lane] = bounds.max[axis];
        }
        self.children[lane] = child;
    }

    /// Call once all children are set.
    pub(super) fn set_order(&mut self) {
        // The other four octants look from the other side.
        for octant in 0..4 {
            let mut lanes = [0, 1, 2, 3, 4, 5, 6, 7];
            let mut distance = [f32::NEG_INFINITY; LANES];
            for lane in (0..LANES).filter(|&lane| !self.is_empty(lane)) {
                distance[lane] = (0..3).fold(0.0, |sum, axis| {
                    let twice_centre =
                        self.bounds[2 * axis][lane] + self.bounds[2 * axis + 1][lane];
                    sum + if octant >> axis & 1 == 1 {
                        -twice_centre
                    } else {
                        twice_centre
                    }
                });
            }
            lanes.sort_by(|&a: &u32, &b| distance[b as usize].total_cmp(&distance[a as usize]));
            let pack = |order, lane| order << 3 | lane;
            self.order[octant] = lanes.into_iter().rev().fold(0, pack);
            self.order[7 - octant] = lanes.into_iter().fold(0, pack);
        }
    }

    /// Moves the node's children up by so many nodes, and its leaves by so many triangles.
    pub(super) fn move_children(&mut self, nodes: usize, triangles: usize) {
        for lane in 0..LANES {
            let child = self.children[lane];
            if self.is_empty(lane) {
                continue;
            }
            self.children[lane] = if child.is_leaf() {
                Child::leaf(child.index() + triangles, child.length())
            } else {
                Child::node(child.index() + nodes)
            };
        }
    }

    fn is_empty(&self, lane: usize) -> bool {
        self.bounds[0][lane] > self.bounds[1][lane]
    }

    /// The children there are, with their boxes.
    pub(super) fn children(&self) -> impl Iterator<Item = (Bounds, Child)> + '_ {
        (0..LANES).filter(|&lane| !self.is_empty(lane)).map(|lane| {
            let corner = |side: usize| {
                Vec3::from_array([0, 2, 4].map(|axis| self.bounds[axis + side][lane]))
            };
            (
                Bounds {
                    min: corner(0),
                    max: corner(1),
                },
                self.children[lane],
            )
        })
    }
}

/// The position of a child: the index of a node, or of a leaf's first triangle with the leaf's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Child(pub(super) u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    const LENGTH_SHIFT: u32 = 28;
    const INDEX: u32 = (1 << Self::LENGTH_SHIFT) - 1;

    /// The largest number of nodes, and of triangles, that a tree can address.
    pub(super) const MAX_INDEX: usize = Self::INDEX as usize - 1;

    /// The node at the top.
    pub(super) const ROOT: Self = Self(0);

    /// The end of a stack, behind the last child.
    pub(super) const END: Self = Self(u32::MAX);

    /// The child of a lane without one. A ray with NaN in it may come here: it finds the leaf of the first triangle.
    const NONE: Self = Self(Self::LEAF);

    pub(super) fn node(index: usize) -> Self {
        assert!(index <= Self::MAX_INDEX, "the tree has too many nodes");
        #[allow(clippy::cast_possible_truncation, reason = "below 2^28")]
        Self(index as u32)
    }

    pub(super) fn leaf(first: usize, length: usize) -> Self {
        assert!(first <= Self::MAX_INDEX, "the tree has too many triangles");
        assert!(
            (1..=MAX_LEAF).contains(&length),
            "a leaf of {length} triangles"
        );
        #[allow(clippy::cast_possible_truncation, reason = "below 2^28 and 2^3")]
        Self(Self::LEAF | ((length - 1) as u32) << Self::LENGTH_SHIFT | first as u32)
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// Node index, or first triangle of a leaf.
    #[inline]
    pub(super) fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    /// Triangles of a leaf, 1 to 8.
    #[inline]
    pub(super) fn length(self) -> usize {
        ((self.0 >> Self::LENGTH_SHIFT) & 7) as usize + 1
    }
}

/// An axis-parallel box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) min: Vec3,
    pub(super) max: Vec3,
}

impl Bounds {
    pub(super) const EMPTY: Self = Self {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    pub(super) fn of(vertices: &[Vec3]) -> Self {
        vertices.iter().fold(Self::EMPTY, |bounds, &vertex| Self {
            min: bounds.min.min(vertex),
            max: bounds.max.max(vertex),
        })
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// The caller's names for a triangle of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub(super) struct Name {
    pub(super) group: u32,
    pub(super) triangle: u32,
}

/// Triangles in the order of the leaves. A leaf of n triangles has its nine coordinates one after the other, n floats each.
#[derive(Clone, Debug, Default)]
pub(super) struct Triangles {
    /// Padded, so that eight floats can be read from wherever a leaf starts a coordinate.
    floats: Vec<f32>,
    pub(super) names: Vec<Name>,
}

impl Triangles {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            floats: Vec::with_capacity(count * FLOATS + LANES),
            names: Vec::with_capacity(count),
        }
    }

    /// The triangles of the lists that `Self::all_floats` and `names` return.
    pub(super) fn from_lists(floats: Vec<f32>, names: Vec<Name>) -> Self {
        Self { floats, names }
    }

    pub(super) fn all_floats(&self) -> &[f32] {
        &self.floats
    }

    /// Appends a leaf of the triangles with these indices.
    pub(super) fn push_leaf(&mut self, triangles: &[Triangle], indices: &[u32]) -> Child {
        let first = self.names.len();
        for vertex in 0..3 {
            for axis in 0..3 {
                let coordinate = |&i: &u32| triangles[i as usize].vertices[vertex][axis];
                self.floats.extend(indices.iter().map(coordinate));
            }
        }
        self.names.extend(indices.iter().map(|&triangle| Name {
            group: triangles[triangle as usize].group,
            triangle,
        }));
        Child::leaf(first, indices.len())
    }

    /// Appends the leaves of another list, which is not finished.
    pub(super) fn append(&mut self, mut other: Self) {
        self.floats.append(&mut other.floats);
        self.names.append(&mut other.names);
    }

    /// Call once, after the last leaf.
    pub(super) fn finish(&mut self) {
        self.floats.extend([0.0; LANES]);
    }

    /// The nine coordinates of a leaf; each is followed by at least eight readable floats.
    #[inline]
    pub(super) fn floats(&self, leaf: Child) -> &[f32] {
        &self.floats[leaf.index() * FLOATS..]
    }

    /// The floats of a leaf, for inner loops. Any child is allowed, but only a leaf of these triangles can be read.
    #[inline]
    pub(super) fn floats_unchecked(&self, leaf: Child) -> *const f32 {
        self.floats.as_ptr().wrapping_add(leaf.index() * FLOATS)
    }

    /// The vertices of triangle `lane` of a leaf.
    #[inline]
    pub(super) fn vertices(&self, leaf: Child, lane: usize) -> [Vec3; 3] {
        let stride = leaf.length();
        let floats = &self.floats(leaf)[..stride * FLOATS];
        [0, 1, 2].map(|vertex| {
            Vec3::from_array([0, 1, 2].map(|axis| floats[(3 * vertex + axis) * stride + lane]))
        })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.floats.capacity() * size_of::<f32>() + self.names.capacity() * size_of::<Name>()
    }
}

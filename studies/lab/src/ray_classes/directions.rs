//! Directions at the points of a subdivided icosahedron or octahedron, and their neighbours.

use std::collections::HashMap;

use glam::DVec3;

/// A solid of triangles, whose edges are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solid {
    /// 12 corners, 20 triangles.
    Icosahedron,
    /// 6 corners, 8 triangles.
    Octahedron,
}

/// The place of a direction: a triangle of the solid, and the indices `i` and `j` of eq. (4) on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) triangle: usize,
    pub(super) at: [usize; 2],
}

/// Directions to launch rays into, each shared point once.
///
/// # Source
/// Key et al. 2020, eq. (4), with indices from 0 to the number of divisions. Their eq. (5) allows one more, which would
/// leave the triangle.
#[derive(Debug, Clone)]
pub struct Directions {
    solid: Solid,
    divisions: usize,
    vectors: Vec<DVec3>,
    parents: Vec<Parent>,
    neighbours: Vec<[u32; 6]>,
}

/// The number that stands for no neighbour.
const NONE: u32 = u32::MAX;

/// Corners of a triangle with the weight of each: a point that triangles share has one key. Corners without weight are
/// left out.
type Key = [(usize, usize); 3];

impl Solid {
    /// Its corners, of any length.
    pub(super) fn corners(self) -> Vec<DVec3> {
        match self {
            Self::Octahedron => [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(|axis| [axis, -axis])
                .collect(),
            Self::Icosahedron => {
                let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
                let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
                let of_signs = |(s, t): (f64, f64)| {
                    let (a, b) = (s, t * golden);
                    [
                        DVec3::new(0.0, a, b),
                        DVec3::new(a, b, 0.0),
                        DVec3::new(b, 0.0, a),
                    ]
                };
                signs.into_iter().flat_map(of_signs).collect()
            }
        }
    }

    /// Its triangles: all triples of corners that are as near to each other as corners come.
    pub(super) fn triangles(self) -> Vec<[usize; 3]> {
        let corners = self.corners();
        let side = match self {
            Self::Octahedron => 2.0_f64.sqrt(),
            Self::Icosahedron => 2.0,
        };
        let is_edge = |a: usize, b: usize| corners[a].distance(corners[b]) < 1.1 * side;
        let mut triangles = Vec::new();
        for a in 0..corners.len() {
            for b in a + 1..corners.len() {
                for c in b + 1..corners.len() {
                    if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                        triangles.push([a, b, c]);
                    }
                }
            }
        }
        triangles
    }
}

impl Directions {
    /// The directions of a solid whose edges are divided into so many parts: 10 n² + 2 of the icosahedron, 4 n² + 2 of
    /// the octahedron.
    ///
    /// # Panics
    /// If there are no divisions, or 2^32 directions.
    pub fn new(solid: Solid, divisions: usize) -> Self {
        assert!(divisions > 0, "an edge has at least one part");
        let (corners, triangles) = (solid.corners(), solid.triangles());
        let mut shared: HashMap<Key, u32> = HashMap::new();
        let mut all = Self {
            solid,
            divisions,
            vectors: Vec::new(),
            parents: Vec::new(),
            neighbours: Vec::new(),
        };
        let width = divisions + 1;
        let mut numbers = vec![NONE; width * width];
        for (triangle, ends) in triangles.iter().enumerate() {
            for i in 0..width {
                for j in 0..width - i {
                    let weights = [divisions - i - j, i, j];
                    let number = if weights.contains(&0) {
                        let key = key(ends, weights);
                        *shared.entry(key).or_insert_with(|| {
                            all.add(
                                &corners,
                                ends,
                                Parent {
                                    triangle,
                                    at: [i, j],
                                },
                            )
                        })
                    } else {
                        all.add(
                            &corners,
                            ends,
                            Parent {
                                triangle,
                                at: [i, j],
                            },
                        )
                    };
                    numbers[i * width + j] = number;
                }
            }
            all.join(&numbers, width);
        }
        all
    }

    fn add(&mut self, corners: &[DVec3], ends: &[usize; 3], parent: Parent) -> u32 {
        let number = u32::try_from(self.vectors.len()).expect("fewer than 2^32 directions");
        let [i, j] = parent.at;
        let weights = [self.divisions - i - j, i, j];
        let sum = ends
            .iter()
            .zip(weights)
            .map(|(end, weight)| weight as f64 * corners[*end]);
        self.vectors.push(sum.sum::<DVec3>().normalize());
        self.parents.push(parent);
        self.neighbours.push([NONE; 6]);
        number
    }

    /// Makes the neighbours on one triangle known to each other.
    fn join(&mut self, numbers: &[u32], width: usize) {
        for i in 0..width {
            for j in 0..width - i {
                let here = numbers[i * width + j];
                let mut join = |there: u32| {
                    put(&mut self.neighbours[here as usize], there);
                    put(&mut self.neighbours[there as usize], here);
                };
                if i + j + 1 < width {
                    join(numbers[(i + 1) * width + j]);
                    join(numbers[i * width + j + 1]);
                }
                if j > 0 {
                    join(numbers[(i + 1) * width + j - 1]);
                }
            }
        }
    }

    /// The solid.
    pub fn solid(&self) -> Solid {
        self.solid
    }

    /// The number of parts into which each edge of the solid is divided.
    pub fn divisions(&self) -> usize {
        self.divisions
    }

    /// Unit vectors.
    pub fn vectors(&self) -> &[DVec3] {
        &self.vectors
    }

    /// The numbers of the neighbours of a direction: six, or as many as triangles meet in a corner of the solid.
    pub fn neighbours(&self, ray: usize) -> impl Iterator<Item = usize> {
        let all = self.neighbours[ray].iter();
        all.take_while(|number| **number != NONE)
            .map(|number| *number as usize)
    }

    /// The largest angle to a neighbour, radians.
    pub fn angle_to_neighbours(&self, ray: usize) -> f64 {
        let angles = self.neighbours(ray).map(|other| {
            // Precise for small angles, where the cosine is not.
            2.0 * (0.5 * self.vectors[ray].distance(self.vectors[other])).asin()
        });
        angles.fold(0.0, f64::max)
    }

    pub(super) fn parent(&self, ray: usize) -> Parent {
        self.parents[ray]
    }
}

/// Adds a neighbour that is not known yet.
fn put(known: &mut [u32; 6], other: u32) {
    for slot in known {
        if *slot == other {
            return;
        }
        if *slot == NONE {
            *slot = other;
            return;
        }
    }
}

fn key(ends: &[usize; 3], weights: [usize; 3]) -> Key {
    let mut key = [0, 1, 2].map(|k| (ends[k], weights[k]));
    key.sort_unstable();
    // A corner without weight does not matter, whichever it is.
    for pair in &mut key {
        if pair.1 == 0 {
            *pair = (usize::MAX, 0);
        }
    }
    key.sort_unstable();
    key
}

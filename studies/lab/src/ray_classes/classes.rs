//! Classes of rays.

use glam::DVec3;

use super::directions::{Directions, Parent, Solid};

/// The divisions of rays into classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Three classes on the icosahedron. Some neighbours on and near its edges share a class.
    Ico3,
    /// Four classes on the icosahedron, no two neighbours in one of them.
    Ico4,
    /// Three classes on the octahedron, no two neighbours in one of them.
    Oct3,
}

impl Scheme {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] = [
        ("Ico3", Self::Ico3),
        ("Ico4", Self::Ico4),
        ("Oct3", Self::Oct3),
    ];

    /// The solid whose points it divides.
    pub fn solid(self) -> Solid {
        match self {
            Self::Ico3 | Self::Ico4 => Solid::Icosahedron,
            Self::Oct3 => Solid::Octahedron,
        }
    }

    /// Number of classes.
    pub fn count(self) -> usize {
        match self {
            Self::Ico3 | Self::Oct3 => 3,
            Self::Ico4 => 4,
        }
    }

    /// The largest number of divisions, up to `most`, that the scheme is right for: any for `Ico3` and `Oct3`, and one
    /// more than a multiple of three for `Ico4`.
    pub fn divisions(self, most: usize) -> usize {
        match self {
            Self::Ico3 | Self::Oct3 => most,
            Self::Ico4 => most.max(1) - (most.max(1) - 1) % 3,
        }
    }

    /// The class of each direction, from 0.
    ///
    /// # Source
    /// Key et al. 2020: Ico3 by eq. (6). Oct3 by eq. (6) with the corners of each triangle in the order of three colours of
    /// the six corners, which the document leaves open. Ico4 with (i - j) mod 3 choosing among the colours of the three
    /// corners. Eq. (8) compares with a colour instead of its place, and takes (j - i); with that, and with the numbers
    /// of divisions that the text asks for, some neighbours share a class.
    ///
    /// # Panics
    /// If the directions are those of the other solid, or their number is wrong for Ico4.
    pub fn classes(self, directions: &Directions) -> Vec<u8> {
        assert_eq!(directions.solid(), self.solid(), "the solid of the scheme");
        let divisions = directions.divisions();
        assert_eq!(
            self.divisions(divisions),
            divisions,
            "divisions of {self:?}"
        );
        let (corners, triangles) = (self.solid().corners(), self.solid().triangles());
        let colours = match self {
            Self::Ico3 => Vec::new(),
            Self::Ico4 => four_colours(&corners, &triangles),
            Self::Oct3 => corners.iter().map(|corner| axis(*corner)).collect(),
        };
        let class = |ray: usize| {
            let Parent {
                triangle,
                at: [i, j],
            } = directions.parent(ray);
            let of_corners = |k: usize| colours[triangles[triangle][k]];
            match self {
                Self::Ico3 => modulo(j, i),
                Self::Ico4 => of_corners(usize::from(modulo(i, j))),
                Self::Oct3 => {
                    let weights = [divisions - i - j, i, j];
                    let mut by_colour = [0; 3];
                    for (k, weight) in weights.into_iter().enumerate() {
                        by_colour[usize::from(of_corners(k))] = weight;
                    }
                    modulo(by_colour[2], by_colour[1])
                }
            }
        };
        (0..directions.vectors().len()).map(class).collect()
    }
}

/// Number of pairs of neighbours in the same class.
pub fn conflicts(directions: &Directions, classes: &[u8]) -> usize {
    let of_ray = |ray: usize| {
        let later = directions.neighbours(ray).filter(move |other| *other > ray);
        later
            .filter(|other| classes[*other] == classes[ray])
            .count()
    };
    (0..classes.len()).map(of_ray).sum()
}

/// `a - b` modulo three.
fn modulo(a: usize, b: usize) -> u8 {
    u8::try_from((a + 2 * b) % 3).expect("less than three")
}

/// The axis on which a corner of the octahedron lies.
fn axis(corner: DVec3) -> u8 {
    if corner.x != 0.0 {
        0
    } else if corner.y != 0.0 {
        1
    } else {
        2
    }
}

/// A colour of four for each corner, so that corners of a triangle differ: the first that search finds.
fn four_colours(corners: &[DVec3], triangles: &[[usize; 3]]) -> Vec<u8> {
    fn fill(colours: &mut Vec<u8>, count: usize, triangles: &[[usize; 3]]) -> bool {
        let corner = colours.len();
        if corner == count {
            return true;
        }
        for colour in 0..4 {
            let is_taken = triangles.iter().filter(|t| t.contains(&corner)).any(|t| {
                t.iter()
                    .any(|other| *other < corner && colours[*other] == colour)
            });
            if !is_taken {
                colours.push(colour);
                if fill(colours, count, triangles) {
                    return true;
                }
                colours.pop();
            }
        }
        false
    }
    let mut colours = Vec::new();
    let is_done = fill(&mut colours, corners.len(), triangles);
    assert!(is_done, "four colours are enough for an icosahedron");
    colours
}

//! The places in which laws are held, and the interactions on the way.

use glam::DMat3;
use keller::DVec3;
use keller::materials::{FlatLosses, ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::Limits;
use keller::scene::Mesh;

use crate::common::engines::Row;
use crate::common::{Random, add_box, add_polygon, add_prism, inside_out, place};

/// A place with a Tx and a row of receivers.
#[derive(Clone)]
pub(super) struct World {
    pub(super) name: &'static str,
    pub(super) mesh: Mesh,
    pub(super) tx: DVec3,
    pub(super) rx: Row,
    /// Whether walls are upright, as rooftops and heights above ground need it.
    pub(super) is_upright: bool,
}

impl World {
    /// Two houses at odd angles.
    fn houses() -> Self {
        let mut mesh = Mesh::default();
        let ground = [[-14., -13.], [15., -12.], [13., 14.], [-12., 12.]];
        let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
        add_polygon(&mut mesh, "ground", &ground);
        add_turned_house(&mut mesh, [-3.0, 0.0], [2.1, 1.4], 0.31, [0.0, 5.3]);
        add_turned_house(&mut mesh, [4.0, -2.0], [1.7, 2.3], -0.52, [0.0, 7.1]);
        Self {
            name: "houses",
            mesh,
            tx: DVec3::new(-8.3, -3.1, 6.2),
            rx: Row::new([7.9, 2.7, 1.3], [-1.9, 0.83, 0.57], 4),
            is_upright: true,
        }
    }

    /// Two sheets through each other, none upright.
    fn sheets() -> Self {
        let mut mesh = Mesh::default();
        let mut add = |centre: [f64; 3], u: [f64; 3], v: [f64; 3]| {
            let [p, u, v] = [centre, u, v].map(DVec3::from);
            add_polygon(
                &mut mesh,
                "sheet",
                &[p - u - v, p + u - v, p + u + v, p - u + v],
            );
        };
        add([0.0, 0.0, 2.0], [3.0, 0.4, 0.2], [-0.3, 0.5, 2.2]);
        add([0.3, -0.2, 2.1], [0.5, 2.7, -0.3], [0.4, -0.2, 1.9]);
        Self {
            name: "sheets",
            mesh,
            tx: DVec3::new(-4.2, -3.1, 2.9),
            rx: Row::new([2.9, -3.7, 1.2], [-1.3, 1.9, 0.43], 4),
            is_upright: false,
        }
    }

    /// Eight triangles of ground and a house on it.
    fn hills() -> Self {
        let mut random = Random(0x1a35);
        let mut mesh = Mesh::default();
        let heights: Vec<f64> = (0..9).map(|_| random.range(-1.2, 1.2)).collect();
        let at = |i: u8, j: u8| {
            let along = |k: u8| 9.0 * (f64::from(k) - 1.0);
            DVec3::new(along(i), along(j), heights[usize::from(3 * i + j)])
        };
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            add_polygon(&mut mesh, "ground", &[a, b, c]);
            add_polygon(&mut mesh, "ground", &[a, c, d]);
        }
        add_turned_house(&mut mesh, [0.7, -0.4], [2.6, 1.8], 0.43, [-3.0, 5.6]);
        Self {
            name: "hills",
            mesh,
            tx: DVec3::new(-6.2, 3.3, 5.1),
            rx: Row::new([6.1, -3.9, 1.9], [-0.9, 2.1, 0.37], 4),
            is_upright: true,
        }
    }

    /// Touching houses on whole numbers; devices are not on them, or rounding would say which of two walls is met.
    fn boxes() -> Self {
        let mut mesh = Mesh::default();
        let ground = [[-8., -8.], [16., -8.], [16., 16.], [-8., 16.]];
        let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
        add_polygon(&mut mesh, "ground", &ground);
        for (low, high) in [
            ([2., 2., 0.], [6., 6., 4.]),
            ([6., 2., 0.], [10., 6., 4.]),
            ([6., 6., 0.], [9., 9., 3.]),
        ] {
            add_box(&mut mesh, "house", low.into(), high.into());
        }
        Self {
            name: "boxes",
            mesh,
            tx: DVec3::new(-3.3, 4.6, 5.7),
            rx: Row::new([12.2, 5.3, 1.1], [-0.7, 1.9, 0.71], 4),
            is_upright: true,
        }
    }

    /// A room with both ends on its planes of symmetry and their diagonals: waves meet its edges and corners exactly. Fronts
    /// look inwards.
    fn room() -> Self {
        let mut mesh = Mesh::default();
        add_box(&mut mesh, "house", DVec3::ZERO, DVec3::new(8., 4., 3.));
        Self {
            name: "room",
            mesh: inside_out(&mesh),
            tx: DVec3::ONE,
            rx: Row::new([1.5, 1.5, 1.5], [0.5; 3], 3),
            is_upright: true,
        }
    }

    /// Two houses through each other on whole numbers, one with its fronts inwards; the Tx and one Rx stand in their plane of symmetry.
    fn crossing() -> Self {
        let mut mesh = Mesh::default();
        let at = DVec3::new;
        add_box(&mut mesh, "house", at(2., -1., 0.), at(6., 7., 8.));
        mesh = inside_out(&mesh);
        let ground = [[-8., -8.], [16., -8.], [16., 16.], [-8., 16.]];
        let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
        add_polygon(&mut mesh, "ground", &ground);
        add_box(&mut mesh, "house", at(0., 1., 0.), at(8., 5., 4.));
        Self {
            name: "crossing",
            mesh,
            tx: at(-3., 3., 10.),
            rx: Row::new([-6., 1., 1.], [1., 2., 1.], 3),
            is_upright: true,
        }
    }

    pub(super) fn all() -> [Self; 6] {
        let [room, crossing] = [Self::room(), Self::crossing()];
        [
            Self::houses(),
            Self::sheets(),
            Self::hills(),
            Self::boxes(),
            room,
            crossing,
        ]
    }

    /// The world turned, then moved.
    pub(super) fn moved(&self, turn: DMat3, way: DVec3) -> Self {
        let map = |p: DVec3| turn * p + way;
        let mut moved = self.clone();
        for vertex in &mut moved.mesh.vertices {
            *vertex = map(*vertex);
        }
        moved.tx = map(self.tx);
        moved.rx.first = map(self.rx.first);
        moved.rx.step = turn * self.rx.step;
        moved
    }

    pub(super) fn place(&self, kind: &Kind) -> keller::World {
        let materials = vec![kind.material.clone(); self.mesh.materials.len()];
        place::of(&self.mesh, &materials)
    }
}

fn add_turned_house(
    mesh: &mut Mesh,
    [x, y]: [f64; 2],
    [a, b]: [f64; 2],
    turn: f64,
    [low, high]: [f64; 2],
) {
    let (sin, cos) = turn.sin_cos();
    let corner = |u: f64, v: f64| [x + u * cos - v * sin, y + u * sin + v * cos];
    let footprint = [corner(-a, -b), corner(a, -b), corner(a, b), corner(-a, b)];
    add_prism(mesh, "house", &footprint, low, high, true);
}

/// The interactions on the way, and the material of walls.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) limits: Limits,
    pub(super) material: Material,
}

impl Kind {
    /// The limits for tiles, and the number of interactions up to which paths with a diffraction are not sampled.
    pub(super) fn on_tiles(&self) -> (&Limits, Option<usize>) {
        (&self.limits, (self.name == "sampled").then_some(1))
    }
}

pub(crate) fn limits(max_interactions: usize, [r, t, d, s]: [usize; 4]) -> Limits {
    Limits {
        max_interactions,
        max_reflections: r,
        max_transmissions: t,
        max_diffractions: d,
        max_scatterings: s,
        free_edges: true,
        ..Limits::default()
    }
}

/// Scattering is reciprocal for Lambert's lobe and conductors alone, as its model has it.
fn rough() -> Material {
    Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 0.5,
            cross_polarization: 0.2,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    })
}

/// Paths that surfaces alone follow by sums over rays: diffractions behind scatterings.
pub(super) fn edges_behind_scatterings() -> Kind {
    Kind {
        name: "edges behind scatterings",
        limits: limits(3, [0, 0, 1, 2]),
        material: rough(),
    }
}

/// Rays sample paths to tiles that have a diffraction and more than one interaction.
pub(super) fn sampled() -> Kind {
    Kind {
        name: "sampled",
        limits: limits(3, [2, 0, 2, 0]),
        material: rough(),
    }
}

pub(super) fn kinds() -> [Kind; 6] {
    let slab = Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.1);
    let brick = Material::from_name("brick").unwrap();
    let flat = flat(Some(7.0));
    let kind = |name, limits, material: &Material| Kind {
        name,
        limits,
        material: material.clone(),
    };
    [
        kind("reflection", limits(2, [2, 0, 0, 0]), &brick),
        kind("transmission", limits(2, [1, 4, 0, 0]), &slab),
        kind("flat losses", limits(2, [1, 4, 0, 0]), &flat),
        kind("one edge", limits(2, [1, 0, 1, 0]), &brick),
        kind("two edges", limits(2, [0, 0, 2, 0]), &brick),
        kind("scattering", limits(1, [0, 0, 0, 1]), &rough()),
    ]
}

/// Brick whose reflections cost 9 dB, and maybe its passages a number too.
pub(super) fn flat(transmission_db: Option<f64>) -> Material {
    let brick = Material::from_name("brick").unwrap();
    brick.with_flat_losses(FlatLosses {
        transmission_db,
        reflection_db: Some(9.0),
        diffraction_db: 0.0,
    })
}

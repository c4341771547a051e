//! Plans of some tens of wavelengths, for both: solids on a grid of nodes, and walls of prisms that are as good as endless.
//!
//! The wavelength is 1 m, so lengths are in wavelengths.

use anyhow::Result;
use glam::DVec2;
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::scene::{Mesh, Scene};
use keller::{DVec3, Frequency, World};
use keller_lab::parflow::{Node, Plan};

/// The frequency at which the wavelength is 1 m, Hz.
pub(super) const FREQUENCY: f64 = 299_792_458.0;

/// Nodes a wavelength.
pub(super) const NODES: usize = 20;

/// Nodes from one receiver to the next: four receivers a wavelength.
pub(super) const STRIDE: usize = 5;

/// Wavelengths beyond the place in which waves are absorbed.
const MARGIN: usize = 2;

/// Walls that end nowhere end here, and all reach so far up and down.
const FAR: f64 = 500.0;

/// The material of solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solid {
    Conductor,
    Concrete,
}

/// A square place with solids in it.
pub(super) struct Place {
    pub(super) name: &'static str,
    /// Its side.
    pub(super) side: usize,
    pub(super) solid: Solid,
    /// Walls around solid parts, or around open ones.
    pub(super) walls: Vec<Vec<DVec2>>,
    /// Whether a place is solid.
    is_solid: fn(DVec2) -> bool,
    /// The node of the source.
    pub(super) source: [usize; 2],
    /// The largest number of reflections of paths.
    pub(super) reflections: usize,
}

/// Walls along lines of corners.
fn lines(corners: &[&[[f64; 2]]]) -> Vec<Vec<DVec2>> {
    let line = |line: &&[[f64; 2]]| line.iter().map(|at| DVec2::from_array(*at)).collect();
    corners.iter().map(line).collect()
}

/// All places.
pub(super) fn all() -> Vec<Place> {
    let mut all = in_the_open();
    all.extend(between_walls());
    all
}

/// Solids with open space around.
fn in_the_open() -> Vec<Place> {
    let corner = lines(&[&[[FAR, 12.0], [12.0, 12.0], [12.0, FAR]]]);
    let beyond_corner: fn(DVec2) -> bool = |at| at.x > 12.0 - 1e-9 && at.y > 12.0 - 1e-9;
    vec![
        place(
            "conducting corner",
            24,
            Solid::Conductor,
            corner.clone(),
            beyond_corner,
            [18.0, 5.0],
            1,
        ),
        place(
            "concrete corner",
            24,
            Solid::Concrete,
            corner,
            beyond_corner,
            [18.0, 5.0],
            1,
        ),
        place(
            "block",
            26,
            Solid::Concrete,
            lines(&[&[
                [9.0, 9.0],
                [17.0, 9.0],
                [17.0, 17.0],
                [9.0, 17.0],
                [9.0, 9.0],
            ]]),
            |at| (9.0..17.0).contains(&at.x) && (9.0..17.0).contains(&at.y),
            [3.0, 11.4],
            2,
        ),
    ]
}

/// Rooms and streets.
fn between_walls() -> Vec<Place> {
    vec![
        place(
            "room",
            20,
            Solid::Concrete,
            lines(&[&[
                [1.0, 3.0],
                [1.0, 17.0],
                [19.0, 17.0],
                [19.0, 3.0],
                [1.0, 3.0],
            ]]),
            |at| !((1.0..19.0).contains(&at.x) && (3.0..17.0).contains(&at.y)),
            [6.2, 8.1],
            10,
        ),
        place(
            "corridor with a corner",
            24,
            Solid::Concrete,
            lines(&[&[
                [2.0, 2.0],
                [2.0, 22.0],
                [8.0, 22.0],
                [8.0, 8.0],
                [22.0, 8.0],
                [22.0, 2.0],
                [2.0, 2.0],
            ]]),
            |at| {
                let along = (2.0..22.0).contains(&at.x) && (2.0..8.0).contains(&at.y);
                let up = (2.0..8.0).contains(&at.x) && (2.0..22.0).contains(&at.y);
                !(along || up)
            },
            [18.0, 4.6],
            6,
        ),
        place(
            "street crossing",
            30,
            Solid::Concrete,
            lines(&[
                &[[-FAR, 11.0], [11.0, 11.0], [11.0, -FAR]],
                &[[19.0, -FAR], [19.0, 11.0], [FAR, 11.0]],
                &[[FAR, 19.0], [19.0, 19.0], [19.0, FAR]],
                &[[11.0, FAR], [11.0, 19.0], [-FAR, 19.0]],
            ]),
            |at| !((11.0..19.0).contains(&at.x) || (11.0..19.0).contains(&at.y)),
            [26.3, 14.2],
            5,
        ),
    ]
}

fn place(
    name: &'static str,
    side: usize,
    solid: Solid,
    walls: Vec<Vec<DVec2>>,
    is_solid: fn(DVec2) -> bool,
    source: [f64; 2],
    reflections: usize,
) -> Place {
    Place {
        name,
        side,
        solid,
        walls,
        is_solid,
        source: source.map(node),
        reflections,
    }
}

/// The node nearest to a coordinate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places have positive coordinates"
)]
fn node(at: f64) -> usize {
    ((at + MARGIN as f64) * NODES as f64).round() as usize
}

impl Place {
    /// The position of a node. Walls are midway between nodes, but conductors begin at nodes.
    pub(super) fn at(&self, [i, j]: [usize; 2]) -> DVec2 {
        let shift = match self.solid {
            Solid::Conductor => 0.0,
            Solid::Concrete => 0.5,
        };
        let at = DVec2::new(i as f64, j as f64) + shift;
        at / NODES as f64 - MARGIN as f64
    }

    pub(super) fn source_position(&self) -> DVec2 {
        self.at(self.source)
    }

    fn frequency() -> Result<Frequency> {
        Ok(Frequency::from_hz(FREQUENCY)?)
    }

    fn medium(&self) -> Medium {
        match self.solid {
            Solid::Conductor => Medium::PerfectConductor,
            Solid::Concrete => Medium::Itu(ItuMaterial::Concrete),
        }
    }

    /// The nodes of it and of the margin around.
    pub(super) fn plan(&self) -> Result<Plan> {
        let permittivity = self.medium().relative_permittivity(Self::frequency()?)?;
        let solid = permittivity.map_or(Node::Conductor, Node::Filled);
        let nodes = (self.side + 2 * MARGIN) * NODES;
        let origin = self.at([0, 0]);
        Ok(Plan::new(
            [nodes; 2],
            1.0 / NODES as f64,
            1.0,
            (MARGIN - 1) * NODES,
            |at| {
                if (self.is_solid)(origin + at) {
                    solid
                } else {
                    Node::AIR
                }
            },
        ))
    }

    /// Its walls for paths, which stay in the plane z = 0.
    pub(super) fn world(&self) -> Result<World> {
        let mut mesh = Mesh::default();
        for line in &self.walls {
            for ends in line.windows(2) {
                let [a, b] = [ends[0], ends[1]].map(|end| end.extend(0.0));
                let corners = [(a, -FAR), (b, -FAR), (b, FAR), (a, FAR)];
                mesh.add_polygon("solid", &corners.map(|(at, z): (DVec3, f64)| at.with_z(z)));
            }
        }
        let materials = Materials::from([("solid", Material::HalfSpace(self.medium()))]);
        Ok(World::new(
            Scene::new(&mesh)?,
            &materials,
            Self::frequency()?,
        )?)
    }

    /// The nodes of receivers, row after row, x running fastest; none where it is solid, or too near to the source.
    pub(super) fn receivers(&self) -> Vec<Option<[usize; 2]>> {
        let count = self.side * NODES / STRIDE;
        let node = |k: usize| MARGIN * NODES + STRIDE / 2 + STRIDE * k;
        let of = |k: usize| {
            let rx = [node(k % count), node(k / count)];
            let at = self.at(rx);
            let is_free = !(self.is_solid)(at) && at.distance(self.source_position()) > 1.0;
            is_free.then_some(rx)
        };
        (0..count * count).map(of).collect()
    }
}

//! The corridor, its tiles, and the searches in it.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use keller::materials::{Material, Materials, Medium};
use keller::paths::{Environment, Limits, TileFinder};
use keller::scene::{Edge, Scene};
use keller::tiles::{Segments, Tiles, Tiling, Visibility};
use keller::{Control, DVec3, Frequency, World};
use keller_lab::tile_rays::{Aim, Order, Rays, Streaming};
use keller_lab::vaara::Settings;
use keller_lab::vaara::buffers::{Buffering, Size};
use keller_lab::vaara::corridor;
use keller_lab::vaara::removal::Removal;

/// Plasterboard: the law of ITU-R P.2040-3 taken to 110 GHz, beyond its range.
const WALL: Medium = Medium::Constant {
    relative_permittivity: 2.73,
    conductivity: 0.70,
};

const GHZ: f64 = 110.0;

/// Metres.
const TILE: f64 = 1.0;

/// The place where the searches run.
pub(super) struct Place {
    pub(super) world: World,
    pub(super) environment: Environment,
    pub(super) tx: DVec3,
    pub(super) rx: Vec<DVec3>,
    /// A description of it for the report.
    pub(super) text: String,
}

impl Place {
    pub(super) fn corridor() -> Result<Self> {
        let scene = Scene::new(&corridor::mesh())?;
        let materials: Materials = [(corridor::MATERIAL.to_owned(), Material::HalfSpace(WALL))]
            .into_iter()
            .collect();
        let world = World::new(scene, &materials, Frequency::from_ghz(GHZ)?)?;
        let scene = world.shared_scene();
        let tiles = Tiles::new(scene, Tiling::of_side(TILE))?;
        let edges = corridor::inner_edges(scene);
        let segments = Segments::new(scene, &tiles, Edge::is_wedge);
        let inner = segments.all().iter().filter(|s| edges.contains(&s.edge));
        let start = Instant::now();
        let visibility = Visibility::new(scene, &tiles, &Control::default())?;
        let rx = corridor::rx();
        let text = format!(
            "Corridor: {} tiles (thesis 611), {} edges in {} segments of about 1 m (thesis 245 edges), {} Rx (53), {GHZ} GHz; {} faces in {} planes; visibility {:.3} s, {:.1} % of all pairs.",
            tiles.len(),
            edges.len(),
            inner.count(),
            rx.len(),
            scene.faces().len(),
            scene.planes().len(),
            start.elapsed().as_secs_f64(),
            100.0 * visibility.num_pairs() as f64 / (tiles.len() * tiles.len()) as f64,
        );
        Ok(Self {
            environment: Environment::with_rows(tiles, Arc::new(visibility)),
            world,
            tx: corridor::tx(),
            rx,
            text,
        })
    }

    /// A search that asks for the centres of tiles, as Vaara 2022 does.
    pub(super) fn finder(&self, limits: [usize; 2]) -> Result<TileFinder> {
        Ok(self.keller_finder(limits)?.with_margin(0.0))
    }

    /// The search as keller has it.
    pub(super) fn keller_finder(&self, limits: [usize; 2]) -> Result<TileFinder> {
        let limits = limits_of(limits);
        Ok(TileFinder::new(
            &self.world,
            &limits,
            self.environment.clone(),
        )?)
    }
}

pub(super) fn limits_of([interactions, diffractions]: [usize; 2]) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: interactions,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

/// The search of Vaara 2022 as it is, with buffers of 5000 for each receiver.
pub(super) fn settings() -> Settings {
    Settings {
        streaming: Streaming {
            rays: Rays {
                order: Order::ChainedParallel,
                aim: Aim::Centres,
            },
            at_once: 1 << 14,
            is_single_exact: false,
        },
        buffering: Buffering {
            size: Size::PerRx(5000),
            is_double: true,
        },
        removal: Removal::Hash,
    }
}

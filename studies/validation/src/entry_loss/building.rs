//! A made-up office building with windows, and the fabrics of which it may be built.

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::materials::{ItuMaterial, Layer, Material, Materials, Medium};
use keller::scene::openings::{Cut, Openings, cut};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3};
use keller_geo::place::insides::{self, InsideOptions};
use keller_geo::place::{Building, Polygon, Prism, Roof, Shape};

use super::p2109::Kind;

/// Length and width, metres.
const SIDES: [f64; 2] = [30.0, 16.0];

/// The height from floor to floor, metres.
const STOREY: f64 = 3.0;

/// Number of storeys.
const STOREYS: u32 = 5;

/// The approximate length and width of a room, metres.
const ROOMS: f64 = 5.0;

/// Windows on every storey.
const WINDOWS: Openings = Openings {
    width: 1.2,
    height: 1.4,
    sill: 0.9,
    spacing: 2.4,
    storey: Some(STOREY),
    margin: 0.3,
};

/// Doors between rooms and into the core.
const DOORS: Openings = Openings {
    width: 0.9,
    height: 2.1,
    sill: 0.0,
    spacing: 4.0,
    storey: Some(STOREY),
    margin: 0.3,
};

/// Receivers stand so high above their floor, metres.
const RX_HEIGHT: f64 = 1.5;

/// The distance from receiver to receiver, and from the facade to the first, metres. Walls of rooms lie at other
/// places.
const RX_SPACING: f64 = 1.7;
const RX_MARGIN: f64 = 0.55;

/// Names of the panes' and of the doors' material.
const PANE: &str = "pane";
const DOOR: &str = "door";

/// The building with doors and windows, and the share of the facade that windows take.
pub(super) struct Windowed {
    pub(super) scene: Scene,
    pub(super) num_doors: usize,
    pub(super) num_windows: usize,
    pub(super) share: f64,
}

impl Windowed {
    /// The inside that `keller import --storeys 3 --rooms 5` makes, with the doors and windows of `[[opening]]`.
    ///
    /// # Errors
    /// The errors of the scene.
    pub(super) fn new() -> Result<Self> {
        let built = insides::build(
            &[outline()],
            &|_| Some(0.0),
            &InsideOptions {
                storey: STOREY,
                rooms: Some(ROOMS),
            },
        );
        ensure!(built.warnings.is_empty(), "{:?}", built.warnings);
        let with_doors = opened(&built.mesh, &["inner_wall", "core"], &DOORS, DOOR)?;
        let done = opened(&with_doors.mesh, &["facade"], &WINDOWS, PANE)?;
        ensure!(done.openings > 0, "the facade has no windows");
        Ok(Self {
            scene: Scene::new(&done.mesh)?,
            num_doors: with_doors.openings,
            num_windows: done.openings,
            share: done.area / done.wall_area,
        })
    }
}

/// A mesh with openings in the walls of some materials.
fn opened(mesh: &Mesh, walls: &[&str], openings: &Openings, pane: &str) -> Result<Cut> {
    let is_wall = mesh.triangles.iter().map(|triangle| {
        let material = &mesh.materials[triangle.material as usize];
        walls.contains(&&*material.name)
    });
    let is_wall: Vec<bool> = is_wall.collect();
    Ok(cut(
        mesh,
        &is_wall,
        openings,
        Some(pane),
        &Control::default(),
    )?)
}

fn outline() -> Building {
    let [length, width] = SIDES;
    let corners = [(0.0, 0.0), (length, 0.0), (length, width), (0.0, width)];
    Building {
        id: "office".into(),
        found_at: "the building".into(),
        shape: Shape::Prism(Prism {
            pitched: None,
            outline: vec![Polygon {
                outer: corners.map(DVec2::from).into(),
                holes: Vec::new(),
            }],
            roof: Roof::Height(f64::from(STOREYS) * STOREY),
            min_height: 0.0,
            ground: None,
        }),
        wall_material: None,
        roof_material: None,
    }
}

/// The middle of the building, metres.
pub(super) fn centre() -> DVec3 {
    let [length, width] = SIDES;
    0.5 * DVec3::new(length, width, f64::from(STOREYS) * STOREY)
}

/// Places of receivers on every floor, metres.
pub(super) fn places() -> Vec<DVec3> {
    let along = |side: f64| {
        (0..)
            .map(|k| RX_MARGIN + f64::from(k) * RX_SPACING)
            .take_while(move |at| *at <= side - RX_MARGIN)
    };
    let [length, width] = SIDES;
    let mut places = Vec::new();
    for storey in 0..STOREYS {
        let z = f64::from(storey) * STOREY + RX_HEIGHT;
        for y in along(width) {
            places.extend(along(length).map(|x| DVec3::new(x, y, z)));
        }
    }
    places
}

/// The materials of facade, roof and panes.
pub(super) struct Fabric {
    pub(super) name: &'static str,
    /// The kind of P.2109 that it is wholly.
    pub(super) kind: Option<Kind>,
    /// Its name in pictures, if it is in them.
    pub(super) curve_name: Option<&'static str>,
    facade: Facade,
    has_coated_panes: bool,
}

#[derive(Clone, Copy)]
enum Facade {
    Brick,
    Concrete,
    /// Brick with an insulation that has a metal foil at its inner side, as the roof has.
    Foil,
}

/// The fabrics from the lightest to the most shielding.
pub(super) const FABRICS: [Fabric; 4] = [
    Fabric {
        name: "brick, plain panes",
        kind: Some(Kind::Traditional),
        curve_name: Some("brick, plain"),
        facade: Facade::Brick,
        has_coated_panes: false,
    },
    Fabric {
        name: "concrete, plain panes",
        kind: Some(Kind::Traditional),
        curve_name: None,
        facade: Facade::Concrete,
        has_coated_panes: false,
    },
    Fabric {
        name: "brick, coated panes",
        kind: None,
        curve_name: None,
        facade: Facade::Brick,
        has_coated_panes: true,
    },
    Fabric {
        name: "brick with foil, coated",
        kind: Some(Kind::ThermallyEfficient),
        curve_name: Some("foil, coated"),
        facade: Facade::Foil,
        has_coated_panes: true,
    },
];

/// Sheet resistance of the coat of a pane, ohms a square: silver of a soft coat, 3 to 5.
pub(super) const COAT_OHMS: f64 = 4.0;

/// Thickness of the coat, metres.
const COAT: f64 = 10e-9;

/// Thickness of a foil of aluminium, metres, and its conductivity, S/m.
const FOIL: f64 = 20e-6;
const ALUMINIUM: f64 = 3.5e7;

impl Fabric {
    /// The materials by the names of the scene. Those of floors and inner walls are the same for all.
    pub(super) fn materials(&self) -> Materials {
        let board = layer(ItuMaterial::Plasterboard, 0.0125);
        let roof = Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.25);
        let facade = match self.facade {
            Facade::Brick => Material::slab(Medium::Itu(ItuMaterial::Brick), 0.24),
            Facade::Concrete => Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.2),
            Facade::Foil => Material::Slab(vec![
                layer(ItuMaterial::Brick, 0.115),
                air(0.14),
                metal(FOIL, ALUMINIUM),
                board,
            ]),
        };
        let roof = match self.facade {
            Facade::Foil => Material::Slab(vec![
                metal(FOIL, ALUMINIUM),
                layer(ItuMaterial::Concrete, 0.25),
            ]),
            Facade::Brick | Facade::Concrete => roof,
        };
        let core = Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.2);
        Materials::from([
            ("facade", facade),
            ("roof", roof),
            (PANE, self.pane()),
            (DOOR, Material::slab(Medium::Itu(ItuMaterial::Wood), 0.04)),
            ("floor", core.clone()),
            ("core", core),
            ("inner_wall", Material::Slab(vec![board, air(0.075), board])),
        ])
    }

    /// One pane of 6 mm; or two of 4 mm with 16 mm between them, of which one is coated inside.
    pub(super) fn pane(&self) -> Material {
        if !self.has_coated_panes {
            return Material::slab(Medium::Itu(ItuMaterial::Glass), 0.006);
        }
        let glass = layer(ItuMaterial::Glass, 0.004);
        let coat = metal(COAT, 1.0 / (COAT_OHMS * COAT));
        Material::Slab(vec![glass, air(0.016), coat, glass])
    }
}

fn layer(material: ItuMaterial, thickness: f64) -> Layer {
    Layer {
        medium: Medium::Itu(material),
        thickness,
    }
}

fn air(thickness: f64) -> Layer {
    layer(ItuMaterial::Vacuum, thickness)
}

fn metal(thickness: f64, conductivity: f64) -> Layer {
    Layer {
        medium: Medium::Constant {
            relative_permittivity: 1.0,
            conductivity,
        },
        thickness,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::Frequency;
    use keller::em::Surface;
    use keller::units::power_to_db;

    fn loss_db(material: &Material, ghz: f64) -> f64 {
        let frequency = Frequency::from_ghz(ghz).unwrap();
        let surface = Surface::new(material, frequency).unwrap();
        -power_to_db(surface.transmission(1.0, true).te.norm_sqr())
    }

    /// A sheet of R ohms a square in air lets pass 1 / (1 + Z0 / 2R) of the field.
    #[test]
    fn a_coat_alone_shields_as_its_sheet_resistance_says() {
        let coat = Material::Slab(vec![metal(COAT, 1.0 / (COAT_OHMS * COAT))]);
        let expected = 20.0 * (1.0 + 376.730_313 / (2.0 * COAT_OHMS)).log10();
        assert!((expected - 33.65).abs() < 0.01, "{expected}");
        for ghz in [0.9, 3.5, 28.0] {
            let found = loss_db(&coat, ghz);
            assert!((found - expected).abs() < 0.05, "{ghz} GHz: {found} dB");
        }
    }

    #[test]
    fn nothing_passes_a_foil_and_little_a_coated_pane() {
        let [plain, _, coated, foil] = &FABRICS;
        for ghz in [0.9, 3.5, 28.0] {
            assert!(loss_db(&plain.pane(), ghz) < 6.0, "{ghz} GHz");
            assert!(loss_db(&coated.pane(), ghz) > 20.0, "{ghz} GHz");
            let facade = &foil.materials().named[0];
            assert_eq!(facade.0, "facade");
            assert!(loss_db(&facade.1, ghz) > 80.0, "{ghz} GHz");
        }
    }

    #[test]
    fn windows_are_on_every_storey_of_every_side() {
        let building = Windowed::new().unwrap();
        // 12 and 6 windows a storey on the long and on the short sides, but for those that inner walls meet.
        assert!(
            building.num_windows >= 5 * 2 * (5 + 2),
            "{}",
            building.num_windows
        );
        assert!(
            building.num_windows <= 5 * 2 * (12 + 6),
            "{}",
            building.num_windows
        );
        let expected = building.num_windows as f64 * 1.2 * 1.4 / (92.0 * 15.0);
        assert!(
            (building.share - expected).abs() < 1e-9,
            "{}",
            building.share
        );
    }
}

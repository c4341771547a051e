//! Made-up cities: houses at odd angles, some of which touch, with uneven heights, and one with an inside.

use std::path::Path;

use anyhow::Result;
use glam::DVec2;
use keller::DVec3;
use keller::scene::building::Placement;
use keller_geo::place::insides::{self, InsideOptions};
use keller_geo::place::{Building, Polygon, Prism, Roof, Shape};

use super::draws::Draws;
use super::obj::Obj;
use super::place::{Place, write};

/// Blocks along each side, and from centre to centre, metres.
const BLOCKS: [usize; 2] = [4, 3];
const PITCH: f64 = 34.0;

/// The block whose house gets an inside.
const OFFICE: [usize; 2] = [1, 1];

/// Metres from floor to floor.
const STOREY: f64 = 3.1;

/// Walls of the houses and of the inside, and the ground.
const MATERIALS: &str = r#"[materials]
soil.itu = "medium_dry_ground"
hull = { itu = "concrete", thickness = 0.25 }
facade = { itu = "brick", thickness = 0.3 }
floor = { itu = "concrete", thickness = 0.25 }
inner_wall = { itu = "plasterboard", thickness = 0.08 }
core = { itu = "concrete", thickness = 0.2 }
roof = { itu = "concrete", thickness = 0.25 }
glass = { itu = "glass", thickness = 0.012 }
wood = { itu = "wood", thickness = 0.04 }
"#;

/// A door and windows for the building.
const OPENINGS: &str = r#"[[opening]]
walls = "facade"
material = "wood"
width = 1.1
height = 2.1
spacing = 9.0
[[opening]]
walls = "facade"
material = "glass"
width = 1.3
height = 1.4
sill = 0.9
spacing = 2.9
storey = 3.1
"#;

/// A house: its plan as convex parts, and its outline, in axes of its own.
struct House {
    outline: Vec<DVec2>,
    parts: Vec<Vec<DVec2>>,
    height: f64,
}

/// The city with this number: rooms behind plain walls if it is even, halls with windows if it is odd.
pub(super) fn city(number: u64, folder: &Path) -> Result<Place> {
    let mut draws = Draws::new(1000 + number);
    let mut obj = Obj::new(Draws::new(2000 + number));
    obj.object("ground");
    let far = DVec2::new(BLOCKS[0] as f64 + 1.0, BLOCKS[1] as f64 + 1.0) * PITCH;
    let ground = [
        DVec2::splat(-60.0),
        DVec2::new(far.x + 30.0, -60.0),
        far + 30.0,
        DVec2::new(-60.0, far.y + 30.0),
    ];
    obj.plate("soil", &ground, 0.0);
    let mut office = None;
    for (i, j) in (0..BLOCKS[0]).flat_map(|i| (0..BLOCKS[1]).map(move |j| (i, j))) {
        let centre = PITCH * DVec2::new(i as f64 + 0.5, j as f64 + 0.5)
            + DVec2::new(draws.between(-2.5, 2.5), draws.between(-2.5, 2.5));
        let rotation_deg = (1e3 * draws.between(-180.0, 180.0)).round() / 1e3;
        let is_office = [i, j] == OFFICE;
        let house = House::draw(is_office, &mut draws);
        let neighbour = (draws.below(2) == 0).then(|| house.neighbour(&mut draws));
        let size = house.outline[2];
        let turned = DVec2::from_angle(rotation_deg.to_radians()).rotate(0.5 * size);
        let placement = Placement {
            origin: (centre - turned).extend(0.0),
            rotation: rotation_deg.to_radians(),
        };
        obj.object(&format!("house_{i}_{j}"));
        house.draw_hull(&mut obj, &placement);
        if let Some(neighbour) = neighbour {
            obj.object(&format!("beside_{i}_{j}"));
            neighbour.draw_hull(&mut obj, &placement);
        }
        if is_office {
            office = Some((house, placement, rotation_deg));
        }
    }
    write(folder, "city.obj", &obj.text)?;
    let (house, placement, rotation_deg) = office.expect("one block has the office");
    let has_windows = number % 2 == 1;
    let options = InsideOptions {
        storey: STOREY,
        rooms: (!has_windows).then_some(5.0),
    };
    let building = Building {
        id: "office".to_owned(),
        found_at: "here".to_owned(),
        shape: Shape::Prism(Prism {
            pitched: None,
            outline: vec![Polygon {
                outer: house.outline.clone(),
                holes: Vec::new(),
            }],
            roof: Roof::Height(house.height),
            min_height: 0.0,
            ground: None,
        }),
        wall_material: None,
        roof_material: None,
    };
    let built = insides::build(&[building], &|_| Some(0.0), &options);
    let mut inside = Obj::new(Draws::new(3000 + number));
    inside.mesh(&built.mesh);
    write(folder, "office.obj", &inside.text)?;
    let origin = placement.origin.to_array();
    let openings = if has_windows { OPENINGS } else { "" };
    let scene = format!(
        "[scene]\nfile = \"city.obj\"\nup = \"z\"\nunit = \"m\"\n[[building]]\nfile = \"office.obj\"\nup = \"z\"\nunit = \"m\"\n\
         position = {origin:?}\nrotation_deg = {rotation_deg:?}\n{openings}{MATERIALS}"
    );
    let mut heights: Vec<f64> = built.mesh.vertices.iter().map(|at: &DVec3| at.z).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let name = if has_windows { "windows" } else { "rooms" };
    Ok(Place {
        name: format!("city {} ({name})", number + 1),
        folder: folder.to_owned(),
        scene,
        building: "office",
        placement,
        outline: house.outline,
        levels: heights,
    })
}

impl House {
    fn draw(is_office: bool, draws: &mut Draws) -> Self {
        let size = DVec2::new(draws.between(12.0, 17.0), draws.between(9.0, 13.0));
        let height = if is_office {
            STOREY * (2.0 + draws.below(3) as f64) + draws.between(-0.2, 1.2)
        } else {
            draws.between(5.0, 25.0)
        };
        let corner = |x: f64, y: f64| DVec2::new(x * size.x, y * size.y);
        // Every third has a piece cut out of its back.
        if draws.below(3) == 0 {
            let (x, y) = (draws.between(0.4, 0.7), draws.between(0.4, 0.7));
            let [a, b, c] = [corner(0., 0.), corner(1., 0.), corner(1., y)];
            let [d, e, f] = [corner(x, y), corner(x, 1.), corner(0., 1.)];
            return Self {
                outline: vec![a, b, c, d, e, f],
                parts: vec![
                    vec![a, b, c, d, corner(0., y)],
                    vec![corner(0., y), d, e, f],
                ],
                height,
            };
        }
        let outline = vec![
            corner(0., 0.),
            corner(1., 0.),
            corner(1., 1.),
            corner(0., 1.),
        ];
        Self {
            parts: vec![outline.clone()],
            outline,
            height,
        }
    }

    /// A house that touches this one at its side towards -x; every second stands flush with its front.
    fn neighbour(&self, draws: &mut Draws) -> Self {
        let width = draws.between(4.0, 6.0);
        let depth = self.outline[self.outline.len() - 1].y;
        let front = if draws.below(2) == 0 {
            0.0
        } else {
            draws.between(-2.0, 3.0)
        };
        let back = front.max(0.0) + draws.between(0.5, 1.1) * (depth - front.max(0.0));
        let outline: Vec<DVec2> = [(-width, front), (0., front), (0., back), (-width, back)]
            .map(DVec2::from)
            .into();
        Self {
            parts: vec![outline.clone()],
            outline,
            height: self.height * draws.between(0.6, 1.5),
        }
    }

    fn draw_hull(&self, obj: &mut Obj, placement: &Placement) {
        let placed = |ring: &[DVec2]| -> Vec<DVec2> {
            let place = |at: &DVec2| placement.to_scene(at.extend(0.0)).truncate();
            ring.iter().map(place).collect()
        };
        obj.walls("hull", &placed(&self.outline), [0.0, self.height]);
        for part in &self.parts {
            obj.plate("hull", &placed(part), self.height);
        }
    }
}

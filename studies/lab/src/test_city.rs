//! A few random houses on a plain, and places for devices, for tests.

use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::random::Random;
use keller::scene::{Mesh, Scene};
use keller::{DVec3, Frequency, World};

/// Half the side of the plain, metres.
const REACH: f64 = 40.0;

/// Two houses or three with walls of glass, some of which share a wall with another, at 3.5 GHz.
pub(crate) fn city(seed: u64) -> World {
    let mut random = Random(seed ^ 0xc17);
    let mut mesh = Mesh::default();
    let ground = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)];
    mesh.add_polygon("glass", &ground.map(|(x, y)| REACH * DVec3::new(x, y, 0.0)));
    let places = [(-12.0, -10.0), (12.0, 2.0), (-12.0, 14.0)];
    for (x, y) in &places[..2 + random.below(2)] {
        let (x, y) = (x + random.range(-3.0, 3.0), y + random.range(-3.0, 3.0));
        let centre = DVec3::new(x, y, 0.0);
        let turn: f64 = if random.below(2) == 0 {
            0.0
        } else {
            random.range(0.0, 1.5)
        };
        let u = DVec3::new(turn.cos(), turn.sin(), 0.0) * random.range(3.0, 8.0);
        let v = DVec3::new(-turn.sin(), turn.cos(), 0.0) * random.range(3.0, 8.0);
        let mut house = |corners: [DVec3; 4], height: f64| {
            let up = DVec3::Z * height;
            let corners = corners.map(|corner| centre + corner);
            for k in 0..4 {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                mesh.add_polygon("glass", &[a, b, b + up, a + up]);
            }
            mesh.add_polygon("glass", &corners.map(|corner| corner + up));
        };
        house([-u - v, u - v, u + v, v - u], random.range(4.0, 15.0));
        if random.below(2) == 0 {
            let next = [u - v, 2.0 * u - v, 2.0 * u + v, u + v];
            house(next, random.range(4.0, 15.0));
        }
    }
    let pane = Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01);
    let materials: Materials = [("glass".to_owned(), pane)].into_iter().collect();
    let frequency = Frequency::from_ghz(3.5).unwrap();
    World::new(Scene::new(&mesh).unwrap(), &materials, frequency).unwrap()
}

/// Places that are not at a wall.
pub(crate) fn devices(scene: &Scene, random: &mut Random, count: usize) -> Vec<DVec3> {
    let mut devices = Vec::new();
    while devices.len() < count {
        let low = DVec3::new(-30.0, -30.0, 0.5);
        let position = random.point(low, DVec3::new(30.0, 30.0, 18.0));
        if !scene.any_face_near(position, 1e-3, |_| true) {
            devices.push(position);
        }
    }
    devices
}

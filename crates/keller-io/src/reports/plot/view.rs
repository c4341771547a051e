//! A scene from the air: parallel rays from the south-west, sun and shadows. It is the quickest way to check that a
//! scene is right.
//!
//! If colours stand for values there is no light and no shadow, which would change them: lines along the edges show the
//! shape.

use glam::{DVec2, DVec3};
use keller::clutter::Volume;
use keller::geometry::bvh::{Bvh, Ray, Triangle};
use keller::scene::{FaceId, Scene};
use rayon::prelude::*;

use super::marks::PlotTx;
use crate::reports::looks::colour;

/// The number of pixels along the longer side.
const SIZE: f64 = 1600.0;

/// The number of rays of a pixel along each side.
const SAMPLES: usize = 2;

/// The directions from the scene to the viewer and to the sun.
const VIEWER: DVec3 = DVec3::new(-0.35, -0.62, 0.70);
const SUN: DVec3 = DVec3::new(-0.75, -0.25, 0.62);

/// The colour of the sky, and the share of light that comes from everywhere.
const SKY: [f64; 3] = [0.93, 0.95, 0.97];
const AMBIENT: f64 = 0.45;

/// A border of sky around the scene, as a part of its size.
const BORDER: f64 = 0.02;

/// The colour of clutter, such as vegetation.
const CLUTTER: [f64; 3] = [0.45, 0.62, 0.40];

/// The colour of lines along edges.
const LINE: [u8; 3] = [0x2b; 3];

/// A picture of a scene, with its clutter.
#[derive(Debug)]
pub struct View<'a> {
    scene: &'a Scene,
    clutter: Bvh,
    /// Unit normals of its triangles.
    normals: Vec<DVec3>,
}

/// The screen: two directions across the view, and the range that the scene takes on each.
struct Screen {
    right: DVec3,
    up: DVec3,
    towards: DVec3,
    low: DVec2,
    pixel: f64,
    size: [usize; 2],
    /// The distance from the scene's centre at which rays begin, metres.
    distance: f64,
}

/// A visible point.
struct Hit {
    /// The position relative to the scene's centre, metres.
    point: DVec3,
    /// The normal towards the viewer.
    normal: DVec3,
    /// The face of the point; `None` for clutter.
    face: Option<FaceId>,
}

/// The colour of a point of a face.
type Paint<'a> = dyn Fn(FaceId, DVec3) -> [f64; 3] + Sync + 'a;

impl<'a> View<'a> {
    /// A picture of `scene`.
    pub fn new(scene: &'a Scene) -> Self {
        let mut triangles = Vec::new();
        let mut normals = Vec::new();
        for volume in scene.clutter().volumes() {
            for corners in volume.triangles() {
                let [a, b, c] = corners.map(|v| volume.vertices()[v as usize] - scene.origin());
                normals.push((b - a).cross(c - a).normalize_or_zero());
                triangles.push(Triangle {
                    vertices: [a, b, c].map(DVec3::as_vec3),
                    group: 0,
                });
            }
        }
        Self {
            scene,
            clutter: Bvh::build(&triangles),
            normals,
        }
    }

    /// The picture as PNG, 1600 pixels on its longer side.
    pub fn png(&self) -> Vec<u8> {
        let colours: Vec<[f64; 3]> = self.scene.materials().iter().map(|m| colour(m)).collect();
        self.drawn(&|face, _| colours[self.scene.face(face).material.index()])
    }

    /// The same picture without light and shadow and with lines along the edges, in which `paint` gives the colour of a
    /// point of a face as screens show it (sRGB).
    pub fn painted(&self, paint: &(dyn Fn(FaceId, DVec3) -> [u8; 3] + Sync)) -> Vec<u8> {
        let screen = self.screen();
        let mut pixels = self.pixels(&screen, false, &|face, at| {
            paint(face, at).map(|c| f64::from(c) / 255.0)
        });
        self.draw_edges(&screen, &mut pixels);
        encode(&pixels, screen.size)
    }

    /// A Tx moved to its place on the picture of [`Self::painted`]: x and y of its position are pixels from the left
    /// and from below, its azimuth is an angle on the picture.
    pub(crate) fn on_picture(&self, tx: &PlotTx) -> PlotTx {
        let screen = self.screen();
        let on_screen = |v: DVec3| DVec2::new(v.dot(screen.right), v.dot(screen.up));
        let at = (on_screen(tx.position - self.scene.origin()) - screen.low) / screen.pixel;
        let azimuth = tx.azimuth.map(|azimuth| {
            let along = on_screen(DVec2::from_angle(azimuth).extend(0.0));
            along.to_angle()
        });
        PlotTx {
            position: at.extend(0.0),
            name: tx.name.clone(),
            azimuth,
        }
    }

    fn drawn(&self, paint: &Paint<'_>) -> Vec<u8> {
        let screen = self.screen();
        encode(&self.pixels(&screen, true, paint), screen.size)
    }

    /// The red, green and blue of all pixels, rows from above.
    fn pixels(&self, screen: &Screen, has_light: bool, paint: &Paint<'_>) -> Vec<u8> {
        let [width, height] = screen.size;
        let mut pixels = vec![0_u8; 3 * width * height];
        pixels
            .par_chunks_mut(3 * width)
            .enumerate()
            .for_each(|(row, line)| {
                for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
                    pixel.copy_from_slice(&self.pixel(screen, has_light, paint, [column, row]));
                }
            });
        pixels
    }

    /// Draws lines where surfaces of neighbouring pixels have different normals or lie one behind the other.
    fn draw_edges(&self, screen: &Screen, pixels: &mut [u8]) {
        /// The cosine between the normals of two surfaces below which a line separates them.
        const BENT: f64 = 0.94;
        /// The distance of a point from the plane of its neighbour from which on it lies behind it, pixels.
        const BEHIND: f64 = 3.0;
        let [width, height] = screen.size;
        let hits: Vec<Option<(DVec3, DVec3)>> = (0..width * height)
            .into_par_iter()
            .map(|n| {
                let centre = DVec2::new(
                    (n % width) as f64 + 0.5,
                    (height - 1 - n / width) as f64 + 0.5,
                );
                let hit = self.hit(screen, screen.low + screen.pixel * centre)?;
                Some((hit.point, hit.normal))
            })
            .collect();
        let is_edge = |a: usize, b: usize| match (hits[a], hits[b]) {
            (None, None) => false,
            (Some((p, n)), Some((q, m))) => {
                n.dot(m) < BENT || (q - p).dot(n).abs() > BEHIND * screen.pixel
            }
            _ => true,
        };
        for n in 0..width * height {
            let right = ((n + 1) % width != 0).then_some(n + 1);
            let below = Some(n + width).filter(|below| *below < width * height);
            for other in [right, below].into_iter().flatten() {
                if is_edge(n, other) {
                    for pixel in [n, other] {
                        pixels[3 * pixel..3 * pixel + 3].copy_from_slice(&LINE);
                    }
                }
            }
        }
    }

    fn screen(&self) -> Screen {
        let towards = VIEWER.normalize();
        let right = DVec3::Z.cross(towards).normalize();
        let up = towards.cross(right);
        let origin = self.scene.origin();
        let (mut low, mut high, mut distance) = (DVec2::INFINITY, DVec2::NEG_INFINITY, 0.0_f64);
        let volumes = self.scene.clutter().volumes().iter();
        let leaves = volumes.flat_map(Volume::vertices);
        for vertex in self.scene.vertices().iter().chain(leaves) {
            let v = *vertex - origin;
            let at = DVec2::new(v.dot(right), v.dot(up));
            (low, high) = (low.min(at), high.max(at));
            distance = distance.max(v.dot(towards));
        }
        let border = BORDER * (high - low).max_element();
        (low, high) = (low - border, high + border);
        let pixel = (high - low).max_element() / SIZE;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and SIZE"
        )]
        let count = |length: f64| (length / pixel).round().clamp(1.0, SIZE) as usize;
        Screen {
            right,
            up,
            towards,
            low,
            pixel,
            size: [count(high.x - low.x), count(high.y - low.y)],
            distance: distance + 1.0,
        }
    }

    fn pixel(
        &self,
        screen: &Screen,
        has_light: bool,
        paint: &Paint<'_>,
        [column, row]: [usize; 2],
    ) -> [u8; 3] {
        let mut sum = [0.0; 3];
        for k in 0..SAMPLES * SAMPLES {
            let part = |k: usize| (k as f64 + 0.5) / SAMPLES as f64;
            let at = screen.low
                + screen.pixel
                    * DVec2::new(
                        column as f64 + part(k % SAMPLES),
                        (screen.size[1] - 1 - row) as f64 + part(k / SAMPLES),
                    );
            let seen = self.seen(screen, has_light, paint, at);
            sum = [0, 1, 2].map(|c| sum[c] + seen[c]);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 255"
        )]
        sum.map(|v| {
            (255.0 * v / (SAMPLES * SAMPLES) as f64)
                .round()
                .clamp(0.0, 255.0) as u8
        })
    }

    /// The colour at a place of the screen.
    fn seen(&self, screen: &Screen, has_light: bool, paint: &Paint<'_>, at: DVec2) -> [f64; 3] {
        let Some(hit) = self.hit(screen, at) else {
            return SKY;
        };
        let colour = match hit.face {
            Some(face) => paint(face, hit.point + self.scene.origin()),
            None => CLUTTER,
        };
        // Clutter has no values.
        if !has_light && hit.face.is_some() {
            return colour;
        }
        let sun = SUN.normalize();
        let mut light = hit.normal.dot(sun).max(0.0);
        if light > 0.0 {
            let lifted = hit.point + 1e-4 * screen.distance.max(1.0) * hit.normal;
            if self.is_in_shadow(lifted, sun) {
                light = 0.0;
            }
        }
        let brightness = AMBIENT + (1.0 - AMBIENT) * light;
        colour.map(|c| c * brightness)
    }

    /// The visible point at a place of the screen.
    fn hit(&self, screen: &Screen, at: DVec2) -> Option<Hit> {
        let from = at.x * screen.right + at.y * screen.up + screen.distance * screen.towards;
        let ray = Ray::new(from.as_vec3(), -screen.towards.as_vec3());
        let wall = self.scene.index().closest_hit(&ray);
        let leaves = self.clutter.closest_hit(&ray);
        let leaves = leaves.filter(|leaves| wall.is_none_or(|wall| leaves.t < wall.t));
        let (t, normal, face) = if let Some(leaves) = leaves {
            (leaves.t, self.normals[leaves.triangle as usize], None)
        } else {
            let wall = wall?;
            let face: FaceId = self.scene.triangle_faces()[wall.triangle as usize];
            (wall.t, self.scene.face_normal(face), Some(face))
        };
        Some(Hit {
            point: from - f64::from(t) * screen.towards,
            // Walls that face away are visible from behind.
            normal: normal * normal.dot(screen.towards).signum(),
            face,
        })
    }

    fn is_in_shadow(&self, from: DVec3, sun: DVec3) -> bool {
        let ray = Ray::new(from.as_vec3(), sun.as_vec3());
        !(self.scene.index().is_free(&ray) && self.clutter.is_free(&ray))
    }
}

fn encode(pixels: &[u8], [width, height]: [usize; 2]) -> Vec<u8> {
    let size = |n: usize| u32::try_from(n).expect("pictures are small");
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, size(width), size(height));
    encoder.set_color(::png::ColorType::Rgb);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels));
    written.expect("a Vec takes everything, and the sizes fit");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::clutter::Clutter;
    use keller::scene::{Mesh, MeshTriangle};

    /// A flat ground of 100 m with a cube of 20 m on its centre.
    fn scene() -> Scene {
        let mut mesh = Mesh::default();
        let ground = mesh.material_index("ground");
        let brick = mesh.material_index("brick");
        let mut quad = |corners: [[f64; 3]; 4], material| {
            let base = u32::try_from(mesh.vertices.len()).unwrap();
            mesh.vertices.extend(corners.map(DVec3::from));
            for t in [[0, 1, 2], [0, 2, 3]] {
                let vertices = t.map(|v| base + v);
                mesh.triangles.push(MeshTriangle { vertices, material });
            }
        };
        let flat = |s: f64, z: f64| [[-s, -s, z], [s, -s, z], [s, s, z], [-s, s, z]];
        quad(flat(50.0, 0.0), ground);
        quad(flat(10.0, 20.0), brick);
        let ring = [[-10.0, -10.0], [10.0, -10.0], [10.0, 10.0], [-10.0, 10.0]];
        for k in 0..4 {
            let ([a, b], [c, d]) = (ring[k], ring[(k + 1) % 4]);
            quad(
                [[a, b, 0.0], [c, d, 0.0], [c, d, 20.0], [a, b, 20.0]],
                brick,
            );
        }
        Scene::new(&mesh).unwrap()
    }

    #[test]
    fn ground_is_light_in_the_sun_and_dark_behind_the_house() {
        let scene = scene();
        let view = View::new(&scene);
        let screen = view.screen();
        let colours: Vec<[f64; 3]> = scene.materials().iter().map(|m| colour(m)).collect();
        let seen = |x: f64, y: f64, z: f64| {
            let v = DVec3::new(x, y, z) - scene.origin();
            view.seen(
                &screen,
                true,
                &|face, _| colours[scene.face(face).material.index()],
                DVec2::new(v.dot(screen.right), v.dot(screen.up)),
            )
        };
        let ground = colour("ground");
        let sunlit = AMBIENT + (1.0 - AMBIENT) * SUN.normalize().z;
        let near =
            |a: [f64; 3], b: f64| a.iter().zip(ground).all(|(a, g)| (a - b * g).abs() < 1e-6);
        assert!(near(seen(-40.0, 40.0, 0.0), sunlit));
        // The sun stands in the west-south-west: the shadow falls to the east-north-east.
        assert!(near(seen(25.0, 0.0, 0.0), AMBIENT));
        let roof = seen(0.0, 0.0, 20.0);
        assert!(
            (roof[0] - sunlit * colour("brick")[0]).abs() < 1e-6,
            "{roof:?}"
        );
        assert_eq!(seen(-1000.0, 0.0, 0.0), SKY);
        assert!(view.png().starts_with(b"\x89PNG"));
    }

    #[test]
    fn a_wood_is_green_and_casts_its_shadow() {
        let outline = [[-45.0, 20.0], [-25.0, 20.0], [-25.0, 40.0], [-45.0, 40.0]];
        let wood = Volume::prism(&outline, [0.0, 15.0], 0.3, None).unwrap();
        let scene = scene().with_clutter(Clutter::new(vec![wood]));
        let view = View::new(&scene);
        let screen = view.screen();
        let colours: Vec<[f64; 3]> = scene.materials().iter().map(|m| colour(m)).collect();
        let seen = |x: f64, y: f64, z: f64| {
            let v = DVec3::new(x, y, z) - scene.origin();
            view.seen(
                &screen,
                true,
                &|face, _| colours[scene.face(face).material.index()],
                DVec2::new(v.dot(screen.right), v.dot(screen.up)),
            )
        };
        let sunlit = AMBIENT + (1.0 - AMBIENT) * SUN.normalize().z;
        assert!((seen(-35.0, 30.0, 15.0)[1] - sunlit * CLUTTER[1]).abs() < 1e-6);
        assert!((seen(-16.0, 33.0, 0.0)[1] - AMBIENT * colour("ground")[1]).abs() < 1e-6);
    }
}

//! Tubes, recorded with their routes for replay in any materials: the walls and edges of each, where it leaves the Tx or
//! its last edge, and the cells that it reaches.
//!
//! Cost: 16 bytes for every tube and 8 for each of its cells; where the cells of a tube differ in more than their
//! distance 24 for each cell. Some more for the route of each bundle.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};

use super::recorded_tubes::{Page, RecordedTube, check_count};
use super::tube_batch::{Reached, TubeBatch};
use crate::coverage::tubes::tube::bundle::{Bundle, TubeInteraction};
use crate::coverage::tubes::tube::edge_image::{Arrival, EdgeImage, EdgeLight};
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::coverage::tubes::waves::route::TracedWalls;
use crate::coverage::tubes::waves::tube_matrix::TubeMatrix;
use crate::field::{PlaneWave, PowerMatrix};

/// A page is full when its tubes reach this many cells.
const PAGE: usize = 1 << 14;

/// The values of a tube that a replay needs in addition to its route.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct RoutedTube {
    /// The unit vector in which it leaves the Tx. Behind an edge: the distance along the edge, metres, the angle around
    /// it, radians, and the distance of the cell behind it, metres.
    at: Vec3,
    /// The place of its centre ray on the edge, where that ray stands for the tube.
    centre: Option<[f32; 2]>,
}

/// Batches of tubes with their routes. All ends are places in the lists of the page.
#[derive(Debug, Default)]
pub(super) struct RoutePage {
    routes: Vec<Route>,
    interactions: Vec<TubeInteraction>,
    /// The edges themselves, without reflections.
    edges: Vec<EdgeImage>,
    centres: Vec<Centre>,
    tubes: Vec<Tube>,
    cells: Vec<Reached>,
}

/// The values that the tubes of a batch have in common.
#[derive(Debug, Clone, Copy)]
struct Route {
    /// The number of its edge.
    edge: Option<u32>,
    end_of_interactions: u32,
    end_of_tubes: u32,
}

/// A centre ray from an edge that stands for several tubes.
#[derive(Debug, Clone, Copy)]
struct Centre {
    place: [f32; 2],
    end_of_tubes: u32,
}

/// A [`RoutedTube`] on a page.
#[derive(Debug, Clone, Copy)]
struct Tube {
    at: Vec3,
    end_of_cells: u32,
}

impl RoutedTube {
    #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
    pub(super) fn new(tube: &TubeMatrix) -> Self {
        match tube.at_edge {
            None => Self {
                at: tube.departure.as_vec3(),
                centre: None,
            },
            Some(edge) => {
                let [s, phi] = edge.place;
                Self {
                    at: DVec3::new(s, phi, edge.ahead).as_vec3(),
                    centre: edge.centre.map(|place| place.map(|at| at as f32)),
                }
            }
        }
    }
}

/// Keeps all tubes with their routes.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct RouteSink {
    cells: Range<usize>,
    /// The pages; only the last one is not full.
    pages: Mutex<Vec<RoutePage>>,
}

impl RouteSink {
    /// # Panics
    /// If there are more than 2^32 cells.
    pub(in crate::coverage::tubes) fn new(cells: Range<usize>) -> Self {
        check_count(&cells);
        Self {
            cells,
            pages: Mutex::default(),
        }
    }

    /// The range of cells that are recorded.
    pub(super) fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    /// Adds the tubes of a bundle.
    pub(super) fn take(&self, batch: TubeBatch<'_, RoutedTube>, bundle: &Bundle) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.last().is_none_or(|page| page.cells.len() >= PAGE) {
            if let Some(last) = pages.last_mut() {
                last.shrink();
            }
            pages.push(RoutePage::default());
        }
        if let Some(page) = pages.last_mut() {
            page.put(batch, bundle);
        }
    }

    /// The range of cells and the recorded tubes.
    pub(super) fn into_pages(self) -> (Range<usize>, Vec<RoutePage>) {
        let pages = self.pages.into_inner();
        let mut pages = pages.unwrap_or_else(PoisonError::into_inner);
        pages.iter_mut().for_each(RoutePage::shrink);
        (self.cells, pages)
    }
}

impl RoutePage {
    fn put(&mut self, batch: TubeBatch<'_, RoutedTube>, bundle: &Bundle) {
        let first_tube = self.tubes.len();
        batch.for_each(|tube, cells| {
            self.cells.extend(cells.iter().map(|(_, cell)| *cell));
            let end_of_cells = index(self.cells.len());
            self.tubes.push(Tube {
                at: tube.at,
                end_of_cells,
            });
            let end_of_tubes = index(self.tubes.len());
            let last = self.centres.last_mut().filter(|last| {
                last.end_of_tubes as usize > first_tube && Some(last.place) == tube.centre
            });
            match (last, tube.centre) {
                (Some(last), _) => last.end_of_tubes = end_of_tubes,
                (None, Some(place)) => self.centres.push(Centre {
                    place,
                    end_of_tubes,
                }),
                (None, None) => {}
            }
        });
        self.interactions.extend(&bundle.interactions);
        let edge = match &bundle.source {
            VirtualSource::Point(_) => None,
            VirtualSource::Edge(image) => {
                // Bundles that leave one edge follow each other.
                let image = image.unfolded();
                if self.edges.last() != Some(&image) {
                    self.edges.push(image);
                }
                Some(index(self.edges.len() - 1))
            }
        };
        self.routes.push(Route {
            edge,
            end_of_interactions: index(self.interactions.len()),
            end_of_tubes: index(self.tubes.len()),
        });
    }

    /// The tubes as they are between these walls, without those that have no power there.
    pub(super) fn between(&self, walls: TracedWalls<'_>) -> Page {
        let mut page = Page::default();
        let factor = walls.wavelength_factor();
        let mut cells = self.cells.as_slice();
        let mut num_cells = 0;
        let mut push = |tube: &Tube, departure: DVec3, matrix: PowerMatrix| {
            let of_tube = first_until(&mut cells, &mut num_cells, tube.end_of_cells);
            let matrix = PowerMatrix {
                diagonal: matrix.diagonal.map(|power| factor * power),
                cross: factor * matrix.cross,
            };
            if matrix.diagonal[0] + matrix.diagonal[1] > 0.0 {
                let tube = RecordedTube::new(departure, &matrix);
                page.push(tube, of_tube.iter().copied());
            }
        };
        let (mut interactions, mut tubes) = (self.interactions.as_slice(), self.tubes.as_slice());
        let (mut num_interactions, mut num_tubes) = (0, 0);
        let mut centres = self.centres.iter();
        for route in &self.routes {
            let end = route.end_of_interactions;
            let along = first_until(&mut interactions, &mut num_interactions, end);
            let Some(edge) = route.edge else {
                for tube in first_until(&mut tubes, &mut num_tubes, route.end_of_tubes) {
                    let departure = tube.at.as_dvec3().normalize();
                    let mut wave = unit_fields(departure);
                    walls.pass(&mut wave, along);
                    push(tube, departure, wave.power_matrix());
                }
                continue;
            };
            let image = &self.edges[edge as usize];
            // No centre ray stands for others behind several edges and with the accuracy `exact`.
            let is_first = matches!(image.light(), EdgeLight::Tx(_));
            if self.centres.is_empty() || !is_first {
                for tube in first_until(&mut tubes, &mut num_tubes, route.end_of_tubes) {
                    let [s, phi, ahead] = tube.at.to_array().map(f64::from);
                    let wave = if is_first {
                        walls.behind_edge(unit_fields, along, image, [s, phi], ahead)
                    } else {
                        walls.behind_several(unit_fields, along, image, [s, phi], ahead, false)
                    };
                    push(tube, image.departure_to(s), wave.power_matrix());
                }
            }
            while num_tubes < route.end_of_tubes
                && let Some(centre) = centres.next()
            {
                let place = centre.place.map(f64::from);
                let departure = image.departure_to(place[0]);
                let at_edge = walls.centre_at_edge(unit_fields, along, image, place);
                for tube in first_until(&mut tubes, &mut num_tubes, centre.end_of_tubes) {
                    let [s, phi, ahead] = tube.at.to_array().map(f64::from);
                    let Arrival {
                        behind, sin_beta, ..
                    } = image.arrival(s);
                    let matrix = at_edge.power_matrix([phi, sin_beta], [behind, ahead]);
                    push(tube, departure, matrix);
                }
            }
        }
        page
    }

    /// Bytes of memory that it takes.
    pub(super) fn num_bytes(&self) -> usize {
        self.routes.capacity() * size_of::<Route>()
            + self.interactions.capacity() * size_of::<TubeInteraction>()
            + self.edges.capacity() * size_of::<EdgeImage>()
            + self.centres.capacity() * size_of::<Centre>()
            + self.tubes.capacity() * size_of::<Tube>()
            + self.cells.capacity() * size_of::<Reached>()
    }

    /// The number of tubes, and of the cells that they reach together.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.tubes.len(), self.cells.len()]
    }

    /// Frees memory that it does not need.
    fn shrink(&mut self) {
        self.routes.shrink_to_fit();
        self.interactions.shrink_to_fit();
        self.edges.shrink_to_fit();
        self.centres.shrink_to_fit();
        self.tubes.shrink_to_fit();
        self.cells.shrink_to_fit();
    }
}

/// Fields of unit amplitude along theta and phi that leave the Tx along a unit vector.
fn unit_fields(departure: DVec3) -> PlaneWave {
    PlaneWave::of_both_fields([1.0; 2], departure)
}

/// Takes the items up to `end` from the front of a list, where `taken` have been taken before.
fn first_until<'a, T>(rest: &mut &'a [T], taken: &mut u32, end: u32) -> &'a [T] {
    let (first, after) = rest.split_at((end - *taken) as usize);
    (*rest, *taken) = (after, end);
    first
}

/// The place `at` in a list of a page.
fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a page is full before")
}

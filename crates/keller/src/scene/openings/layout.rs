//! Rows of rectangles on a wall.

use glam::DVec2;

use super::against::Against;
use super::rectangle::Rectangle;
use super::walls::Wall;
use super::{LeftOut, Openings};
use crate::geometry::tolerance::WELD_DISTANCE;

/// The openings that a wall gets: those that fit. Those that do not are counted.
pub(super) fn layout(
    wall: &Wall,
    against: &Against,
    openings: &Openings,
    left_out: &mut LeftOut,
) -> Vec<Rectangle> {
    let Openings {
        width,
        height,
        sill,
        margin,
        ..
    } = *openings;
    let [low, high] = wall.extent();
    let mut laid = Vec::new();
    for row in 0_u32.. {
        let floor = low.y + f64::from(row) * openings.storey.unwrap_or(0.0);
        let (foot, top) = (floor + sill, floor + sill + height);
        if top + margin > high.y + WELD_DISTANCE || (row > 0 && openings.storey.is_none()) {
            break;
        }
        let mut posts = against.posts([foot, top]);
        posts.retain(|at| *at > low.x && *at < high.x);
        posts.insert(0, low.x);
        posts.push(high.x);
        let of_wall: Vec<f64> = centres([low.x, high.x], openings).collect();
        for bay in posts.windows(2) {
            for at in in_bay([bay[0], bay[1]], &of_wall, openings) {
                let opening = Rectangle {
                    low: DVec2::new(at - 0.5 * width, foot),
                    high: DVec2::new(at + 0.5 * width, top),
                };
                let clear = Rectangle {
                    low: opening.low - DVec2::new(margin, 0.0),
                    high: opening.high + margin,
                };
                let is_inside = wall.contains(opening.centre())
                    && !wall
                        .border
                        .iter()
                        .any(|ends| clear.meets(ends.map(|v| wall.flat[v as usize])));
                if !is_inside {
                    left_out.outside += 1;
                } else if against.joins(&clear) {
                    left_out.joined += 1;
                } else if against.covers(&opening) {
                    left_out.covered += 1;
                } else {
                    laid.push(opening);
                }
            }
        }
    }
    laid
}

/// The centres of a row between two faces that join the wall. Where these are nearer to each other than openings, the row
/// of the whole wall says whether there is one, in the middle between them.
fn in_bay(bay: [f64; 2], of_wall: &[f64], openings: &Openings) -> Vec<f64> {
    let [from, to] = bay;
    if to - from > openings.spacing - WELD_DISTANCE {
        return centres(bay, openings).collect();
    }
    let is_here = |at: &f64| *at >= from + WELD_DISTANCE && *at < to + WELD_DISTANCE;
    let number = usize::from(of_wall.iter().any(is_here));
    centres(bay, openings).take(number).collect()
}

/// The centres of a row between two ends.
fn centres([from, to]: [f64; 2], openings: &Openings) -> impl Iterator<Item = f64> {
    let room = to - from - openings.width - 2.0 * openings.margin + WELD_DISTANCE;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and no wall is that long"
    )]
    let number = if room < 0.0 {
        0
    } else {
        1 + (room / openings.spacing) as u32
    };
    let first = 0.5 * (from + to) - 0.5 * openings.spacing * (f64::from(number) - 1.0);
    let spacing = openings.spacing;
    (0..number).map(move |k| first + spacing * f64::from(k))
}

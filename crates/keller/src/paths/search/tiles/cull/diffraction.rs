//! Culling behind a segment of an edge: a block is left out if the paths to all of its ball meet the edge outside the
//! segment, or if the ball lies inside the wedge.

use super::super::beam::EdgeDiffraction;
use super::super::lanes::{LANES, Lanes, along, bits};
use super::{BallTest, SLACK};

/// The points that a segment of an edge may diffract to.
#[derive(Debug)]
pub(in super::super) struct DiffractionCull<'a> {
    pub(in super::super) diffraction: &'a EdgeDiffraction,
    pub(in super::super) margin: f32,
}

impl BallTest for DiffractionCull<'_> {
    #[inline(always)]
    fn ask(&self, [x, y, z, radius, reach]: &[Lanes; 5]) -> u16 {
        let EdgeDiffraction {
            edge,
            interval,
            outwards,
        } = self.diffraction;
        let centres = [*x, *y, *z];
        let from = edge.from - edge.start;
        let za = from.dot(edge.along);
        let ra = (from - za * edge.along).length();
        let [first, second] =
            outwards.map(|outward| along(&centres, outward, outward.dot(edge.start)));
        let zs = along(&centres, edge.along, edge.along.dot(edge.start));
        let mut found = [false; LANES];
        for k in 0..LANES {
            let off = radius[k] + SLACK;
            let grown = self.margin * reach[k];
            let d = [
                x[k] - edge.start.x,
                y[k] - edge.start.y,
                z[k] - edge.start.z,
            ];
            let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let r = (squared - zs[k] * zs[k]).max(0.0).sqrt();
            let (near, far) = ((r - off).max(0.0), r + off);
            // The place where a path meets the edge grows with z and is monotonic in r, so its extremes are at the
            // corners.
            let meets = |z: f32, r: f32| (za * r + z * ra) / (ra + r);
            let low = meets(zs[k] - off, near).min(meets(zs[k] - off, far));
            let high = meets(zs[k] + off, near).max(meets(zs[k] + off, far));
            // A source and a point on the edge's line meet it anywhere.
            let is_on_line = ra + near < SLACK;
            let is_outside_segment =
                (high < interval[0] - grown - SLACK) | (low > interval[1] + grown + SLACK);
            let is_outside = (first[k] + off >= -grown) | (second[k] + off >= -grown);
            found[k] = is_on_line | (!is_outside_segment & is_outside);
        }
        bits(found)
    }
}

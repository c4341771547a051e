//! A tree of boxes that proposes the items that a line may meet.
//!
//! obvhs builds it, from boxes rounded outwards. The index of the scene's triangles leaves out those without an area: here, one triangle
//! less is a wrong length.

use glam::{DVec3, Vec3};
use obvhs::Boundable;
use obvhs::aabb::Aabb;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};

use super::crossings::StraightLine;

/// Boxes are taken larger by this, metres: more than f64 rounds at the largest coordinates.
const MARGIN: f64 = 1e-6;

/// Boxes in boxes, down to those of one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct BoxTree {
    /// Depth first.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    low: Vec3,
    high: Vec3,
    /// The node after all that is in this one.
    after: usize,
    /// The only item that it holds, if there is just one.
    item: Option<usize>,
}

/// The next step with a node, or with the number of one that was added.
enum Visit {
    Add(usize),
    Close(usize),
}

impl BoxTree {
    /// The tree over items with these boxes (min, max).
    pub(super) fn new(boxes: impl IntoIterator<Item = [DVec3; 2]>) -> Self {
        let items: Vec<Item> = boxes.into_iter().map(|b| Item(around(b))).collect();
        if items.is_empty() {
            return Self::default();
        }
        let count = u32::try_from(items.len()).expect("fewer than 2^32 items");
        let tree = PlocBuilder::new().build(
            PlocSearchDistance::Low,
            &items,
            (0..count).collect(),
            SortPrecision::U64,
            0,
        );
        let mut nodes: Vec<Node> = Vec::with_capacity(tree.nodes.len());
        // Nodes to add, and nodes whose parts have all been added.
        let mut open = vec![Visit::Add(0)];
        while let Some(visit) = open.pop() {
            let node = match visit {
                Visit::Add(node) => &tree.nodes[node],
                Visit::Close(number) => {
                    nodes[number].after = nodes.len();
                    continue;
                }
            };
            let first = node.first_index as usize;
            open.push(Visit::Close(nodes.len()));
            nodes.push(Node {
                low: node.aabb().min.into(),
                high: node.aabb().max.into(),
                after: 0,
                item: node
                    .is_leaf()
                    .then(|| tree.primitive_indices[first] as usize),
            });
            if !node.is_leaf() {
                open.extend([Visit::Add(first + 1), Visit::Add(first)]);
            }
        }
        Self { nodes }
    }

    /// Calls `visit` for every item whose box the segment may meet.
    pub(super) fn meet_segment(&self, line: &StraightLine, visit: &mut impl FnMut(usize)) {
        self.meet(line, 0.0, visit);
    }

    /// Calls `visit` for every item whose box may be met by the segment or by the line before its start.
    pub(super) fn meet_line_before_end(&self, line: &StraightLine, visit: &mut impl FnMut(usize)) {
        self.meet(line, f64::NEG_INFINITY, visit);
    }

    fn meet(&self, line: &StraightLine, from: f64, visit: &mut impl FnMut(usize)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if node.may_meet(line, from) {
                if let Some(item) = node.item {
                    visit(item);
                }
                at += 1;
            } else {
                at = node.after;
            }
        }
    }
}

impl Node {
    /// Whether the line is in the box somewhere between the parameters `from` and 1.
    fn may_meet(&self, line: &StraightLine, from: f64) -> bool {
        let (mut enter, mut leave) = (from, 1.0);
        let low = self.low.as_dvec3() - line.start();
        let high = self.high.as_dvec3() - line.start();
        for k in 0..3 {
            let along = line.along()[k];
            if along == 0.0 {
                if low[k] > 0.0 || high[k] < 0.0 {
                    return false;
                }
                continue;
            }
            let (p, q) = (low[k] / along, high[k] / along);
            enter = f64::max(enter, p.min(q));
            leave = f64::min(leave, p.max(q));
        }
        enter <= leave
    }
}

/// Numbers of 32 bits around a box.
fn around([low, high]: [DVec3; 2]) -> Aabb {
    let low = (low - MARGIN).as_vec3().to_array().map(f32::next_down);
    let high = (high + MARGIN).as_vec3().to_array().map(f32::next_up);
    Aabb::new(low.into(), high.into())
}

struct Item(Aabb);

impl Boundable for Item {
    fn aabb(&self) -> Aabb {
        self.0
    }
}

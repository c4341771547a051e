//! A tree of boxes in f64 that proposes what a line may meet.
//!
//! The index of the scene's triangles is in f32 and leaves out triangles without an area: here, one triangle less is a wrong length.

use glam::DVec3;

use super::crossings::Line;

/// Boxes are taken larger by this, metres: more than f64 rounds at the largest coordinates.
const MARGIN: f64 = 1e-6;

/// Boxes in boxes, each halved until it holds one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct BoxTree {
    /// Depth first.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// The node after all that is in this one.
    after: usize,
    /// What it holds, if that is one thing.
    item: Option<usize>,
}

impl BoxTree {
    /// The tree over items with these boxes (min, max).
    pub(super) fn new(boxes: impl IntoIterator<Item = [DVec3; 2]>) -> Self {
        let mut items: Vec<(usize, [DVec3; 2])> = boxes.into_iter().enumerate().collect();
        let mut nodes = Vec::with_capacity(2 * items.len());
        if !items.is_empty() {
            add(&mut nodes, &mut items);
        }
        Self { nodes }
    }

    /// Calls `visit` for every item whose box the segment may meet.
    pub(super) fn meet_segment(&self, line: &Line, visit: &mut impl FnMut(usize)) {
        self.meet(line, 0.0, visit);
    }

    /// Calls `visit` for every item whose box may be met by the segment or by the line before its start.
    pub(super) fn meet_line_before_end(&self, line: &Line, visit: &mut impl FnMut(usize)) {
        self.meet(line, f64::NEG_INFINITY, visit);
    }

    fn meet(&self, line: &Line, from: f64, visit: &mut impl FnMut(usize)) {
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
    fn may_meet(&self, line: &Line, from: f64) -> bool {
        let (mut enter, mut leave) = (from, 1.0);
        for k in 0..3 {
            let (low, high) = (
                self.low[k] - line.start()[k],
                self.high[k] - line.start()[k],
            );
            let along = line.along()[k];
            if along == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let (p, q) = (low / along, high / along);
            enter = f64::max(enter, p.min(q));
            leave = f64::min(leave, p.max(q));
        }
        enter <= leave
    }
}

/// Adds the node of `items`, and all below it.
fn add(nodes: &mut Vec<Node>, items: &mut [(usize, [DVec3; 2])]) {
    let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let [low, high] = items.iter().fold(empty, |[low, high], (_, [l, h])| {
        [low.min(*l), high.max(*h)]
    });
    let number = nodes.len();
    nodes.push(Node {
        low: low - MARGIN,
        high: high + MARGIN,
        after: 0,
        item: None,
    });
    if let [(item, _)] = items {
        nodes[number].item = Some(*item);
    } else {
        let axis = (high - low).max_position();
        let key = |item: &(usize, [DVec3; 2])| item.1[0][axis] + item.1[1][axis];
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.0.cmp(&b.0)));
        let (left, right) = items.split_at_mut(middle);
        add(nodes, left);
        add(nodes, right);
    }
    nodes[number].after = nodes.len();
}

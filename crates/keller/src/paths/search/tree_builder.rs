//! A growing prefix tree: it finds the child of a node by its plane, merges other trees, and finishes in canonical
//! order.

use glam::{DVec3, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::paths::SequenceTree;
use crate::paths::scatter::cells::PatchSquare;
use crate::scene::{FaceId, PlaneId, Scene};

/// Plane sequences by prefix; node 0 is the empty sequence.
#[derive(Debug, Clone)]
pub(super) struct TreeBuilder {
    /// Parent and last plane of each node; parents come first.
    nodes: Vec<(u32, PlaneId)>,
    /// The child requested last of each node, because neighbouring rays mostly request the same child.
    latest: Vec<(PlaneId, u32)>,
    children: FxHashMap<(u32, PlaneId), u32>,
    /// The faces that the rays of each node meet, and their indices by node and face. `latest_face` has the index of the
    /// face met last.
    faces: Vec<MetFace>,
    face_numbers: FxHashMap<(u32, FaceId), u32>,
    latest_face: Vec<u32>,
    /// Cells of rough walls that the rays of each node hit. For each node the last cell is kept.
    cells: FxHashSet<(PatchSquare, u32)>,
    latest_cell: Vec<Option<PatchSquare>>,
}

/// The faces and cells that the rays of the nodes of a finished tree have met, in order.
#[derive(Debug, Default)]
pub(super) struct Met {
    pub(super) faces: Vec<MetFace>,
    pub(super) cells: Vec<(PatchSquare, u32)>,
}

/// A face that the rays of a node meet, and the box around the hits, metres from the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct MetFace {
    pub(super) node: u32,
    pub(super) face: FaceId,
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

/// The index that stands for no child: the root is the child of no node.
const NONE: u32 = 0;

impl Default for TreeBuilder {
    fn default() -> Self {
        let nowhere = PlaneId::from_index(0);
        Self {
            nodes: vec![(0, nowhere)],
            latest: vec![(nowhere, NONE)],
            children: FxHashMap::default(),
            faces: Vec::new(),
            face_numbers: FxHashMap::default(),
            latest_face: vec![u32::MAX],
            cells: FxHashSet::default(),
            latest_cell: vec![None],
        }
    }
}

impl TreeBuilder {
    /// The node of the sequence of `parent` and one more plane, added if it is new.
    pub(super) fn child(&mut self, parent: u32, plane: PlaneId) -> u32 {
        let (latest_plane, latest) = self.latest[parent as usize];
        if latest_plane == plane && latest != NONE {
            return latest;
        }
        let next = u32::try_from(self.nodes.len()).expect("fewer than 2^32 sequences");
        let child = *self.children.entry((parent, plane)).or_insert(next);
        if child == next {
            self.nodes.push((parent, plane));
            self.latest.push((PlaneId::from_index(0), NONE));
            self.latest_face.push(u32::MAX);
            self.latest_cell.push(None);
        }
        self.latest[parent as usize] = (plane, child);
        child
    }

    /// Notes that rays of the sequence `node` meet `face` within `reach` metres of `point`.
    pub(super) fn sees(&mut self, node: u32, face: FaceId, point: Vec3, reach: f32) {
        self.meet(MetFace {
            node,
            face,
            low: point - reach,
            high: point + reach,
        });
    }

    fn meet(&mut self, met: MetFace) {
        let latest = self.latest_face[met.node as usize] as usize;
        let number = match self.faces.get(latest) {
            Some(known) if known.face == met.face => latest,
            _ => {
                let next = u32::try_from(self.faces.len()).expect("fewer than 2^32 faces");
                let key = (met.node, met.face);
                let number = *self.face_numbers.entry(key).or_insert(next);
                if number == next {
                    self.faces.push(met);
                }
                self.latest_face[met.node as usize] = number;
                number as usize
            }
        };
        let known = &mut self.faces[number];
        known.low = known.low.min(met.low);
        known.high = known.high.max(met.high);
    }

    /// Notes that rays of the sequence `node` hit `cell`.
    pub(super) fn lights(&mut self, node: u32, cell: PatchSquare) {
        if self.latest_cell[node as usize].replace(cell) != Some(cell) {
            self.cells.insert((cell, node));
        }
    }

    /// Adds the content of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut here = vec![0; other.nodes.len()];
        for (i, &(parent, plane)) in other.nodes.iter().enumerate().skip(1) {
            here[i] = self.child(here[parent as usize], plane);
        }
        for &met in &other.faces {
            self.meet(MetFace {
                node: here[met.node as usize],
                ..met
            });
        }
        // A set of pairs does not depend on the order in which they are added.
        #[expect(clippy::iter_over_hash_type, reason = "added to another set")]
        for &(cell, node) in &other.cells {
            self.cells.insert((cell, here[node as usize]));
        }
    }

    /// The finished tree: breadth first, children by plane. It does not depend on the order in which sequences were
    /// added.
    pub(super) fn finish(self, scene: &Scene, tx: DVec3) -> (SequenceTree, Met) {
        let mut children: Vec<Vec<(PlaneId, u32)>> = vec![Vec::new(); self.nodes.len()];
        for (i, &(parent, plane)) in self.nodes.iter().enumerate().skip(1) {
            let i = u32::try_from(i).expect("fewer than 2^32 sequences");
            children[parent as usize].push((plane, i));
        }
        let mut tree = SequenceTree::root(tx);
        let mut order: Vec<u32> = vec![0];
        let mut renamed: Vec<u32> = vec![0; self.nodes.len()];
        let mut at = 0;
        while at < order.len() {
            let mut below = std::mem::take(&mut children[order[at] as usize]);
            below.sort_unstable();
            for (plane, child) in below {
                let node = tree.push(scene, at, plane);
                renamed[child as usize] = u32::try_from(node).expect("fewer than 2^32 sequences");
                order.push(child);
            }
            at += 1;
        }
        let mut faces = self.faces;
        for met in &mut faces {
            met.node = renamed[met.node as usize];
        }
        faces.sort_unstable_by_key(|met| (met.node, met.face));
        let rename = |(cell, node): (PatchSquare, u32)| (cell, renamed[node as usize]);
        let mut cells: Vec<(PatchSquare, u32)> = self.cells.into_iter().map(rename).collect();
        cells.sort_unstable();
        (tree, Met { faces, cells })
    }
}

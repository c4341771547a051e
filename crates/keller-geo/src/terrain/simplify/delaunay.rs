//! A Delaunay triangulation of nodes of a grid, into which nodes are inserted one by one.

/// A node of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) x: i32,
    pub(super) y: i32,
}

/// No triangle on the other side.
const NONE: u32 = u32::MAX;

/// Triangles with their neighbours. Side `k` of a triangle runs from corner `k` to the next; `3 * triangle + k` names it.
pub(super) struct Delaunay {
    pub(super) nodes: Vec<Node>,
    pub(super) corners: Vec<[u32; 3]>,
    /// The side of the neighbour that each side is the same as.
    twins: Vec<[u32; 3]>,
    /// Triangles that are new or have changed since this was emptied, perhaps several times.
    pub(super) changed: Vec<u32>,
    /// Sides whose circle is to be tested.
    pending: Vec<u32>,
}

impl Delaunay {
    /// Two triangles over a grid.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let last =
            |count: usize| i32::try_from(count - 1).expect("fewer than 2^31 rows and columns");
        let (x, y) = (last(columns), last(rows));
        Self {
            nodes: vec![
                Node { x: 0, y: 0 },
                Node { x, y: 0 },
                Node { x, y },
                Node { x: 0, y },
            ],
            corners: vec![[0, 1, 2], [0, 2, 3]],
            twins: vec![[NONE, NONE, 3], [2, NONE, NONE]],
            changed: vec![0, 1],
            pending: Vec::new(),
        }
    }

    /// Makes `node`, which lies in `triangle` or on a side of it but is no vertex yet, a vertex.
    pub(super) fn insert(&mut self, triangle: usize, node: Node) {
        let vertex = u32::try_from(self.nodes.len()).expect("fewer than 2^32 vertices");
        self.nodes.push(node);
        let [a, b, c] = self.corners[triangle].map(|v| self.nodes[v as usize]);
        let on_side = [(a, b), (b, c), (c, a)]
            .iter()
            .position(|&(p, q)| cross(p, q, node) == 0);
        match on_side {
            Some(side) => self.split_side(name(triangle, side), vertex),
            None => self.split_triangle(triangle, vertex),
        }
        self.legalize(vertex);
    }

    /// One triangle becomes three.
    fn split_triangle(&mut self, t: usize, p: u32) {
        let ([a, b, c], [ab, bc, ca]) = (self.corners[t], self.twins[t]);
        let (u, v) = (self.corners.len(), self.corners.len() + 1);
        // Side 0 of each is the old one.
        self.corners[t] = [a, b, p];
        self.corners.extend([[b, c, p], [c, a, p]]);
        self.twins[t] = [ab, name(u, 2), name(v, 1)];
        self.twins
            .extend([[bc, name(v, 2), name(t, 1)], [ca, name(t, 2), name(u, 1)]]);
        for (triangle, twin) in [(u, bc), (v, ca)] {
            self.join(twin, name(triangle, 0));
        }
        for triangle in [t, u, v] {
            self.changed.push(id(triangle));
            self.pending.push(name(triangle, 0));
        }
    }

    /// The triangles on both sides of a side become two each.
    fn split_side(&mut self, side: u32, p: u32) {
        let twin = self.twin(side);
        // The first half of a side keeps the triangle, the second gets a new one.
        let (near_first, near_second) = self.halve(side, p);
        if twin == NONE {
            return;
        }
        let (far_first, far_second) = self.halve(twin, p);
        self.join(near_first, far_second);
        self.join(far_second, near_first);
        self.join(near_second, far_first);
        self.join(far_first, near_second);
    }

    /// Cuts the triangle of a side from `p` on it to the corner across: the names of both halves of the side.
    fn halve(&mut self, side: u32, p: u32) -> (u32, u32) {
        let (t, k) = split_name(side);
        let turned = |list: [u32; 3]| [list[k], list[(k + 1) % 3], list[(k + 2) % 3]];
        let ([a, b, c], [_, bc, ca]) = (turned(self.corners[t]), turned(self.twins[t]));
        let u = self.corners.len();
        self.corners[t] = [a, p, c];
        self.corners.push([p, b, c]);
        self.twins[t] = [NONE, name(u, 2), ca];
        self.twins.push([NONE, bc, name(t, 1)]);
        self.join(ca, name(t, 2));
        self.join(bc, name(u, 1));
        self.changed.extend([id(t), id(u)]);
        self.pending.extend([name(t, 2), name(u, 1)]);
        (name(t, 0), name(u, 0))
    }

    /// Turns sides around the new vertex until each triangle's circle is empty.
    fn legalize(&mut self, p: u32) {
        while let Some(side) = self.pending.pop() {
            let twin = self.twin(side);
            if twin == NONE {
                continue;
            }
            let ((t, k), (u, j)) = (split_name(side), split_name(twin));
            let turned = |list: [u32; 3], k: usize| [list[k], list[(k + 1) % 3], list[(k + 2) % 3]];
            let ([a, b, apex], [_, bp, pa]) =
                (turned(self.corners[t], k), turned(self.twins[t], k));
            let ([_, _, q], [_, aq, qb]) = (turned(self.corners[u], j), turned(self.twins[u], j));
            assert_eq!(apex, p, "pending sides lie across the new vertex");
            let [na, nb, np, nq] = [a, b, apex, q].map(|v| self.nodes[v as usize]);
            if !is_in_circle(na, nb, np, nq) {
                continue;
            }
            // The new side runs from q to p; side 0 of both triangles is the one across from p.
            self.corners[t] = [a, q, p];
            self.corners[u] = [q, b, p];
            self.twins[t] = [aq, name(u, 2), pa];
            self.twins[u] = [qb, bp, name(t, 1)];
            self.join(aq, name(t, 0));
            self.join(pa, name(t, 2));
            self.join(qb, name(u, 0));
            self.join(bp, name(u, 1));
            self.changed.extend([id(t), id(u)]);
            self.pending.extend([name(t, 0), name(u, 0)]);
        }
    }

    fn twin(&self, side: u32) -> u32 {
        let (t, k) = split_name(side);
        self.twins[t][k]
    }

    /// Makes `to` the neighbour of `side`, if there is such a side.
    fn join(&mut self, side: u32, to: u32) {
        if side != NONE {
            let (t, k) = split_name(side);
            self.twins[t][k] = to;
        }
    }
}

fn id(triangle: usize) -> u32 {
    u32::try_from(triangle).expect("fewer than 2^32 triangles")
}

fn name(triangle: usize, side: usize) -> u32 {
    u32::try_from(3 * triangle + side).expect("fewer than 2^32 sides")
}

fn split_name(side: u32) -> (usize, usize) {
    (side as usize / 3, side as usize % 3)
}

/// Positive if `c` lies to the left of the way from `a` to `b`.
fn cross(a: Node, b: Node, c: Node) -> i64 {
    let d = |p: Node| {
        (
            i64::from(p.x) - i64::from(a.x),
            i64::from(p.y) - i64::from(a.y),
        )
    };
    let ((bx, by), (cx, cy)) = (d(b), d(c));
    bx * cy - by * cx
}

/// Whether `d` lies inside the circle through the counter-clockwise `a`, `b` and `c`.
fn is_in_circle(a: Node, b: Node, c: Node, d: Node) -> bool {
    let [a, b, c] = [a, b, c].map(|p| {
        (
            i64::from(p.x) - i64::from(d.x),
            i64::from(p.y) - i64::from(d.y),
        )
    });
    let square = |p: (i64, i64)| i128::from(p.0 * p.0 + p.1 * p.1);
    let cross = |p: (i64, i64), q: (i64, i64)| i128::from(p.0 * q.1 - p.1 * q.0);
    square(a) * cross(b, c) + square(b) * cross(c, a) + square(c) * cross(a, b) > 0
}

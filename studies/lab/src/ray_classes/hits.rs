//! The hits of rays at receivers.

/// A ray in the reception sphere of a receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Number of the receiver.
    pub rx: u32,
    /// Length of the ray to the point nearest to the receiver, metres.
    pub length: f32,
    /// The distance of that point from the receiver, metres.
    pub distance: f32,
}

/// The hits of all rays between two reflections, in the order of rays, and of receivers for each.
#[derive(Debug, Clone, Default)]
pub struct HitLists {
    /// The start of the hits of each ray, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// All hits.
    pub(super) hits: Vec<Hit>,
    /// A number for the sequence of planes that each ray met.
    pub(super) sequences: Vec<u64>,
}

impl HitLists {
    pub(super) fn new(of_rays: Vec<(u64, Vec<Hit>)>) -> Self {
        let mut lists = Self::default();
        for (sequence, hits) in of_rays {
            lists.starts.push(lists.hits.len());
            lists.hits.extend(hits);
            lists.sequences.push(sequence);
        }
        lists.starts.push(lists.hits.len());
        lists
    }

    /// All hits, with the ray of each.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Hit)> {
        (0..self.sequences.len()).flat_map(|ray| {
            let hits = &self.hits[self.of_ray(ray)];
            hits.iter().map(move |hit| (ray, hit))
        })
    }

    /// Number of hits.
    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// The range of the hits of a ray.
    pub(super) fn of_ray(&self, ray: usize) -> std::ops::Range<usize> {
        self.starts[ray]..self.starts[ray + 1]
    }

    /// The hit of a ray with a receiver.
    pub(super) fn find(&self, ray: usize, rx: u32) -> Option<usize> {
        let range = self.of_ray(ray);
        let found = self.hits[range.clone()].binary_search_by_key(&rx, |hit| hit.rx);
        found.ok().map(|at| range.start + at)
    }
}

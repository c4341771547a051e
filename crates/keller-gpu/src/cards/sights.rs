//! A place on the card, in which it says which points see each other.

use std::fmt;
use std::ops::Range;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::{
    AcceleratorFailed, RUNS, Sight, SightPlace, SightPoint, SightWall, Sights,
};

use super::copy::IndexCopy;
use super::opened::Opened;
use super::tree::{Kernel, Tree, Use};
use crate::Error;

pub(crate) const SIGHTS: &str = concat!(include_str!("index.wgsl"), include_str!("sights.wgsl"));

/// The use of the buffers by the kernel.
const USES: [Use; 5] = [Use::Uniform, Use::Read, Use::Read, Use::Write, Use::Write];

/// Points of a run, of a part and of a block, as `sights.wgsl` has them.
const RUN: usize = RUNS[0];
const PART: usize = RUNS[1];
const BLOCK: usize = RUNS[2];

/// Words of bits for a block.
const BLOCK_WORDS: usize = BLOCK / 32;

const WORD: u64 = 4;

/// Doubts for which there is room, if there are not more points: a row has at most one for each.
const ROOM: usize = 1 << 16;

/// The largest number of viewpoints of a batch.
const MAX_ROWS: usize = 1 << 12;

/// Bit 31 of a point's group: it lies in its plane.
const IN_PLANE: u32 = 1 << 31;

/// Four numbers, as the kernel reads them.
type Quad = [u32; 4];

/// A place on the card.
pub(crate) struct GpuSights {
    copy: Arc<IndexCopy>,
    kernel: Arc<Kernel>,
    place: wgpu::Buffer,
    /// The kernel's data of the place, without the values that change from batch to batch.
    look: Look,
    rows_at_once: usize,
    /// Buffers that wait for viewpoints.
    waiting: Mutex<Vec<Buffers>>,
}

/// The structure of `sights.wgsl`.
#[derive(Debug, Clone, Copy)]
struct Look {
    run_boxes: u32,
    part_boxes: u32,
    wall_of: u32,
    walls: u32,
    num_points: u32,
    num_blocks: u32,
    room: u32,
    margin: f32,
    beside: f32,
}

/// Buffers of a batch.
struct Buffers {
    look: wgpu::Buffer,
    eyes: wgpu::Buffer,
    seen: wgpu::Buffer,
    doubts: wgpu::Buffer,
    /// The visible points, and behind them the doubts.
    back: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// The results of a batch.
struct Found {
    /// The bits of all blocks for each viewpoint.
    seen: Vec<u32>,
    /// Viewpoint and point, in order.
    doubts: Vec<[u32; 2]>,
}

impl fmt::Debug for GpuSights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GpuSights")
            .field(&self.copy.gpu.name)
            .finish()
    }
}

impl GpuSights {
    pub(crate) fn kernel(gpu: &Opened, tree: &Tree) -> Kernel {
        tree.kernel(gpu, SIGHTS, "look_around", &USES)
    }

    /// Copies a place to the card.
    pub(crate) fn new(
        copy: &Arc<IndexCopy>,
        kernel: Arc<Kernel>,
        place: &SightPlace<'_>,
        pairs_at_once: usize,
    ) -> Result<Self, Error> {
        let gpu = &copy.gpu;
        let num_blocks = place.points.len().div_ceil(BLOCK);
        let row_bytes = (num_blocks * BLOCK_WORDS) as u64 * WORD;
        let max_rows = usize::try_from(gpu.largest() / row_bytes.max(1)).unwrap_or(usize::MAX);
        let wanted = pairs_at_once / (num_blocks * BLOCK).max(1);
        let (quads, look) = laid_out(place, num_blocks);
        let bytes: &[u8] = bytemuck::cast_slice(quads.as_flattened());
        let room = (place.points.len().max(ROOM) as u64 * 2 + 1) * WORD;
        let size = (bytes.len() as u64).max(row_bytes).max(room);
        if size > gpu.largest() {
            return Err(Error::TooLarge {
                name: gpu.name.clone(),
                size,
                limit: gpu.largest(),
            });
        }
        Ok(Self {
            place: gpu.filled(bytes, wgpu::BufferUsages::STORAGE),
            copy: Arc::clone(copy),
            kernel,
            look,
            rows_at_once: wanted.clamp(1, MAX_ROWS.min(max_rows)),
            waiting: Mutex::new(Vec::new()),
        })
    }

    /// Finds the points that these viewpoints see, batch by batch. `None` if the device has failed.
    fn look_part(
        &self,
        from: &[SightPoint],
        rows: Range<usize>,
        report: &mut dyn FnMut(usize, Sight<'_>),
    ) -> Option<()> {
        let found = self.ask(&from[rows.clone()])?;
        let Some(found) = found else {
            // There are more doubts than room for them: half as many viewpoints are asked at once. One viewpoint always
            // has room.
            let middle = rows.start + rows.len() / 2;
            self.look_part(from, rows.start..middle, report)?;
            return self.look_part(from, middle..rows.end, report);
        };
        let mut doubts = &*found.doubts;
        let words = self.look.num_blocks as usize * BLOCK_WORDS;
        for ((number, row), seen) in (0..).zip(rows).zip(found.seen.chunks(words)) {
            let (mine, others) =
                doubts.split_at(doubts.partition_point(|[viewpoint, _]| *viewpoint <= number));
            doubts = others;
            let points: Vec<u32> = mine.iter().map(|[_, point]| *point).collect();
            report(
                row,
                Sight {
                    seen,
                    doubts: &points,
                },
            );
        }
        Some(())
    }

    /// Sends a batch and waits for it. `None` if the card has failed, `Some(None)` if there are too many doubts.
    #[expect(
        clippy::option_option,
        reason = "a failed card and a batch that is too large are not the same"
    )]
    fn ask(&self, from: &[SightPoint]) -> Option<Option<Found>> {
        let gpu = &self.copy.gpu;
        let buffers = self.buffers();
        let num_rows = u32::try_from(from.len()).ok()?;
        let grid = gpu.grid(num_rows.checked_mul(self.look.num_blocks)?);
        let eyes: Vec<Quad> = from.iter().flat_map(quads_of).collect();
        let look = self.look.words(num_rows, grid[0]);
        let queue = &gpu.queue;
        queue.write_buffer(&buffers.look, 0, bytemuck::cast_slice(&look));
        queue.write_buffer(&buffers.eyes, 0, bytemuck::cast_slice(&eyes));
        queue.write_buffer(&buffers.doubts, 0, bytemuck::bytes_of(&0_u32));
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.kernel
            .run(&mut encoder, &self.copy.tree, &buffers.group, grid);
        let seen_words = from.len() * self.look.num_blocks as usize * BLOCK_WORDS;
        let [seen_bytes, doubt_bytes] = [seen_words as u64 * WORD, self.doubt_bytes()];
        let back = &buffers.back;
        encoder.copy_buffer_to_buffer(&buffers.seen, 0, back, 0, seen_bytes);
        encoder.copy_buffer_to_buffer(&buffers.doubts, 0, back, seen_bytes, doubt_bytes);
        let submission = queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        let all = ..seen_bytes + doubt_bytes;
        back.map_async(wgpu::MapMode::Read, all, move |result| {
            // Nobody listens if another batch has failed.
            let _ = sender.send(result);
        });
        // Missing memory of the device is reported before the work is done.
        if gpu.failure().is_some() {
            return None;
        }
        let waited = gpu.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        });
        waited.ok()?;
        mapped.recv().ok()?.ok()?;
        let found = {
            let view = back.get_mapped_range(all).ok()?;
            let words: &[u32] = bytemuck::cast_slice(&view);
            let (seen, doubts) = words.split_at(seen_words);
            let num = doubts[0] as usize;
            (num <= self.look.room as usize).then(|| {
                let pairs = doubts[1..=2 * num].chunks_exact(2);
                let mut doubts: Vec<[u32; 2]> = pairs.map(|pair| [pair[0], pair[1]]).collect();
                doubts.sort_unstable();
                Found {
                    seen: seen.to_vec(),
                    doubts,
                }
            })
        };
        back.unmap();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(buffers);
        drop(waiting);
        gpu.failure().is_none().then_some(found)
    }

    fn doubt_bytes(&self) -> u64 {
        (2 * u64::from(self.look.room) + 1) * WORD
    }

    /// Buffers for the largest batch.
    fn buffers(&self) -> Buffers {
        use wgpu::BufferUsages as Usage;
        let waits = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        if let Some(buffers) = waits {
            return buffers;
        }
        let gpu = &self.copy.gpu;
        let seen_words = self.rows_at_once * self.look.num_blocks as usize * BLOCK_WORDS;
        let seen_bytes = seen_words as u64 * WORD;
        let eye_bytes = (self.rows_at_once * 2 * size_of::<Quad>()) as u64;
        let look_bytes = size_of_val(&self.look.words(0, 0)) as u64;
        let look = gpu.buffer(look_bytes, Usage::UNIFORM | Usage::COPY_DST);
        let eyes = gpu.buffer(eye_bytes, Usage::STORAGE | Usage::COPY_DST);
        let seen = gpu.buffer(seen_bytes, Usage::STORAGE | Usage::COPY_SRC);
        let doubts = gpu.buffer(
            self.doubt_bytes(),
            Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
        );
        let back = gpu.buffer(
            seen_bytes + self.doubt_bytes(),
            Usage::MAP_READ | Usage::COPY_DST,
        );
        let own = [&look, &self.place, &eyes, &seen, &doubts];
        Buffers {
            group: self.kernel.group(gpu, &own),
            look,
            eyes,
            seen,
            doubts,
            back,
        }
    }
}

impl Sights for GpuSights {
    fn rows_at_once(&self) -> usize {
        self.rows_at_once
    }

    fn look(
        &self,
        from: &[SightPoint],
        report: &mut dyn FnMut(usize, Sight<'_>),
    ) -> Result<(), AcceleratorFailed> {
        let mut rows = 0..from.len();
        while !rows.is_empty() {
            let end = rows.end.min(rows.start + self.rows_at_once);
            let is_there = self.copy.sees();
            let looked = is_there.then(|| self.look_part(from, rows.start..end, report));
            if looked.flatten().is_none() {
                return Err(self.copy.failed());
            }
            rows.start = end;
        }
        Ok(())
    }

    fn refuse(&self, wrong: usize, of: usize) {
        self.copy.see_no_more(Error::WrongSight {
            name: self.copy.gpu.name.clone(),
            wrong,
            of,
        });
    }
}

impl Look {
    fn words(&self, num_rows: u32, groups_per_row: u32) -> [u32; 12] {
        [
            self.run_boxes,
            self.part_boxes,
            self.wall_of,
            self.walls,
            self.num_points,
            self.num_blocks,
            num_rows,
            groups_per_row,
            self.room,
            self.margin.to_bits(),
            self.beside.to_bits(),
            0,
        ]
    }
}

/// The list that the kernel reads: points, boxes of runs and of parts, the wall of each triangle, and the walls.
fn laid_out(place: &SightPlace<'_>, num_blocks: usize) -> (Vec<Quad>, Look) {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut quads: Vec<Quad> = place.points.iter().flat_map(quads_of).collect();
    let run_boxes = count(quads.len());
    boxes(place.points, RUN, num_blocks * (BLOCK / RUN), &mut quads);
    let part_boxes = count(quads.len());
    boxes(place.points, PART, num_blocks * (BLOCK / PART), &mut quads);
    let wall_of = count(quads.len());
    let four = |walls: &[u32]| std::array::from_fn(|k| walls.get(k).copied().unwrap_or(0));
    quads.extend(place.wall_of.chunks(4).map(four));
    let walls = count(quads.len());
    quads.extend(place.walls.iter().flat_map(|wall| {
        let SightWall { corners, normal } = wall;
        let fourth = [normal[0], normal[1], normal[2], 0.0];
        let quad = |k: usize| {
            let [x, y, z] = corners[k];
            [x, y, z, fourth[k]].map(f32::to_bits)
        };
        [0, 1, 2, 3].map(quad)
    }));
    let look = Look {
        run_boxes,
        part_boxes,
        wall_of,
        walls,
        num_points: count(place.points.len()),
        num_blocks: count(num_blocks),
        room: count(place.points.len().max(ROOM)),
        margin: place.margin,
        beside: place.beside,
    };
    (quads, look)
}

fn quads_of(point: &SightPoint) -> [Quad; 2] {
    let [x, y, z] = point.at.map(f32::to_bits);
    let [u, v, w] = point.normal.map(f32::to_bits);
    let group = point.group | if point.is_in_plane { IN_PLANE } else { 0 };
    [[x, y, z, point.number], [u, v, w, group]]
}

/// Boxes around runs of so many points. Those without points are there too.
fn boxes(points: &[SightPoint], run: usize, num: usize, quads: &mut Vec<Quad>) {
    let mut runs = points.chunks(run);
    for _ in 0..num {
        let Some(run) = runs.next() else {
            quads.extend([[0; 4]; 2]);
            continue;
        };
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for point in run {
            for axis in 0..3 {
                low[axis] = low[axis].min(point.at[axis]);
                high[axis] = high[axis].max(point.at[axis]);
            }
        }
        let [x, y, z] = [0, 1, 2].map(|axis| (0.5 * (low[axis] + high[axis])).to_bits());
        let [u, v, w] = [0, 1, 2].map(|axis| (0.5 * (high[axis] - low[axis])).to_bits());
        quads.extend([[x, y, z, 1], [u, v, w, 0]]);
    }
}

//! Buffers of one batch on its way: rays go up, answers come back. They serve batch after batch.

use std::sync::mpsc;

use glam::Vec3;
use keller::geometry::bvh::{Answer, Hit, Question, Ray};

use super::opened::Opened;
use super::tree::{Kernel, Tree, Use};

/// Numbers of a ray and of an answer, as `rays.wgsl` has them.
const RAY_WORDS: usize = 9;
const ANSWER_WORDS: usize = 3;
const WORD: u64 = 4;

/// Bytes of the description of a batch.
const JOB_BYTES: u64 = 16;

/// The use of a batch's buffers by the kernel.
pub(crate) const USES: [Use; 3] = [Use::Uniform, Use::Read, Use::Write];

/// Threads of a group, as `rays.wgsl` has them.
const GROUP: u32 = 64;

const NOTHING: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

/// Bytes of a ray on the card, with its answer.
pub(crate) const RAY_BYTES: u64 = RAY_WORDS as u64 * WORD;

/// The buffers of a batch of at most `capacity` rays.
#[derive(Debug)]
pub(crate) struct Batch {
    capacity: usize,
    job: wgpu::Buffer,
    rays: wgpu::Buffer,
    answers: wgpu::Buffer,
    back: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// A batch on its way.
pub(crate) struct Sent {
    batch: Batch,
    num_rays: usize,
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Batch {
    pub(crate) fn new(gpu: &Opened, kernel: &Kernel, capacity: usize) -> Self {
        use wgpu::BufferUsages as Usage;
        let answers_size = (capacity * ANSWER_WORDS) as u64 * WORD;
        let job = gpu.buffer(JOB_BYTES, Usage::UNIFORM | Usage::COPY_DST);
        let rays = gpu.buffer(
            capacity as u64 * RAY_BYTES,
            Usage::STORAGE | Usage::COPY_DST,
        );
        let answers = gpu.buffer(answers_size, Usage::STORAGE | Usage::COPY_SRC);
        let back = gpu.buffer(answers_size, Usage::MAP_READ | Usage::COPY_DST);
        let group = kernel.group(gpu, &[&job, &rays, &answers]);
        Self {
            capacity,
            job,
            rays,
            answers,
            back,
            group,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Sends rays, at most as many as the batch takes.
    pub(crate) fn send(
        self,
        gpu: &Opened,
        tree: &Tree,
        kernel: &Kernel,
        rays: &[Ray],
        question: Question,
    ) -> Option<Sent> {
        let num_rays = u32::try_from(rays.len()).ok()?;
        let size = wgpu::BufferSize::new(rays.len() as u64 * RAY_BYTES)?;
        let mut view = gpu.queue.write_buffer_with(&self.rays, 0, size)?;
        let (words, _) = view.slice(..).into_chunks::<{ RAY_WORDS * 4 }>();
        words.write_iter(rays.iter().map(|ray| bytemuck::cast(words_of(ray))));
        drop(view);
        let grid = gpu.grid(num_rays.div_ceil(GROUP));
        let any = u32::from(question == Question::Any);
        let job = [num_rays, any, grid[0], 0];
        gpu.queue
            .write_buffer(&self.job, 0, bytemuck::cast_slice(&job));
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        kernel.run(&mut encoder, tree, &self.group, grid);
        let answers_size = (rays.len() * ANSWER_WORDS) as u64 * WORD;
        encoder.copy_buffer_to_buffer(&self.answers, 0, &self.back, 0, answers_size);
        let submission = gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = mpsc::channel();
        self.back
            .map_async(wgpu::MapMode::Read, ..answers_size, move |result| {
                // Nobody listens if another batch has failed.
                let _ = sender.send(result);
            });
        Some(Sent {
            batch: self,
            num_rays: rays.len(),
            submission,
            mapped,
        })
    }
}

impl Sent {
    /// Waits for the answers, and hands the batch back for the next rays. `None` if the card has failed.
    pub(crate) fn receive(
        self,
        gpu: &Opened,
        first: usize,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Option<Batch> {
        let waited = gpu.device.poll(wgpu::PollType::Wait {
            submission_index: Some(self.submission),
            timeout: None,
        });
        waited.ok()?;
        self.mapped.recv().ok()?.ok()?;
        let answers_size = (self.num_rays * ANSWER_WORDS) as u64 * WORD;
        {
            let view = self.batch.back.get_mapped_range(..answers_size).ok()?;
            let answers: &[[u32; ANSWER_WORDS]] = bytemuck::cast_slice(&view);
            for (ray, &answer) in (first..).zip(answers) {
                set(ray, answer_of(answer));
            }
        }
        self.batch.back.unmap();
        Some(self.batch)
    }
}

/// A ray as the card takes it.
fn words_of(ray: &Ray) -> [u32; RAY_WORDS] {
    let is_sound = ray.origin.is_finite() && ray.direction.is_finite();
    // A ray that can hit nothing has a limit below zero.
    let can_hit = is_sound && ray.direction != Vec3::ZERO;
    let limit = if can_hit { ray.limit() } else { -1.0 };
    let [x, y, z] = ray.origin.to_array().map(f32::to_bits);
    let [u, v, w] = ray.direction.to_array().map(f32::to_bits);
    let [skip, other] = ray.skip;
    [x, y, z, u, v, w, limit.to_bits(), skip, other]
}

fn answer_of([t, group, triangle]: [u32; ANSWER_WORDS]) -> Answer {
    match triangle {
        NOTHING => Answer::Nothing,
        UNKNOWN => Answer::Unknown,
        triangle => Answer::Hit(Hit {
            t: f32::from_bits(t),
            triangle,
            group,
        }),
    }
}

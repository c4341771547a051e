//! An index on the device: upload, batches, answers.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::{Answer, Bvh, DeviceFailed, FlatIndex, Question, Ray, RayDevice};

use crate::Error;
use crate::batch::{Batch, Kernel, RAY_BYTES, Sent};
use crate::opened::Opened;

/// Smallest coordinate but zero, metres: 2^-100. The kernel needs differences of coordinates that no device takes for zero.
const SMALLEST_COORDINATE: f32 = 7.888_609e-31;

/// Levels of trees for which kernels are made: the fewer, the less memory a thread needs.
const DEPTHS: [usize; 4] = [8, 16, 32, 80];

/// Batches of one call that are on their way at once: while one is computed, the next goes up and the last comes back.
const UNDER_WAY: usize = 3;

/// Sizes of batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// Smaller batches are answered by the processor.
    pub fewest_rays: usize,
    /// Rays of one batch on the device; larger calls are cut.
    pub rays_at_once: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fewest_rays: 1 << 13,
            rays_at_once: 1 << 17,
        }
    }
}

/// What is told of a failure.
pub(crate) type Warn = Box<dyn Fn(Error) + Send + Sync>;

/// A copy of an index on a device.
pub struct GpuIndex {
    gpu: Arc<Opened>,
    pipeline: wgpu::ComputePipeline,
    lists: wgpu::BindGroup,
    layout: wgpu::BindGroupLayout,
    bounds: [[f32; 3]; 2],
    tuning: Tuning,
    /// Batches that wait for rays.
    waiting: Mutex<Vec<Batch>>,
    /// Until it has been told.
    warn: Mutex<Option<Warn>>,
}

impl fmt::Debug for GpuIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GpuIndex").field(&self.gpu.name).finish()
    }
}

impl GpuIndex {
    pub(crate) fn new(
        gpu: &Arc<Opened>,
        bvh: &Bvh,
        tuning: Tuning,
        warn: Warn,
    ) -> Result<Self, Error> {
        Self::with_kernel(gpu, bvh, tuning, warn, include_str!("rays.wgsl"))
    }

    /// With another text of the kernel, for tests.
    pub(crate) fn with_kernel(
        gpu: &Arc<Opened>,
        bvh: &Bvh,
        tuning: Tuning,
        warn: Warn,
        kernel: &str,
    ) -> Result<Self, Error> {
        let flat = bvh.flat();
        check_sizes(gpu, &flat)?;
        let most = gpu.limits.max_storage_buffer_binding_size / RAY_BYTES;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let tuning = Tuning {
            rays_at_once: tuning.rays_at_once.clamp(1, most),
            ..tuning
        };
        let pipeline = pipeline(gpu, &flat, kernel);
        let lists = upload(gpu, &pipeline, &flat);
        let index = Self {
            gpu: Arc::clone(gpu),
            lists,
            layout: pipeline.get_bind_group_layout(1),
            pipeline,
            bounds: flat.bounds,
            tuning,
            waiting: Mutex::new(Vec::new()),
            warn: Mutex::new(None),
        };
        index.compare(bvh)?;
        *index.warn.lock().unwrap_or_else(PoisonError::into_inner) = Some(warn);
        Ok(index)
    }

    /// The name of its device.
    pub fn device(&self) -> &str {
        &self.gpu.name
    }

    /// Compares answers of the device with those of the processor.
    fn compare(&self, bvh: &Bvh) -> Result<(), Error> {
        let wrong = bvh.wrong_answers(self);
        let [wrong, of] = wrong.map_err(|DeviceFailed| self.failure())?;
        if wrong > 0 {
            return Err(Error::Inexact {
                name: self.gpu.name.clone(),
                wrong,
                of,
            });
        }
        Ok(())
    }

    fn failure(&self) -> Error {
        let known = self.gpu.failure();
        known.unwrap_or_else(|| self.gpu.failed("it did not answer a batch of rays"))
    }

    /// Answers of all rays; none if the device has failed.
    fn ask(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Option<()> {
        let kernel = Kernel {
            pipeline: &self.pipeline,
            index: &self.lists,
            bounds: self.bounds,
        };
        let mut under_way: VecDeque<(usize, Sent)> = VecDeque::new();
        for (part, rays) in rays.chunks(self.tuning.rays_at_once).enumerate() {
            if under_way.len() == UNDER_WAY {
                let (first, sent) = under_way.pop_front()?;
                self.keep(sent.receive(&self.gpu, first, set)?);
            }
            let sent = self
                .batch(rays.len())
                .send(&self.gpu, &kernel, rays, question);
            // Memory that the device does not have is told before the work is done.
            if self.gpu.failure().is_some() {
                return None;
            }
            under_way.push_back((part * self.tuning.rays_at_once, sent?));
        }
        for (first, sent) in under_way {
            self.keep(sent.receive(&self.gpu, first, set)?);
        }
        self.gpu.failure().is_none().then_some(())
    }

    /// Buffers for so many rays.
    fn batch(&self, num_rays: usize) -> Batch {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fits) = waiting
            .iter()
            .position(|batch| batch.capacity() >= num_rays)
        {
            return waiting.swap_remove(fits);
        }
        drop(waiting);
        let capacity = num_rays.next_power_of_two().min(self.tuning.rays_at_once);
        Batch::new(&self.gpu, &self.layout, capacity)
    }

    fn keep(&self, batch: Batch) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(batch);
    }
}

impl RayDevice for GpuIndex {
    fn fewest_rays(&self) -> usize {
        self.tuning.fewest_rays
    }

    fn rays_at_once(&self) -> usize {
        self.tuning.rays_at_once
    }

    fn answer(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), DeviceFailed> {
        if self.gpu.failure().is_none() && self.ask(rays, question, set).is_some() {
            return Ok(());
        }
        let warn = self
            .warn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(warn) = warn {
            warn(self.failure());
        }
        Err(DeviceFailed)
    }
}

fn check_sizes(gpu: &Opened, flat: &FlatIndex<'_>) -> Result<(), Error> {
    let limits = &gpu.limits;
    let limit = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    let sizes = [
        size_of_val(&*flat.nodes),
        size_of_val(flat.floats),
        size_of_val(&*flat.names),
    ];
    let size = sizes.into_iter().max().unwrap_or(0) as u64;
    if size > limit {
        return Err(Error::TooLarge {
            name: gpu.name.clone(),
            size,
            limit,
        });
    }
    let is_small = |x: &&f32| **x != 0.0 && x.abs() < SMALLEST_COORDINATE;
    match flat.floats.iter().find(is_small) {
        Some(&coordinate) => Err(Error::TooSmall {
            name: gpu.name.clone(),
            coordinate,
        }),
        None => Ok(()),
    }
}

fn pipeline(gpu: &Opened, flat: &FlatIndex<'_>, kernel: &str) -> wgpu::ComputePipeline {
    let depth = DEPTHS.into_iter().find(|depth| *depth >= flat.depth);
    let depth = depth.unwrap_or(flat.depth);
    let source = format!("const DEPTH: u32 = {depth}u;\n{kernel}");
    let module = gpu
        .device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("rays"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
    gpu.device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("rays"),
            layout: None,
            module: &module,
            entry_point: Some("trace"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
}

/// Copies the lists of an index to the device.
fn upload(gpu: &Opened, pipeline: &wgpu::ComputePipeline, flat: &FlatIndex<'_>) -> wgpu::BindGroup {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let put = |bytes: &[u8]| {
        let buffer = gpu.buffer(bytes.len() as u64, usage);
        gpu.queue.write_buffer(&buffer, 0, bytes);
        buffer
    };
    let nodes: Vec<[u32; 64]> = flat.nodes.iter().copied().map(for_device).collect();
    let buffers = [
        put(bytemuck::cast_slice(nodes.as_flattened())),
        put(bytemuck::cast_slice(flat.floats)),
        put(bytemuck::cast_slice(flat.names.as_flattened())),
    ];
    let entries = [0, 1, 2].map(|i: u32| wgpu::BindGroupEntry {
        binding: i,
        resource: buffers[i as usize].as_entire_binding(),
    });
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("index"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

/// A node without infinities, which not every device knows: a lane without a child has a box at the origin, and bits 24 to
/// 31 of each order say which lanes have one.
fn for_device(mut node: [u32; 64]) -> [u32; 64] {
    let mut there = 0;
    for lane in 0..8 {
        let bounds = [0, 1].map(|side| f32::from_bits(node[8 * side + lane]));
        if bounds[0] <= bounds[1] {
            there |= 1 << lane;
        } else {
            (0..6).for_each(|plane| node[8 * plane + lane] = 0);
        }
    }
    for order in &mut node[56..] {
        *order |= there << 24;
    }
    node
}

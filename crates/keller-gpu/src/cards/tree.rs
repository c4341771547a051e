//! The lists of an index on the card, which all kernels read.

use keller::geometry::bvh::FlatIndex;

use super::opened::Opened;
use crate::Error;

/// Smallest coordinate but zero, metres: 2^-100. The kernel needs differences of coordinates that no card takes for zero.
const SMALLEST_COORDINATE: f32 = 7.888_609e-31;

/// Levels of trees for which kernels are made: the fewer, the less memory a thread needs.
const DEPTHS: [usize; 4] = [8, 16, 32, 80];

/// An index on the card.
#[derive(Debug)]
pub(crate) struct Tree {
    layout: wgpu::BindGroupLayout,
    /// Group 0 of every kernel.
    pub(crate) lists: wgpu::BindGroup,
    depth: usize,
}

/// The use of a buffer by a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Use {
    Read,
    Write,
    Uniform,
}

impl Tree {
    /// Copies an index to the card.
    pub(crate) fn new(gpu: &Opened, flat: &FlatIndex<'_>) -> Result<Self, Error> {
        check_sizes(gpu, flat)?;
        let layout = layout(gpu, &[Use::Read, Use::Read, Use::Read, Use::Uniform]);
        let nodes: Vec<[u32; 64]> = flat.nodes.iter().copied().map(for_card).collect();
        let [low, high] = flat.bounds.map(|corner| corner.map(f32::to_bits));
        // The number after `high` is the zero that no compiler knows.
        let space = [low[0], low[1], low[2], 0, high[0], high[1], high[2], 0];
        let list = |bytes: &[u8]| gpu.filled(bytes, wgpu::BufferUsages::STORAGE);
        let buffers = [
            list(bytemuck::cast_slice(nodes.as_flattened())),
            list(bytemuck::cast_slice(flat.floats)),
            list(bytemuck::cast_slice(flat.names.as_flattened())),
            gpu.filled(bytemuck::cast_slice(&space), wgpu::BufferUsages::UNIFORM),
        ];
        Ok(Self {
            lists: group(gpu, &layout, &buffers.each_ref()),
            layout,
            depth: flat.depth,
        })
    }

    /// A kernel that reads the index, and buffers of its own in this order.
    pub(crate) fn kernel(&self, gpu: &Opened, source: &str, entry: &str, own: &[Use]) -> Kernel {
        let depth = DEPTHS.into_iter().find(|depth| *depth >= self.depth);
        let depth = depth.unwrap_or(self.depth);
        let source = format!("const DEPTH: u32 = {depth}u;\n{source}");
        let module = gpu
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
        let own = layout(gpu, own);
        let layouts = [Some(&self.layout), Some(&own)];
        let together = gpu
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(entry),
                bind_group_layouts: &layouts,
                ..wgpu::PipelineLayoutDescriptor::default()
            });
        let pipeline = gpu
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&together),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
        Kernel { pipeline, own }
    }
}

/// A kernel, and the layout of the buffers that are its own.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) pipeline: wgpu::ComputePipeline,
    own: wgpu::BindGroupLayout,
}

impl Kernel {
    /// Its own buffers.
    pub(crate) fn group(&self, gpu: &Opened, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        group(gpu, &self.own, buffers)
    }

    /// Notes a run of so many groups of threads, in rows as long as the card takes them.
    pub(crate) fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tree: &Tree,
        own: &wgpu::BindGroup,
        [columns, rows]: [u32; 2],
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &tree.lists, &[]);
        pass.set_bind_group(1, own, &[]);
        pass.dispatch_workgroups(columns, rows, 1);
    }
}

fn layout(gpu: &Opened, uses: &[Use]) -> wgpu::BindGroupLayout {
    let entry = |(binding, how): (u32, &Use)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match how {
                Use::Read => wgpu::BufferBindingType::Storage { read_only: true },
                Use::Write => wgpu::BufferBindingType::Storage { read_only: false },
                Use::Uniform => wgpu::BufferBindingType::Uniform,
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(uses).map(entry).collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        })
}

fn group(
    gpu: &Opened,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let numbered = (0..).zip(buffers);
    let entries = numbered.map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    });
    let entries: Vec<_> = entries.collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

fn check_sizes(gpu: &Opened, flat: &FlatIndex<'_>) -> Result<(), Error> {
    let sizes = [
        size_of_val(&*flat.nodes),
        size_of_val(flat.floats),
        size_of_val(&*flat.names),
    ];
    let size = sizes.into_iter().max().unwrap_or(0) as u64;
    let limit = gpu.largest();
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

/// A node without infinities, which not every card knows: a lane without a child has a box at the origin, and bits 24 to
/// 31 of each order say which lanes have one.
fn for_card(mut node: [u32; 64]) -> [u32; 64] {
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

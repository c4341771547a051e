//! An open device, and its failure.

use std::sync::{Arc, OnceLock};

use crate::Error;
use crate::adapter::{Adapter, Kind};

/// The size of the smallest buffer, because none may be empty.
const SMALLEST_BUFFER: u64 = 16;

/// A card in use.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    /// Why the card can be used no more.
    failure: Arc<OnceLock<String>>,
}

impl Opened {
    /// A new use of a card.
    pub(crate) fn new(adapter: &Adapter) -> Result<Self, Error> {
        let limits = adapter.found.limits();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("keller"),
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = pollster::block_on(adapter.found.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| Error::Closed {
            name: adapter.name.clone(),
            reason: error.to_string(),
        })?;
        let failure = Arc::new(OnceLock::new());
        let failed = Arc::clone(&failure);
        // One that is already known is the reason of those that follow.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            failed.get_or_init(|| one_line(&error.to_string()));
        }));
        let lost = Arc::clone(&failure);
        device.set_device_lost_callback(move |_, reason| {
            lost.get_or_init(|| format!("the card is lost: {}", one_line(&reason)));
        });
        Ok(Self {
            name: adapter.name.clone(),
            kind: adapter.kind,
            device,
            queue,
            limits,
            failure,
        })
    }

    /// Gives the card up.
    pub(crate) fn lose(&self) {
        self.device.destroy();
        self.failure.get_or_init(|| "it was given up".into());
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        self.failure.get().map(|reason| self.failed(reason))
    }

    pub(crate) fn failed(&self, reason: &str) -> Error {
        Error::Failed {
            name: self.name.clone(),
            reason: reason.to_owned(),
        }
    }

    /// A buffer of so many bytes; the card's failure, if there is no memory for it, is seen by [`Self::failure`].
    pub(crate) fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size.max(SMALLEST_BUFFER),
            usage,
            mapped_at_creation: false,
        })
    }

    /// A buffer with this in it.
    pub(crate) fn filled(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer(bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    /// The largest buffer that a kernel can use, bytes.
    pub(crate) fn largest(&self) -> u64 {
        let limits = &self.limits;
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
    }

    /// Columns and rows of so many groups of threads; there may be a few more.
    pub(crate) fn grid(&self, num_groups: u32) -> [u32; 2] {
        let columns = num_groups.min(self.limits.max_compute_workgroups_per_dimension);
        [columns, num_groups.div_ceil(columns.max(1))]
    }
}

/// Messages of drivers have several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

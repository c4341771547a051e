//! What devices there are, and which is meant.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::Error;

/// What does the work of rays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// The processor.
    #[default]
    Cpu,
    /// A graphics card if there is one, else the processor.
    Auto,
    /// A graphics card.
    Gpu,
    /// The device whose name contains this, in capitals or not. It may be one that software imitates.
    Named(String),
}

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "cpu" => Self::Cpu,
            "auto" => Self::Auto,
            "gpu" => Self::Gpu,
            name => Self::Named(name.to_owned()),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Named(name) => name,
        })
    }
}

/// Kinds of devices, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A card with memory of its own.
    Discrete,
    /// A card in the processor, which shares its memory.
    Integrated,
    /// A card that a virtual machine passes on.
    Virtual,
    /// The driver does not say.
    Other,
    /// The processor, made to look like a card by software: for tests.
    Software,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// A device that could be used.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// Its name, as its driver gives it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// `Vulkan`, `Metal` or `DX12`.
    pub backend: String,
    /// The driver with its version, where it tells.
    pub driver: String,
    /// Largest part of an index that it takes, bytes.
    pub max_part: u64,
    pub(crate) found: wgpu::Adapter,
}

/// The devices of this machine, the best first. Where no driver is installed, there are none.
pub fn adapters() -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // What drivers print is not for users of keller.
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let mut adapters: Vec<_> = found.into_iter().map(Adapter::new).collect();
    adapters.retain(|adapter| adapter.max_part > 0);
    adapters.sort_by_key(|adapter| adapter.kind);
    adapters
}

impl Adapter {
    fn new(adapter: wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let computes = limits.max_compute_invocations_per_workgroup >= 64
            && limits.max_storage_buffers_per_shader_stage >= 5;
        let max_part = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
        Self {
            kind: match info.device_type {
                wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
                wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
                wgpu::DeviceType::VirtualGpu => Kind::Virtual,
                wgpu::DeviceType::Cpu => Kind::Software,
                wgpu::DeviceType::Other => Kind::Other,
            },
            backend: match info.backend {
                wgpu::Backend::Vulkan => "Vulkan".into(),
                wgpu::Backend::Metal => "Metal".into(),
                wgpu::Backend::Dx12 => "DX12".into(),
                other => other.to_string(),
            },
            driver: driver.trim().to_owned(),
            max_part: if computes { max_part } else { 0 },
            name: info.name,
            found: adapter,
        }
    }
}

impl Choice {
    /// The device that is meant, of all there are; none for the processor.
    ///
    /// # Errors
    /// [`Error::NoCard`], [`Error::Unknown`].
    pub fn among(&self, mut adapters: Vec<Adapter>) -> Result<Option<Adapter>, Error> {
        let is_card = |adapter: &Adapter| adapter.kind != Kind::Software;
        let names = |adapters: &[Adapter]| adapters.iter().map(|a| a.name.clone()).collect();
        let found = match self {
            Self::Cpu => return Ok(None),
            Self::Auto | Self::Gpu => adapters.iter().position(is_card),
            Self::Named(name) => {
                let name = name.to_lowercase();
                let called = |a: &Adapter| a.name.to_lowercase().contains(&name);
                adapters.iter().position(called)
            }
        };
        match (found, self) {
            (Some(found), _) => Ok(Some(adapters.swap_remove(found))),
            (None, Self::Named(name)) => Err(Error::Unknown {
                name: name.clone(),
                there: names(&adapters),
            }),
            (None, Self::Gpu) => Err(Error::NoCard {
                there: names(&adapters),
            }),
            (None, _) => Ok(None),
        }
    }
}

/// The device that tests run on: the one that the variable `KELLER_TEST_DEVICE` names, else one that software imitates. Tests without one test
/// nothing.
///
/// # Panics
/// If the variable names a device that is not there, so that tests fail.
#[doc(hidden)]
pub fn for_tests() -> Option<Adapter> {
    let found = match std::env::var("KELLER_TEST_DEVICE") {
        Ok(name) => Choice::Named(name)
            .among(adapters())
            .unwrap_or_else(|error| panic!("KELLER_TEST_DEVICE: {error}")),
        Err(_) => (adapters().into_iter()).find(|adapter| adapter.kind == Kind::Software),
    };
    if found.is_none() {
        eprintln!("no device: not tested");
    }
    found
}

//! Finds the cards of this machine.

use crate::adapter::{Adapter, Choice, Kind};

/// The cards of this machine, the best first. Where no driver is installed, there are none.
pub fn adapters() -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    // Messages of drivers are not for users of keller.
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

/// The card that tests run on: the one that the variable `KELLER_TEST_GPU` names, else one that software imitates. Tests without one test
/// nothing.
///
/// # Panics
/// If the variable names a card that is not there, so that tests fail.
#[doc(hidden)]
pub fn for_tests() -> Option<Adapter> {
    let found = match std::env::var("KELLER_TEST_GPU") {
        Ok(name) => Choice::Named(name)
            .among(adapters())
            .unwrap_or_else(|error| panic!("KELLER_TEST_GPU: {error}")),
        Err(_) => (adapters().into_iter()).find(|adapter| adapter.kind == Kind::Software),
    };
    if found.is_none() {
        eprintln!("no card: not tested");
    }
    found
}

//! Kernels that round otherwise, as other drivers may: those that the kernel is made for give the same bits, others are found out.

use std::sync::Arc;

use keller::geometry::bvh::{Bvh, Ray, Triangle};
use keller::random::Random;

use super::index::{GpuIndex, Tuning};
use super::opened::Opened;
use super::sights::SIGHTS;
use crate::{Adapter, Error, Gpu, Kind, adapters};
use glam::Vec3;

#[path = "../../../keller/src/geometry/bvh/tests/random_rays.rs"]
mod random_rays;

use self::random_rays::{Vectors, bundles, rays, soup};

const KERNEL: &str = super::index::RAYS;

const KEPT: &str = "fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ space.zero); }";

/// A product and a sum that are rounded once, as near as makes no difference: software may round `fma` twice.
const FUSED: &str = "
fn fused(a: f32, b: f32, c: f32) -> f32 {
    let p = mul(a, b);
    return sub(add(p, c), remainder(p, b, a));
}
";

/// Every batch goes to the card.
const TUNING: Tuning = Tuning {
    fewest_rays: 1,
    rays_at_once: 1 << 17,
    fewest_pairs: 1,
    pairs_at_once: 1 << 16,
};

/// The card that software imitates, if there is one.
fn software() -> Option<Adapter> {
    let mut all = adapters().into_iter();
    all.find(|adapter| adapter.kind == Kind::Software)
}

fn gpu() -> Option<Gpu> {
    Some(Gpu::of(&software()?).unwrap())
}

/// The kernel with something else in it.
fn with(old: &str, new: &str) -> String {
    assert!(KERNEL.contains(old), "the kernel has no `{old}`");
    KERNEL.replace(old, new)
}

fn place() -> (Vec<keller::geometry::bvh::Triangle>, Bvh) {
    let triangles = soup(&mut Vectors(Random(21)), 1000, 50.0, Vec3::ZERO);
    let bvh = Bvh::build(&triangles);
    (triangles, bvh)
}

fn index(gpu: &Gpu, bvh: &Bvh, kernel: &str) -> Result<GpuIndex, Error> {
    GpuIndex::with_kernel(
        gpu.opened(),
        bvh,
        TUNING,
        Box::new(|error| panic!("{error}")),
        kernel,
    )
}

#[test]
fn divisions_that_are_inexact_and_numbers_that_vanish_change_no_bit() {
    let Some(gpu) = gpu() else { return };
    let (triangles, bvh) = place();
    let mut random = Vectors(Random(22));
    let mut all = rays(&mut random, &triangles, 10_000, 50.0, Vec3::ZERO);
    all.extend(bundles(&mut random, &triangles, 10_000, 50.0, Vec3::ZERO));
    let mut expected = vec![None; all.len()];
    bvh.closest_hits(&all, &mut expected);
    let vanishing = "fn kept(x: f32) -> f32 {
        let bits = bitcast<u32>(x) ^ space.zero;
        return bitcast<f32>(select(bits, bits & 0x80000000u, (bits & 0x7f800000u) == 0u));
    }";
    for kernel in [
        // Two and a half units in the last place are allowed.
        with("kept(a / b)", "kept(a / b * 1.0000003)"),
        with("kept(a / b)", "kept(a / b * 0.9999998)"),
        with(KEPT, vanishing),
    ] {
        let there = bvh
            .clone()
            .with_accelerator(Arc::new(index(&gpu, &bvh, &kernel).unwrap()));
        let mut found = vec![None; all.len()];
        there.closest_hits(&all, &mut found);
        assert!(found == expected, "{kernel}");
    }
}

#[test]
fn roundings_that_are_left_out_or_moved_are_found_out() {
    let Some(gpu) = gpu() else { return };
    let (_, bvh) = place();
    for (old, new) in [
        (
            "sub(mul(c.x, b.y), mul(c.y, b.x))",
            "fused(c.x, b.y, -mul(c.y, b.x))",
        ),
        (
            "add(add(mul(u, a.z), mul(v, b.z)), mul(w, c.z))",
            "fused(w, c.z, add(mul(u, a.z), mul(v, b.z)))",
        ),
        (
            "sub(x, mul((*ray).slope.x, z))",
            "fused(-(*ray).slope.x, z, x)",
        ),
        ("add(add(u, v), w)", "add(u, add(v, w))"),
        (
            "mul(divide(along, determinant), (*ray).scale)",
            "along / determinant * (*ray).scale * 1.0000001",
        ),
        ("t != best_t", "false"),
    ] {
        let kernel = with(old, new) + FUSED;
        match index(&gpu, &bvh, &kernel) {
            Err(Error::Inexact { wrong, of, .. }) => {
                assert!(wrong > 0 && wrong < of, "{wrong} of {of}");
            }
            other => panic!("{new}: {other:?}"),
        }
    }
}

/// The answers are the same from a device that takes few groups of threads in a row; a scene that is too large for it
/// is refused.
#[test]
fn work_is_cut_to_the_limits_of_the_card() {
    let Some(gpu) = gpu() else { return };
    let (triangles, bvh) = place();
    let warn = || Box::new(|error| panic!("{error}"));
    let mut small = Opened::new(&software().unwrap()).unwrap();
    small.limits.max_compute_workgroups_per_dimension = 7;
    let index = GpuIndex::new(&Arc::new(small), &bvh, TUNING, warn()).unwrap();
    let there = bvh.clone().with_accelerator(Arc::new(index));
    let all = rays(&mut Vectors(Random(23)), &triangles, 5000, 50.0, Vec3::ZERO);
    let (mut expected, mut found) = (vec![None; all.len()], vec![None; all.len()]);
    bvh.closest_hits(&all, &mut expected);
    there.closest_hits(&all, &mut found);
    assert!(found == expected, "groups in several rows");

    let mut small = Opened::new(&software().unwrap()).unwrap();
    small.limits.max_storage_buffer_binding_size = 20_000;
    let error = GpuIndex::new(&Arc::new(small), &bvh, TUNING, warn()).unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(error, Error::TooLarge { limit: 20_000, size, .. } if size > 20_000),
        "{message}"
    );
    assert!(
        message.contains(gpu.name()) && message.contains("20000"),
        "{message}"
    );
}

#[test]
fn a_kernel_that_no_driver_takes_is_reported() {
    let Some(gpu) = gpu() else { return };
    let (_, bvh) = place();
    let error = index(&gpu, &bvh, "this is no kernel").unwrap_err();
    assert!(matches!(error, Error::Failed { .. }), "{error}");
}

/// Metal and Direct3D 12 are not here, but the text for their drivers is.
#[test]
fn kernels_can_be_translated_for_every_system() {
    use naga::back::{hlsl, msl, spv};
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    for (kernel, entry) in [(KERNEL, "trace"), (SIGHTS, "look_around")] {
        let source = format!("const DEPTH: u32 = 16u;\n{kernel}");
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        // The kernel uses no capability beyond the plain ones, which every card has.
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = validator.validate(&module).unwrap();
        let (text, _) = msl::write_string(
            &module,
            &info,
            &msl::Options {
                fake_missing_bindings: true,
                ..msl::Options::default()
            },
            &msl::PipelineOptions::default(),
        )
        .unwrap();
        assert!(text.contains(&format!("kernel void {entry}")), "{text}");
        let mut text = String::new();
        let options = hlsl::Options::default();
        let pipeline = hlsl::PipelineOptions::default();
        let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
        writer.write(&module, &info, None).unwrap();
        assert!(text.contains(&format!("void {entry}(")), "{text}");
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None).unwrap();
        assert_eq!(words[0], 0x0723_0203, "the magic number of SPIR-V");
    }
}

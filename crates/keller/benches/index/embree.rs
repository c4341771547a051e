//! Embree 4 as the yardstick, through its C interface, if the environment variable `KELLER_EMBREE_LIB` names its library
//! (the `embreex` wheel carries one).
#![allow(unsafe_code, reason = "a C library")]

use std::{ffi::c_void, ptr::null_mut};

use glam::Vec3;
use keller::geometry::bvh::{Ray, Triangle};
use libloading::Library;

type Handle = *mut c_void;

/// A committed scene, with the two calls that are measured.
pub(crate) struct Embree {
    scene: Handle,
    intersect: unsafe extern "C" fn(Handle, *mut RayHit, *mut c_void),
    occluded: unsafe extern "C" fn(Handle, *mut RayHit, *mut c_void),
}

/// `RTCRayHit`, and room for what versions add to it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct RayHit {
    origin: [f32; 3],
    t_near: f32,
    direction: [f32; 3],
    time: f32,
    t_far: f32,
    mask: u32,
    id: u32,
    flags: u32,
    normal: [f32; 3],
    uv: [f32; 2],
    primitive: u32,
    geometry: u32,
    instances: [u32; 8],
}

const ROBUST: u32 = 1 << 2;
const HIGH_QUALITY: u32 = 2;
const TRIANGLES: u32 = 0;
const INDEX_BUFFER: u32 = 0;
const VERTEX_BUFFER: u32 = 1;
const UINT3: u32 = 0x5003;
const FLOAT3: u32 = 0x9003;
const NONE: u32 = u32::MAX;

impl Embree {
    /// None without the environment variable. Panics, as benchmarks may, if the library does not do as Embree 4.
    pub(crate) fn build(triangles: &[Triangle], robust: bool) -> Option<Self> {
        let path = std::env::var_os("KELLER_EMBREE_LIB")?;
        let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.vertices).collect();
        let indices: Vec<u32> = (0..).take(3 * corners.len()).collect();
        // SAFETY: the library is Embree 4; the signatures and constants are those of its `rtcore.h`, and the buffers
        // that it hands out have the lengths asked for.
        unsafe {
            // Never unloaded: its threads end with the process.
            let library = Box::leak(Box::new(
                Library::new(path).expect("KELLER_EMBREE_LIB names a shared library"),
            ));
            macro_rules! call {
                ($name:literal($($argument:expr => $kind:ty),*) -> $result:ty) => {
                    library
                        .get::<unsafe extern "C" fn($($kind),*) -> $result>($name)
                        .expect("Embree has this function")($($argument),*)
                };
            }
            let config = c"threads=1".as_ptr();
            let device = call!(b"rtcNewDevice"(config => *const _) -> Handle);
            let scene = call!(b"rtcNewScene"(device => Handle) -> Handle);
            call!(b"rtcSetSceneBuildQuality"(scene => Handle, HIGH_QUALITY => u32) -> ());
            let flags = if robust { ROBUST } else { 0 };
            call!(b"rtcSetSceneFlags"(scene => Handle, flags => u32) -> ());
            let geometry = call!(b"rtcNewGeometry"(device => Handle, TRIANGLES => u32) -> Handle);
            let vertices = call!(b"rtcSetNewGeometryBuffer"(
                geometry => Handle, VERTEX_BUFFER => u32, 0 => u32, FLOAT3 => u32, 12 => usize, 3 * corners.len() => usize
            ) -> *mut [Vec3; 3]);
            vertices.copy_from_nonoverlapping(corners.as_ptr(), corners.len());
            let index = call!(b"rtcSetNewGeometryBuffer"(
                geometry => Handle, INDEX_BUFFER => u32, 0 => u32, UINT3 => u32, 12 => usize, corners.len() => usize
            ) -> *mut u32);
            index.copy_from_nonoverlapping(indices.as_ptr(), indices.len());
            call!(b"rtcCommitGeometry"(geometry => Handle) -> ());
            call!(b"rtcAttachGeometry"(scene => Handle, geometry => Handle) -> u32);
            call!(b"rtcReleaseGeometry"(geometry => Handle) -> ());
            call!(b"rtcCommitScene"(scene => Handle) -> ());
            Some(Self {
                scene,
                intersect: *library.get(b"rtcIntersect1").expect("Embree intersects"),
                occluded: *library.get(b"rtcOccluded1").expect("Embree occludes"),
            })
        }
    }

    /// t of the first hit, infinity for none.
    pub(crate) fn closest(&self, ray: &Ray) -> f32 {
        let mut query = query(ray);
        // SAFETY: the scene is committed and the query is a whole, aligned `RTCRayHit`.
        unsafe { (self.intersect)(self.scene, &raw mut query, null_mut()) };
        if query.geometry == NONE {
            f32::INFINITY
        } else {
            query.t_far
        }
    }

    pub(crate) fn is_free(&self, ray: &Ray) -> bool {
        let mut query = query(ray);
        // SAFETY: the scene is committed and the query begins with a whole, aligned `RTCRay`.
        unsafe { (self.occluded)(self.scene, &raw mut query, null_mut()) };
        query.t_far != f32::NEG_INFINITY
    }
}

fn query(ray: &Ray) -> RayHit {
    RayHit {
        origin: ray.origin.to_array(),
        t_near: 0.0,
        direction: ray.direction.to_array(),
        time: 0.0,
        t_far: ray.t_max,
        mask: u32::MAX,
        id: 0,
        flags: 0,
        normal: [0.0; 3],
        uv: [0.0; 2],
        primitive: NONE,
        geometry: NONE,
        instances: [NONE; 8],
    }
}

//! The vector instructions that the traversals use: each traversal is compiled once for each set, which is chosen at
//! run time.

#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::{
    Bvh, Hit, Ray,
    node::Child,
    results::{Blockers, Free, Hits},
    simd::Portable,
    stream, traverse,
    visit::{self, Segment},
};

/// The instructions that a traversal uses. All give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dispatch {
    /// The instructions for which the program was compiled.
    Portable,
    /// AVX2 and FMA, with the bit counting that comes with them.
    Avx2,
    /// AVX-512F and AVX-512VL.
    Avx512,
}

impl Dispatch {
    /// All of them, the slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest that this machine has.
    pub fn best() -> Self {
        let best = Self::ALL
            .into_iter()
            .rfind(|dispatch| dispatch.is_available());
        best.unwrap_or(Self::Portable)
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            match self {
                Self::Portable => true,
                Self::Avx2 => avx2,
                Self::Avx512 => {
                    avx2 && is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512vl")
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }
}

/// `each!(name(arguments) -> result = module::generic)` makes `name`, which runs `generic` as `bvh.dispatch` says.
macro_rules! each {
    ($name:ident($($argument:ident: $kind:ty),*) -> $result:ty = $module:ident::$generic:ident $(, $more:ty)?) => {
        #[allow(unsafe_code, reason = "vector instructions")]
        #[inline]
        pub(super) fn $name(bvh: &Bvh, $($argument: $kind),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2(bvh: &Bvh, $($argument: $kind),*) -> $result {
                // SAFETY: this function has the instructions.
                unsafe { $module::$generic::<Avx2 $(, $more)?>(bvh, $($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl")]
            fn avx512(bvh: &Bvh, $($argument: $kind),*) -> $result {
                // SAFETY: this function has the instructions.
                unsafe { $module::$generic::<Avx512 $(, $more)?>(bvh, $($argument),*) }
            }
            match bvh.dispatch {
                // SAFETY: an index has a dispatch only if the machine has its instructions.
                #[cfg(target_arch = "x86_64")]
                Dispatch::Avx2 => unsafe { avx2(bvh, $($argument),*) },
                // SAFETY: the same.
                #[cfg(target_arch = "x86_64")]
                Dispatch::Avx512 => unsafe { avx512(bvh, $($argument),*) },
                // SAFETY: plain arrays need no instructions.
                _ => unsafe { $module::$generic::<Portable $(, $more)?>(bvh, $($argument),*) },
            }
        }
    };
}

each!(closest_hit(ray: &Ray) -> Option<Hit> = traverse::closest_hit);
each!(is_free(ray: &Ray, occluder: &mut Child) -> bool = traverse::is_free);
each!(closest_hits(rays: &[Ray], hits: &mut Hits) -> () = stream::trace, Hits);
each!(are_free(rays: &[Ray], free: &mut Free) -> () = stream::trace, Free);
each!(blockers(rays: &[Ray], blockers: &mut Blockers) -> () = stream::trace, Blockers);
each!(candidates(segment: &Segment, visit: &mut dyn FnMut(u32) -> bool) -> () = visit::candidates);

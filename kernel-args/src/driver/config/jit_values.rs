//! The values of options of the driver's compiler.

/// Optimization level of the driver's compiler: `-O0` to `-O4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each level is named by its number only")]
#[repr(u8)]
pub enum OptimizationLevel {
    O0,
    O1,
    O2,
    O3,
    O4,
}

/// How loads from global memory are cached if the instruction does not specify it: `CUjit_cacheMode`, ptxas's `-dlcm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CacheMode {
    /// The compiler's default: `CU_JIT_CACHE_OPTION_NONE`.
    Default = 0,
    /// In the L2 cache only: `CU_JIT_CACHE_OPTION_CG`.
    L2 = 1,
    /// In the L1 cache as well: `CU_JIT_CACHE_OPTION_CA`.
    L1AndL2 = 2,
}

/// What the driver uses from a fat binary without a cubin for exactly this GPU: `CUjit_fallback`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fallback {
    /// Its PTX, compiled: `CU_PREFER_PTX`.
    Ptx = 0,
    /// A cubin for a different GPU that also runs on this GPU: `CU_PREFER_BINARY`.
    Cubin = 1,
}

/// A GPU to compile for: `CUjit_target`. A number is a compute capability without its dot: 90 for 9.0.
///
/// ```
/// use kernel_args::image::{JitOptions, JitTarget};
///
/// let target = JitTarget::architecture_specific(90);
/// assert_eq!(target.to_string(), "sm_90a");
/// let options = JitOptions::new().target(target);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JitTarget(pub(super) u32);

impl JitTarget {
    /// `CU_COMPUTE_ACCELERATED_TARGET_BASE`.
    const ARCHITECTURE: u32 = 0x1_0000;
    /// `CU_COMPUTE_FAMILY_TARGET_BASE`.
    const FAMILY: u32 = 0x2_0000;

    /// `sm_90`, for 90.
    #[must_use]
    pub const fn new(sm: u32) -> Self {
        Self(sm)
    }

    /// With the features that only this GPU has: `sm_90a`, for 90. Driver 12.0 and newer.
    #[must_use]
    pub const fn architecture_specific(sm: u32) -> Self {
        Self(Self::ARCHITECTURE | sm)
    }

    /// With the features of the GPU's family: `sm_100f`, for 100. Driver 12.9 and newer, and only GPUs with families.
    #[must_use]
    pub const fn family_specific(sm: u32) -> Self {
        Self(Self::FAMILY | sm)
    }
}

impl From<u32> for JitTarget {
    fn from(sm: u32) -> Self {
        Self::new(sm)
    }
}

display!(JitTarget, |this, f| {
    let suffix = match this.0 & !0xffff {
        Self::ARCHITECTURE => "a",
        Self::FAMILY => "f",
        _ => "",
    };
    write!(f, "sm_{}{suffix}", this.0 & 0xffff)
});

debug_as_display!(JitTarget);

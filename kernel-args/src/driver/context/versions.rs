//! The versions of all that a launch depends on.

use crate::driver::{
    api::{Api, api},
    context,
    error::Error,
};
use cudarc::driver::CudaContext;
use kernel_args_abi::Sm;
use kernel_args_image::{CudaVersion, PtxVersion};
use std::{
    ffi::{c_char, c_int},
    fmt, fs,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// The versions of the driver, of CUDA's libraries and of the GPUs. `Display` writes them as a table for bug reports.
///
/// ```text
/// kernel-args           0.1.0
/// driver                580.159.04, for CUDA 13.0
/// newest PTX            9.0
/// CUDA runtime          not loaded
/// NVRTC                 13.0
/// GPU 0                 NVIDIA H200, sm_90
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Versions {
    /// The release of CUDA that the driver is for: `cuDriverGetVersion`.
    pub driver: CudaVersion,
    /// The driver's own version, `580.159.04`; `None` where the system does not tell (it is read from `/proc/driver/nvidia/version`).
    pub driver_release: Option<String>,
    /// The newest PTX that the driver compiles, by [`RELEASES`](kernel_args_image::RELEASES); `None` where the driver is newer
    /// than this crate knows.
    pub newest_ptx: Option<PtxVersion>,
    /// The CUDA runtime's version, where its library is loaded in this process. One that is linked statically is not seen.
    pub runtime: Option<CudaVersion>,
    /// NVRTC's version: with the feature `nvrtc` that of the library that [`Module::compile`](crate::Module) uses, which this
    /// call loads; `None` where there is none, and without the feature.
    pub nvrtc: Option<CudaVersion>,
    /// The GPUs, in the order of their ordinals.
    pub gpus: Vec<Gpu>,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gpu {
    /// `NVIDIA H200`.
    pub name: String,
    /// Its compute capability.
    pub sm: Sm,
}

/// The versions of the driver, of CUDA's libraries and of the GPUs.
///
/// ```no_run
/// println!("{}", kernel_args::context::versions()?);
/// # Ok::<(), kernel_args::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] where the driver does not initialise.
pub fn versions() -> Result<Versions, Error> {
    let driver = driver_version()?;
    Ok(Versions {
        driver,
        driver_release: driver_release(),
        newest_ptx: driver.newest_ptx(),
        runtime: runtime_version(),
        nvrtc: nvrtc_version(driver),
        gpus: gpus()?,
    })
}

/// The release of CUDA that the driver is for.
pub(crate) fn driver_version() -> Result<CudaVersion, Error> {
    let mut version = 0;
    // SAFETY: `version` outlives the call.
    let status = unsafe { (api()?.cuDriverGetVersion)(&raw mut version) };
    status.check("cuDriverGetVersion")?;
    Ok(CudaVersion::from_number(
        u32::try_from(version).unwrap_or(0),
    ))
}

/// The GPU of a context, and the driver's version.
pub(crate) fn machine(context: &Arc<CudaContext>) -> Result<(Sm, CudaVersion), Error> {
    Ok((context::sm(context)?, driver_version()?))
}

/// The GPUs.
fn gpus() -> Result<Vec<Gpu>, Error> {
    let api = api()?;
    // SAFETY: `cuInit` takes no flags, and may be called again.
    unsafe { (api.cuInit)(0) }.check("cuInit")?;
    let mut count = 0;
    // SAFETY: `count` outlives the call.
    unsafe { (api.cuDeviceGetCount)(&raw mut count) }.check("cuDeviceGetCount")?;
    (0..count).map(|ordinal| Gpu::ask(api, ordinal)).collect()
}

impl Gpu {
    fn ask(api: &Api, ordinal: c_int) -> Result<Self, Error> {
        /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
        const COMPUTE_CAPABILITY: [u32; 2] = [75, 76];
        const LENGTH: c_int = 256;
        let mut device = 0;
        // SAFETY: `device` outlives the call.
        unsafe { (api.cuDeviceGet)(&raw mut device, ordinal) }.check("cuDeviceGet")?;
        let mut name: [c_char; LENGTH as usize] = [0; LENGTH as usize];
        // SAFETY: the driver writes at most as many bytes as it is told, and ends the text with NUL.
        let status = unsafe { (api.cuDeviceGetName)(name.as_mut_ptr(), LENGTH, device) };
        status.check("cuDeviceGetName")?;
        let name: Vec<u8> = name
            .iter()
            .take_while(|&&byte| byte != 0)
            .map(|byte| byte.to_ne_bytes()[0])
            .collect();
        let mut sm = 0;
        for number in COMPUTE_CAPABILITY {
            let mut part = 0;
            // SAFETY: `part` outlives the call, and the driver gave the device.
            let status = unsafe { (api.cuDeviceGetAttribute)(&raw mut part, number, device) };
            status.check("cuDeviceGetAttribute")?;
            sm = sm * 10 + part;
        }
        Ok(Self {
            name: String::from_utf8_lossy(&name).into_owned(),
            sm: Sm(u16::try_from(sm).unwrap_or(0)),
        })
    }
}

/// The first word of numbers in `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …`.
fn driver_release() -> Option<String> {
    release_in(&fs::read_to_string("/proc/driver/nvidia/version").ok()?)
}

fn release_in(text: &str) -> Option<String> {
    let is_release = |word: &&str| {
        let mut parts = word.split('.');
        word.contains('.')
            && parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let line = text.lines().next()?;
    line.split_whitespace().find(is_release).map(Into::into)
}

/// The runtime's version, if its library is loaded.
#[cfg(target_os = "linux")]
fn runtime_version() -> Option<CudaVersion> {
    use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
    /// `<dlfcn.h>` of glibc and musl: only a library that is loaded already.
    const RTLD_NOLOAD: core::ffi::c_int = 4;
    type GetVersion = unsafe extern "C" fn(*mut core::ffi::c_int) -> core::ffi::c_int;
    let names = [
        "libcudart.so",
        "libcudart.so.13",
        "libcudart.so.12",
        "libcudart.so.11.0",
    ];
    let library = names.iter().find_map(|name| {
        // SAFETY: the library is loaded already, so nothing of it runs.
        unsafe { Library::open(Some(*name), RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL) }.ok()
    })?;
    // SAFETY: `cudaError_t cudaRuntimeGetVersion(int*)`, in every release of the runtime.
    let get_version = unsafe { library.get::<GetVersion>(b"cudaRuntimeGetVersion\0") }.ok()?;
    let mut version = 0;
    // SAFETY: `version` outlives the call, and the library is held.
    let status = unsafe { get_version(&raw mut version) };
    (status == 0).then(|| CudaVersion::from_number(u32::try_from(version).unwrap_or(0)))
}

#[cfg(not(target_os = "linux"))]
fn runtime_version() -> Option<CudaVersion> {
    None
}

#[cfg(feature = "nvrtc")]
fn nvrtc_version(driver: CudaVersion) -> Option<CudaVersion> {
    let nvrtc = kernel_args_nvrtc::system(driver.major).ok()?;
    let (major, minor) = nvrtc.version().ok()?;
    Some(CudaVersion {
        major: u16::try_from(major).ok()?,
        minor: u16::try_from(minor).ok()?,
    })
}

#[cfg(not(feature = "nvrtc"))]
fn nvrtc_version(_: CudaVersion) -> Option<CudaVersion> {
    None
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<22}{value}");
        row("kernel-args", &env!("CARGO_PKG_VERSION"))?;
        let cuda = self.driver;
        match &self.driver_release {
            Some(release) => row("driver", &format_args!("{release}, for CUDA {cuda}"))?,
            None => row("driver", &format_args!("for CUDA {cuda}"))?,
        }
        let or = |version: Option<&dyn fmt::Display>, none: &str| {
            version.map_or_else(|| none.into(), ToString::to_string)
        };
        let ptx = self.newest_ptx.as_ref().map(|ptx| ptx as _);
        row("newest PTX", &or(ptx, "not known for this driver"))?;
        let runtime = self.runtime.as_ref().map(|version| version as _);
        row("CUDA runtime", &or(runtime, "not loaded"))?;
        let nvrtc = self.nvrtc.as_ref().map(|version| version as _);
        let none = if cfg!(feature = "nvrtc") {
            "not found"
        } else {
            "the feature `nvrtc` is off"
        };
        row("NVRTC", &or(nvrtc, none))?;
        for (ordinal, gpu) in self.gpus.iter().enumerate() {
            row(
                &std::format!("GPU {ordinal}"),
                &format_args!("{}, {}", gpu.name, gpu.sm),
            )?;
        }
        if self.gpus.is_empty() {
            row("GPU", &"none")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_found_in_what_the_system_tells() {
        for (text, release) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue May  6 2026\nGCC version: gcc 13.3.0",
                Some("580.159.04"),
            ),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build",
                Some("570.86.15"),
            ),
            ("nothing of the kind", None),
            ("", None),
        ] {
            assert_eq!(release_in(text).as_deref(), release, "{text}");
        }
    }
}

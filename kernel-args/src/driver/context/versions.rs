//! Versions of the driver, the libraries and the GPUs.

use crate::driver::{
    api::{Api, api, out, runtime_version},
    context,
    error::Error,
};
use cudarc::driver::{CudaContext, sys::CUdevice};
use kernel_args_abi::Sm;
use kernel_args_image::{CudaVersion, PtxVersion};
use std::{ffi::c_int, fmt, fs, sync::Arc};

/// The versions of the driver, of the CUDA libraries and of the GPUs. `Display` writes them as a table for bug reports.
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
    /// The driver's own version, `580.159.04`, from `/proc/driver/nvidia/version`.
    pub driver_release: Option<String>,
    /// The newest PTX version that the driver compiles; `None` if it is newer than
    /// [`RELEASES`](kernel_args_image::RELEASES).
    pub newest_ptx: Option<PtxVersion>,
    /// The CUDA runtime's version, if its library is loaded in this process. A statically linked runtime is not
    /// detected.
    pub runtime: Option<CudaVersion>,
    /// The version of the library that [`Module::compile`](crate::Module) uses, which this call loads. `None` without
    /// the library or the feature `nvrtc`.
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

/// Returns the versions of the driver, of the CUDA libraries and of the GPUs.
///
/// # Errors
/// [`Error::NoDriver`] without the driver's library; [`Error::Driver`] if the driver does not initialise.
pub fn versions() -> Result<Versions, Error> {
    let (api, driver) = (api()?, driver_version()?);
    api.cuInit(0)?;
    let count = out(|count| api.cuDeviceGetCount(count))?;
    let gpu = |ordinal| Gpu::of(api, out(|device| api.cuDeviceGet(device, ordinal))?);
    Ok(Versions {
        driver,
        driver_release: fs::read_to_string("/proc/driver/nvidia/version").ok().and_then(|text| release_in(&text)),
        newest_ptx: driver.newest_ptx(),
        runtime: runtime_version().map(cuda_version),
        #[cfg(feature = "nvrtc")]
        nvrtc: nvrtc_version(driver),
        #[cfg(not(feature = "nvrtc"))]
        nvrtc: None,
        gpus: (0..count).map(gpu).collect::<Result<_, _>>()?,
    })
}

pub(crate) fn driver_version() -> Result<CudaVersion, Error> {
    let api = api()?;
    Ok(cuda_version(out(|version| api.cuDriverGetVersion(version))?))
}

fn cuda_version(number: c_int) -> CudaVersion {
    CudaVersion::from_number(u32::try_from(number).unwrap_or(0))
}

pub(crate) fn machine(context: &Arc<CudaContext>) -> Result<(Sm, CudaVersion), Error> {
    Ok((context::sm(context)?, driver_version()?))
}

impl Gpu {
    pub(crate) fn of(api: &Api, device: CUdevice) -> Result<Self, Error> {
        Ok(Self { name: api.device_name(device)?, sm: api.sm(device)? })
    }
}

/// Returns the first word of numbers in `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …`.
fn release_in(text: &str) -> Option<String> {
    let is_release = |word: &&str| {
        let mut parts = word.split('.');
        word.contains('.') && parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let line = text.lines().next()?;
    line.split_whitespace().find(is_release).map(Into::into)
}

#[cfg(feature = "nvrtc")]
fn nvrtc_version(driver: CudaVersion) -> Option<CudaVersion> {
    let (major, minor) = kernel_args_nvrtc::system(driver.major).ok()?.version().ok()?;
    Some(CudaVersion { major: u16::try_from(major).ok()?, minor: u16::try_from(minor).ok()? })
}

fn or(version: Option<impl fmt::Display>, none: &str) -> String {
    version.map_or_else(|| none.into(), |version| version.to_string())
}

display!(Versions, |this, f| {
    let mut row = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<22}{value}");
    row("kernel-args", &env!("CARGO_PKG_VERSION"))?;
    let cuda = this.driver;
    match &this.driver_release {
        Some(release) => row("driver", &format_args!("{release}, for CUDA {cuda}"))?,
        None => row("driver", &format_args!("for CUDA {cuda}"))?,
    }
    let none = if cfg!(feature = "nvrtc") { "not found" } else { "the feature `nvrtc` is off" };
    row("newest PTX", &or(this.newest_ptx, "not known for this driver"))?;
    row("CUDA runtime", &or(this.runtime, "not loaded"))?;
    row("NVRTC", &or(this.nvrtc, none))?;
    for (ordinal, gpu) in this.gpus.iter().enumerate() {
        row(&format!("GPU {ordinal}"), &format_args!("{}, {}", gpu.name, gpu.sm))?;
    }
    if this.gpus.is_empty() {
        row("GPU", &"none")?;
    }
    Ok(())
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_found_in_the_text_of_the_system() {
        for (text, release) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue May  6 2026\nGCC version: gcc 13.3.0",
                Some("580.159.04"),
            ),
            ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build", Some("570.86.15")),
            ("nothing of the kind", None),
            ("", None),
        ] {
            assert_eq!(release_in(text).as_deref(), release, "{text}");
        }
    }
}

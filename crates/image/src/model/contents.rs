//! The code in an image, and which GPUs and drivers can run it.

use crate::prelude::*;
use crate::{
    code::{
        release::{CudaVersion, PtxVersion},
        target::{Compatibility, Features, Target},
    },
    formats::{
        cubin,
        detect::{Error, Kind, format},
        fatbin::{self, Budget, Member},
        ptx,
    },
};
use kernel_args_abi::Sm;

/// One piece of code in an image: a PTX text, a cubin, or another member of a fat binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Code {
    /// The kind of code.
    pub kind: CodeKind,
    /// The GPUs that it was compiled for, if they are known. A separate cubin does not contain its features.
    pub target: Option<Target>,
}

/// The kind of a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CodeKind {
    /// PTX.
    #[non_exhaustive]
    Ptx {
        /// `.version`.
        version: PtxVersion,
        /// `.address_size` in bits, if the text contains it.
        address_size: Option<u8>,
    },
    /// A cubin.
    Cubin,
    /// LTO-IR (`code=lto_90`): for nvcc's linker, or the library nvJitLink.
    LtoIr,
    /// Tile IR, which drivers for CUDA 13.1 and newer compile.
    TileIr,
    /// A kind that this crate does not know.
    Other,
}

/// Why code does not run on a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Unfit {
    /// It was compiled for other GPUs.
    Gpu,
    /// It is PTX of a version that the driver does not support.
    PtxVersion,
    /// It is PTX with 32-bit addresses.
    AddressSize,
    /// It is LTO-IR, which must be linked.
    LtoIr,
    /// It is Tile IR, and the driver is older than CUDA 13.1.
    TileIr,
}

impl Code {
    /// Returns whether this code runs on GPU `gpu` with a driver for `driver`: `Ok(true)` by the rules of [`Target`]
    /// and [`CudaVersion::newest_ptx`], `Ok(false)` if they do not decide. A driver of unknown version supports any
    /// PTX.
    ///
    /// # Errors
    /// The first reason why the code does not run.
    pub fn runs_on(&self, gpu: Sm, driver: Option<CudaVersion>) -> Result<bool, Unfit> {
        let compatible = match self.kind {
            CodeKind::Ptx { address_size: Some(32), .. } => return Err(Unfit::AddressSize),
            CodeKind::Ptx { version, .. } => {
                let newest = driver.and_then(CudaVersion::newest_ptx);
                let compatible = self.target.map(|target| target.ptx_compiles_for(gpu));
                // No driver makes it run on this GPU.
                if newest.is_some_and(|newest| version > newest) && compatible != Some(Compatibility::No) {
                    return Err(Unfit::PtxVersion);
                }
                match compatible {
                    Some(Compatibility::Yes) if newest.is_none() => Some(Compatibility::Unknown),
                    other => other,
                }
            }
            CodeKind::Cubin => self.target.map(|target| target.cubin_runs_on(gpu)),
            CodeKind::LtoIr => return Err(Unfit::LtoIr),
            CodeKind::TileIr if driver.is_some_and(|driver| driver < CudaVersion::TILE_IR) => {
                return Err(Unfit::TileIr);
            }
            CodeKind::TileIr | CodeKind::Other => None,
        };
        match compatible {
            Some(Compatibility::Yes) => Ok(true),
            Some(Compatibility::No) => Err(Unfit::Gpu),
            Some(Compatibility::Unknown) | None => Ok(false),
        }
    }
}

/// Returns the code in an image, in order. Reads only the beginning of PTX, decompressed one after another.
///
/// # Errors
/// If the bytes are not an image, or a member of a fat binary cannot be read.
pub fn contents(image: &[u8]) -> Result<Vec<Code>, Error> {
    contents_of(format(image)?, image)
}

/// [`contents`] without a look at each byte of a text.
///
/// # Errors
/// As [`contents`].
#[doc(hidden)]
pub fn contents_of(kind: Kind, image: &[u8]) -> Result<Vec<Code>, Error> {
    match kind {
        Kind::Ptx => Ok([ptx_code(image)?].into()),
        Kind::Cubin => {
            let sm = cubin::sm_of(image).map_err(Error::Cubin)?;
            Ok([cubin_code(sm, Features::Baseline)].into())
        }
        Kind::Fatbin => {
            let mut budget = Budget::new(image.len() as u64);
            let members = fatbin::members(image).map_err(Error::Fatbin)?;
            members.iter().map(|member| member_code(member, &mut budget)).collect()
        }
    }
}

fn member_code(member: &Member<'_>, budget: &mut Budget) -> Result<Code, Error> {
    let target = Some(Target { sm: member.sm, features: member.features });
    let kind = match member.kind {
        fatbin::Kind::Ptx => return ptx_code(&budget.bytes(member).map_err(Error::Fatbin)?),
        fatbin::Kind::Elf => return Ok(cubin_code(member.sm, member.features)),
        fatbin::Kind::Ltoir => CodeKind::LtoIr,
        fatbin::Kind::TileIr => CodeKind::TileIr,
        fatbin::Kind::Other(_) => CodeKind::Other,
    };
    Ok(Code { kind, target })
}

fn ptx_code(bytes: &[u8]) -> Result<Code, Error> {
    let header = ptx::Header::read(bytes).map_err(Error::Ptx)?;
    let (major, minor) = header.version;
    Ok(Code {
        kind: CodeKind::Ptx { version: PtxVersion { major, minor }, address_size: header.address_size },
        target: header.target.gpu,
    })
}

const fn cubin_code(sm: Sm, features: Features) -> Code {
    Code { kind: CodeKind::Cubin, target: Some(Target { sm, features }) }
}

display!(Code, |this, f| {
    match this.kind {
        CodeKind::Ptx { version, address_size } => {
            write!(f, "PTX {version}")?;
            if address_size == Some(32) {
                f.write_str(" of 32 bits")?;
            }
        }
        CodeKind::Cubin => f.write_str("a cubin")?,
        CodeKind::LtoIr => f.write_str("LTO-IR")?,
        CodeKind::TileIr => f.write_str("Tile IR")?,
        CodeKind::Other => f.write_str("code of an unknown kind")?,
    }
    match this.target {
        Some(target) => write!(f, " for {target}"),
        None => Ok(()),
    }
});

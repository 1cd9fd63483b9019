//! What a launcher has returned.

use super::{
    LostContext,
    meaning::{Asked, Meaning, help, meaning},
};
use crate::driver::api::Status;

/// A launcher that returned an error.
#[non_exhaustive]
pub struct FailedLauncher {
    /// The name of the function.
    pub launcher: String,
    /// The number that it returned.
    pub code: i32,
    /// The runtime's name of the number, such as `cudaErrorInvalidConfiguration`; `None` if it has none, or if it is no
    /// `cudaError_t`.
    pub name: Option<String>,
    /// Every argument, decoded, with its field's name, if something observes launches, or a sequence records the call.
    /// Otherwise empty.
    pub arguments: String,
    /// If a kernel left the error: what is known about it.
    pub lost: Option<Box<LostContext>>,
}

/// CUDA Runtime API, `cudaError_t`: the codes that the driver does not have, or names differently. All other codes have
/// the driver's name.
#[rustfmt::skip]
const NAMES: &[(i32, &str)] = &[
    (2, "MemoryAllocation"), (3, "InitializationError"), (4, "CudartUnloading"), (9, "InvalidConfiguration"), (12, "InvalidPitchValue"),
    (13, "InvalidSymbol"), (16, "InvalidHostPointer"), (17, "InvalidDevicePointer"), (18, "InvalidTexture"), (19, "InvalidTextureBinding"),
    (20, "InvalidChannelDescriptor"), (21, "InvalidMemcpyDirection"), (22, "AddressOfConstant"), (23, "TextureFetchFailed"),
    (24, "TextureNotBound"), (25, "SynchronizationError"), (26, "InvalidFilterSetting"), (27, "InvalidNormSetting"),
    (28, "MixedDeviceExecution"), (31, "NotYetImplemented"), (32, "MemoryValueTooLarge"), (35, "InsufficientDriver"), (37, "InvalidSurface"),
    (43, "DuplicateVariableName"), (44, "DuplicateTextureName"), (45, "DuplicateSurfaceName"), (46, "DevicesUnavailable"),
    (49, "IncompatibleDriverContext"), (52, "MissingConfiguration"), (53, "PriorLaunchFailure"), (65, "LaunchMaxDepthExceeded"),
    (66, "LaunchFileScopedTex"), (67, "LaunchFileScopedSurf"), (68, "SyncDepthExceeded"), (69, "LaunchPendingCountExceeded"),
    (98, "InvalidDeviceFunction"), (103, "SoftwareValidityNotEstablished"), (127, "StartupFailure"), (200, "InvalidKernelImage"),
    (201, "DeviceUninitialized"), (205, "MapBufferObjectFailed"), (206, "UnmapBufferObjectFailed"), (209, "NoKernelImageForDevice"),
    (214, "ECCUncorrectable"), (216, "DeviceAlreadyInUse"), (225, "UnsupportedDevSideSync"), (400, "InvalidResourceHandle"),
    (500, "SymbolNotFound"), (708, "SetOnActiveProcess"), (719, "LaunchFailure"),
];

/// `cudaErrorIllegalAddress` for 700, for which the driver has `CUDA_ERROR_ILLEGAL_ADDRESS`.
pub(crate) fn runtime_name(code: i32) -> Option<String> {
    if let Some((_, name)) = NAMES.iter().find(|(one, _)| *one == code) {
        return Some(format!("cudaError{name}"));
    }
    let words = Status(code.cast_unsigned()).name()?.strip_prefix("CUDA_ERROR_")?.to_lowercase();
    let capital = |word: &str| word.split_at_checked(1).map(|(first, rest)| first.to_uppercase() + rest);
    Some(format!("cudaError{}", words.split('_').filter_map(capital).collect::<String>()))
}

/// Returns what the codes mean that only the runtime has, and what to do.
fn of_the_runtime(code: i32) -> Option<Meaning> {
    let (what, help) = match code {
        9 => (
            "the launcher has launched a kernel with a grid, a block or shared memory that this GPU does not support",
            "compare the arguments from which the launcher computes them with what it supports; a count of 0 gives a grid without blocks",
        ),
        13 | 98 => (
            "the library of the launcher contains no code of this kernel or variable for this GPU",
            "compile it for the architecture of this GPU (`nvcc -arch=native`), or with PTX, which the driver compiles",
        ),
        35 => (
            "the driver is older than the CUDA runtime of the launcher's library",
            "install a newer driver, or compile with an older toolkit",
        ),
        _ => return None,
    };
    Some(Meaning { what, help })
}

display!(FailedLauncher, |this, f| {
    let Self { launcher, code, name, arguments, lost } = this;
    let returned = match name {
        Some(name) => format!("launcher `{launcher}` returned {name} ({code})"),
        None => format!("launcher `{launcher}` returned {code}"),
    };
    let arguments = if arguments.is_empty() { String::new() } else { format!("\n{arguments}") };
    if let Some(lost) = lost {
        return lost.write(f, format_args!("{returned}{arguments}"));
    }
    f.write_str(&returned)?;
    let of_the_driver = || meaning(Status(code.cast_unsigned()), Asked::Other);
    let known = name.as_ref().and_then(|_| of_the_runtime(*code).or_else(of_the_driver));
    if let Some(Meaning { what, .. }) = known {
        write!(f, "\n  {what}")?;
    }
    f.write_str(&arguments)?;
    help(f, known.map_or("", |known| known.help))
});

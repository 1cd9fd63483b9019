//! Whether a struct fits a loaded kernel.

use super::{
    api::{GetParamInfo, Status, api},
    context::sm,
    error::{Error, MismatchError},
    image::Description,
    loaded_function::function_name,
};
use crate::marshal::KernelArgs;
use cudarc::driver::{
    CudaContext,
    sys::{CUfunction, CUresult},
};
use kernel_args_abi::{
    ParamLayout, Parameter, Signature,
    check::{self, Report, Selection},
};
use std::{
    boxed::Box,
    fmt, format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// What arguments are verified against.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The arguments fit, as far as these describe the kernel.
    #[non_exhaustive]
    Verified {
        /// The driver reported size and offset of every parameter (`cuFuncGetParamInfo`, driver 12.4 and newer).
        driver: bool,
        /// The image described the parameters: PTX has class and alignment, a mangled name the C++ types.
        image: bool,
    },
    /// Neither was available: wrong arguments would not be noticed.
    Unverified(Unverified),
}

/// Why a kernel could not be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unverified {
    /// Why the image could not be read; `None` where there was no image.
    pub image: Option<String>,
}

impl Verification {
    /// Whether arguments of `kernel` are verified.
    pub(super) fn require(&self, kernel: &str) -> Result<(), Error> {
        match self {
            Self::Verified { .. } => Ok(()),
            Self::Unverified(reason) => Err(Error::Unverified {
                kernel: kernel.into(),
                reason: reason.to_string(),
            }),
        }
    }
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the driver is older than 12.4 and does not report a kernel's parameters, and ",
        )?;
        match &self.image {
            Some(problem) => write!(f, "the image could not be read: {problem}"),
            None => f.write_str(
                "there was no image to read\nhelp: load the kernel with `Kernel::from_image`",
            ),
        }
    }
}

impl Verification {
    /// What is at hand for every verification of a function: the driver's records, where it is new enough, and the
    /// function's description, or why there is none.
    pub(super) fn of(
        description: Option<&Description>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        let (driver, image) = (api()?.cuFuncGetParamInfo.is_some(), description.is_some());
        Ok(if driver || image {
            Self::Verified { driver, image }
        } else {
            Self::Unverified(Unverified {
                image: unread.map(ToString::to_string),
            })
        })
    }
}

/// The arguments of a launch, as a kernel's are described: a struct or a list.
#[derive(Clone, Copy)]
pub(super) struct Host<'a> {
    pub(super) signature: Signature<'a>,
    pub(super) layout: ParamLayout,
}

impl Host<'static> {
    pub(super) const fn of<A: KernelArgs>() -> Self {
        Self {
            signature: A::SIGNATURE,
            layout: A::LAYOUT,
        }
    }
}

/// Verifies arguments against the loaded function and against its image.
///
/// # Safety
/// `function` is loaded, and its context is current.
pub(super) unsafe fn verify(
    host: Host<'_>,
    function: CUfunction,
    symbol: &str,
    context: &Arc<CudaContext>,
    description: Option<&Description>,
) -> Result<(), Error> {
    let base = param_base(host.layout, context)?;
    if let Some(description) = description {
        let name = description.spelled();
        compare(host, name, &description.parameters(), base)?;
    }
    // SAFETY: the caller vouches for the function.
    match unsafe { records(function) }? {
        Some(records) => compare(host, symbol, &records, base),
        None => Ok(()),
    }
}

/// Whether an image describes the function that the driver has: the error says how they differ.
///
/// # Safety
/// `function` is loaded, and its context is current.
pub(super) unsafe fn describes(
    description: &Description,
    function: CUfunction,
    context: &Arc<CudaContext>,
) -> Result<(), Error> {
    // SAFETY: the caller vouches for the function.
    let Some(records) = (unsafe { records(function) })? else {
        return Ok(());
    };
    let parameters = description.parameters();
    // PTX has no offsets: those of over-aligned parameters are compared where the GPU's rule is known.
    let size = records
        .last()
        .map_or(0, |last| last.offset.unwrap_or(0) + last.size);
    let base = sm(context)?.param_base(size);
    if check::fits(&parameters, &records, base) {
        return Ok(());
    }
    let list = |parameters: &[Parameter<'_>]| {
        let sizes: Vec<String> = parameters.iter().map(|p| p.size.to_string()).collect();
        match sizes.as_slice() {
            [] => String::from("no parameters"),
            sizes => format!("parameters of {} bytes", sizes.join(", ")),
        }
    };
    Err(Error::Image(format!(
        "the image that was given for kernel `{}` is not the one that the function was loaded from: in the image the kernel \
         takes {}, but the driver reports {}\n\
         help: give the image from which the module was loaded",
        description.symbol,
        list(&parameters),
        list(&records),
    )))
}

/// Verifies a struct against a function without a description, by what the driver reports; nothing where the driver is older
/// than 12.4. Returns whether the function could be verified.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[cold]
pub(super) unsafe fn verify_by_driver(host: Host<'_>, function: CUfunction) -> Result<bool, Error> {
    // SAFETY: the caller vouches for the function.
    let Some(records) = (unsafe { records(function) })? else {
        return Ok(false);
    };
    if !check::fits(host.signature.parameters, &records, None) {
        // SAFETY: as above.
        let name = unsafe { function_name(function) };
        compare(host, &name, &records, None)?;
    }
    Ok(true)
}

/// Whether the last parameter of `function` is the last one of `host`: one driver call, and none past the end, which takes the
/// driver a microsecond. A kernel without parameters has no last one to ask for.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[inline]
pub(super) unsafe fn last_fits(
    host: Host<'_>,
    function: CUfunction,
    get_param_info: GetParamInfo,
) -> bool {
    let [before @ .., last] = host.signature.parameters else {
        return true;
    };
    let (mut offset, mut size) = (0, 0);
    // SAFETY: the caller vouches for the function; both places outlive the call.
    let status = unsafe { get_param_info(function, before.len(), &raw mut offset, &raw mut size) };
    let placed = last.offset == Some(offset) || host.layout.depends_on_gpu();
    status == Status::SUCCESS && size == last.size && placed
}

/// Offset and size of every parameter as the driver reports them; `None` where it is older than 12.4.
///
/// # Safety
/// `function` is loaded, and its context is current.
unsafe fn records(function: CUfunction) -> Result<Option<Vec<Parameter<'static>>>, Error> {
    let Some(get_param_info) = api()?.cuFuncGetParamInfo else {
        return Ok(None);
    };
    let mut records = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the caller vouches for the function; both places outlive the call.
        match unsafe { get_param_info(function, records.len(), &raw mut offset, &raw mut size) } {
            Status::SUCCESS => records.push(Parameter::record(offset, size)),
            // An index past the end.
            error if error == CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(Some(records)),
            error => error.check("cuFuncGetParamInfo")?,
        }
    }
}

/// Where the parameter block begins on the context's GPU, if that matters for `layout`.
fn param_base(layout: ParamLayout, context: &Arc<CudaContext>) -> Result<Option<usize>, Error> {
    if layout.depends_on_gpu() {
        Ok(sm(context)?.param_base(layout.size()))
    } else {
        Ok(None)
    }
}

fn compare(
    host: Host<'_>,
    kernel: &str,
    parameters: &[Parameter<'_>],
    base: Option<usize>,
) -> Result<(), Error> {
    let kernel = Signature {
        name: kernel,
        parameters,
    };
    let report: Report<'_> = check::report_at(&host.signature, &kernel, base);
    if report.is_empty() {
        return Ok(());
    }
    let fields = report
        .mismatches()
        .iter()
        .filter_map(|mismatch| {
            Some(
                host.signature
                    .parameters
                    .get(mismatch.field()?)?
                    .name
                    .into(),
            )
        })
        .collect();
    Err(Error::Mismatch(Box::new(MismatchError {
        kernel: kernel.name.into(),
        arguments: host.signature.name.into(),
        fields,
        table: report.table().to_string(),
    })))
}

/// The one of several kernels that `A` fits; otherwise what is wrong, and the kernels.
pub(super) fn select<'d, A: KernelArgs>(
    kernels: &[&'d Arc<Description>],
) -> Result<&'d Arc<Description>, (&'static str, Vec<String>)> {
    let parameters: Vec<Vec<Parameter<'_>>> =
        kernels.iter().map(|kernel| kernel.parameters()).collect();
    let signatures: Vec<Signature<'_>> = kernels
        .iter()
        .zip(&parameters)
        .map(|(kernel, parameters)| Signature {
            name: kernel.spelled(),
            parameters,
        })
        .collect();
    let problem = match check::select(A::PARAMETERS, &signatures) {
        Selection::One(index) => return Ok(kernels[index]),
        Selection::None => "none of these kernels takes the fields of the struct",
        _ => "several kernels take the fields of the struct; write the full name of one",
    };
    Err((
        problem,
        kernels
            .iter()
            .map(|kernel| kernel.spelled().into())
            .collect(),
    ))
}

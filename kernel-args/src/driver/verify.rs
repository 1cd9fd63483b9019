//! Whether a struct fits a loaded kernel, by everything that tells.

use super::{
    api::api,
    error::{Error, MismatchError},
    image::Description,
    status::Status,
};
use crate::marshal::KernelArgs;
use cudarc::driver::{
    CudaContext,
    sys::{CUfunction, CUresult},
};
use kernel_args_abi::{
    Parameter, Signature, Sm,
    check::{self, Report, Selection},
};
use std::{
    boxed::Box,
    ffi::CStr,
    fmt,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// What a struct was verified against when its kernel was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The struct fits, as far as these tell.
    #[non_exhaustive]
    Verified {
        /// The driver told size and offset of every parameter (`cuFuncGetParamInfo`, driver 12.4 and newer).
        driver: bool,
        /// The image told what it knows: PTX class and alignment, a mangled name the C++ types.
        image: bool,
    },
    /// Nothing could tell: a wrong struct would go unnoticed.
    Unverified(Unverified),
}

/// Why a kernel could not be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unverified {
    /// What is wrong with the image; `None` where there was none to read.
    pub image: Option<String>,
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the driver is older than 12.4 and does not tell a kernel's parameters, and ")?;
        match &self.image {
            Some(problem) => write!(f, "the image could not be read: {problem}"),
            None => f.write_str("there was no image to read; load it with `Kernel::from_image`"),
        }
    }
}

/// Verifies `A` against the loaded function and against its image.
///
/// # Safety
/// `function` is loaded, and its context is current.
pub(super) unsafe fn verify<A: KernelArgs>(
    function: CUfunction,
    symbol: &str,
    context: &Arc<CudaContext>,
    description: Option<&Description>,
    unread: Option<&str>,
) -> Result<Verification, Error> {
    if let Some(description) = description {
        let name = description.spelled();
        compare::<A>(name, &description.parameters(), param_base::<A>(context)?)?;
    }
    // SAFETY: the caller vouches for the function.
    let records = unsafe { records(function) }?;
    if let Some(records) = &records {
        compare::<A>(symbol, records, param_base::<A>(context)?)?;
    }
    let (driver, image) = (records.is_some(), description.is_some());
    Ok(if driver || image {
        Verification::Verified { driver, image }
    } else {
        Verification::Unverified(Unverified {
            image: unread.map(ToString::to_string),
        })
    })
}

/// Verifies `A` against a function of which nothing else is known, at every launch: one driver call for each
/// parameter, and nothing where the driver is older than 12.4.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[inline]
pub(super) unsafe fn quick<A: KernelArgs>(function: CUfunction) -> Result<(), Error> {
    let Some(get_param_info) = api()?.cuFuncGetParamInfo else {
        return Ok(());
    };
    let (mut offset, mut size) = (0, 0);
    for (i, parameter) in A::PARAMETERS.iter().enumerate() {
        // SAFETY: the caller vouches for the function; both places outlive the call.
        let status = unsafe { get_param_info(function, i, &raw mut offset, &raw mut size) };
        let placed = parameter.offset == Some(offset) || A::LAYOUT.depends_on_gpu();
        if status != Status::SUCCESS || size != parameter.size || !placed {
            // SAFETY: as above.
            return unsafe { explain::<A>(function) };
        }
    }
    // SAFETY: as above.
    let more = unsafe {
        get_param_info(
            function,
            A::PARAMETERS.len(),
            &raw mut offset,
            &raw mut size,
        )
    };
    if more == Status::SUCCESS {
        // SAFETY: as above.
        return unsafe { explain::<A>(function) };
    }
    Ok(())
}

/// Says how `A` differs from what the driver tells of `function`.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[cold]
unsafe fn explain<A: KernelArgs>(function: CUfunction) -> Result<(), Error> {
    // SAFETY: the caller vouches for the function.
    match unsafe { records(function) }? {
        Some(records) => compare::<A>(&function_name(function), &records, None),
        None => Ok(()),
    }
}

/// Offset and size of every parameter as the driver tells them; `None` where it is older than 12.4.
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

/// The compute capability of the context's GPU.
pub(super) fn sm(context: &Arc<CudaContext>) -> Result<Sm, Error> {
    let (major, minor) = context.compute_capability().map_err(Error::current)?;
    Ok(Sm(u16::try_from(major * 10 + minor).unwrap_or(0)))
}

/// Where the parameter block begins on the context's GPU, if that matters for `A`.
fn param_base<A: KernelArgs>(context: &Arc<CudaContext>) -> Result<Option<usize>, Error> {
    if A::LAYOUT.depends_on_gpu() {
        Ok(sm(context)?.param_base(A::LAYOUT.size()))
    } else {
        Ok(None)
    }
}

fn compare<A: KernelArgs>(
    kernel: &str,
    parameters: &[Parameter<'_>],
    base: Option<usize>,
) -> Result<(), Error> {
    let kernel = Signature {
        name: kernel,
        parameters,
    };
    let report: Report<'_> = check::report_at(&A::SIGNATURE, &kernel, base);
    if report.is_empty() {
        return Ok(());
    }
    let fields = report
        .mismatches()
        .iter()
        .filter_map(|mismatch| Some(A::PARAMETERS.get(mismatch.field()?)?.name))
        .collect();
    Err(Error::Mismatch(Box::new(MismatchError {
        kernel: kernel.name.into(),
        arguments: A::NAME,
        fields,
        table: report.table().to_string(),
    })))
}

/// The one of several kernels that `A` fits; else what is wrong, and the kernels in question.
pub(super) fn select<'d, A: KernelArgs>(
    kernels: &[&'d Description],
) -> Result<&'d Description, (&'static str, Vec<String>)> {
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
        Selection::None => "none of these takes the arguments",
        _ => "several take the arguments; spell out which",
    };
    Err((
        problem,
        kernels
            .iter()
            .map(|kernel| kernel.spelled().into())
            .collect(),
    ))
}

/// The kernel's symbol, for messages; the driver tells it from 12.3 on.
pub(super) fn function_name(function: CUfunction) -> String {
    let mut name = std::ptr::null();
    let get_name = api().ok().and_then(|api| api.cuFuncGetName);
    let told = get_name.is_some_and(|get_name| {
        // SAFETY: callers have a loaded function; `name` outlives the call.
        unsafe { get_name(&raw mut name, function) == Status::SUCCESS }
    });
    if told && !name.is_null() {
        // SAFETY: the driver returned a text that ends with NUL and lives as long as the function.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    } else {
        String::from("(unnamed)")
    }
}

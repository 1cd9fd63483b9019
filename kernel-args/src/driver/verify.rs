//! Whether a struct fits a loaded kernel.

use super::{
    api::{Status, api},
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
    Parameter, Signature,
    check::{self, Report, Selection},
};
use std::{
    boxed::Box,
    fmt::{self, Write as _},
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// What a struct was verified against when its kernel was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The struct fits, as far as these describe the kernel.
    #[non_exhaustive]
    Verified {
        /// The driver reported size and offset of every parameter (`cuFuncGetParamInfo`, driver 12.4 and newer).
        driver: bool,
        /// The image described the parameters: PTX has class and alignment, a mangled name the C++ types.
        image: bool,
    },
    /// Neither was available: a wrong struct would not be noticed.
    Unverified(Unverified),
}

/// Why a kernel could not be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unverified {
    /// Why the image could not be read; `None` where there was no image.
    pub image: Option<String>,
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

/// Verifies `A` against a function without a description, at every launch: one driver call for each parameter, and
/// nothing where the driver is older than 12.4.
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
    // The error of an index past the end.
    if more != CUresult::CUDA_ERROR_INVALID_VALUE {
        // SAFETY: as above.
        return unsafe { explain::<A>(function) };
    }
    Ok(())
}

/// The error that shows how `A` differs from what the driver reports of `function`.
///
/// # Safety
/// `function` is loaded, and its context is current.
#[cold]
unsafe fn explain<A: KernelArgs>(function: CUfunction) -> Result<(), Error> {
    // SAFETY: the caller vouches for the function.
    match unsafe { records(function) }? {
        Some(records) => {
            // SAFETY: as above.
            let name = unsafe { function_name(function) };
            compare::<A>(&name, &records, None)
        }
        None => Ok(()),
    }
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

/// The one of several kernels that `A` fits.
///
/// # Errors
/// [`Error::Mismatch`] with the table of the nearest where none fits; [`Error::Entry`] where several do.
pub(super) fn select<'d, A: KernelArgs>(
    wanted: &str,
    kernels: &[&'d Description],
) -> Result<&'d Description, Error> {
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
    match check::select(A::PARAMETERS, &signatures) {
        Selection::One(index) => Ok(kernels[index]),
        Selection::None => Err(none_fits::<A>(wanted, &signatures)),
        _ => Err(Error::Entry {
            wanted: wanted.into(),
            problem: "several kernels take the fields of the struct; write the full name of one",
            candidates: kernels
                .iter()
                .map(|kernel| kernel.spelled().into())
                .collect(),
        }),
    }
}

/// How many names an error lists.
const LISTED: usize = 12;

#[cold]
fn none_fits<A: KernelArgs>(wanted: &str, kernels: &[Signature<'_>]) -> Error {
    let nearest = &kernels[check::nearest(&A::SIGNATURE, kernels)];
    match compare::<A>(nearest.name, nearest.parameters, None) {
        Err(Error::Mismatch(mut mismatch)) => {
            let mut table = format!(
                "none of the kernels named `{wanted}` takes the fields of `{}`; the nearest is this one:\n{}\n\
                 the kernels of that name:",
                A::NAME,
                mismatch.table
            );
            for kernel in kernels.iter().take(LISTED) {
                table.push_str("\n  ");
                table.push_str(kernel.name);
            }
            if let Some(more) = kernels.len().checked_sub(LISTED).filter(|more| *more > 0) {
                // Writing to a `String` cannot fail.
                let _ = write!(table, "\n  … and {more} more");
            }
            mismatch.table = table;
            Error::Mismatch(mismatch)
        }
        Err(other) => other,
        Ok(()) => Error::Entry {
            wanted: wanted.into(),
            problem: "none of these kernels takes the fields of the struct",
            candidates: kernels.iter().map(|kernel| kernel.name.into()).collect(),
        },
    }
}

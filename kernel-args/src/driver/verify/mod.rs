//! Compares arguments with a loaded kernel.

mod not_compared;
mod verification;

pub use not_compared::NotCompared;
pub use verification::Verification;

use crate::{
    driver::{
        api::{CallError, FunctionHandle, api},
        context::sm,
        error::{Error, LoadError, MismatchError, VerifyError},
        image::{Description, distinct_names},
    },
    marshal::KernelArgs,
};
use cudarc::driver::CudaContext;
use kernel_args_abi::{
    ParamLayout, Parameter, Signature,
    check::{self, Report, Selection},
};
use std::sync::Arc;

/// The arguments of a launch, in the same model as a kernel's parameters: a struct or a list.
#[derive(Clone, Copy)]
pub(crate) struct Host<'a> {
    pub(crate) signature: Signature<'a>,
    pub(crate) layout: ParamLayout,
}

impl Host<'static> {
    pub(crate) const fn of<A: KernelArgs>() -> Self {
        Self { signature: A::SIGNATURE, layout: A::LAYOUT }
    }
}

/// Verifies arguments against the loaded function and its image. The function's context must be current.
pub(crate) fn verify(
    host: Host<'_>,
    function: FunctionHandle<'_>,
    symbol: &str,
    context: &Arc<CudaContext>,
    description: Option<&Description>,
) -> Result<(), Error> {
    // The offset of the parameter block on this GPU, if it matters.
    let layout = host.layout;
    let base = if layout.depends_on_gpu() { sm(context)?.param_base(layout.size()) } else { None };
    if let Some(description) = description {
        let parameters = description.analysed();
        compare(host, description.spelled(), &parameters, base)?;
    }
    match records(function)? {
        Some(records) => compare(host, symbol, &records, base),
        None => Ok(()),
    }
}

pub(crate) fn records(function: FunctionHandle<'_>) -> Result<Option<Vec<Parameter<'static>>>, CallError> {
    let places = api()?.parameters(function)?;
    Ok(places.map(|places| places.into_iter().map(|(offset, size)| Parameter::record(offset, size)).collect()))
}

pub(crate) fn compare(
    host: Host<'_>,
    kernel: &str,
    parameters: &[Parameter<'_>],
    base: Option<usize>,
) -> Result<(), Error> {
    let kernel = Signature { name: kernel, parameters };
    let report: Report<'_> = check::report_at(&host.signature, &kernel, base);
    if report.is_empty() {
        return Ok(());
    }
    let fields = report
        .mismatches()
        .iter()
        .filter_map(|mismatch| Some(host.signature.parameters.get(mismatch.field()?)?.name.into()))
        .collect();
    Err(Error::Verify(VerifyError::Mismatch(Box::new(MismatchError {
        kernel: kernel.name.into(),
        arguments: host.signature.name.into(),
        fields,
        table: report.table().to_string(),
    }))))
}

/// Returns the kernel, out of several, that the struct matches.
pub(crate) fn select<'d>(
    host: Host<'_>,
    wanted: &str,
    kernels: &[&'d Arc<Description>],
) -> Result<&'d Arc<Description>, Error> {
    let parameters: Vec<_> = kernels.iter().map(|kernel| kernel.analysed()).collect();
    let signatures: Vec<_> = kernels
        .iter()
        .zip(&parameters)
        .map(|(kernel, parameters)| Signature { name: kernel.spelled(), parameters })
        .collect();
    match check::select(host.signature.parameters, &signatures) {
        Selection::One(index) => Ok(kernels[index]),
        Selection::None => Err(none_fits(host, wanted, &signatures)),
        _ => Err(LoadError::not_found(
            wanted,
            "several kernels match the fields of the struct; write the full name of one",
            distinct_names(kernels),
        )),
    }
}

const LISTED: usize = 12;

#[cold]
fn none_fits(host: Host<'_>, wanted: &str, kernels: &[Signature<'_>]) -> Error {
    let nearest = &kernels[check::nearest(&host.signature, kernels)];
    match compare(host, nearest.name, nearest.parameters, None) {
        Err(Error::Verify(VerifyError::Mismatch(mut mismatch))) => {
            let names: Vec<_> = kernels.iter().take(LISTED).map(|kernel| format!("\n  {}", kernel.name)).collect();
            let more = kernels.len().saturating_sub(LISTED);
            let more = if more > 0 { format!("\n  … and {more} more") } else { String::new() };
            mismatch.table = format!(
                "none of the kernels named `{wanted}` takes the fields of `{}`; the nearest is this one:\n{}\n\
                 the kernels of that name:{}{more}",
                host.signature.name,
                mismatch.table,
                names.concat()
            );
            Error::Verify(VerifyError::Mismatch(mismatch))
        }
        Err(other) => other,
        Ok(()) => LoadError::not_found(
            wanted,
            "none of these kernels matches the fields of the struct",
            kernels.iter().map(|kernel| kernel.name.into()).collect(),
        ),
    }
}

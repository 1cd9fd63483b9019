//! Raw functions: each thread verifies a function once for each struct against the driver's records, and stores the
//! result. The driver can reuse a handle, so each launch queries the last parameter: see [`launch!`](crate::launch!).

use super::{StructType, callee::function_name, hash::FastHasher};
use crate::driver::{
    api::{Api, FunctionHandle, Status},
    error::{Error, register_fields},
    verify::{Host, compare, records},
};
use core::{any::TypeId, cell::Cell, hash::Hash, ptr};
use cudarc::driver::sys::{CUcontext, CUfunction};
use kernel_args_abi::check;
use std::thread_local;

/// The results that a thread stores. Two with the same index replace each other.
const PLACES: usize = 128;

#[derive(Clone, Copy)]
struct VerifiedHandle {
    function: CUfunction,
    /// The erased struct; `None` for an empty entry.
    arguments: Option<TypeId>,
    context: CUcontext,
}

/// No context. Not null, which is an unknown one, and no `Option`, which would take two registers of each launch.
const NOT_VERIFIED: CUcontext = ptr::without_provenance_mut(1);

const EMPTY: VerifiedHandle = VerifiedHandle { function: ptr::null_mut(), arguments: None, context: ptr::null_mut() };

thread_local! {
    static VERIFIED: [Cell<VerifiedHandle>; PLACES] = const { [const { Cell::new(EMPTY) }; PLACES] };
}

#[inline]
fn place(function: CUfunction, arguments: TypeId) -> usize {
    let mut hasher = FastHasher::new(function.addr() as u64);
    arguments.hash(&mut hasher);
    hasher.top(PLACES.ilog2())
}

/// Returns the context in which `function` was verified with the erased struct `arguments`; null if it is unknown,
/// `NOT_VERIFIED` if it was not.
#[inline]
pub(crate) fn context(function: CUfunction, arguments: TypeId) -> CUcontext {
    let entry = VERIFIED.with(|entries| entries[place(function, arguments)].get());
    let same = entry.function == function && entry.arguments == Some(arguments);
    if same { entry.context } else { NOT_VERIFIED }
}

#[cold]
fn store(function: CUfunction, arguments: TypeId, context: CUcontext) {
    let entry = VerifiedHandle { function, arguments: Some(arguments), context };
    VERIFIED.with(|entries| entries[place(function, arguments)].set(entry));
}

/// Verifies `function` for a struct, unless this thread did so (`was_verified`) and the last parameter is unchanged.
/// The function's context must be current; `own` is this context, or null if it is unknown.
#[inline]
pub(crate) fn verify_once(
    api: &Api,
    function: FunctionHandle<'_>,
    ty: StructType,
    own: CUcontext,
    was_verified: bool,
) -> Result<(), Error> {
    let Some(get_param_info) = api.cuFuncGetParamInfo else {
        return Ok(());
    };
    let host = ty.host();
    if was_verified {
        // The raw call, because the error type of the method would occupy memory in every launch.
        let get = |index, offset: &mut usize, size: &mut usize| get_param_info(function, index, offset, size);
        if last_fits(host, get) {
            return Ok(());
        }
    }
    verify_by_driver(host, function)?;
    store(function.raw(), ty.erased(), own);
    Ok(())
}

#[cold]
fn verify_by_driver(host: Host<'static>, function: FunctionHandle<'_>) -> Result<(), Error> {
    let Some(records) = records(function)? else {
        return Ok(());
    };
    let name = function_name(function);
    if !check::fits_records(host.signature.parameters, &records, None) {
        compare(host, &name, &records, None)?;
    }
    register_fields(&name, host.signature.parameters);
    Ok(())
}

/// Returns whether the last parameter of the function matches the last parameter of `host`. An index past the end would
/// take the driver a microsecond.
#[inline]
fn last_fits(host: Host<'_>, get_param_info: impl FnOnce(usize, &mut usize, &mut usize) -> Status) -> bool {
    let [before @ .., last] = host.signature.parameters else {
        return true;
    };
    let (mut offset, mut size) = (0, 0);
    let status = get_param_info(before.len(), &mut offset, &mut size);
    let placed = last.offset == Some(offset) || host.layout.depends_on_gpu();
    status == Status::SUCCESS && size == last.size && placed
}

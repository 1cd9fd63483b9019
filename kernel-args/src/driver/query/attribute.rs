//! Attributes of a function: `CUfunction_attribute`, by number.
//!
//! cudarc's enum lacks newer attributes: these are numbers here.

use super::number;
use crate::driver::api::{CallError, FunctionHandle, api, out};

pub(crate) const MAX_THREADS_PER_BLOCK: u32 = 0;
pub(crate) const SHARED_SIZE_BYTES: u32 = 1;
pub(crate) const CONST_SIZE_BYTES: u32 = 2;
pub(crate) const LOCAL_SIZE_BYTES: u32 = 3;
pub(crate) const NUM_REGS: u32 = 4;
pub(crate) const PTX_VERSION: u32 = 5;
pub(crate) const BINARY_VERSION: u32 = 6;
pub(crate) const MAX_DYNAMIC_SHARED_SIZE_BYTES: u32 = 8;
pub(crate) const REQUIRED_CLUSTER: [u32; 3] = [11, 12, 13];
pub(crate) const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: u32 = 14;
pub(crate) const DEVICE_NODE_UPDATE_SUPPORTED: Newer = Newer(16, 13030);
pub(crate) const SHARED_MEMORY_MODE: Newer = Newer(17, 13040);

/// An attribute, and the first driver that has it, as `cuDriverGetVersion` returns it.
#[derive(Clone, Copy)]
pub(crate) struct Newer(u32, i32);

/// Returns the attribute; `None` if the driver is too old. The function's context must be current.
pub(crate) fn get_newer(
    function: FunctionHandle<'_>,
    Newer(attribute, since): Newer,
) -> Result<Option<u32>, CallError> {
    let api = api()?;
    if out(|version| api.cuDriverGetVersion(version))? < since {
        return Ok(None);
    }
    get(function, attribute).map(Some)
}

/// `cuFuncGetAttribute`. The function's context must be current.
pub(crate) fn get(function: FunctionHandle<'_>, attribute: u32) -> Result<u32, CallError> {
    let api = api()?;
    number(|value| api.cuFuncGetAttribute(value, attribute, function))
}

#[cfg(test)]
mod tests {
    use super::{MAX_DYNAMIC_SHARED_SIZE_BYTES, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, REQUIRED_CLUSTER};
    use cudarc::driver::sys::CUfunction_attribute as Known;

    #[test]
    fn the_numbers_are_those_of_cudarc() {
        let theirs = [
            Known::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
            Known::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
            Known::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
        ];
        assert_eq!(REQUIRED_CLUSTER, theirs.map(|theirs| theirs as u32));
        let theirs = Known::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        assert_eq!(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, theirs as u32);
        let theirs = Known::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(MAX_DYNAMIC_SHARED_SIZE_BYTES, theirs as u32);
    }
}

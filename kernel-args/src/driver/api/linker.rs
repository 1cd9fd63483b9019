//! The driver's linker.

use super::{CallError, DriverImage, DriverOptions, api, handle::Owned};
use core::{ptr, slice};
use cudarc::driver::sys::{CUjitInputType, CUlinkState_st};
use std::{boxed::Box, ffi::CString, format, sync::Arc};

pub(crate) struct Linker {
    state: Owned<CUlinkState_st>,
    /// The driver writes to the logs while the linker is alive, so this field is dropped after it.
    options: Box<DriverOptions>,
}

impl Linker {
    /// An error is returned with the options, which contain the log.
    pub(crate) fn new(mut options: Box<DriverOptions>) -> Result<Self, (CallError, Box<DriverOptions>)> {
        let api = match api() {
            Ok(api) => api,
            Err(unavailable) => return Err((unavailable.into(), options)),
        };
        let mut state = ptr::null_mut();
        // SAFETY: `cuLinkCreate`: the two arrays have `count` entries, and
        // "optionValues must remain valid for the life of the CUlinkState if output options are used": the linker is
        // destroyed before its options.
        match unsafe { api.cuLinkCreate_v2(options.count(), options.keys(), options.values(), &mut state) } {
            Ok(()) => Ok(Self {
                // SAFETY: the call has created the linker, and only this value owns it.
                state: unsafe { Owned::new(api, state) },
                options,
            }),
            Err(error) => Err((error, options)),
        }
    }

    pub(crate) fn options(&self) -> &DriverOptions {
        &self.options
    }

    /// `index` identifies the image in the log.
    pub(crate) fn add(&mut self, image: &DriverImage, index: usize) -> Result<(), CallError> {
        let name = CString::new(format!("image {index}")).unwrap_or_default();
        // SAFETY: `cuLinkAddData`: the linker is alive, the data are a
        // `DriverImage` of this kind and size, the name ends with NUL, and the number of options is 0. "No reference is
        // retained to any inputs after this call returns."
        unsafe {
            self.state.api.cuLinkAddData_v2(
                self.state.alive().raw(),
                image.kind,
                image.bytes.as_ptr().cast_mut().cast(),
                image.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        }
    }

    /// The cubin; `None` if the linker has produced no output.
    pub(crate) fn complete(&mut self) -> Result<Option<DriverImage>, CallError> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        let (api, state) = (self.state.api, self.state.alive());
        api.cuLinkComplete(state, &mut cubin, &mut size)?;
        if cubin.is_null() || size == 0 {
            return Ok(None);
        }
        // SAFETY: `cuLinkComplete`: the linker owns the `size` bytes of the cubin at this address
        // until it is destroyed.
        let bytes = unsafe { slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec();
        // The driver created it, so its headers need no check.
        Ok(Some(DriverImage { bytes: Arc::new(bytes), kind: CUjitInputType::CU_JIT_INPUT_CUBIN }))
    }
}

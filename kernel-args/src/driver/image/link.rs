//! The driver's linker.

use super::{ImageBytes, module_handle::check_with_log};
use crate::driver::{
    api::{Api, api},
    config::{DriverOptions, JitOptions},
    error::Error,
};
use core::ptr;
use cudarc::driver::{CudaContext, sys::CUlinkState};
use std::{
    boxed::Box,
    ffi::{CString, c_void},
    format,
    string::String,
    sync::Arc,
    time::Duration,
};

/// What the linker made.
pub(crate) struct Linked {
    pub(crate) cubin: ImageBytes,
    pub(crate) log: String,
    pub(crate) wall_time: Option<Duration>,
}

/// Links `images` to a cubin: `cuLinkCreate`, `cuLinkAddData`, `cuLinkComplete`.
pub(crate) fn link(
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> Result<Linked, Error> {
    context.bind_to_thread().map_err(Error::context)?;
    let mut linker = Linker::new(options)?;
    for (i, image) in images.iter().enumerate() {
        linker.add(image, i)?;
    }
    Ok(Linked {
        cubin: linker.complete()?,
        log: linker.options.info_log(),
        wall_time: linker.options.wall_time(),
    })
}

/// The driver's linker, destroyed with this.
struct Linker {
    api: &'static Api,
    state: CUlinkState,
    options: Box<DriverOptions>,
}

impl Linker {
    fn new(options: &JitOptions) -> Result<Self, Error> {
        let api = api()?;
        let mut options = Box::new(options.to_driver());
        let mut state = ptr::null_mut();
        // SAFETY: the arrays have as many entries as said, and live as long as the linker.
        let status = unsafe {
            (api.cuLinkCreate_v2)(
                options.count(),
                options.keys(),
                options.values(),
                &raw mut state,
            )
        };
        check_with_log("cuLinkCreate", status, &options)?;
        Ok(Self {
            api,
            state,
            options,
        })
    }

    fn add(&mut self, image: &ImageBytes, index: usize) -> Result<(), Error> {
        let name = CString::new(format!("image {index}")).unwrap_or_default();
        // SAFETY: the linker is alive; it reads `bytes` in this call only.
        let status = unsafe {
            (self.api.cuLinkAddData_v2)(
                self.state,
                image.input_type,
                image.bytes.as_ptr().cast_mut().cast::<c_void>(),
                image.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        check_with_log("cuLinkAddData", status, &self.options)
    }

    fn complete(&mut self) -> Result<ImageBytes, Error> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the linker is alive.
        let status =
            unsafe { (self.api.cuLinkComplete)(self.state, &raw mut cubin, &raw mut size) };
        check_with_log("cuLinkComplete", status, &self.options)?;
        if cubin.is_null() || size == 0 {
            return Err(Error::Image(
                "the driver's linker returned no image for these images".into(),
            ));
        }
        // SAFETY: the pointer is not null, and the linker owns `size` bytes at `cubin` until it is destroyed.
        let bytes = unsafe { core::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec();
        Ok(ImageBytes::cubin(bytes))
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the linker is alive, and what it made was copied.
        unsafe { (self.api.cuLinkDestroy)(self.state) };
    }
}

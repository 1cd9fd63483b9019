//! Raw driver calls as a test wants them: slices in, `CUresult` codes out.
//!
//! The functions are safe because they run on the test driver only, which checks every handle; pointers come from the
//! slices and locals of the caller.
#![allow(dead_code)]

use std::{
    ffi::{CString, c_void},
    ptr::null_mut,
    sync::Arc,
};

use cudarc::driver::{CudaContext, CudaSlice, sys};

pub const INVALID_VALUE: Result<(), u32> = Err(1);
pub const INVALID_CONTEXT: Result<(), u32> = Err(201);
pub const INVALID_HANDLE: Result<(), u32> = Err(400);
pub const ILLEGAL_ADDRESS: Result<(), u32> = Err(700);
pub const OUT_OF_RESOURCES: Result<(), u32> = Err(701);

/// A result by its code.
pub fn code(result: sys::CUresult) -> Result<(), u32> {
    match result as u32 {
        0 => Ok(()),
        code => Err(code),
    }
}

/// PTX with entries of the given names and parameter lists, whose bodies do nothing.
pub fn ptx(entries: &[(&str, &str)]) -> String {
    let header = ".version 8.1\n.target sm_75\n.address_size 64\n".to_owned();
    entries.iter().fold(header, |text, (name, parameters)| {
        let parameters: Vec<String> = parameters
            .split(',')
            .filter(|parameter| !parameter.trim().is_empty())
            .enumerate()
            .map(|(index, parameter)| {
                // `.align 16 .b8 [24]`: the name goes before the bracket.
                let (kind, count) = parameter.split_once('[').unwrap_or((parameter, ""));
                let bracket = if count.is_empty() { "" } else { "[" };
                format!(
                    ".param {} {name}_param_{index}{bracket}{count}",
                    kind.trim()
                )
            })
            .collect();
        format!(
            "{text}.visible .entry {name}({}) {{ ret; }}\n",
            parameters.join(", ")
        )
    })
}

/// A module of PTX in the current context.
pub fn load(text: &str) -> Result<sys::CUmodule, u32> {
    let (image, mut module) = (CString::new(text).expect("PTX holds no NUL"), null_mut());
    // SAFETY: a string that ends with NUL, and a local.
    code(unsafe { sys::cuModuleLoadData(&raw mut module, image.as_ptr().cast()) })?;
    Ok(module)
}

pub fn function(module: sys::CUmodule, name: &str) -> Result<sys::CUfunction, u32> {
    let (name, mut function) = (CString::new(name).expect("a name holds no NUL"), null_mut());
    // SAFETY: a string that ends with NUL, and a local.
    code(unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) })?;
    Ok(function)
}

/// The function `echo` with the given parameters after `out`, its context, and 256 bytes for its echo.
pub struct Echo {
    pub context: Arc<CudaContext>,
    pub function: sys::CUfunction,
    pub out: CudaSlice<u8>,
    pub address: u64,
}

impl Echo {
    pub fn new(parameters: &str) -> Self {
        use cudarc::driver::DevicePtr;
        let context = CudaContext::new(0).expect("the test driver has a device");
        let module =
            load(&ptx(&[("echo", &format!(".u64, {parameters}"))])).expect("the PTX is right");
        let function = function(module, "echo").expect("it has this entry");
        let stream = context.default_stream();
        let out = stream.alloc_zeros::<u8>(256).expect("256 bytes");
        let address = out.device_ptr(&stream).0;
        Self {
            context,
            function,
            out,
            address,
        }
    }

    /// What the kernel echoed.
    pub fn echoed(&self, length: usize) -> Vec<u8> {
        let mut bytes = self
            .context
            .default_stream()
            .clone_dtoh(&self.out)
            .expect("the context is healthy");
        bytes.truncate(length);
        bytes
    }
}

pub fn parameter(function: sys::CUfunction, index: usize) -> Result<(usize, usize), u32> {
    let (mut offset, mut size) = (0, 0);
    // SAFETY: two locals.
    code(unsafe { sys::cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut size) })?;
    Ok((offset, size))
}

pub fn attribute(
    function: sys::CUfunction,
    attribute: sys::CUfunction_attribute,
) -> Result<i32, u32> {
    let mut value = 0;
    // SAFETY: a local.
    code(unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, function) })?;
    Ok(value)
}

/// Grid, block, dynamic shared memory.
pub type Shape = ([u32; 3], [u32; 3], u32);
pub const ONE: Shape = ([1, 1, 1], [1, 1, 1], 0);

/// `kernelParams` with the values' addresses.
pub fn pointers(values: &[&[u8]]) -> Vec<*mut c_void> {
    values
        .iter()
        .map(|value| value.as_ptr().cast_mut().cast())
        .collect()
}

/// `cuLaunchKernel` on `stream`, with either array null where it is `None`.
pub fn launch_on(
    stream: sys::CUstream,
    function: sys::CUfunction,
    (grid, block, shared): Shape,
    kernel_params: Option<&mut [*mut c_void]>,
    extra: Option<&mut [*mut c_void]>,
) -> Result<(), u32> {
    let start = |array: Option<&mut [*mut c_void]>| array.map_or(null_mut(), <[_]>::as_mut_ptr);
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    let (kernel_params, extra) = (start(kernel_params), start(extra));
    // SAFETY: the arrays are the caller's and live through the call.
    code(unsafe {
        sys::cuLaunchKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            stream,
            kernel_params,
            extra,
        )
    })
}

/// A launch of `kernelParams` on the default stream.
pub fn launch(function: sys::CUfunction, shape: Shape, values: &[&[u8]]) -> Result<(), u32> {
    launch_on(
        null_mut(),
        function,
        shape,
        Some(&mut pointers(values)),
        None,
    )
}

/// A launch of a packed buffer on the default stream, saying that it has `size` bytes.
pub fn launch_packed(function: sys::CUfunction, buffer: &[u8], mut size: usize) -> Result<(), u32> {
    launch_on(
        null_mut(),
        function,
        ONE,
        None,
        Some(&mut extra(buffer, &mut size)),
    )
}

/// The `extra` array of a buffer.
pub fn extra(buffer: &[u8], size: &mut usize) -> [*mut c_void; 5] {
    let tag = |tag: usize| std::ptr::without_provenance_mut(tag);
    [
        tag(1),
        buffer.as_ptr().cast_mut().cast(),
        tag(2),
        std::ptr::from_mut(size).cast(),
        tag(0),
    ]
}

pub fn synchronize() -> Result<(), u32> {
    // SAFETY: it takes nothing.
    code(unsafe { sys::cuCtxSynchronize() })
}

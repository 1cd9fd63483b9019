//! Raw driver calls in a form for tests: slices in, `CUresult` codes out.
//!
//! The functions are safe because they run only on the test driver, which checks every handle. Pointers come from the
//! caller's slices and locals.

use std::{
    ffi::{CString, c_void},
    fmt::Write,
    ptr::null_mut,
    sync::Arc,
};

use cudarc::driver::{CudaContext, CudaSlice, sys};

pub(crate) const INVALID_VALUE: Result<(), u32> = Err(1);
pub(crate) const INVALID_CONTEXT: Result<(), u32> = Err(201);
pub(crate) const INVALID_HANDLE: Result<(), u32> = Err(400);
pub(crate) const ILLEGAL_ADDRESS: Result<(), u32> = Err(700);
pub(crate) const OUT_OF_RESOURCES: Result<(), u32> = Err(701);

/// One call of an entry point, with the result of [`code`].
macro_rules! call {
    ($call:expr) => {
        // SAFETY: the tests run on the test driver, which checks handles, device addresses and numbers. Pointer
        // arguments are locals and arrays that outlive the call and have the stated length.
        $crate::raw::code(unsafe { $call })
    };
}

/// The code of a result.
pub(crate) fn code(result: sys::CUresult) -> Result<(), u32> {
    match result as u32 {
        0 => Ok(()),
        code => Err(code),
    }
}

/// PTX with entries of the given names and parameter lists. The body of `echo` copies the bytes of parameters 1, 2, …
/// to parameter 0, one after another; other bodies do nothing.
pub(crate) fn ptx(entries: &[(&str, &str)]) -> String {
    let header = ".version 8.1\n.target sm_75\n.address_size 64\n".to_owned();
    entries.iter().fold(header, |text, (name, parameters)| {
        let listed = parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
        let (mut parameters, mut body, mut end) = (Vec::new(), String::new(), 0);
        for (index, parameter) in listed.enumerate() {
            // `.align 16 .b8 [24]`: the name is placed before the bracket.
            let (kind, count) = parameter.split_once('[').unwrap_or((parameter, ""));
            let bracket = if count.is_empty() { "" } else { "[" };
            parameters.push(format!(".param {} {name}_param_{index}{bracket}{count}", kind.trim()));
            let bits: usize =
                kind.trim().rsplit_once(|c: char| !c.is_ascii_digit()).map_or(0, |(_, bits)| bits.parse().unwrap_or(0));
            let size = bits / 8 * count.trim_end_matches(']').parse().unwrap_or(1);
            for byte in (0..size).filter(|_| index > 0) {
                let _ = writeln!(body, "ld.param.u8 %r, [{name}_param_{index}+{byte}]; st.global.u8 [%out+{end}], %r;");
                end += 1;
            }
        }
        let body = match *name {
            "echo" => format!(".reg .b64 %out; .reg .b16 %r; ld.param.u64 %out, [{name}_param_0];\n{body}"),
            _ => String::new(),
        };
        format!("{text}.visible .entry {name}({}) {{ {body} ret; }}\n", parameters.join(", "))
    })
}

/// A module of PTX in the current context.
pub(crate) fn load(text: &str) -> Result<sys::CUmodule, u32> {
    let (image, mut module) = (CString::new(text).expect("PTX holds no NUL"), null_mut());
    call!(sys::cuModuleLoadData(&raw mut module, image.as_ptr().cast()))?;
    Ok(module)
}

pub(crate) fn function(module: sys::CUmodule, name: &str) -> Result<sys::CUfunction, u32> {
    let (name, mut function) = (CString::new(name).expect("a name holds no NUL"), null_mut());
    call!(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()))?;
    Ok(function)
}

/// The function `echo` with the given parameters after `out`, its context, and 256 bytes for the echo.
pub(crate) struct Echo {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) function: sys::CUfunction,
    pub(crate) out: CudaSlice<u8>,
    pub(crate) address: u64,
}

impl Echo {
    pub(crate) fn new(parameters: &str) -> Self {
        use cudarc::driver::DevicePtr;
        let context = CudaContext::new(0).expect("the test driver has a device");
        let module = load(&ptx(&[("echo", &format!(".u64, {parameters}"))])).expect("the PTX is right");
        let function = function(module, "echo").expect("it has this entry");
        let stream = context.default_stream();
        let out = stream.alloc_zeros::<u8>(256).expect("256 bytes");
        let address = out.device_ptr(&stream).0;
        Self { context, function, out, address }
    }

    /// The echoed bytes.
    pub(crate) fn echoed(&self, length: usize) -> Vec<u8> {
        let mut bytes = self.context.default_stream().clone_dtoh(&self.out).expect("the context is healthy");
        bytes.truncate(length);
        bytes
    }
}

pub(crate) fn parameter(function: sys::CUfunction, index: usize) -> Result<(usize, usize), u32> {
    let (mut offset, mut size) = (0, 0);
    call!(sys::cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut size))?;
    Ok((offset, size))
}

pub(crate) fn attribute(function: sys::CUfunction, attribute: sys::CUfunction_attribute) -> Result<i32, u32> {
    let mut value = 0;
    call!(sys::cuFuncGetAttribute(&raw mut value, attribute, function))?;
    Ok(value)
}

/// Grid, block, dynamic shared memory.
pub(crate) type Shape = ([u32; 3], [u32; 3], u32);
pub(crate) const ONE: Shape = ([1, 1, 1], [1, 1, 1], 0);

/// `kernelParams` with the values' addresses.
pub(crate) fn pointers(values: &[&[u8]]) -> Vec<*mut c_void> {
    values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect()
}

/// `cuLaunchKernel` on `stream`. An array is null if it is `None`.
pub(crate) fn launch_on(
    stream: sys::CUstream,
    function: sys::CUfunction,
    (grid, block, shared): Shape,
    kernel_params: Option<&mut [*mut c_void]>,
    extra: Option<&mut [*mut c_void]>,
) -> Result<(), u32> {
    let start = |array: Option<&mut [*mut c_void]>| array.map_or(null_mut(), <[_]>::as_mut_ptr);
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    let (kernel_params, extra) = (start(kernel_params), start(extra));
    call!(sys::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, kernel_params, extra,))
}

/// A launch with `kernelParams` on the default stream.
pub(crate) fn launch(function: sys::CUfunction, shape: Shape, values: &[&[u8]]) -> Result<(), u32> {
    launch_on(null_mut(), function, shape, Some(&mut pointers(values)), None)
}

/// A launch with a packed buffer on the default stream. The stated size is `size`.
pub(crate) fn launch_packed(function: sys::CUfunction, buffer: &[u8], mut size: usize) -> Result<(), u32> {
    launch_on(null_mut(), function, ONE, None, Some(&mut extra(buffer, &mut size)))
}

/// The `extra` array of a buffer.
pub(crate) fn extra(buffer: &[u8], size: &mut usize) -> [*mut c_void; 5] {
    let tag = |tag: usize| std::ptr::without_provenance_mut(tag);
    [tag(1), buffer.as_ptr().cast_mut().cast(), tag(2), std::ptr::from_mut(size).cast(), tag(0)]
}

pub(crate) fn synchronize() -> Result<(), u32> {
    call!(sys::cuCtxSynchronize())
}

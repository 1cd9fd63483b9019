//! A program that NVRTC compiles.

use super::{Handle, Nvrtc, Size, Write, newer};
use crate::Error;
use std::{
    ffi::{CStr, CString, c_char, c_int},
    marker::PhantomData,
    ptr,
};

/// An `nvrtcProgram`. Dropping it destroys the program.
///
/// The handle is not null: `nvrtcCreateProgram` wrote it and returned success, and only `drop` destroys it. The `SAFETY`
/// comments of the methods call this "alive".
pub struct Program<'t> {
    nvrtc: &'t Nvrtc,
    handle: Handle,
    texts: PhantomData<&'t CStr>,
}

impl Nvrtc {
    /// Creates a program from a source. `headers` are pairs of name and text.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn program<'t>(
        &'t self,
        source: &'t CStr,
        name: &'t CStr,
        headers: &'t [(CString, CString)],
    ) -> Result<Program<'t>, Error> {
        let names = pointers(headers.iter().map(|(name, _)| name));
        let texts = pointers(headers.iter().map(|(_, text)| text));
        let mut handle = ptr::null_mut();
        // SAFETY: "Compilation": `nvrtcCreateProgram` writes the program through its first pointer, which is valid, and reads
        // NUL-terminated texts and `numHeaders` pointers of each array. All texts are `CStr`s, and both arrays have that
        // length. The documentation does not specify whether it copies the texts, so `Program` borrows them.
        let status = unsafe {
            (self.nvrtcCreateProgram)(
                &raw mut handle,
                source.as_ptr(),
                name.as_ptr(),
                count(headers),
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        self.check("nvrtcCreateProgram", status)?;
        Ok(Program {
            nvrtc: self,
            handle,
            texts: PhantomData,
        })
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: "Compilation": `nvrtcDestroyProgram` takes a pointer to a program. It is alive, and nothing uses it after this.
        unsafe { (self.nvrtc.nvrtcDestroyProgram)(&raw mut self.handle) };
    }
}

impl Program<'_> {
    /// Requests the symbol of a name expression. Call it before [`compile`](Self::compile).
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn add_name(&mut self, expression: &CStr) -> Result<(), Error> {
        // SAFETY: "Compilation": `nvrtcAddNameExpression` records the expression, a NUL-terminated text. The program is alive.
        let status =
            unsafe { (self.nvrtc.nvrtcAddNameExpression)(self.handle, expression.as_ptr()) };
        self.nvrtc.check("nvrtcAddNameExpression", status)
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// [`Error::Call`]; see the [`log`](Self::log).
    pub fn compile(&mut self, options: &[CString]) -> Result<(), Error> {
        let pointers = pointers(options);
        // SAFETY: "Compilation": `nvrtcCompileProgram` reads `numOptions` NUL-terminated texts. The array has that length, and
        // the program is alive.
        let status = unsafe {
            (self.nvrtc.nvrtcCompileProgram)(self.handle, count(options), pointers.as_ptr())
        };
        self.nvrtc.check("nvrtcCompileProgram", status)
    }

    /// Returns the symbol of an expression that was added before compilation.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn symbol(&self, expression: &CStr) -> Result<String, Error> {
        let mut symbol = ptr::null();
        // SAFETY: "Compilation": `nvrtcGetLoweredName` reads a NUL-terminated text and writes a pointer. The program is alive,
        // and `symbol` is valid.
        let status = unsafe {
            (self.nvrtc.nvrtcGetLoweredName)(self.handle, expression.as_ptr(), &raw mut symbol)
        };
        self.nvrtc.check("nvrtcGetLoweredName", status)?;
        if symbol.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the same section: the name's memory is released when the program is destroyed. The program is alive.
        let symbol = unsafe { CStr::from_ptr(symbol) };
        Ok(symbol.to_string_lossy().into_owned())
    }

    /// Returns the log of [`compile`](Self::compile): errors and warnings. Empty if there are no messages.
    #[must_use]
    pub fn log(&self) -> String {
        let (size, write) = (
            self.nvrtc.nvrtcGetProgramLogSize,
            self.nvrtc.nvrtcGetProgramLog,
        );
        // SAFETY: `nvrtcGetProgramLogSize` returns the size of the data that `nvrtcGetProgramLog` writes.
        let log = unsafe { self.read("nvrtcGetProgramLog", size, write) };
        let log = log.unwrap_or_default();
        let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).trim_end().to_owned()
    }

    /// Returns the PTX without the final NUL. Empty if no PTX was generated.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn ptx(&self) -> Result<Vec<u8>, Error> {
        let (size, write) = (self.nvrtc.nvrtcGetPTXSize, self.nvrtc.nvrtcGetPTX);
        // SAFETY: `nvrtcGetPTXSize` returns the size of the data that `nvrtcGetPTX` writes.
        let mut ptx = unsafe { self.read("nvrtcGetPTX", size, write) }?;
        while ptx.last() == Some(&0) {
            ptx.pop();
        }
        Ok(ptx)
    }

    /// Returns the cubin. Empty if the program was compiled for a virtual architecture.
    ///
    /// # Errors
    /// [`Error::Call`]; [`Error::EntryPoint`] before CUDA 11.1.
    pub fn cubin(&self) -> Result<Vec<u8>, Error> {
        let size = newer!(self.nvrtc, nvrtcGetCUBINSize)?;
        let write = newer!(self.nvrtc, nvrtcGetCUBIN)?;
        // SAFETY: `nvrtcGetCUBINSize` returns the size of the data that `nvrtcGetCUBIN` writes.
        unsafe { self.read("nvrtcGetCUBIN", size, write) }
    }

    /// Returns the data that `write` writes. `name` is the name of that function.
    ///
    /// # Safety
    /// `size` is the function of section "Compilation" that returns the number of bytes that `write` writes.
    unsafe fn read(&self, name: &'static str, size: Size, write: Write) -> Result<Vec<u8>, Error> {
        let mut length = 0;
        // SAFETY: "Compilation": each function `nvrtcGet…Size` writes one `size_t` through the pointer, which is valid. The
        // program is alive.
        let status = unsafe { size(self.handle, &raw mut length) };
        self.nvrtc.check(name, status)?;
        let mut bytes = vec![0_u8; length];
        if length > 0 {
            // SAFETY: the caller guarantees that the function writes `length` bytes, for which `bytes` has room. The program is
            // alive.
            let status = unsafe { write(self.handle, bytes.as_mut_ptr().cast()) };
            self.nvrtc.check(name, status)?;
        }
        Ok(bytes)
    }
}

/// The number of array elements that NVRTC reads, as the C integer of its interface.
fn count<T>(texts: &[T]) -> c_int {
    c_int::try_from(texts.len()).unwrap_or(c_int::MAX)
}

fn pointers<'t>(texts: impl IntoIterator<Item = &'t CString>) -> Vec<*const c_char> {
    texts.into_iter().map(|text| text.as_ptr()).collect()
}

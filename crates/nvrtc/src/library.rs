//! The functions of NVRTC: the only unsafe code of this crate.
//!
//! The `SAFETY` comments cite NVIDIA's document "NVRTC (Runtime Compilation)" by the sections of its chapter "User
//! Interface".
//!
//! The library is opened with `libloading` instead of the cudarc feature `nvrtc`. That feature takes longer to compile
//! than the rest of a build script, panics without the library, accepts no path, and drops the log of a program that
//! compiles.
#![allow(unsafe_code, reason = "the functions of a C library")]

use crate::Error;
use libloading::Library;
use std::{
    ffi::{CStr, CString, OsStr, c_char, c_int, c_void},
    fmt, fs,
    marker::PhantomData,
    mem,
    path::{Path, PathBuf},
    ptr,
};

/// `nvrtcResult`. A number, because a newer NVRTC can return values that an enum of today lacks.
type Status = c_int;
/// `nvrtcProgram`.
type Handle = *mut c_void;
/// A function that writes a size, and the one that writes so many bytes.
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Write = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

const SUCCESS: Status = 0;

macro_rules! entry_points {
    (
        always { $($name:ident($($argument:ty),* $(,)?);)* }
        newer { $($newer:ident($($newer_argument:ty),*);)* }
    ) => {
        /// The library NVRTC, loaded until the process ends.
        #[allow(non_snake_case, reason = "NVRTC's names")]
        pub struct Nvrtc {
            $($name: unsafe extern "C" fn($($argument),*) -> Status,)*
            $($newer: Option<unsafe extern "C" fn($($newer_argument),*) -> Status>,)*
            nvrtcGetErrorString: unsafe extern "C" fn(Status) -> *const c_char,
        }

        impl Nvrtc {
            fn load(library: &Library) -> Result<Self, Error> {
                Ok(Self {
                    // SAFETY: the table has the parameters of each function as the sections "General Information Query"
                    // and "Compilation" declare them. All return `nvrtcResult`, an enum of C with the size of `int`.
                    $($name: unsafe { symbol(library, stringify!($name)) }?,)*
                    // SAFETY: the table has the parameters of these functions as the same sections declare them.
                    $($newer: unsafe { symbol(library, stringify!($newer)) }.ok(),)*
                    // SAFETY: section "Error Handling": `const char* nvrtcGetErrorString(nvrtcResult result)`.
                    nvrtcGetErrorString: unsafe { symbol(library, "nvrtcGetErrorString") }?,
                })
            }
        }
    };
}

entry_points! {
    always {
        nvrtcVersion(*mut c_int, *mut c_int);
        nvrtcCreateProgram(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        nvrtcDestroyProgram(*mut Handle);
        nvrtcCompileProgram(Handle, c_int, *const *const c_char);
        nvrtcAddNameExpression(Handle, *const c_char);
        nvrtcGetLoweredName(Handle, *const c_char, *mut *const c_char);
        nvrtcGetProgramLogSize(Handle, *mut usize);
        nvrtcGetProgramLog(Handle, *mut c_char);
        nvrtcGetPTXSize(Handle, *mut usize);
        nvrtcGetPTX(Handle, *mut c_char);
    }
    // Since CUDA 11.1 and 11.2.
    newer {
        nvrtcGetNumSupportedArchs(*mut c_int);
        nvrtcGetSupportedArchs(*mut c_int);
        nvrtcGetCUBINSize(Handle, *mut usize);
        nvrtcGetCUBIN(Handle, *mut c_char);
    }
}

macro_rules! newer {
    ($nvrtc:expr, $name:ident) => {
        $nvrtc.$name.ok_or(Error::EntryPoint(stringify!($name)))
    };
}

macro_rules! call {
    ($nvrtc:expr, $name:ident, $($argument:expr),* $(,)?) => {
        $nvrtc.check(stringify!($name), ($nvrtc.$name)($($argument),*))
    };
}

/// # Safety
/// `T` is the type of a function pointer that fits the library's function of this name.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, Error> {
    const {
        assert!(mem::size_of::<T>() == mem::size_of::<usize>(), "a function pointer");
    };
    // SAFETY: the caller guarantees the type. The pointer is not used after the library: `Nvrtc::open` never unloads
    // it.
    let symbol = unsafe { library.get::<T>(name) };
    symbol.map(|function| *function).map_err(|_| Error::EntryPoint(name))
}

/// Loads a library and never unloads it: its functions stay valid.
fn load(path: &OsStr) -> Result<&'static Library, libloading::Error> {
    // SAFETY: `Library::new` requires that the library's initializers can run here. NVRTC's documentation states no
    // condition for loading the library or its builtins. The user asserts that the file is NVIDIA's library, by its
    // path or by the system's library path, as for each program that is started. The library is never unloaded, so no
    // terminator runs while code uses it.
    let library = unsafe { Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}

/// Returns the builtins library next to NVRTC, the newest version first.
fn builtins(library: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(library.parent()?).ok()?;
    let found = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_library = name.contains(".so") || name.strip_suffix(".dll").is_some();
        name.contains("nvrtc-builtins") && is_library && !name.contains("alt")
    });
    found.max()
}

impl Nvrtc {
    /// Loads the library at a path, or by a name that the system resolves.
    ///
    /// # Errors
    /// [`Error::Library`] if it cannot be loaded, [`Error::EntryPoint`] if a function is missing that every supported
    /// NVRTC has.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if let Some(builtins) = builtins(path) {
            // NVRTC opens its builtins by file name, which succeeds if they are already loaded. If they cannot be
            // loaded here, NVRTC reports it when it compiles.
            let _ = load(builtins.as_os_str());
        }
        let library = load(path.as_os_str()).map_err(|error| Error::Library(error.to_string()))?;
        Self::load(library)
    }

    /// Returns the major and minor version.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn version(&self) -> Result<(c_int, c_int), Error> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: "General Information Query": `nvrtcVersion` writes one `int` through each pointer. Both are valid.
        unsafe { call!(self, nvrtcVersion, &raw mut major, &raw mut minor) }?;
        Ok((major, minor))
    }

    /// Returns the compute capabilities that NVRTC compiles for, in ascending order: 90 means 9.0.
    ///
    /// # Errors
    /// [`Error::Call`]; [`Error::EntryPoint`] before CUDA 11.2.
    pub fn architectures(&self) -> Result<Vec<u16>, Error> {
        let number = newer!(self, nvrtcGetNumSupportedArchs)?;
        let list = newer!(self, nvrtcGetSupportedArchs)?;
        let mut count = 0;
        // SAFETY: "General Information Query": `nvrtcGetNumSupportedArchs` writes one `int` through the pointer, which
        // is valid.
        self.check("nvrtcGetNumSupportedArchs", unsafe { number(&raw mut count) })?;
        let mut found: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the same section: `nvrtcGetSupportedArchs` writes as many `int`s as `nvrtcGetNumSupportedArchs` has
        // returned. `found` has room for them.
        self.check("nvrtcGetSupportedArchs", unsafe { list(found.as_mut_ptr()) })?;
        let mut found: Vec<u16> = found.into_iter().filter_map(|sm| sm.try_into().ok()).collect();
        found.sort_unstable();
        Ok(found)
    }

    fn check(&self, name: &'static str, status: Status) -> Result<(), Error> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: "Error Handling": `nvrtcGetErrorString` takes every number; for one without a name it returns
        // "NVRTC_ERROR unknown".
        let text = unsafe { (self.nvrtcGetErrorString)(status) };
        let text = if text.is_null() {
            format!("error {status}")
        } else {
            // SAFETY: the same section: the function returns a string, which is not freed. The library is never
            // unloaded.
            let text = unsafe { CStr::from_ptr(text) };
            format!("{} ({status})", text.to_string_lossy())
        };
        Err(Error::Call { name, status, text })
    }
}

impl fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nvrtc")
    }
}

/// An `nvrtcProgram`. Dropping it destroys the program.
///
/// The handle is not null: `nvrtcCreateProgram` wrote it and returned success, and only `drop` destroys it. The
/// `SAFETY` comments of the methods call this "alive".
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
        // SAFETY: "Compilation": `nvrtcCreateProgram` writes the program through its first pointer, which is valid, and
        // reads NUL-terminated texts and `numHeaders` pointers of each array. All texts are `CStr`s, and both arrays
        // have that length. The documentation does not specify whether it copies the texts, so `Program` borrows them.
        unsafe {
            call!(
                self,
                nvrtcCreateProgram,
                &raw mut handle,
                source.as_ptr(),
                name.as_ptr(),
                count(headers),
                texts.as_ptr(),
                names.as_ptr(),
            )
        }?;
        Ok(Program { nvrtc: self, handle, texts: PhantomData })
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: "Compilation": `nvrtcDestroyProgram` takes a pointer to a program. It is alive, and nothing uses it
        // after this.
        unsafe { (self.nvrtc.nvrtcDestroyProgram)(&raw mut self.handle) };
    }
}

impl Program<'_> {
    /// Requests the symbol of a name expression. Call it before [`compile`](Self::compile).
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn add_name(&mut self, expression: &CStr) -> Result<(), Error> {
        // SAFETY: "Compilation": `nvrtcAddNameExpression` records the expression, a NUL-terminated text. The program is
        // alive.
        unsafe { call!(self.nvrtc, nvrtcAddNameExpression, self.handle, expression.as_ptr()) }
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// [`Error::Call`]; see the [`log`](Self::log).
    pub fn compile(&mut self, options: &[CString]) -> Result<(), Error> {
        let pointers = pointers(options);
        // SAFETY: "Compilation": `nvrtcCompileProgram` reads `numOptions` NUL-terminated texts. The array has that
        // length, and the program is alive.
        unsafe { call!(self.nvrtc, nvrtcCompileProgram, self.handle, count(options), pointers.as_ptr()) }
    }

    /// Returns the symbol of an expression that was added before compilation.
    ///
    /// # Errors
    /// [`Error::Call`].
    pub fn symbol(&self, expression: &CStr) -> Result<String, Error> {
        let mut symbol = ptr::null();
        // SAFETY: "Compilation": `nvrtcGetLoweredName` reads a NUL-terminated text and writes a pointer. The program is
        // alive, and `symbol` is valid.
        unsafe { call!(self.nvrtc, nvrtcGetLoweredName, self.handle, expression.as_ptr(), &raw mut symbol) }?;
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
        let (size, write) = (self.nvrtc.nvrtcGetProgramLogSize, self.nvrtc.nvrtcGetProgramLog);
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
        // SAFETY: "Compilation": each function `nvrtcGet…Size` writes one `size_t` through the pointer, which is valid.
        // The program is alive.
        self.nvrtc.check(name, unsafe { size(self.handle, &raw mut length) })?;
        let mut bytes = vec![0_u8; length];
        if length > 0 {
            // SAFETY: the caller guarantees that the function writes `length` bytes, for which `bytes` has room. The
            // program is alive.
            self.nvrtc.check(name, unsafe { write(self.handle, bytes.as_mut_ptr().cast()) })?;
        }
        Ok(bytes)
    }
}

/// Returns the number of array elements that NVRTC reads, as the C integer of its interface.
fn count<T>(texts: &[T]) -> c_int {
    c_int::try_from(texts.len()).unwrap_or(c_int::MAX)
}

fn pointers<'t>(texts: impl IntoIterator<Item = &'t CString>) -> Vec<*const c_char> {
    texts.into_iter().map(|text| text.as_ptr()).collect()
}

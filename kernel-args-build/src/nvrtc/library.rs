//! The functions of NVRTC that compile a program: the only unsafe code of this crate.
#![allow(unsafe_code, reason = "the functions of a C library")]

use std::{
    ffi::{CStr, CString, OsStr, c_char, c_int},
    fmt, fs, mem,
    path::{Path, PathBuf},
    ptr,
};

/// `nvrtcProgram`, which only NVRTC looks into.
#[repr(C)]
struct Opaque {
    _bytes: [u8; 0],
}

type Handle = *mut Opaque;
/// `nvrtcResult`, an enum of C: an integer here, since NVRTC may return values that its header did not have.
type Status = c_int;

// "NVRTC (Runtime Compilation)", 3: the functions and their parameters, unchanged since CUDA 7; nvrtcGetCUBIN since 11.1.
type CreateProgram = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type CompileProgram = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
type DestroyProgram = unsafe extern "C" fn(*mut Handle) -> Status;
type GetSize = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type GetBytes = unsafe extern "C" fn(Handle, *mut c_char) -> Status;
type GetErrorString = unsafe extern "C" fn(Status) -> *const c_char;

/// A size and the bytes of that size.
#[derive(Clone, Copy)]
struct Part {
    size: GetSize,
    bytes: GetBytes,
}

/// NVRTC, loaded for as long as the process lives.
pub(super) struct Library {
    create: CreateProgram,
    compile: CompileProgram,
    destroy: DestroyProgram,
    error: GetErrorString,
    log: Part,
    ptx: Part,
    /// `None` before CUDA 11.1.
    cubin: Option<Part>,
}

/// What a program is compiled to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Program {
    Ptx,
    Cubin,
}

impl Library {
    /// Loads a library at a path, or of a name that the system finds.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        if let Some(builtins) = builtins(path) {
            // NVRTC looks for its builtins by their name alone, and finds them if they are loaded. Where that does not work it
            // says so itself.
            let _ = open(builtins.as_os_str());
        }
        let library = open(path.as_os_str()).map_err(|error| error.to_string())?;
        // SAFETY: `symbol` asks for a type that fits the function, here and below: the types above are those of NVRTC's
        // documentation.
        let create = unsafe { symbol::<CreateProgram>(library, "nvrtcCreateProgram") }?;
        // SAFETY: as above.
        let compile = unsafe { symbol::<CompileProgram>(library, "nvrtcCompileProgram") }?;
        // SAFETY: as above.
        let destroy = unsafe { symbol::<DestroyProgram>(library, "nvrtcDestroyProgram") }?;
        // SAFETY: as above.
        let error = unsafe { symbol::<GetErrorString>(library, "nvrtcGetErrorString") }?;
        Ok(Self {
            create,
            compile,
            destroy,
            error,
            log: part(library, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?,
            ptx: part(library, "nvrtcGetPTXSize", "nvrtcGetPTX")?,
            cubin: part(library, "nvrtcGetCUBINSize", "nvrtcGetCUBIN").ok(),
        })
    }

    /// Compiles a source: the bytes and the log; or the log where it does not compile.
    pub(super) fn compile(
        &self,
        source: &CStr,
        name: &CStr,
        options: &[CString],
        wanted: Program,
    ) -> Result<(Vec<u8>, String), String> {
        let part = match wanted {
            Program::Ptx => self.ptx,
            Program::Cubin => self
                .cubin
                .ok_or("this NVRTC is older than CUDA 11.1, and does not write cubins")?,
        };
        let mut program: Handle = ptr::null_mut();
        // SAFETY: the texts end with NUL and outlive the call, which copies them. `program` is a place for the handle. There are
        // no headers: for a count of 0 both arrays may be null.
        let status = unsafe {
            (self.create)(
                &raw mut program,
                source.as_ptr(),
                name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check(status)?;
        let program = Running {
            library: self,
            program,
        };
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "there are too many options")?;
        // SAFETY: the program was created and not destroyed. The array has `count` texts that end with NUL, and outlives the call.
        let status = unsafe { (self.compile)(program.program, count, pointers.as_ptr()) };
        let log = self.read(&program, self.log).unwrap_or_default();
        let log = text(log);
        if let Err(reason) = self.check(status) {
            return Err(if log.is_empty() { reason } else { log });
        }
        let mut bytes = self.read(&program, part)?;
        if wanted == Program::Ptx {
            // The size of a text counts the NUL at its end.
            while bytes.last() == Some(&0) {
                bytes.pop();
            }
        }
        Ok((bytes, log))
    }

    fn read(&self, program: &Running<'_>, part: Part) -> Result<Vec<u8>, String> {
        let mut size = 0;
        // SAFETY: the program was created and not destroyed, and `size` is a place for the size.
        self.check(unsafe { (part.size)(program.program, &raw mut size) })?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the program is as above. The function writes as many bytes as the other one told, which the buffer has.
        self.check(unsafe { (part.bytes)(program.program, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn check(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function takes any number.
        let text = unsafe { (self.error)(status) };
        if text.is_null() {
            return Err(format!("NVRTC returns error {status}"));
        }
        // SAFETY: the text is a constant of the library, which stays loaded, and ends with NUL.
        let text = unsafe { CStr::from_ptr(text) };
        Err(text.to_string_lossy().into_owned())
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}

/// A program that is destroyed in the end.
struct Running<'l> {
    library: &'l Library,
    program: Handle,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created, and is destroyed only here. It is not used afterwards.
        let _ = unsafe { (self.library.destroy)(&raw mut self.program) };
    }
}

/// Loads a library, and never unloads it.
fn open(path: &OsStr) -> Result<&'static libloading::Library, libloading::Error> {
    // SAFETY: NVRTC and its builtins do nothing when they are loaded that other code relies on, and are never unloaded. That the
    // file is NVIDIA's is what its name says, as for every program that a build runs.
    let library = unsafe { libloading::Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}

/// A function of the library.
///
/// # Safety
/// `T` is the type of a function pointer that fits the function of this name.
unsafe fn symbol<T: Copy>(library: &'static libloading::Library, name: &str) -> Result<T, String> {
    const {
        assert!(
            mem::size_of::<T>() == mem::size_of::<usize>(),
            "a function pointer"
        );
    };
    // SAFETY: the caller says that the type fits. The library is never unloaded, so the pointer stays right.
    let found = unsafe { library.get::<T>(name) };
    found
        .map(|function| *function)
        .map_err(|error| error.to_string())
}

fn part(library: &'static libloading::Library, size: &str, bytes: &str) -> Result<Part, String> {
    // SAFETY: all functions of such names, `nvrtcGet…Size`, take a program and a place for a size.
    let size = unsafe { symbol::<GetSize>(library, size) }?;
    // SAFETY: and those without `Size` take a program and a place for that many bytes.
    let bytes = unsafe { symbol::<GetBytes>(library, bytes) }?;
    Ok(Part { size, bytes })
}

fn text(mut log: Vec<u8>) -> String {
    while log.last() == Some(&0) {
        log.pop();
    }
    String::from_utf8_lossy(&log).trim_end().to_owned()
}

/// The builtins beside the library.
fn builtins(library: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(library.parent()?).ok()?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_library = name.contains(".so") || name.strip_suffix(".dll").is_some();
            name.contains("nvrtc-builtins") && is_library && !name.contains("alt")
        })
        .collect();
    found.sort();
    found.pop()
}

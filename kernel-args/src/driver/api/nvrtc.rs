//! NVRTC: its entry points, and one program that it compiles.
//!
//! cudarc's bindings of NVRTC panic where the library or a symbol is missing, and return an enum, which a code of a newer NVRTC must
//! not become. These return an error and a number. They are looked up once.

use super::Unavailable;
use core::ptr;
use libloading::Library;
use std::{
    ffi::{CStr, CString, c_char, c_int},
    format,
    string::{String, ToString},
    sync::OnceLock,
    vec,
    vec::Vec,
};

/// `nvrtcResult` as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct NvrtcStatus(pub(crate) c_int);

impl NvrtcStatus {
    const SUCCESS: Self = Self(0);
}

/// `nvrtcProgram`.
type Handle = *mut core::ffi::c_void;

/// A call of NVRTC that failed.
pub(crate) struct Failure {
    pub(crate) call: &'static str,
    pub(crate) status: NvrtcStatus,
}

macro_rules! entry_points {
    ($($name:ident($($argument:ty),* $(,)?);)*) => {
        /// The entry points, named as NVRTC documents them. All are in CUDA 11.2 and newer.
        #[allow(non_snake_case, reason = "their names")]
        pub(crate) struct Nvrtc {
            $($name: unsafe extern "C" fn($($argument),*) -> NvrtcStatus,)*
            nvrtcGetErrorString: unsafe extern "C" fn(NvrtcStatus) -> *const c_char,
        }

        impl Nvrtc {
            fn load(library: &Library) -> Result<Self, Unavailable> {
                Ok(Self {
                    // SAFETY: the table gives each entry point the type that NVRTC's `nvrtc.h` declares.
                    $($name: unsafe { symbol(library, concat!(stringify!($name), "\0")) }?,)*
                    // SAFETY: `const char* nvrtcGetErrorString(nvrtcResult)`.
                    nvrtcGetErrorString: unsafe { symbol(library, "nvrtcGetErrorString\0") }?,
                })
            }
        }
    };
}

entry_points! {
    nvrtcVersion(*mut c_int, *mut c_int);
    nvrtcGetNumSupportedArchs(*mut c_int);
    nvrtcGetSupportedArchs(*mut c_int);
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
    nvrtcGetCUBINSize(Handle, *mut usize);
    nvrtcGetCUBIN(Handle, *mut c_char);
}

/// # Safety
/// `name` ends with NUL, and `T` is the type of the library's symbol of that name.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, Unavailable> {
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    match symbol {
        Ok(symbol) => Ok(*symbol),
        Err(_) => Err(Unavailable::EntryPoint(name.trim_end_matches('\0'))),
    }
}

/// The names that NVRTC's library has: the one that the library path prefers, then that of the driver's major release, whose
/// cubins the driver is sure to take, then the others.
fn names(driver_major: u16) -> Vec<String> {
    let numbered = |major: u16| {
        if cfg!(windows) {
            let minor = if major == 11 { 2 } else { 0 };
            format!("nvrtc64_{major}{minor}_0.dll")
        } else if major == 11 {
            "libnvrtc.so.11.2".to_string()
        } else {
            format!("libnvrtc.so.{major}")
        }
    };
    let mut majors: Vec<u16> = (11..=15).rev().collect();
    majors.sort_by_key(|&major| major != driver_major);
    let mut names: Vec<_> = majors.into_iter().map(numbered).collect();
    if !cfg!(windows) {
        names.insert(0, "libnvrtc.so".into());
    }
    names
}

/// NVRTC; `driver_major` is the driver's major CUDA version, and counts where several are installed.
pub(crate) fn nvrtc(driver_major: u16) -> Result<&'static Nvrtc, Unavailable> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    static NVRTC: OnceLock<Nvrtc> = OnceLock::new();
    if let Some(nvrtc) = NVRTC.get() {
        return Ok(nvrtc);
    }
    let find = || {
        names(driver_major).iter().find_map(|name| {
            // SAFETY: NVRTC may be loaded by any program; its initialisers have no precondition.
            unsafe { Library::new(name) }.ok()
        })
    };
    let library = LIBRARY.get_or_init(find).as_ref();
    let nvrtc = Nvrtc::load(library.ok_or(Unavailable::Library)?)?;
    Ok(NVRTC.get_or_init(|| nvrtc))
}

fn check(call: &'static str, status: NvrtcStatus) -> Result<(), Failure> {
    if status == NvrtcStatus::SUCCESS {
        Ok(())
    } else {
        Err(Failure { call, status })
    }
}

/// How many texts a list has: fewer than a source has bytes.
fn count(texts: &[*const c_char]) -> c_int {
    c_int::try_from(texts.len()).unwrap_or(c_int::MAX)
}

impl Nvrtc {
    /// Major and minor version.
    pub(crate) fn version(&self) -> Result<(c_int, c_int), Failure> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both outlive the call.
        let status = unsafe { (self.nvrtcVersion)(&raw mut major, &raw mut minor) };
        check("nvrtcVersion", status)?;
        Ok((major, minor))
    }

    /// The compute capabilities that it compiles for, 90 for 9.0, in ascending order.
    pub(crate) fn architectures(&self) -> Result<Vec<u16>, Failure> {
        let mut count = 0;
        // SAFETY: `count` outlives the call.
        let status = unsafe { (self.nvrtcGetNumSupportedArchs)(&raw mut count) };
        check("nvrtcGetNumSupportedArchs", status)?;
        let mut found: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: NVRTC writes as many numbers as it said.
        let status = unsafe { (self.nvrtcGetSupportedArchs)(found.as_mut_ptr()) };
        check("nvrtcGetSupportedArchs", status)?;
        let mut found: Vec<u16> = found
            .into_iter()
            .filter_map(|sm| sm.try_into().ok())
            .collect();
        found.sort_unstable();
        Ok(found)
    }

    /// What NVRTC says of a status.
    pub(crate) fn describe(&self, status: NvrtcStatus) -> String {
        // SAFETY: the call takes any number.
        let text = unsafe { (self.nvrtcGetErrorString)(status) };
        if text.is_null() {
            return format!("error {}", status.0);
        }
        // SAFETY: NVRTC returned a text of its own that ends with NUL and is never freed.
        let text = unsafe { CStr::from_ptr(text) };
        format!("{} ({})", text.to_string_lossy(), status.0)
    }

    /// A program of this source; `headers` are names and texts.
    pub(crate) fn program<'t>(
        &'static self,
        source: &'t CStr,
        name: &'t CStr,
        headers: &'t [(CString, CString)],
    ) -> Result<Program<'t>, Failure> {
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut handle = ptr::null_mut();
        // SAFETY: all texts end with NUL, both arrays have as many entries as said, and `Program` borrows the texts, in case
        // NVRTC refers to them later.
        let status = unsafe {
            (self.nvrtcCreateProgram)(
                &raw mut handle,
                source.as_ptr(),
                name.as_ptr(),
                count(&names),
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        check("nvrtcCreateProgram", status)?;
        Ok(Program {
            nvrtc: self,
            handle,
            _texts: core::marker::PhantomData,
        })
    }
}

/// A program of NVRTC's, destroyed with this.
pub(crate) struct Program<'t> {
    nvrtc: &'static Nvrtc,
    handle: Handle,
    _texts: core::marker::PhantomData<&'t CStr>,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program is alive, and nothing refers to it after this.
        unsafe { (self.nvrtc.nvrtcDestroyProgram)(&raw mut self.handle) };
    }
}

/// A call that writes so many bytes.
type Size = unsafe extern "C" fn(Handle, *mut usize) -> NvrtcStatus;
type Write = unsafe extern "C" fn(Handle, *mut c_char) -> NvrtcStatus;

impl Program<'_> {
    /// Before it is compiled: an expression whose symbol is wanted.
    pub(crate) fn add_name(&mut self, expression: &CStr) -> Result<(), Failure> {
        // SAFETY: the program is alive, and the text ends with NUL; NVRTC copies it.
        let status =
            unsafe { (self.nvrtc.nvrtcAddNameExpression)(self.handle, expression.as_ptr()) };
        check("nvrtcAddNameExpression", status)
    }

    pub(crate) fn compile(&mut self, options: &[CString]) -> Result<(), Failure> {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive, and the array has as many texts as said, which end with NUL.
        let status = unsafe {
            (self.nvrtc.nvrtcCompileProgram)(self.handle, count(&options), options.as_ptr())
        };
        check("nvrtcCompileProgram", status)
    }

    /// The symbol of an expression that was added before the program was compiled.
    pub(crate) fn symbol(&self, expression: &CStr) -> Result<String, Failure> {
        let mut symbol = ptr::null();
        // SAFETY: the program is alive, the text ends with NUL, and `symbol` outlives the call.
        let status = unsafe {
            (self.nvrtc.nvrtcGetLoweredName)(self.handle, expression.as_ptr(), &raw mut symbol)
        };
        check("nvrtcGetLoweredName", status)?;
        if symbol.is_null() {
            return Ok(String::new());
        }
        // SAFETY: NVRTC returned a text that ends with NUL, and lives as long as the program.
        Ok(unsafe { CStr::from_ptr(symbol) }
            .to_string_lossy()
            .into_owned())
    }

    pub(crate) fn log(&self) -> String {
        let log = self.read(
            self.nvrtc.nvrtcGetProgramLogSize,
            self.nvrtc.nvrtcGetProgramLog,
        );
        let log = log.unwrap_or_default();
        String::from_utf8_lossy(log.split(|&byte| byte == 0).next().unwrap_or_default())
            .trim_end()
            .into()
    }

    /// The PTX without the NUL that ends it; empty where there is none.
    pub(crate) fn ptx(&self) -> Result<Vec<u8>, Failure> {
        let ptx = self.read(self.nvrtc.nvrtcGetPTXSize, self.nvrtc.nvrtcGetPTX);
        let mut ptx = ptx.map_err(|status| Failure {
            call: "nvrtcGetPTX",
            status,
        })?;
        while ptx.last() == Some(&0) {
            ptx.pop();
        }
        Ok(ptx)
    }

    /// The cubin; empty where the program was compiled for a virtual architecture.
    pub(crate) fn cubin(&self) -> Result<Vec<u8>, Failure> {
        let cubin = self.read(self.nvrtc.nvrtcGetCUBINSize, self.nvrtc.nvrtcGetCUBIN);
        cubin.map_err(|status| Failure {
            call: "nvrtcGetCUBIN",
            status,
        })
    }

    /// What `write` writes, of the size that `size` tells. Both are of the table above.
    fn read(&self, size: Size, write: Write) -> Result<Vec<u8>, NvrtcStatus> {
        let mut length = 0;
        // SAFETY: the program is alive, and `length` outlives the call.
        let status = unsafe { size(self.handle, &raw mut length) };
        if status != NvrtcStatus::SUCCESS {
            return Err(status);
        }
        let mut bytes = vec![0_u8; length];
        if length > 0 {
            // SAFETY: the program is alive, and the call writes as many bytes as the other one said.
            let status = unsafe { write(self.handle, bytes.as_mut_ptr().cast()) };
            if status != NvrtcStatus::SUCCESS {
                return Err(status);
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_s_own_release_is_looked_for_before_others() {
        if cfg!(windows) {
            return;
        }
        assert_eq!(
            names(12)[..3],
            ["libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.15"]
        );
        assert_eq!(names(11)[1], "libnvrtc.so.11.2");
        assert_eq!(names(99).len(), 6);
    }
}

//! A small binding of the CUDA runtime. The runtime is loaded when the program runs, so the program builds without
//! CUDA.

use libloading::Library;
use std::{
    env,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    fmt,
    path::PathBuf,
    ptr,
};

/// `cudaStream_t`, which is a `CUstream`.
pub type Stream = *mut c_void;
/// `cudaKernel_t`, which is a `CUkernel`.
pub type Kernel = *mut c_void;
/// `cudaLibrary_t`.
pub type LibraryHandle = *mut c_void;

/// `cudaMemcpyDefault`: the direction follows from the addresses.
const DEFAULT: c_int = 4;

/// An error of the runtime: `cudaError_t`, which has the same codes as the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    /// The call.
    pub call: &'static str,
    /// The returned code.
    pub code: c_int,
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned cudaError_t {}", self.call, self.code)
    }
}

impl std::error::Error for RuntimeError {}

/// The runtime functions that are used here: `name: function(arguments)`.
macro_rules! calls {
    ($($name:ident: $function:ident($($argument:ident: $ty:ty),*);)*) => {
        /// The CUDA runtime.
        #[derive(Debug)]
        pub struct Cudart {
            $($name: Option<unsafe extern "C" fn($($ty),*) -> c_int>,)*
            _library: Library,
        }

        impl Cudart {
            fn with(library: Library) -> Self {
                Self {
                    $($name: {
                        // SAFETY: the table declares each function with the type in the runtime's headers.
                        let symbol = unsafe { library.get(concat!(stringify!($function), "\0").as_bytes()) };
                        symbol.ok().map(|symbol| *symbol)
                    },)*
                    _library: library,
                }
            }

            $(
                /// Calls the runtime function with this name.
                ///
                /// # Errors
                /// Its error, and `cudaErrorNotSupported` if the runtime lacks the function.
                ///
                /// # Safety
                /// The requirements in the runtime's documentation: pointers are valid for the accesses of the call.
                #[allow(clippy::too_many_arguments, reason = "as many as the runtime takes")]
                pub unsafe fn $name(&self, $($argument: $ty),*) -> Result<(), RuntimeError> {
                    let call = stringify!($function);
                    let code = match self.$name {
                        // SAFETY: the caller guarantees the requirements of the function.
                        Some(function) => unsafe { function($($argument),*) },
                        None => 801,
                    };
                    if code == 0 { Ok(()) } else { Err(RuntimeError { call, code }) }
                }
            )*
        }
    };
}

calls! {
    set_device: cudaSetDevice(device: c_int);
    runtime_version: cudaRuntimeGetVersion(version: *mut c_int);
    malloc_raw: cudaMalloc(address: *mut *mut c_void, bytes: usize);
    free: cudaFree(address: *mut c_void);
    memcpy: cudaMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int);
    stream_create_raw: cudaStreamCreateWithFlags(stream: *mut Stream, flags: c_uint);
    stream_synchronize: cudaStreamSynchronize(stream: Stream);
    stream_destroy: cudaStreamDestroy(stream: Stream);
    device_synchronize: cudaDeviceSynchronize();
    device_reset: cudaDeviceReset();
    library_load: cudaLibraryLoadData(
        library: *mut LibraryHandle, code: *const c_void, jit: *mut c_void, jit_values: *mut c_void, jit_count: c_uint,
        options: *mut c_void, option_values: *mut c_void, option_count: c_uint
    );
    library_get_kernel: cudaLibraryGetKernel(kernel: *mut Kernel, library: LibraryHandle, name: *const c_char);
}

impl Cudart {
    /// Loads the runtime of the CUDA toolkit; `None` if it is not installed.
    #[must_use]
    pub fn load() -> Option<Self> {
        candidates().into_iter().find_map(|name| {
            // SAFETY: the runtime's initializers have no precondition.
            let library = unsafe { Library::new(name) }.ok()?;
            Some(Self::with(library))
        })
    }

    /// `cudaRuntimeGetVersion`: `1000 * major + 10 * minor`.
    ///
    /// # Errors
    /// The runtime's error.
    pub fn version(&self) -> Result<i32, RuntimeError> {
        let mut version = 0;
        // SAFETY: `version` outlives the call.
        unsafe { self.runtime_version(&raw mut version) }?;
        Ok(version)
    }

    /// `cudaMalloc` of `length` elements.
    ///
    /// # Errors
    /// The runtime's error.
    pub fn malloc<T: Copy>(&self, length: usize) -> Result<*mut T, RuntimeError> {
        let mut address = ptr::null_mut();
        // SAFETY: `address` outlives the call.
        unsafe { self.malloc_raw(&raw mut address, length * size_of::<T>()) }?;
        Ok(address.cast())
    }

    /// `cudaStreamCreateWithFlags` with `cudaStreamNonBlocking`.
    ///
    /// # Errors
    /// The runtime's error.
    pub fn stream_create(&self) -> Result<Stream, RuntimeError> {
        let mut stream = ptr::null_mut();
        // SAFETY: `stream` outlives the call.
        unsafe { self.stream_create_raw(&raw mut stream, 1) }?;
        Ok(stream)
    }

    /// `cudaMemcpy` to the device.
    ///
    /// # Errors
    /// The runtime's error.
    ///
    /// # Safety
    /// `to` is device memory with this number of elements, and nothing else uses it.
    pub unsafe fn write<T: Copy>(&self, to: *mut T, from: &[T]) -> Result<(), RuntimeError> {
        // SAFETY: the caller guarantees the validity of the device memory.
        unsafe { self.memcpy(to.cast(), from.as_ptr().cast(), size_of_val(from), DEFAULT) }
    }

    /// `cudaMemcpy` from the device.
    ///
    /// # Errors
    /// The runtime's error.
    ///
    /// # Safety
    /// `from` is device memory with this number of elements, and all are written.
    pub unsafe fn read<T: Copy + Default>(&self, from: *const T, length: usize) -> Result<Vec<T>, RuntimeError> {
        let mut values = vec![T::default(); length];
        let bytes = length * size_of::<T>();
        // SAFETY: the caller guarantees the validity of the device memory; `values` has space for all elements.
        unsafe { self.memcpy(values.as_mut_ptr().cast(), from.cast(), bytes, DEFAULT) }?;
        Ok(values)
    }

    /// Loads the kernel `name` of an image with `cudaLibraryLoadData` (CUDA 12.8 and newer). The library stays loaded.
    ///
    /// # Errors
    /// The runtime's error.
    pub fn kernel(&self, image: &CStr, name: &CStr) -> Result<Kernel, RuntimeError> {
        let (mut library, mut kernel, none) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let code = image.as_ptr().cast();
        // SAFETY: the image ends with NUL, there are no options, and the output outlives the call.
        unsafe { self.library_load(&raw mut library, code, none, none, 0, none, none, 0) }?;
        // SAFETY: the library is loaded; the name ends with NUL, and `kernel` outlives the call.
        unsafe { self.library_get_kernel(&raw mut kernel, library, name.as_ptr()) }?;
        Ok(kernel)
    }
}

/// The possible places of the runtime: the loader's path, the program's folder, the toolkit.
fn candidates() -> Vec<PathBuf> {
    let names: &[&str] = if cfg!(windows) {
        &["cudart64_13.dll", "cudart64_12.dll", "cudart64_110.dll"]
    } else {
        &["libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"]
    };
    let beside = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let toolkit = ["CUDA_PATH", "CUDA_HOME"]
        .into_iter()
        .filter_map(env::var_os)
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda")])
        .map(|root| root.join(if cfg!(windows) { "bin" } else { "lib64" }));
    let folders: Vec<_> = beside.into_iter().chain(toolkit).collect();
    let in_folders = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    names.iter().map(PathBuf::from).chain(in_folders).collect()
}

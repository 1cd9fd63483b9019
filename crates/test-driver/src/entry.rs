//! The C interface of an entry point: the types of its arguments, and the macro that exports it.
//!
//! The argument types below contain a pointer that an exported function received, and nothing else constructs them.
//! CUDA's contract for every such function is that a pointer is null or valid for the accesses of the function. Their
//! methods can therefore be safe functions, with the proof in one place.

use std::ffi::{CStr, c_char, c_void};

use crate::error::{Outcome, Status};

/// An argument to which an entry point writes one `T`.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    /// Writes `value`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a null pointer.
    pub(crate) fn set(self, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so valid for writes of a `T` (module documentation). C does not guarantee alignment here.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes `value` if the pointer is not null. Null means that the caller does not need it.
    pub(crate) fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Reads the value at the pointer: a few entry points read a capacity and write a count.
    pub(crate) fn get(self) -> Outcome<T> {
        In(self.0.cast_const()).get()
    }

    /// Writes the first `values` that fit into `capacity` elements.
    pub(crate) fn fill(self, values: &[T], capacity: usize) -> Outcome {
        let count = values.len().min(capacity);
        if count == 0 {
            return Ok(());
        }
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller states that the buffer has `capacity` elements, and `count` does not exceed it.
        unsafe { self.0.copy_from_nonoverlapping(values.as_ptr(), count) };
        Ok(())
    }

    /// Element `index` of an array.
    pub(crate) fn at(self, index: usize) -> Self {
        Self(self.0.wrapping_add(index))
    }
}

impl Out<c_char> {
    /// Writes `text` and a NUL into a buffer of `capacity` bytes, truncated to fit. Returns the number of bytes
    /// written, including the NUL.
    pub(crate) fn set_text(self, text: &str, capacity: usize) -> Outcome<usize> {
        let Some(room) = capacity.checked_sub(1) else {
            return Ok(0);
        };
        let kept = text.len().min(room);
        let bytes: Vec<c_char> =
            text.as_bytes()[..kept].iter().map(|&byte| c_char::from_ne_bytes([byte])).chain([0]).collect();
        self.fill(&bytes, capacity)?;
        Ok(kept + 1)
    }
}

impl<T> Out<T> {
    /// Casts the pointer, for entry points that take `void*`.
    pub(crate) fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// Returns the address, for an operation that writes later.
    pub(crate) fn address(self) -> usize {
        self.0.expose_provenance()
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// Returns a pointer from an address inside another structure (the value of a JIT option).
pub(crate) fn out_at<T>(address: usize) -> Out<T> {
    Out(std::ptr::with_exposed_provenance_mut(address))
}

/// Returns a pointer to a variable, for a call that writes it.
pub(crate) fn out_to<T>(value: &mut T) -> Out<T> {
    Out(value)
}

/// An argument from which an entry point reads one or more `T`.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T: Copy> In<T> {
    /// Reads one `T`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a null pointer.
    pub(crate) fn get(self) -> Outcome<T> {
        self.at(0)
    }

    /// Reads element `index`.
    pub(crate) fn at(self, index: usize) -> Outcome<T> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the caller passed an array that has this element. Entry points read no further than the driver does
        // according to CUDA's documentation.
        let element = unsafe { self.0.add(index) };
        // SAFETY: the caller passed an array that has this element. C does not guarantee alignment.
        Ok(unsafe { element.read_unaligned() })
    }

    /// Reads `count` elements. For 0 elements the pointer may be null.
    pub(crate) fn take(self, count: usize) -> Outcome<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let mut elements = Vec::<T>::with_capacity(count);
        let room = elements.as_mut_ptr().cast::<u8>();
        let (source, length) = (self.0.cast::<u8>(), count * size_of::<T>());
        // SAFETY: the caller passed `count` elements, and the vector has space for them; bytes need no alignment.
        unsafe { source.copy_to_nonoverlapping(room, length) };
        // SAFETY: the copy filled `count` elements.
        unsafe { elements.set_len(count) };
        Ok(elements)
    }
}

impl<T> In<T> {
    /// Returns a pointer to a variable, for a call that reads it.
    pub(crate) fn of(value: &T) -> Self {
        Self(value)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the address, for an operation that reads later.
    pub(crate) fn address(self) -> usize {
        self.0.expose_provenance()
    }
}

/// Returns a pointer from an address inside another structure.
pub(crate) fn in_at<T>(address: usize) -> In<T> {
    In(std::ptr::with_exposed_provenance(address))
}

/// A NUL-terminated string argument.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// Bytes that end with a NUL, for a call that reads them.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        debug_assert_eq!(bytes.last(), Some(&0));
        Self(bytes.as_ptr().cast())
    }

    /// Returns the string.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a null pointer or bytes that are not UTF-8.
    pub(crate) fn get(self) -> Outcome<String> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so a NUL-terminated string (module documentation).
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(str::to_owned).map_err(|_| Status::INVALID_VALUE)
    }
}

/// A callback with its argument, called after the driver's lock is released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCall {
    pub(crate) function: extern "C" fn(*mut c_void),
    pub(crate) argument: usize,
}

impl HostCall {
    pub(crate) fn run(self) {
        (self.function)(std::ptr::with_exposed_provenance_mut(self.argument));
    }
}

/// An exported function.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) address: *const c_void,
}

/// Exports entry points. Each body runs while the driver's lock is held, after the call was counted and if no failure
/// was requested for it, and returns an [`Outcome`](crate::error::Outcome).
///
/// It also defines `ENTRIES` of the module, for `cuGetProcAddress`.
macro_rules! entry_points {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($driver:ident $(, $argument:ident: $type:ty)* $(,)?) $body:block
    )*) => {
        $(
            $(#[$attribute])*
            // The structures of some arguments are needed by their entry points only.
            #[allow(private_interfaces)]
            // Without a name for the linker, the unit tests compile only what they call.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub(crate) extern "C" fn $name($($argument: $type),*) -> $crate::error::Status {
                // The structure of arguments that CUPTI passes to a callback.
                #[repr(C)]
                struct Parameters($($type),*);
                let parameters = Parameters($($argument),*);
                $crate::state::cupti::around(stringify!($name), (&raw const parameters).cast(), &mut || {
                    $crate::state::call(stringify!($name), &mut |$driver| -> $crate::error::Outcome { $body })
                })
            }
        )*

        /// The entry points of this module, with their addresses.
        pub(crate) const ENTRIES: &[$crate::entry::Entry] = &[
            $($crate::entry::Entry { name: stringify!($name), address: $name as *const std::ffi::c_void },)*
        ];
    };
}

//! Reading and writing global variables.

use super::global::Global;
use crate::{
    device::{DevicePointer, DevicePointerMut, DeviceType, from_bytes, store_all},
    driver::{
        api::PendingBytes,
        error::{Error, GlobalError},
    },
};
use core::slice;
use cudarc::driver::CudaStream;

/// Returns the elements in the layout of the device, padding as zeros.
fn stored<T: DeviceType>(elements: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_val(elements)];
    store_all(elements, &mut bytes);
    bytes
}

macro_rules! addresses {
    () => {
        /// Returns the address of the variable (of the first element of a slice), as an argument of a kernel. It is
        /// valid as long as the module is loaded: keep this value.
        #[must_use]
        pub fn as_ptr(&self) -> DevicePointer<T> {
            DevicePointer::from_raw(self.memory.address())
        }

        /// Returns the address for a kernel that writes the variable: see [`as_ptr`](Self::as_ptr).
        #[must_use]
        pub fn as_mut_ptr(&self) -> DevicePointerMut<T> {
            DevicePointerMut::from_raw(self.memory.address())
        }
    };
}

impl<T: DeviceType> Global<T> {
    /// Returns the value. Waits for all work in the context first.
    ///
    /// # Errors
    /// [`Error::Global`] if the bytes are not a value of `T`; otherwise the errors of the driver.
    pub fn read(&self) -> Result<T, Error> {
        let bytes = self.read_bytes(0, size_of::<T>())?;
        from_bytes(&bytes).ok_or_else(|| self.not_a_value())
    }

    /// Overwrites the value. Waits for all work in the context first. The padding of `value` becomes zeros.
    ///
    /// A compiler may have replaced a variable that is declared `const` by its value: kernels then do not see the new
    /// value.
    ///
    /// # Errors
    /// The errors of the driver.
    pub fn write(&self, value: &T) -> Result<(), Error> {
        self.write_bytes(0, &stored(slice::from_ref(value)))
    }

    /// Reads the value in the order of `stream`. The driver may wait for the copy, because the host memory is not
    /// pinned.
    ///
    /// # Errors
    /// [`Error::Context`] for a stream of a different context; [`Error::Global`] while it is being captured; otherwise
    /// the errors of the driver.
    pub fn read_on(&self, stream: &CudaStream) -> Result<PendingRead<T>, Error> {
        PendingRead::start(self, stream, 0, size_of::<T>())
    }

    /// Overwrites the value in the order of `stream`, and usually does not wait for it. `value` is copied first.
    ///
    /// # Errors
    /// The errors of [`read_on`](Self::read_on).
    pub fn write_on(&self, stream: &CudaStream, value: &T) -> Result<(), Error> {
        self.write_bytes_on(stream, 0, stored(slice::from_ref(value)))
    }

    addresses!();
}

impl<T: DeviceType, const N: usize> Global<[T; N]> {
    /// Returns the variable as a slice, whose elements can be read and written alone.
    #[must_use]
    pub fn as_slice(&self) -> Global<[T]> {
        self.cast()
    }
}

impl<T: DeviceType> Global<[T]> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size().checked_div(size_of::<T>()).unwrap_or(0)
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn place(&self, start: usize, count: usize) -> Result<(usize, usize), Error> {
        let end = start.checked_add(count);
        if end.is_some_and(|end| end <= self.len()) {
            return Ok((start * size_of::<T>(), count * size_of::<T>()));
        }
        Err(Error::Global(GlobalError::OutOfRange { variable: (*self.name).into(), start, count, len: self.len() }))
    }

    fn elements(&self, bytes: &[u8]) -> Result<Vec<T>, Error> {
        let elements = bytes.chunks_exact(size_of::<T>().max(1)).map(from_bytes).collect::<Option<_>>();
        elements.ok_or_else(|| self.not_a_value())
    }

    /// Returns all elements. Waits for all work in the context first.
    ///
    /// # Errors
    /// [`Error::Global`] if the bytes are not values of `T`; otherwise the errors of the driver.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.read_at(0, self.len())
    }

    /// `count` elements from element `start` on. Waits for all work in the context first.
    ///
    /// # Errors
    /// [`Error::Global`] if the elements are not inside of the variable, or not values of `T`; otherwise the driver's
    /// errors.
    pub fn read_at(&self, start: usize, count: usize) -> Result<Vec<T>, Error> {
        let (offset, length) = self.place(start, count)?;
        self.elements(&self.read_bytes(offset, length)?)
    }

    /// Overwrites the elements from element `start` on. Waits for all work in the context first.
    ///
    /// # Errors
    /// [`Error::Global`] if the elements are not inside of the variable; otherwise the errors of the driver.
    pub fn write_at(&self, start: usize, elements: &[T]) -> Result<(), Error> {
        let (offset, _) = self.place(start, elements.len())?;
        self.write_bytes(offset, &stored(elements))
    }

    /// Reads `count` elements from element `start` on, in the order of `stream`. The driver may wait for the copy.
    ///
    /// # Errors
    /// The errors of [`read_at`](Self::read_at), and of a stream the errors of [`Global::read_on`].
    pub fn read_at_on(&self, stream: &CudaStream, start: usize, count: usize) -> Result<PendingRead<[T]>, Error> {
        let (offset, length) = self.place(start, count)?;
        PendingRead::start(self, stream, offset, length)
    }

    /// Overwrites the elements from element `start` on, in the order of `stream`, and usually does not wait for it.
    /// `elements` are copied first.
    ///
    /// # Errors
    /// The errors of [`write_at`](Self::write_at), and of a stream the errors of [`Global::write_on`].
    pub fn write_at_on(&self, stream: &CudaStream, start: usize, elements: &[T]) -> Result<(), Error> {
        let (offset, _) = self.place(start, elements.len())?;
        self.write_bytes_on(stream, offset, stored(elements))
    }

    addresses!();
}

/// A read of a global variable that may not be complete: see [`Global::read_on`]. Dropping it waits for the copy.
#[must_use = "dropping it waits for the copy and discards the value"]
pub struct PendingRead<T: ?Sized> {
    bytes: PendingBytes,
    global: Global<T>,
}

impl<T: ?Sized> PendingRead<T> {
    fn start(global: &Global<T>, stream: &CudaStream, offset: usize, length: usize) -> Result<Self, Error> {
        global.check_stream(stream)?;
        let bytes = global.memory.read_on(stream, offset, length).map_err(|error| global.not_copied(error))?;
        Ok(Self { bytes, global: global.clone() })
    }

    /// Returns whether the copy is complete, so [`wait`](PendingRead::wait) does not wait.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.bytes.is_complete()
    }
}

impl<T: DeviceType> PendingRead<T> {
    /// Returns the value, after the copy.
    ///
    /// # Errors
    /// The errors of [`Global::read`].
    pub fn wait(&self) -> Result<T, Error> {
        from_bytes(self.bytes.wait()?).ok_or_else(|| self.global.not_a_value())
    }
}

impl<T: DeviceType> PendingRead<[T]> {
    /// Returns the elements, after the copy.
    ///
    /// # Errors
    /// The errors of [`Global::read_at`].
    pub fn wait(&self) -> Result<Vec<T>, Error> {
        self.global.elements(self.bytes.wait()?)
    }
}

debug!([T: ?Sized] PendingRead<T>, this => global: this.global.name);

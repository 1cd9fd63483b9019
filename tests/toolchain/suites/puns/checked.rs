//! The right structs with right arguments, while pointers are checked: lists of their types, on the test driver.

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use half::{bf16, f16};
use kernel_args::{ArgList, DevicePointer, DevicePointerMut, Error, Function, KernelArg, graph::Graph, launch};
use std::sync::Arc;

/// The number of bytes behind each pointer.
const BYTES: u64 = 4096;
/// Offsets and counts: no address, or one of freed memory.
const NUMBERS: [u64; 2] = [16, 0x7f00_0000_0010];

/// A kernel of the source, with the types of its fields and the declarations of its parameters.
pub(crate) struct Pun<'s> {
    pub(crate) function: &'s Function,
    pub(crate) types: Vec<&'s str>,
    pub(crate) declared: Vec<&'s str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Pointers,
    Slices,
}

impl Pun<'_> {
    /// Launches with right arguments. Returns the errors.
    pub(crate) fn launch_right(&self, stream: &Arc<CudaStream>, memory: &CudaSlice<u8>) -> Vec<Error> {
        let forms = [Form::Pointers, Form::Slices].into_iter();
        let all = forms.flat_map(|form| NUMBERS.map(|number| (form, number)));
        all.filter_map(|(form, number)| self.launch(stream, memory, (form, number), None).err()).collect()
    }

    /// Launches with a wrong address for each pointer. Returns whether each is refused.
    pub(crate) fn launch_wrong(&self, stream: &Arc<CudaStream>, memory: &CudaSlice<u8>) -> Vec<bool> {
        // Between a `begin` and an `end` to nothing, a kernel leaves the memory, and its launch is a fault.
        let is_range = self.declared.iter().any(|declared| declared.ends_with(" begin"));
        let ends_range = |index: usize| is_range && self.declared[index].ends_with(" end");
        let pointers = (0..self.types.len()).filter(|index| self.types[*index].starts_with('&') && !ends_range(*index));
        let refused = |wrong| self.launch(stream, memory, (Form::Pointers, 16), Some(wrong)).is_err();
        pointers.map(refused).collect()
    }

    fn launch(
        &self,
        stream: &Arc<CudaStream>,
        memory: &CudaSlice<u8>,
        (form, number): (Form, u64),
        wrong: Option<usize>,
    ) -> Result<(), Error> {
        let begin = memory.device_ptr(stream).0;
        let mut list = ArgList::new();
        for (index, (ty, declared)) in self.types.iter().zip(&self.declared).enumerate() {
            let is_end = declared.ends_with(" end");
            let address = match wrong {
                Some(wrong) if wrong == index => 16,
                _ if is_end => begin + BYTES,
                _ => begin,
            };
            let form = if is_end { Form::Pointers } else { form };
            let pointer = Pointer { stream, address, form, is_shared: declared.contains("const*") };
            match ty.trim_start_matches("&mut ").trim_start_matches('&') {
                "u8" if ty.starts_with('&') => pointer.push::<u8>(&mut list),
                "i8" => pointer.push::<i8>(&mut list),
                "u16" => pointer.push::<u16>(&mut list),
                "i16" => pointer.push::<i16>(&mut list),
                "u32" if ty.starts_with('&') => pointer.push::<u32>(&mut list),
                "i32" if ty.starts_with('&') => pointer.push::<i32>(&mut list),
                "u64" if ty.starts_with('&') => pointer.push::<u64>(&mut list),
                "i64" if ty.starts_with('&') => pointer.push::<i64>(&mut list),
                "f32" if ty.starts_with('&') => pointer.push::<f32>(&mut list),
                "f64" if ty.starts_with('&') => pointer.push::<f64>(&mut list),
                "f16" => pointer.push::<f16>(&mut list),
                "bf16" => pointer.push::<bf16>(&mut list),
                "u8" => _ = list.push(1_u8),
                "u32" => _ = list.push(4_u32),
                "i32" => _ = list.push(4_i32),
                "f32" => _ = list.push(1.0_f32),
                "f64" => _ = list.push(1.0_f64),
                "i64" => _ = list.push(number.cast_signed()),
                "usize" => _ = list.push(usize::try_from(number).expect("64 bits")),
                "u64" => _ = list.push(number),
                "address" => _ = list.push(address),
                other => panic!("`{other}` is no type"),
            }
        }
        let launch = || {
            // SAFETY: what the kernel accesses through is the memory, or is refused. Numbers are used in a graph that
            // is never launched.
            unsafe { launch!(self.function, 1, 32, list, shared = 64, stream = stream) }
        };
        if wrong.is_some() {
            return launch();
        }
        // SAFETY: the graph is never launched.
        unsafe { Graph::capture_unretained(stream, launch) }.map(drop)
    }
}

/// A pointer of a list.
struct Pointer<'s> {
    stream: &'s Arc<CudaStream>,
    address: u64,
    form: Form,
    is_shared: bool,
}

impl Pointer<'_> {
    fn push<T: 'static>(&self, list: &mut ArgList<'_>)
    where
        DevicePointer<T>: KernelArg,
        DevicePointerMut<T>: KernelArg,
        &'static CudaSlice<T>: KernelArg,
        &'static mut CudaSlice<T>: KernelArg,
    {
        let length = BYTES as usize / size_of::<T>();
        match (self.form, self.is_shared) {
            (Form::Pointers, true) => list.push(DevicePointer::<T>::from_raw(self.address)),
            (Form::Pointers, false) => list.push(DevicePointerMut::<T>::from_raw(self.address)),
            (Form::Slices, is_shared) => {
                // SAFETY: the slice is never dropped, so it does not free the memory.
                let slice = Box::leak(Box::new(unsafe { self.stream.upgrade_device_ptr::<T>(self.address, length) }));
                if is_shared { list.push(&*slice) } else { list.push(slice) }
            }
        };
    }
}

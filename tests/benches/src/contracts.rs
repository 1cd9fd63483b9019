//! Launches with one contract each, compared with the same launch without it.

use crate::{callgrind::Call, launch::Device};
use core::{error::Error, ffi::c_void, hint::black_box};
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{DevicePointer, Kernel, KernelArgs, launch};
use std::sync::Arc;

const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry work(.param .u64 x, .param .u32 n, .param .u32 m) { ret; }
";

/// A kernel, and the values of a launch, which a program knows at run time.
struct Prepared<A: KernelArgs> {
    kernel: Kernel<A>,
    stream: Arc<CudaStream>,
    values: Values,
}

#[derive(Clone, Copy)]
struct Values {
    slice: &'static CudaSlice<f32>,
    pointer: DevicePointer<f32>,
    n: u32,
    length: usize,
    signed: i32,
    m: u32,
    grid: u32,
    block: u32,
}

/// A call, and its argument.
type Ready = (Call, *mut c_void);

/// One contract.
pub struct Contract {
    /// The contract, as a struct declares it.
    pub name: &'static str,
    /// The name of the row with the same launch without it.
    pub without: &'static str,
    prepare: fn(&Device) -> Result<Ready, Box<dyn Error>>,
}

impl Contract {
    /// Launches once to resolve symbols, and a second time, which callgrind counts.
    ///
    /// # Errors
    /// If the kernel does not match.
    pub fn run(&self, device: &Device) -> Result<(), Box<dyn Error>> {
        let (call, argument) = (self.prepare)(device)?;
        // SAFETY: `prepare` has returned the argument of this function.
        unsafe { call(argument) };
        // SAFETY: `prepare` has returned the argument of this function.
        unsafe { crate::callgrind::measured(call, argument) };
        Ok(())
    }
}

fn prepared<A: KernelArgs>(device: &Device) -> Result<*mut c_void, Box<dyn Error>> {
    let prepared = Prepared::<A> {
        kernel: Kernel::from_image(&device.context, PTX, "work")?,
        stream: device.stream.clone(),
        values: Values {
            slice: Box::leak(Box::new(device.stream.alloc_zeros(1024)?)),
            pointer: DevicePointer::NULL,
            n: 500,
            length: 512,
            signed: 512,
            m: 2,
            grid: 4,
            block: 256,
        },
    };
    Ok(Box::into_raw(Box::new(prepared)).cast())
}

/// Each row: the name and the row without the contract; `pointer` or `slice` with its attributes; the value of `n` with
/// its type and attributes; attributes of the struct; options of the launch.
macro_rules! contracts {
    ($($name:literal, $without:literal, $memory:ident: $ty:ty [$($of_memory:tt)*], $number:ident: $int:ty [$($of_number:tt)*],
       [$($of_struct:tt)*], |$values:ident| [$($options:tt)*];)*) => {
        /// All contracts.
        pub const CONTRACTS: &[Contract] = &[$(Contract {
            name: $name,
            without: $without,
            prepare: |device| {
                #[derive(KernelArgs)]
                #[kernel_args($($of_struct)*)]
                struct Args<'a> {
                    #[kernel_args($($of_memory)*)]
                    x: $ty,
                    #[kernel_args($($of_number)*)]
                    n: $int,
                    m: u32,
                    #[kernel_args(skip)]
                    life: core::marker::PhantomData<&'a ()>,
                }
                unsafe extern "C" fn run(argument: *mut c_void) {
                    // SAFETY: the argument is from `prepared` with this type.
                    let prepared = unsafe { &*argument.cast::<Prepared<Args<'static>>>() };
                    let $values = black_box(&prepared.values);
                    let (grid, block, stream) = ($values.grid, $values.block, &prepared.stream);
                    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::unnecessary_cast, reason = "what programs write")]
                    let args = Args {
                        x: $values.$memory,
                        n: $values.$number as $int,
                        m: $values.m,
                        life: core::marker::PhantomData,
                    };
                    // SAFETY: the kernel does nothing.
                    let launched = unsafe { launch!(prepared.kernel, grid, block, args, stream = stream $($options)*) };
                    assert!(launched.is_ok(), "{launched:?}");
                }
                Ok((run as Call, prepared::<Args<'static>>(device)?))
            },
        }),*];
    };
}

contracts! {
    "none", "none", pointer: DevicePointer<f32> [], n: u32 [], [], |values| [];
    "`multiple_of = 4`", "none", pointer: DevicePointer<f32> [], n: u32 [multiple_of = 4], [], |values| [];
    "`multiple_of = 10`", "none", pointer: DevicePointer<f32> [], n: u32 [multiple_of = 10], [], |values| [];
    "`range = \"1..=65535\"`", "none", pointer: DevicePointer<f32> [], n: u32 [range = "1..=65535"], [], |values| [];
    "`range = \"1..m * 1000\"`", "none", pointer: DevicePointer<f32> [], n: u32 [range = "1..m * 1000"], [], |values| [];
    "`len = \"n\"`, `capacity = 1024`", "none", pointer: DevicePointer<f32> [len = "n", capacity = 1024], n: u32 [], [], |values| [];
    "`block = 256`", "none", pointer: DevicePointer<f32> [], n: u32 [], [block = 256], |values| [];
    "`block_multiple_of = 32`", "none", pointer: DevicePointer<f32> [], n: u32 [], [block_multiple_of = 32], |values| [];
    "`max_block = 512`", "none", pointer: DevicePointer<f32> [], n: u32 [], [max_block = 512], |values| [];
    "`grid_covers = \"n\"`", "none", pointer: DevicePointer<f32> [], n: u32 [], [grid_covers = "n"], |values| [];
    "`requires = \"grid.x * block.x >= n\"`", "none", pointer: DevicePointer<f32> [], n: u32 [], [requires = "grid.x * block.x >= n"], |values| [];
    "`requires = \"n % m == 0 && n >= m\"`", "none", pointer: DevicePointer<f32> [], n: u32 [], [requires = "n % m == 0 && n >= m"], |values| [];
    "`stream = required`", "none", pointer: DevicePointer<f32> [], n: u32 [], [stream = required], |values| [];
    "none; `shared = block * 4` in the launch", "", pointer: DevicePointer<f32> [], n: u32 [], [], |values| [, shared = values.block * 4];
    "`shared = \"block.x * 4\"`", "none; `shared = block * 4` in the launch", pointer: DevicePointer<f32> [], n: u32 [], [shared = "block.x * 4"], |values| [];
    "`as = i32` on an `i16`, which always fits", "none", pointer: DevicePointer<f32> [], signed: i16 [as = i32], [], |values| [];
    "`as = i32` on a `usize`", "`as = i32` on an `i16`, which always fits", pointer: DevicePointer<f32> [], length: usize [as = i32], [], |values| [];
    "`as = u32` on a `usize`", "`as = i32` on an `i16`, which always fits", pointer: DevicePointer<f32> [], length: usize [as = u32], [], |values| [];
    "`as = u32` on an `i32`", "`as = i32` on an `i16`, which always fits", pointer: DevicePointer<f32> [], signed: i32 [as = u32], [], |values| [];
    "none; a slice", "", slice: &'a CudaSlice<f32> [], n: u32 [], [], |values| [];
    "`len = \"n\"`", "none; a slice", slice: &'a CudaSlice<f32> [len = "n"], n: u32 [], [], |values| [];
    "`len = \"n * m\"`", "none; a slice", slice: &'a CudaSlice<f32> [len = "n * m"], n: u32 [], [], |values| [];
    "none; a slice and an `i32`", "", slice: &'a CudaSlice<f32> [], signed: i32 [], [], |values| [];
    "`len = \"n\"` with an `i32`", "none; a slice and an `i32`", slice: &'a CudaSlice<f32> [len = "n"], signed: i32 [], [], |values| [];
    "`len = \"n * m\"` with an `i32`", "none; a slice and an `i32`", slice: &'a CudaSlice<f32> [len = "n * m"], signed: i32 [], [], |values| [];
}

//! Structs that spread or flatten a field, next to structs with the same parameters as separate fields.

use crate::{
    callgrind::{Call, measured},
    marshal::{launch_packed, launch_params},
};
use core::ffi::c_void;
use kernel_args::{DevicePointer, KernelArgs};

/// Two ways of passing equal parameters.
pub struct Pair {
    /// What is compared.
    pub name: &'static str,
    run: fn(&mut dyn FnMut(Call, *mut c_void)),
}

impl Pair {
    /// Marshals example arguments in four ways. Callgrind counts: separate fields and parts as `kernelParams`, then
    /// both packed.
    pub fn run(&self) {
        // SAFETY: the arguments have the type that the call takes.
        (self.run)(&mut |call, args| unsafe { measured(call, args) });
    }
}

/// Defines a function that passes a `$ty` in one of the two forms.
macro_rules! pass {
    ($call:ident, $ty:ty, $variant:literal, params) => {
        unsafe extern "C" fn $call(args: *mut c_void) {
            // SAFETY: `pairs!` passes a reference to this type.
            let args = unsafe { &mut *args.cast::<$ty>() };
            args.with_kernel_params(|params| launch_params($variant, params.as_mut_ptr()));
        }
    };
    ($call:ident, $ty:ty, $variant:literal, packed) => {
        unsafe extern "C" fn $call(args: *mut c_void) {
            // SAFETY: `pairs!` passes a reference to this type.
            let args = unsafe { &mut *args.cast::<$ty>() };
            args.with_packed(|packed| launch_packed($variant, packed.as_ptr(), packed.len()));
        }
    };
}

macro_rules! pairs {
    ($($name:literal, $flat:ty, $separate:expr, $parts:ty, $joined:expr, $variant:literal;)*) => {
        /// All pairs.
        pub const PAIRS: &[Pair] = &[$(Pair {
            name: $name,
            run: |call| {
                pass!(flat_params, $flat, $variant, params);
                pass!(flat_packed, $flat, $variant, packed);
                pass!(parts_params, $parts, $variant, params);
                pass!(parts_packed, $parts, $variant, packed);
                let (mut flat, mut parts): ($flat, $parts) = ($separate, $joined);
                let (flat, parts) = ((&raw mut flat).cast(), (&raw mut parts).cast());
                call(flat_params, flat);
                call(parts_params, parts);
                call(flat_packed, flat);
                call(parts_packed, parts);
            },
        }),*];
    };
}

#[derive(KernelArgs)]
#[expect(clippy::struct_field_names, reason = "the names of the elements")]
struct Four {
    shape_0: i32,
    shape_1: i32,
    shape_2: i32,
    shape_3: i32,
}

#[derive(KernelArgs)]
struct SpreadFour {
    #[kernel_args(spread)]
    shape: [i32; 4],
}

/// A copy of two tensors with three dimensions, as separate fields. `f64` after an odd number of `i32` is padded.
#[derive(KernelArgs)]
struct Copied {
    from: DevicePointer<f32>,
    shape_0: i32,
    shape_1: i32,
    shape_2: i32,
    scale: f64,
    strides_0: i64,
    strides_1: i64,
    strides_2: i64,
}

#[derive(KernelArgs)]
struct SpreadCopied {
    from: DevicePointer<f32>,
    #[kernel_args(spread)]
    shape: [i32; 3],
    scale: f64,
    #[kernel_args(spread)]
    strides: [i64; 3],
}

#[derive(KernelArgs)]
struct Common {
    from: DevicePointer<f32>,
    #[kernel_args(spread)]
    shape: [i32; 3],
    scale: f64,
}

#[derive(KernelArgs)]
struct FlattenedCopied {
    #[kernel_args(flatten)]
    common: Common,
    #[kernel_args(spread)]
    strides: [i64; 3],
}

/// Parameters that no struct of the host contains at their offsets: each is copied.
#[derive(KernelArgs)]
struct Generic<T, const N: usize> {
    first: u8,
    #[kernel_args(spread)]
    shape: [T; N],
    #[kernel_args(flatten)]
    common: Common,
    last: u8,
}

#[derive(KernelArgs)]
struct Copies {
    first: u8,
    shape_0: i16,
    shape_1: i16,
    shape_2: i16,
    from: DevicePointer<f32>,
    common_0: i32,
    common_1: i32,
    common_2: i32,
    scale: f64,
    last: u8,
}

#[derive(KernelArgs)]
struct Many {
    #[kernel_args(spread)]
    shape: [i32; 64],
}

#[derive(KernelArgs)]
struct Separate {
    #[kernel_args(spread)]
    shape: [i32; 64],
}

const FROM: DevicePointer<f32> = DevicePointer::NULL;

pairs! {
    "`[i32; 4]`", Four, Four { shape_0: 1, shape_1: 2, shape_2: 3, shape_3: 4 }, SpreadFour, SpreadFour { shape: [1, 2, 3, 4] }, 0x5001;
    "a pointer, `[i32; 3]`, `f64`, `[i64; 3]`", Copied,
        Copied { from: FROM, shape_0: 1, shape_1: 2, shape_2: 3, scale: 0.5, strides_0: 4, strides_1: 5, strides_2: 6 },
        SpreadCopied, SpreadCopied { from: FROM, shape: [1, 2, 3], scale: 0.5, strides: [4, 5, 6] }, 0x5002;
    "the same, the first three flattened", Copied,
        Copied { from: FROM, shape_0: 1, shape_1: 2, shape_2: 3, scale: 0.5, strides_0: 4, strides_1: 5, strides_2: 6 },
        FlattenedCopied,
        FlattenedCopied { common: Common { from: FROM, shape: [1, 2, 3], scale: 0.5 }, strides: [4, 5, 6] }, 0x5003;
    "generic, 10 parameters", Copies,
        Copies { first: 1, shape_0: 1, shape_1: 2, shape_2: 3, from: FROM, common_0: 1, common_1: 2, common_2: 3, scale: 0.5, last: 2 },
        Generic<i16, 3>,
        Generic { first: 1, shape: [1, 2, 3], common: Common { from: FROM, shape: [1, 2, 3], scale: 0.5 }, last: 2 }, 0x5004;
    "64", Many, Many { shape: [1; 64] }, Separate, Separate { shape: [1; 64] }, 0x5005;
}

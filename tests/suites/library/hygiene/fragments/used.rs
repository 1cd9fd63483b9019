//! Structs that the macros of `exported.rs` generate. Two packages of other editions compile this file too.
#![allow(
    dead_code,
    unused_braces,
    unused_parens,
    reason = "some structs are only compared with their kernels; lengths are written in several forms"
)]

use core::marker::PhantomData;
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

args! {
    pub(crate) struct Item<'a, T: DeviceType, const N: usize = 2>
    where
        T: PartialEq,
    {
        pub(crate) first: u8,
        pub(crate) array: [T; N],
        pub(crate) pointer: Option<DevicePointer<T>>,
        #[kernel_args(skip)]
        pub(crate) label: &'a str,
    }
}

args! { pub(crate) struct TupleItem(pub(crate) u8, pub(crate) Members); }
args! { pub(crate) struct UnitItem; }

nested! {
    pub(crate) struct Nested { pub(crate) n: u32 }
    #[kernel_args(kernel = saxpy::saxpy)]
    pub(crate) struct NestedKernel {
        n: u32,
        alpha: f32,
        x: DevicePointer<f32>,
        y: DevicePointerMut<f32>,
    }
}

device! {
    #[repr(C)]
    #[device_type(cpp = "sim::Members")]
    pub(crate) struct Members {
        pub(crate) small: u8,
        #[device_type(name = "big")]
        pub(crate) large: u32,
        #[device_type(opaque)]
        pub(crate) bytes: [u8; 4],
    }
}

device! {
    #[repr(transparent)]
    #[device_type(skip_device_repr)]
    pub(crate) struct Transparent(pub(crate) f32);
}

device! {
    #[repr(C)]
    pub(crate) struct Pair<A, B, const N: usize> {
        pub(crate) a: [A; N],
        pub(crate) b: B,
        pub(crate) marker: PhantomData<B>,
    }
}

device! {
    #[repr(i16)]
    pub(crate) enum Mode {
        Fast = -1,
        Exact = 0x102,
    }
}

with_attributes! {
    [kernel_args(kernel = typed::saxpy, bound = "T: DeviceType"), allow(unused)]
    pub(crate) struct Typed<T> {
        n: i32,
        alpha: T,
        x: DevicePointer<T>,
        y: DevicePointerMut<T>,
    }
    [repr(C), device_type(cpp = "sim::Described")]
    pub(crate) struct Described {
        small: u8,
        large: u64,
    }
}

with_attributes! {
    [kernel_args(kernel = typed, entries = "saxpy<*>", T = f32 => "<float>", T = f64 => "<double>")]
    pub(crate) struct Pattern<T: DeviceType> {
        n: i32,
        alpha: T,
        x: DevicePointer<T>,
        y: DevicePointerMut<T>,
    }
    [repr(transparent)]
    pub(crate) struct Wrapped(u64);
}

parts!(KernelArgs, pub(crate) Parts<'life; T: DeviceType> {
    first: u8, of_parameter: T, pointer: Option<DevicePointer<(T)>>, #[kernel_args(skip)] label: &'life str,
});
parts!(DeviceType, #[derive(Clone, Copy)] #[repr(C)] pub(crate) Both<; A: Copy, B: Copy> { a: A, b: B });
parts!(DeviceType, #[derive(Clone, Copy)] #[repr(C)] #[device_type(cpp = "sim::One")] pub(super) One<;> { one: u16 });

args! {
    pub(crate) struct Shadowed {
        pub(crate) __stream: u8,
        pub(crate) __same: u8,
        pub(crate) this: u8,
        pub(crate) __to: u8,
    }
}

mixed!(Mixed, own: Both<u8, u32>);
mixed!(MixedNested, own: [[u8; 2]; { 1 + 1 }]);

const TWO: usize = 2;
lengths!(Lengths, 1 + 1, 2, { 3 - 1 }, self::TWO, TWO, Array);

device! {
    #[repr(C)]
    pub(crate) struct Array<T, const N: usize>(pub(crate) [T; N]);
}

tuples!(TupleArgs, TupleMembers, u8, Array<u16, 2>, DevicePointer<f32>);
variants!(Variants: u8 { One = 1, Two = 1 + 1 });

module!(#[doc = "Documented."] pub(crate) saxpy = "../ptx/saxpy.ptx");
module!(pub(crate) typed = concat!(env!("CARGO_MANIFEST_DIR"), "/../ptx/saxpy_typed.ptx"));

named!(Named, saxpy::saxpy, "x", f32);
named!(ByImage by "../ptx/saxpy.ptx", "saxpy");
named!(ByConcat by concat!("../ptx/", "saxpy", ".ptx"), "saxpy");
family!(Family, self::typed, "saxpy<*>", f32 => "<float>", f64 => "<double>");
family_of_length!(OfLength, typed, 2 => "<float>", 1 + 2 => ">", { 4 } => "");

define!(Defined, [u8; 2]);
Defined!(more: u16);

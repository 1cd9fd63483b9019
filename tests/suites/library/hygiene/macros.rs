//! Structs that `macro_rules!` generates: identifiers and types come from different macros, each with its own hygiene.

use kernel_args::{DeviceType, KernelArgs};

macro_rules! device_type {
    ($(#[$attr:meta])* $name:ident<$($param:ident),*> { $($field:ident: $ty:ty),* $(,)? }) => {
        #[derive(Clone, Copy, DeviceType)]
        $(#[$attr])*
        #[repr(C)]
        struct $name<$($param),*> {
            $($field: $ty,)*
        }
    };
}

device_type!(#[device_type(cpp = "sim::Pair")] Pair<> { small: u8, large: u32 });
device_type!(Both<A, B> { a: A, b: B });

/// The fields' names belong to the macro: the user of the struct cannot write them.
macro_rules! kernel_args {
    ($vis:vis $name:ident { $ty:ty } with $extra:ident) => {
        #[derive(KernelArgs)]
        $vis struct $name {
            hidden: u8,
            $extra: $ty,
        }

        impl $name {
            fn new($extra: $ty) -> Self {
                Self { hidden: 7, $extra }
            }
        }
    };
}

kernel_args!(pub(crate) OfPair { Pair } with pair);
kernel_args!(OfBoth { Both<Pair, u16> } with both);

/// A lifetime, a length and a type through `tt` and `expr`.
macro_rules! generic {
    ($name:ident, $life:lifetime, $len:expr, $($ty:tt)*) => {
        #[derive(KernelArgs)]
        struct $name<$life> {
            array: [$($ty)*; $len],
            slice: Option<&$life cudarc::driver::CudaSlice<$($ty)*>>,
            exclusive: Option<&$life mut cudarc::driver::CudaSlice<$($ty)*>>,
        }
    };
}

generic!(Generic, 'life, 1 + 1, u32);

#[test]
fn fields_of_macros_marshal() {
    let pair = Pair { small: 1, large: 2 };
    OfPair::new(pair).with_packed(|buffer| assert_eq!(buffer, [7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
    let both = Both { a: pair, b: 3 };
    OfBoth::new(both).with_packed(|buffer| {
        let expected = [7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
        assert_eq!(buffer, expected);
    });
    let generic = Generic { array: [1, 2], slice: None, exclusive: None };
    generic.with_packed(|buffer| {
        let numbers = [1, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(buffer, [numbers, [0; 8], [0; 8]].concat());
    });
}

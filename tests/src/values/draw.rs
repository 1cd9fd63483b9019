//! Random values of Rust types: the same numbers in the same order as the generator's `value` module. The expected
//! bytes can therefore be computed without this crate's code.

use kernel_args::{DevicePointer, DevicePointerMut, args::Pointee};
use kernel_args_test_generator::{Rng, cuda_types, value};

/// The source of values.
#[derive(Debug)]
pub struct Source {
    /// The random numbers.
    pub rng: Rng,
    /// The address of an echo kernel's `out`.
    pub out: u64,
}

impl Source {
    /// The values of a seed, for a kernel without `out`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed, 0), out: 0 }
    }
}

/// The values of a seed.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// The seed.
    pub seed: u64,
    /// The address of an echo kernel's `out`.
    pub out: u64,
}

impl Draws {
    /// The values of signature `index`.
    #[must_use]
    pub fn args<A: Draw>(&self, index: usize) -> A {
        A::draw(&mut Source { rng: Rng::new(self.seed, index as u64), out: self.out })
    }
}

/// A type with random values.
pub trait Draw: Copy {
    /// A random value.
    fn draw(from: &mut Source) -> Self;
}

/// The bytes that a kernel must receive for a value, computed without the code under test: from the type's own number
/// format, or for a struct field by field at the offsets in the kernel's source. Padding is zero.
pub trait Bytes: Draw {
    /// The bytes of the value.
    fn bytes(&self) -> Vec<u8>;
}

/// The bytes of a struct with `size` bytes. The kernel's source contains the fields' offsets.
#[must_use]
pub fn at(size: usize, fields: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for (offset, field) in fields {
        bytes[*offset..offset + field.len()].copy_from_slice(field);
    }
    bytes
}

/// One number of the stream for up to eight bytes; two for sixteen bytes, the low half first.
fn numbers<const N: usize>(from: &mut Source) -> [u8; N] {
    let mut bytes = [0; N];
    for half in bytes.chunks_mut(8) {
        half.copy_from_slice(&from.rng.next_u64().to_le_bytes()[..half.len()]);
    }
    bytes
}

macro_rules! types {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        $(drawn!($drawn $rust $(, $inner, $count)?);)*
    };
}

macro_rules! drawn {
    (truth $ty:ty) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                from.rng.next_u64() % 2 == 1
            }
        }
        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                vec![u8::from(*self)]
            }
        }
    };
    (number $ty:ty) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                Self::from_le_bytes(numbers(from))
            }
        }
        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    };
    (non_zero $ty:ty, $inner:ty, $count:literal) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                Self::new(<$inner>::draw(from)).or(Self::new(1)).expect("one is not zero")
            }
        }
        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.get().bytes()
            }
        }
    };
    (wrapper $ty:ty, $inner:ty, $count:literal) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                Self(Draw::draw(from))
            }
        }
        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.0.bytes()
            }
        }
    };
    (vector $ty:ty, $component:ty, $count:literal) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                <[$component; $count]>::draw(from).into()
            }
        }
        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                <[$component; $count]>::from(*self).bytes()
            }
        }
    };
}

#[allow(clippy::wildcard_imports, reason = "every type of the table")]
mod table {
    use super::{Bytes, Draw, Source, cuda_types, numbers};
    use crate::vectors::*;
    use core::num::*;
    use kernel_args::*;

    cuda_types!(types);
}

impl<T: Draw, const N: usize> Draw for [T; N] {
    fn draw(from: &mut Source) -> Self {
        core::array::from_fn(|_| T::draw(from))
    }
}

impl<T: Bytes, const N: usize> Bytes for [T; N] {
    fn bytes(&self) -> Vec<u8> {
        self.iter().flat_map(Bytes::bytes).collect()
    }
}

macro_rules! pointers {
    ($($ty:ident)*) => {$(
        impl<T: Pointee> Draw for $ty<T> {
            fn draw(from: &mut Source) -> Self {
                Self::from_raw(from.rng.next_u64())
            }
        }

        impl<T: Pointee> Bytes for $ty<T> {
            fn bytes(&self) -> Vec<u8> {
                self.address().bytes()
            }
        }

        impl<T: Pointee> Draw for Option<$ty<T>> {
            fn draw(from: &mut Source) -> Self {
                let address = from.rng.next_u64();
                (!value::is_none(address)).then(|| $ty::from_raw(address))
            }
        }

        impl<T: Pointee> Bytes for Option<$ty<T>> {
            fn bytes(&self) -> Vec<u8> {
                self.map_or(0, $ty::address).bytes()
            }
        }
    )*};
}

pointers! { DevicePointer DevicePointerMut }

/// Random values of a struct from the generator: fields in order, and the given `out` of an echo kernel.
#[macro_export]
macro_rules! draw {
    (enum $ty:ident { $($variant:ident),* }) => {
        impl $crate::values::Draw for $ty {
            fn draw(from: &mut $crate::values::Source) -> Self {
                let variants = [$($ty::$variant),*];
                *from.rng.pick(&variants)
            }
        }
    };
    (echo {$($generics:tt)*} $ty:ty { $($field:ident),* }) => {
        impl<$($generics)*> $crate::values::Draw for $ty {
            fn draw(from: &mut $crate::values::Source) -> Self {
                let out = DevicePointerMut::from_raw(from.out);
                $(let $field = $crate::values::Draw::draw(from);)*
                Self { out, $($field),* }
            }
        }
    };
    ({$($generics:tt)*} $ty:ty { $($field:ident),* }) => {
        impl<$($generics)*> $crate::values::Draw for $ty {
            fn draw(from: &mut $crate::values::Source) -> Self {
                $(let $field = $crate::values::Draw::draw(from);)*
                Self { $($field),* }
            }
        }
    };
}

/// Reports a by-value struct of signature `index`.
#[macro_export]
macro_rules! structure {
    ($report:ident, $index:literal, $ty:ty { $($field:ident),* }) => {
        $report($crate::values::Structure {
            index: $index,
            size: size_of::<$ty>(),
            align: align_of::<$ty>(),
            offsets: vec![$(core::mem::offset_of!($ty, $field)),*],
            layout: <$ty as DeviceType>::LAYOUT,
        });
    };
}

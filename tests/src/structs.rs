//! Random structs, which the build script writes: what they hold, and what a kernel must receive for it.

use crate::draw::{Draw, at};
use fastrand::Rng;
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

/// The arguments of a kernel, with random values.
pub trait RandomArgs: KernelArgs {
    /// The size of the parameter block in bytes, without tail padding.
    const SIZE: usize;
    /// Where each parameter lies, by C's rule.
    const OFFSETS: &'static [usize];

    /// Random values.
    fn draw(rng: &mut Rng) -> Self;
    /// The bytes of each parameter.
    fn parameters(&self) -> Vec<Vec<u8>>;
    /// Hands the packed form to `launch`, where it is the same on every GPU.
    fn packed(self, launch: impl FnOnce(&[u8]));

    /// The whole block, zeros between the parameters.
    fn block(&self) -> Vec<u8> {
        let parameters = self.parameters();
        let places: Vec<(usize, Vec<u8>)> = Self::OFFSETS.iter().copied().zip(parameters).collect();
        at(Self::SIZE, &places)
    }
}

/// Something that is done with each of the structs.
pub trait Visit {
    /// Does it with one of them.
    fn visit<A: RandomArgs>(&mut self);
}

macro_rules! device_type {
    ($name:ident, align $align:literal, size $size:literal: $($field:ident: $ty:ty = $offset:literal,)*) => {
        #[derive(Clone, Copy, DeviceType)]
        #[repr(C, align($align))]
        struct $name {
            $($field: $ty,)*
        }

        impl Draw for $name {
            fn draw(rng: &mut Rng) -> Self {
                Self { $($field: <$ty>::draw(rng),)* }
            }

            fn bytes(&self) -> Vec<u8> {
                at($size, &[$(($offset, self.$field.bytes()),)*])
            }
        }
    };
}

macro_rules! packed {
    (packed, $args:ident, $launch:ident) => {
        $args.with_packed($launch)
    };
    (aligned, $args:ident, $launch:ident) => {
        let _ = ($args, $launch);
    };
}

macro_rules! arguments {
    ($name:ident, $form:ident, size $size:literal: $($field:ident: $ty:ty = $offset:literal,)*) => {
        #[derive(KernelArgs)]
        struct $name {
            $($field: $ty,)*
        }

        impl RandomArgs for $name {
            const SIZE: usize = $size;
            const OFFSETS: &'static [usize] = &[$($offset),*];

            fn draw(rng: &mut Rng) -> Self {
                Self { $($field: <$ty>::draw(rng),)* }
            }

            fn parameters(&self) -> Vec<Vec<u8>> {
                vec![$(self.$field.bytes()),*]
            }

            fn packed(self, launch: impl FnOnce(&[u8])) {
                packed!($form, self, launch);
            }
        }
    };
}

macro_rules! all {
    ($($name:ident)*) => {
        /// Visits all structs, in order.
        pub fn visit_all(visit: &mut impl Visit) {
            $(visit.visit::<$name>();)*
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/structs.rs"));

//! CUDA's vectors as the kernels of this repository declare them. NVIDIA's compiler has compiled these on Linux, so
//! their `long` has 8 bytes on each host.

pub use kernel_args::vector::*;

#[cfg(windows)]
macro_rules! longs {
    ($($name:ident = $vector:ident, $element:ty, $count:literal;)*) => {$(
        /// The vector of `long` of a kernel that was compiled on Linux.
        #[derive(Clone, Copy, Debug, PartialEq, kernel_args::DeviceType)]
        #[repr(transparent)]
        pub struct $name(pub $vector);

        impl From<[$element; $count]> for $name {
            fn from(elements: [$element; $count]) -> Self {
                Self(elements.into())
            }
        }

        impl From<$name> for [$element; $count] {
            fn from(vector: $name) -> Self {
                vector.0.into()
            }
        }
    )*};
}

#[cfg(windows)]
longs! {
    Long1 = LongLong1, i64, 1;
    Long2 = LongLong2, i64, 2;
    Long3 = LongLong3, i64, 3;
    Long4 = LongLong4, i64, 4;
    Long4A16 = LongLong4A16, i64, 4;
    Long4A32 = LongLong4A32, i64, 4;
    ULong1 = ULongLong1, u64, 1;
    ULong2 = ULongLong2, u64, 2;
    ULong3 = ULongLong3, u64, 3;
    ULong4 = ULongLong4, u64, 4;
    ULong4A16 = ULongLong4A16, u64, 4;
    ULong4A32 = ULongLong4A32, u64, 4;
}

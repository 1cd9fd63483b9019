//! `glam`: a quaternion is the vector `(x, y, z, w)`.
//!
//! `Vec3A`, `Mat3A`, `Affine3A`, `Mat2` and `Affine2` are rejected: no C++ type has their padding or alignment.

use super::same_as::same_as;
use crate::device::{assert_layout, vector};

macro_rules! types {
    ($glam:ident: $($ty:ident = $vector:ident;)*) => {
        $(
            impl From<$glam::$ty> for vector::$vector {
                fn from(vector: $glam::$ty) -> Self {
                    vector.to_array().into()
                }
            }

            impl From<vector::$vector> for $glam::$ty {
                fn from(vector: vector::$vector) -> Self {
                    Self::from_array(vector.into())
                }
            }
        )*

        types! { @layout $glam:
            $($ty = vector::$vector;)*
            Mat3 = [vector::Float3; 3];
            Mat4 = [vector::Float4; 4];
            DMat2 = [vector::Double2; 2];
            DMat3 = [vector::Double3; 3];
            DMat4 = [vector::Double4; 4];
        }
    };
    (@layout $glam:ident: $($ty:ident = $device:ty;)*) => {$(
        same_as! { [] $glam::$ty as $device; }

        // A `Pod` type has no padding, and all its bytes are initialised.
        const _: fn() = is_pod::<$glam::$ty>;
        const _: () = assert_layout::<$glam::$ty>();
    )*};
}

fn is_pod<T: bytemuck::Pod>() {}

macro_rules! version {
    ($glam:ident) => {
        types! { $glam:
            Vec2 = Float2;
            Vec3 = Float3;
            Vec4 = Float4;
            Quat = Float4;
            DVec2 = Double2;
            DVec3 = Double3;
            DVec4 = Double4;
            DQuat = Double4;
            I8Vec2 = Char2;
            I8Vec3 = Char3;
            I8Vec4 = Char4;
            U8Vec2 = UChar2;
            U8Vec3 = UChar3;
            U8Vec4 = UChar4;
            I16Vec2 = Short2;
            I16Vec3 = Short3;
            I16Vec4 = Short4;
            U16Vec2 = UShort2;
            U16Vec3 = UShort3;
            U16Vec4 = UShort4;
            IVec2 = Int2;
            IVec3 = Int3;
            IVec4 = Int4;
            UVec2 = UInt2;
            UVec3 = UInt3;
            UVec4 = UInt4;
            I64Vec2 = LongLong2;
            I64Vec3 = LongLong3;
            I64Vec4 = LongLong4;
            U64Vec2 = ULongLong2;
            U64Vec3 = ULongLong3;
            U64Vec4 = ULongLong4;
        }
    };
}

#[cfg(feature = "glam")]
version!(glam);
#[cfg(feature = "glam-032")]
version!(glam_032);

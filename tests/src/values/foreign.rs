//! Random values of foreign types, made of their components in the order that each crate documents.

use super::{Bytes, Draw, Source};

/// `type: components, from components, to components`.
macro_rules! foreign {
    ($($ty:ty: $components:ty, $from:expr, $to:expr;)*) => {$(
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                let components = <$components>::draw(from);
                let make: fn($components) -> Self = $from;
                make(components)
            }
        }

        impl Bytes for $ty {
            fn bytes(&self) -> Vec<u8> {
                let components: fn(Self) -> $components = $to;
                components(*self).bytes()
            }
        }
    )*};
}

foreign! {
    float8::F8E4M3: u8, Self::from_bits, |float| float.to_bits();
    float8::F8E5M2: u8, Self::from_bits, |float| float.to_bits();
    num_complex::Complex<f32>: [f32; 2], |[re, im]| Self { re, im }, |z| [z.re, z.im];
    num_complex::Complex<f64>: [f64; 2], |[re, im]| Self { re, im }, |z| [z.re, z.im];
    num_complex::Complex<half::f16>: [half::f16; 2], |[re, im]| Self { re, im }, |z| [z.re, z.im];
}

macro_rules! of_glam {
    (vectors $($ty:ty: $components:ty;)*) => {
        foreign! { $($ty: $components, Self::from_array, |vector| vector.to_array();)* }
    };
    (matrices $($ty:ty: $components:ty;)*) => {
        foreign! { $($ty: $components, |columns| Self::from_cols_array(&columns), |matrix| matrix.to_cols_array();)* }
    };
}

of_glam! {
    vectors
    glam::Vec2: [f32; 2];
    glam::Vec3: [f32; 3];
    glam::Vec4: [f32; 4];
    glam::DVec2: [f64; 2];
    glam::DVec3: [f64; 3];
    glam::DVec4: [f64; 4];
    glam::I8Vec2: [i8; 2];
    glam::I8Vec3: [i8; 3];
    glam::I8Vec4: [i8; 4];
    glam::U8Vec2: [u8; 2];
    glam::U8Vec3: [u8; 3];
    glam::U8Vec4: [u8; 4];
    glam::I16Vec2: [i16; 2];
    glam::I16Vec3: [i16; 3];
    glam::I16Vec4: [i16; 4];
    glam::U16Vec2: [u16; 2];
    glam::U16Vec3: [u16; 3];
    glam::U16Vec4: [u16; 4];
    glam::IVec2: [i32; 2];
    glam::IVec3: [i32; 3];
    glam::IVec4: [i32; 4];
    glam::UVec2: [u32; 2];
    glam::UVec3: [u32; 3];
    glam::UVec4: [u32; 4];
    glam::I64Vec2: [i64; 2];
    glam::I64Vec3: [i64; 3];
    glam::I64Vec4: [i64; 4];
    glam::U64Vec2: [u64; 2];
    glam::U64Vec3: [u64; 3];
    glam::U64Vec4: [u64; 4];
    glam::Quat: [f32; 4];
    glam::DQuat: [f64; 4];
}

of_glam! {
    matrices
    glam::Mat3: [f32; 9];
    glam::Mat4: [f32; 16];
    glam::DMat2: [f64; 4];
    glam::DMat3: [f64; 9];
    glam::DMat4: [f64; 16];
}

/// Types that convert to and from the array of their components.
macro_rules! arrays {
    ($($ty:ty: $components:ty;)*) => {
        foreign! { $($ty: $components, |components| components.into(), |value| value.into();)* }
    };
}

arrays! {
    nalgebra::Vector2<f32>: [f32; 2];
    nalgebra::Vector3<f32>: [f32; 3];
    nalgebra::Vector4<f32>: [f32; 4];
    nalgebra::Vector2<f64>: [f64; 2];
    nalgebra::Vector3<f64>: [f64; 3];
    nalgebra::Vector4<f64>: [f64; 4];
    nalgebra::Vector3<i8>: [i8; 3];
    nalgebra::Vector4<u8>: [u8; 4];
    nalgebra::Vector4<i16>: [i16; 4];
    nalgebra::Vector2<u16>: [u16; 2];
    nalgebra::Vector2<i32>: [i32; 2];
    nalgebra::Vector3<i32>: [i32; 3];
    nalgebra::Vector4<i32>: [i32; 4];
    nalgebra::Vector3<u32>: [u32; 3];
    nalgebra::Vector2<i64>: [i64; 2];
    nalgebra::Vector4<u64>: [u64; 4];
    nalgebra::Point2<f32>: [f32; 2];
    nalgebra::Point3<f32>: [f32; 3];
    nalgebra::Point4<f64>: [f64; 4];
    nalgebra::Matrix2<f32>: [[f32; 2]; 2];
    nalgebra::Matrix3<f32>: [[f32; 3]; 3];
    nalgebra::Matrix4<f32>: [[f32; 4]; 4];
    nalgebra::Matrix2x3<f32>: [[f32; 2]; 3];
    nalgebra::Vector6<f32>: [[f32; 6]; 1];
    nalgebra::RowVector3<i32>: [[i32; 1]; 3];
    nalgebra::Matrix3<f64>: [[f64; 3]; 3];
    nalgebra::Matrix4<f64>: [[f64; 4]; 4];
    mint::Vector2<f32>: [f32; 2];
    mint::Vector3<f32>: [f32; 3];
    mint::Vector4<f32>: [f32; 4];
    mint::Vector2<i32>: [i32; 2];
    mint::Vector4<u8>: [u8; 4];
    mint::Vector4<f64>: [f64; 4];
    mint::Point2<f64>: [f64; 2];
    mint::Point3<f32>: [f32; 3];
    mint::Quaternion<f32>: [f32; 4];
    mint::ColumnMatrix2<f32>: [f32; 4];
    mint::ColumnMatrix3<f32>: [f32; 9];
    mint::ColumnMatrix4<f32>: [f32; 16];
    mint::ColumnMatrix2x3<f32>: [f32; 6];
    mint::RowMatrix3x2<f32>: [f32; 6];
    mint::RowMatrix3<f64>: [f64; 9];
    mint::RowMatrix4<f32>: [f32; 16];
}

foreign! {
    nalgebra::Quaternion<f32>: [f32; 4], |[i, j, k, w]| Self::new(w, i, j, k), |q| [q.i, q.j, q.k, q.w];
    nalgebra::Quaternion<f64>: [f64; 4], |[i, j, k, w]| Self::new(w, i, j, k), |q| [q.i, q.j, q.k, q.w];
}

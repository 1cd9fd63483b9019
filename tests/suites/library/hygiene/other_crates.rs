//! Types and derives of other crates together with this library.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use kernel_args::{
    DeviceType, KernelArgs, TextureObject,
    vector::{CuDoubleComplex, CuFloatComplex, Double4, Float2, Float3, Float4, Half2, Int4},
};
use num_complex::Complex;

const fn in_device_memory<T: DeviceRepr + ValidAsZeroBits>() {}

/// The traits that each crate requires of a plain-bytes type.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    DeviceType,
    bytemuck::Pod,
    bytemuck::Zeroable,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::Immutable,
    zerocopy::KnownLayout,
)]
#[repr(C)]
struct Material {
    color: Float4,
    normal: Float3,
    roughness: f32,
    indices: Int4,
    texture: TextureObject,
    layers: [u32; 2],
}

#[derive(KernelArgs)]
struct Shade {
    material: Material,
}

#[test]
fn derives_of_bytemuck_and_zerocopy_can_be_combined_with_this_library() {
    let material = Material {
        color: Float4::new(0.25, 0.5, 0.75, 1.0),
        normal: Float3::new(0.0, 1.0, 0.0),
        roughness: 0.125,
        indices: Int4::new(1, 2, 3, 4),
        texture: TextureObject(5),
        layers: [6, 7],
    };
    in_device_memory::<Material>();
    Shade { material }.with_packed(|buffer| {
        assert_eq!(buffer, bytemuck::bytes_of(&material));
        assert_eq!(buffer, zerocopy::IntoBytes::as_bytes(&material));
        assert_eq!(bytemuck::pod_read_unaligned::<Material>(buffer), material);
        let read = <Material as zerocopy::FromBytes>::read_from_bytes(buffer);
        assert_eq!(read.ok(), Some(material));
    });
}

/// Members whose host offsets are equal to the device offsets.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Camera {
    view: glam::Mat4,
    eye: glam::Vec3,
    fov: f32,
    viewport: glam::IVec2,
    phase: Complex<f32>,
    target: nalgebra::Point3<f32>,
    up: mint::Vector3<i8>,
}

#[derive(KernelArgs)]
struct Look {
    first: u8,
    camera: Camera,
    second: u8,
    offset: glam::Vec2,
}

/// The bytes of floats.
fn floats<const N: usize>(values: [f32; N]) -> Vec<u8> {
    values.map(f32::to_ne_bytes).concat()
}

#[test]
fn types_of_other_crates_stand_in_a_struct_by_value() {
    #[rustfmt::skip]
    let columns = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0];
    let look = Look {
        first: 1,
        camera: Camera {
            view: glam::Mat4::from_cols_array(&columns),
            eye: glam::Vec3::new(17.0, 18.0, 19.0),
            fov: 20.0,
            viewport: glam::IVec2::new(-1, -2),
            phase: Complex::new(21.0, 22.0),
            target: nalgebra::Point3::new(23.0, 24.0, 25.0),
            up: mint::Vector3 { x: 1, y: 2, z: 3 },
        },
        second: 2,
        offset: glam::Vec2::new(26.0, 27.0),
    };
    let mut expected = vec![0; 16];
    expected[0] = 1;
    expected.extend(floats(columns));
    expected.extend(floats([17.0, 18.0, 19.0, 20.0]));
    expected.extend([-1_i32, -2].map(i32::to_ne_bytes).concat());
    expected.extend(floats([21.0, 22.0, 23.0, 24.0, 25.0]));
    expected.extend([1, 2, 3, 0]);
    // The struct ends at 16 + 112, and `float2` is aligned to 8.
    expected.extend([2, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(floats([26.0, 27.0]));
    assert_eq!(Camera::LAYOUT.size(), 112);
    look.with_packed(|buffer| assert_eq!(buffer, expected));
}

/// Types that cudarc does not support directly.
#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Position(glam::Vec3);

#[test]
fn a_transparent_wrapper_is_in_device_memory() {
    in_device_memory::<Position>();
    in_device_memory::<half::f16>();
    in_device_memory::<float8::F8E4M3>();
    assert_eq!(Position::CPP, Float3::CPP);
}

/// Returns `value` as the type of the second argument.
fn there<A: Into<B>, B>(value: A, _: B) -> B {
    value.into()
}

#[test]
fn values_convert_to_cudas_types_and_back() {
    macro_rules! convert {
        ($($value:expr => $expected:expr;)*) => {$(
            assert_eq!(there($value, $expected), $expected);
            assert_eq!(there($expected, $value), $value);
        )*};
    }
    let half = half::f16::from_f32;
    convert! {
        glam::Vec2::new(1.0, 2.0) => Float2::new(1.0, 2.0);
        glam::Vec3::new(1.0, 2.0, 3.0) => Float3::new(1.0, 2.0, 3.0);
        glam::Quat::from_xyzw(1.0, 2.0, 3.0, 4.0) => Float4::new(1.0, 2.0, 3.0, 4.0);
        glam::DVec4::new(1.0, 2.0, 3.0, 4.0) => Double4::new(1.0, 2.0, 3.0, 4.0);
        glam::IVec4::new(1, 2, 3, 4) => Int4::new(1, 2, 3, 4);
        nalgebra::Vector3::new(1.0_f32, 2.0, 3.0) => Float3::new(1.0, 2.0, 3.0);
        mint::Vector2 { x: 1.0_f32, y: 2.0 } => Float2::new(1.0, 2.0);
        Complex::new(1.0_f32, 2.0) => CuFloatComplex::new(1.0, 2.0);
        Complex::new(1.0_f64, 2.0) => CuDoubleComplex::new(1.0, 2.0);
        Complex::new(half(1.0), half(2.0)) => Half2::new(half(1.0), half(2.0));
    }
}

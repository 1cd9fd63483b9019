//! The members that device types declare, and their comparison with debug information.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs,
    abi::{Class, CppType, Members, Opaque, Parameter, Signature},
    vector::{Float3, Float4},
};
use kernel_args_abi::check::{Report, report};
use kernel_args_image::Image;
use std::{fmt::Write, marker::PhantomData, num::Wrapping};

/// Members as text, nested ones in brackets.
fn spelled(members: Members<'_>) -> String {
    let mut text = String::new();
    if let Some(why) = members.why_opaque() {
        return format!("{why:?}");
    }
    for variant in members.variants() {
        let _ = write!(text, "{} = {}, ", variant.name, variant.value);
    }
    for member in members.iter() {
        let (name, cpp) = (member.cpp_name(), member.cpp);
        let _ = write!(text, "{}: {name} {cpp}", member.offset.unwrap());
        let inner = spelled(member.members);
        if !inner.is_empty() {
            let _ = write!(text, " ({inner})");
        }
        text.push_str(", ");
    }
    text.trim_end_matches(", ").to_owned()
}

fn of<T: DeviceType>() -> String {
    spelled(T::MEMBERS)
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Color {
    Red,
    Green = 7,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i64)]
enum Wide {
    Least = i64::MIN,
    r#Last = 3,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "sim::Cell")]
#[repr(C)]
struct Cell {
    kind: i8,
    values: [[f64; 3]; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Meters(f32);

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Around(Cell);

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Handle")]
#[repr(transparent)]
struct Handle {
    id: u64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Many<T: DeviceType, const N: usize> {
    items: [T; N],
    begin: DevicePointer<T>,
    marker: PhantomData<T>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Whole {
    cells: [Cell; 4],
    #[device_type(name = "in")]
    color: Color,
    wrapped: Wrapping<Meters>,
    #[device_type(opaque)]
    anything: Cell,
    r#type: Handle,
    vector: [Float3; 2],
}

#[test]
fn a_type_declares_its_members() {
    assert_eq!(of::<u32>(), "");
    assert_eq!(of::<Color>(), "Red = 0, Green = 7");
    assert_eq!(of::<Wide>(), "Least = -9223372036854775808, Last = 3");
    assert_eq!(of::<Meters>(), "");
    assert_eq!(Meters::CPP, f32::CPP);
    assert_eq!(of::<Handle>(), "0: id unsigned long long");
    let cell = "0: kind signed char, 8: values double[2][3]";
    assert_eq!(of::<Cell>(), cell);
    assert_eq!(of::<Around>(), cell);
    assert_eq!(of::<Float4>(), "0: x float, 4: y float, 8: z float, 12: w float");
    // For an array, the members of one element.
    assert_eq!(of::<[Cell; 3]>(), cell);
    assert_eq!(<[Cell; 3]>::CPP, CppType::named("sim::Cell").array(3));
    assert_eq!(of::<Many<Meters, 3>>(), "0: items float[3], 16: begin float const*, 24: marker void");
    assert_eq!(
        of::<Whole>(),
        format!(
            "0: cells sim::Cell[4] ({cell}), 224: in Color (Red = 0, Green = 7), 228: wrapped float, 232: anything sim::Cell \
             (Declared), 288: type Handle (0: id unsigned long long), 296: vector float3[2] (0: x float, 4: y float, 8: z float)"
        )
    );
}

/// Vectors and matrices of foreign crates are declared as their device types.
#[test]
fn foreign_types_declare_the_members_of_the_equivalent_types() {
    assert_eq!(of::<glam::Vec3>(), of::<Float3>());
    assert_eq!(of::<nalgebra::Point3<f32>>(), of::<Float3>());
    assert_eq!(of::<nalgebra::UnitVector3<f32>>(), of::<Float3>());
    assert_eq!(of::<mint::Quaternion<f32>>(), of::<Float4>());
    assert_eq!(<glam::Mat4>::CPP, CppType::named("float4").array(4));
    assert_eq!(of::<glam::Mat4>(), of::<Float4>());
    assert_eq!(nalgebra::Matrix2x3::<f64>::CPP, f64::CPP.array(2).array(3));
    assert_eq!(of::<num_complex::Complex<f64>>(), "0: x double, 8: y double");
    assert_eq!(of::<kernel_args::vector::Half2>(), "0: x __half, 2: y __half");
}

#[test]
fn the_parameters_of_a_struct_carry_members() {
    #[derive(KernelArgs)]
    struct Args {
        whole: Whole,
        numbers: [f32; 3],
        #[kernel_args(opaque)]
        opaque: Cell,
        color: Color,
        #[kernel_args(name = "in")]
        input: DevicePointer<f32>,
    }
    let [whole, numbers, opaque, color, input] = Args::PARAMETERS else { panic!("five fields") };
    assert_eq!(whole.members, Whole::MEMBERS);
    assert_eq!(numbers.cpp, f32::CPP.array(3));
    assert_eq!(opaque.members, Members::UNKNOWN);
    assert_eq!(color.members.variant(1).map(|v| v.value), Some(7));
    assert_eq!((input.name, input.cpp_name()), ("input", "in"));
}

/// The output of the NVIDIA compiler with `--device-debug`.
const DEBUG: &[u8] = include_bytes!("../../../crates/image/tests/data/debug.ptx");

/// The errors of a struct for a kernel of `debug.cu`.
fn errors<A: KernelArgs>(kernel: &str) -> Vec<String> {
    let kernels = Image::read(DEBUG).unwrap().kernels().unwrap();
    assert_eq!(kernels.debug_errors().next(), None);
    let described = kernels.kernel(kernel, None).unwrap();
    let parameters = described.parameters();
    let kernel = Signature { name: kernel, parameters: &parameters };
    let report: Report<'_> = report(&A::SIGNATURE, &kernel);
    let mismatches = report.mismatches().iter();
    mismatches.map(|&mismatch| report.message(mismatch).as_str().to_owned()).collect()
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    key: i32,
    weight: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    Fast = -1,
    Exact,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "sim::Box")]
#[repr(C)]
struct Box2 {
    items: [i32; 2],
    begin: DevicePointer<i32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Bits {
    bits: u32,
    rest: i32,
}

/// The members of the kernel's base class are its own members.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Derived {
    b: i32,
    d: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Empty {
    unused: u8,
}

/// The arguments of `by_value` with these types.
macro_rules! by_value {
    ($name:ident: $pair:ty, $cell:ty, $items:ty) => {
        #[derive(KernelArgs)]
        struct $name {
            pair: $pair,
            mode: Mode,
            color: Color,
            cell: $cell,
            // Unions, bit fields and base classes are treated as bytes.
            bits: Bits,
            derived: Derived,
            empty: Empty,
            boxed: $items,
            incomplete: u64,
        }
    };
}

#[test]
fn right_members_fit_however_they_are_written() {
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Pair")]
    #[repr(C)]
    struct Renamed {
        id: i32,
        share: Meters,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Cell")]
    #[repr(C)]
    struct Flat {
        kind: u8,
        padding: [u8; 7],
        all: [f64; 6],
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Rows([f64; 3], [f64; 3]);
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Cell")]
    #[repr(C)]
    struct Nested {
        #[device_type(name = "kind")]
        values: i8,
        #[device_type(name = "values")]
        kind: Rows,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Box<int, 2>")]
    #[repr(C)]
    struct Vector {
        items: kernel_args::vector::Int2,
        begin: u64,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Cell")]
    #[repr(C)]
    struct Untold {
        #[device_type(opaque)]
        kind: f32,
        #[device_type(opaque)]
        values: [[u64; 3]; 2],
    }
    by_value!(Right: Pair, Cell, Box2);
    by_value!(Other: Renamed, Flat, Vector);
    by_value!(Third: Pair, Nested, Box2);
    by_value!(Fourth: Pair, Untold, Box2);
    for errors in [
        errors::<Right>("by_value"),
        errors::<Other>("by_value"),
        errors::<Third>("by_value"),
        errors::<Fourth>("by_value"),
    ] {
        assert_eq!(errors, [""; 0]);
    }
}

#[test]
fn wrong_members_are_named_on_both_sides() {
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Pair")]
    #[repr(C)]
    struct Swapped {
        weight: f32,
        key: i32,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Cell")]
    #[repr(C)]
    struct Integers {
        kind: i8,
        values: [[i64; 3]; 2],
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Cell")]
    #[repr(C)]
    struct Transposed {
        kind: i8,
        values: [[f64; 2]; 3],
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Box")]
    #[repr(C)]
    struct Writes {
        items: [i32; 2],
        begin: DevicePointer<f32>,
    }
    by_value!(First: Swapped, Cell, Box2);
    by_value!(Second: Pair, Integers, Box2);
    by_value!(Third: Pair, Cell, Writes);
    by_value!(Fourth: Pair, Transposed, Box2);
    for (errors, parts) in [
        (
            errors::<First>("by_value"),
            [
                "`pair` does not match parameter 0 of kernel `by_value`",
                "this one has `weight` at byte 0 (`f32`): put the members in the kernel's order, `key`, `weight`;",
            ],
        ),
        (
            errors::<Second>("by_value"),
            [
                "`cell` does not match parameter 3",
                "has `values` at byte 8 (double[2][3]), this one has `values` at byte 8 (`[[i64; 3]; 2]`): declare \
                 `values: [[f64; 3]; 2]`",
            ],
        ),
        (
            errors::<Fourth>("by_value"),
            [
                "`cell` does not match parameter 3",
                "has `values` at byte 8 (double[2][3]), this one has `values` at byte 8 (`[[f64; 2]; 3]`): declare \
                 `values: [[f64; 3]; 2]`",
            ],
        ),
        (
            errors::<Third>("by_value"),
            [
                "`boxed` does not match parameter 7",
                "has `begin` at byte 8 (int const*), this one has `begin` at byte 8 (`DevicePointer<f32>`): declare \
                 `begin: DevicePointer<i32>`",
            ],
        ),
    ] {
        assert_eq!(errors.len(), 1, "{errors:?}");
        for part in parts {
            assert!(errors[0].contains(part), "{}", errors[0]);
        }
    }
}

/// The kernel is `plain(…, float* y, …)`: a pointer to `[f32; 4]` can be a pointer to `float`, a pointer to `[f64; 4]`
/// cannot.
#[test]
fn a_pointer_to_an_array_has_a_pointee() {
    /// The arguments of `plain` with this type of `y`.
    macro_rules! plain {
        ($name:ident: $y:ty) => {
            #[derive(KernelArgs)]
            struct $name {
                inside: i32,
                out: u32,
                alpha: f32,
                x: DevicePointer<f32>,
                y: $y,
                c: i8,
                sc: i8,
                uc: u8,
                flag: bool,
                l: i64,
                ul: u64,
                ll: i64,
                ull: u64,
                s: i16,
                us: u16,
                d: f64,
                any: DevicePointerMut<core::ffi::c_void>,
                read: DevicePointer<core::ffi::c_void>,
                deep: DevicePointer<DevicePointer<DevicePointerMut<i32>>>,
                reference: DevicePointerMut<i32>,
            }
        };
    }
    plain!(Right: DevicePointerMut<[f32; 4]>);
    plain!(Wrong: DevicePointerMut<[f64; 4]>);
    assert_eq!(errors::<Right>("plain"), [""; 0]);
    let errors = errors::<Wrong>("plain");
    assert_eq!(errors.len(), 1, "{errors:?}");
    for part in ["`y` does not match parameter 4", "double (*)[4]", "float*", "CudaSlice<f32>"] {
        assert!(errors[0].contains(part), "{}", errors[0]);
    }
}

#[test]
fn exchanged_members_of_one_type_are_reported() {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Named {
        x: f32,
        y: f32,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Named")]
    #[repr(C)]
    struct Exchanged {
        y: f32,
        x: f32,
    }
    let parameter = |members| Parameter {
        class: Class::Bytes,
        cpp: CppType::named("Named"),
        ..Parameter::record(0, 8).with_members(members)
    };
    let kernel = [Parameter { name: "p", ..parameter(Named::MEMBERS) }];
    let host = [Parameter { name: "p", ..parameter(Exchanged::MEMBERS) }];
    let report: Report<'_> =
        report(&Signature { name: "A", parameters: &host }, &Signature { name: "k", parameters: &kernel });
    let message = report.field_message(0).unwrap();
    assert!(
        message.as_str().contains("has `x` at byte 0, where this one has `y`, the name of another"),
        "{}",
        message.as_str()
    );
    assert_eq!(Opaque::ALL.len(), 5);
}

#[test]
fn a_list_of_arguments_carries_names_of_no_parameter() {
    // Its fields are named `0`, `1`, …, which are not C++ names.
    #[derive(KernelArgs)]
    struct Scaled(DevicePointer<f32>, DevicePointer<f32>, DevicePointerMut<f32>, i32);
    assert_eq!(errors::<Scaled>("scaled"), [""; 0]);
}

//! Headers of Rust types: what each kind of field is in C++, and what is refused.

use core::{marker::PhantomData, num::NonZeroU16};
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs, TensorMap, TextureObject, cpp,
    vector::{CuFloatComplex, Dim3, Float3, Float4},
};

/// The header's lines of declarations.
fn lines(header: &cpp::Header<'_>) -> Vec<String> {
    let text = header.write().unwrap_or_else(|error| panic!("{error}"));
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with("static_assert") && !line.starts_with(['#', '/']));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn of<A: KernelArgs>() -> Vec<String> {
    lines(&cpp::Header::new().item(cpp::kernel::<A>("k")))
}

#[track_caller]
fn refused(items: &[cpp::Item<'_>], says: &[&str]) {
    let error = cpp::header(items).expect_err("it cannot be declared").to_string();
    for part in says.iter().chain(&["help: "]) {
        assert!(error.contains(part), "{error}\nlacks {part}");
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Params<T> {
    value: T,
}

#[test]
fn parameters_of_every_kind() {
    #[derive(KernelArgs)]
    struct Kinds<'a> {
        n: u32,
        on: bool,
        c: i8,
        wide: u128,
        small: NonZeroU16,
        factor: f64,
        read: &'a CudaSlice<f32>,
        written: &'a mut CudaSlice<i32>,
        view: CudaView<'a, u8>,
        view_mut: CudaViewMut<'a, f64>,
        maybe: Option<DevicePointer<Float4>>,
        nested: DevicePointerMut<DevicePointer<u64>>,
        any: DevicePointerMut<core::ffi::c_void>,
        image: TextureObject,
        map: TensorMap,
        size: Dim3,
        number: CuFloatComplex,
        half: half::f16,
        point: glam::Vec3,
        #[kernel_args(name = "in")]
        input: usize,
        r#type: i16,
        #[kernel_args(skip)]
        _skipped: String,
    }
    assert_eq!(
        of::<Kinds>()[4..],
        [
            "extern \"C\" __global__ void k(",
            "unsigned int n,",
            "bool on,",
            "signed char c,",
            "unsigned __int128 wide,",
            "unsigned short small,",
            "double factor,",
            "float const* read,",
            "int* written,",
            "unsigned char const* view,",
            "double* view_mut,",
            "float4 const* maybe,",
            "unsigned long long const** nested,",
            "void* any,",
            "unsigned long long image,",
            "const __grid_constant__ CUtensorMap map,",
            "dim3 size,",
            "cuFloatComplex number,",
            "__half half,",
            "float3 point,",
            "unsigned long long in,",
            "short type);",
        ]
    );
}

/// Whatever the values are.
#[test]
fn enums_are_the_integers_of_their_repr() {
    /// Signed, though none of its values is negative.
    #[derive(Clone, Copy, DeviceType)]
    #[repr(i8)]
    enum Level {
        Low,
        High,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(isize)]
    enum Wide {
        Least = -1,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(u64)]
    enum Most {
        Most = u64::MAX,
    }

    let header = cpp::Header::new()
        .item(cpp::device_type::<Level>())
        .item(cpp::device_type::<Wide>())
        .item(cpp::device_type::<Most>());
    assert_eq!(
        lines(&header)[..10],
        [
            "enum class Level : signed char {",
            "Low = 0,",
            "High = 1,",
            "};",
            "enum class Wide : long long {",
            "Least = -1ll,",
            "};",
            "enum class Most : unsigned long long {",
            "Most = 18446744073709551615ull,",
            "};",
        ]
    );
}

#[test]
fn members_of_every_kind() {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(transparent)]
    struct Meters(f32);

    #[derive(Clone, Copy, DeviceType)]
    #[repr(transparent)]
    #[device_type(cpp = "units::Seconds")]
    struct Seconds(f64);

    #[derive(Clone, Copy, DeviceType)]
    #[repr(i16)]
    enum Side {
        Left = -1,
        Right = 1,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C, align(64))]
    struct Members {
        new: u8,
        distance: Meters,
        time: Seconds,
        side: Side,
        sides: [Side; 3],
        table: [[f32; 3]; 2],
        points: [Float3; 2],
        inner: [Params<u32>; 2],
        pointers: [DevicePointer<f32>; 2],
        marker: PhantomData<String>,
        matrix: glam::Mat4,
        #[device_type(opaque)]
        opaque: Seconds,
        #[device_type(name = "class_id")]
        class: u8,
        next: DevicePointerMut<Members>,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Tuple(u8, u16);

    let header =
        cpp::Header::new().item(cpp::device_type::<Members>()).item(cpp::device_type::<Tuple>()).namespace("sim");
    assert_eq!(
        lines(&header),
        [
            "namespace units {",
            "struct Seconds {",
            "double _0; // `0`, which is not a valid C++ name",
            "};",
            "} // namespace units",
            "namespace sim {",
            "enum class Side : short {",
            "Left = -1,",
            "Right = 1,",
            "};",
            "struct Params {",
            "unsigned int value;",
            "};",
            "struct alignas(64) Members {",
            "unsigned char new_; // `new`, which is not a valid C++ name",
            "float distance;",
            "::units::Seconds time;",
            "Side side;",
            "Side sides[3];",
            "float table[2][3];",
            "float3 points[2];",
            "Params inner[2];",
            "float const* pointers[2];",
            "float4 matrix[4];",
            "alignas(8) unsigned char opaque[8];",
            "unsigned char class_id;",
            "Members* next;",
            "};",
            "struct Tuple {",
            "unsigned char _0; // `0`, which is not a valid C++ name",
            "unsigned short _1; // `1`, which is not a valid C++ name",
            "};",
            "} // namespace sim",
        ]
    );
}

#[test]
fn arrays_and_opaque_fields_are_structs_of_the_kernel() {
    #[derive(KernelArgs)]
    struct Blur {
        weights: [f32; 9],
        matrix: nalgebra::Matrix3<f64>,
        #[kernel_args(opaque)]
        handle: u64,
    }
    assert_eq!(
        of::<Blur>(),
        [
            "struct k_weights {",
            "float elements[9];",
            "};",
            "struct k_matrix {",
            "double elements[3][3];",
            "};",
            "struct k_handle {",
            "alignas(8) unsigned char bytes[8];",
            "};",
            "extern \"C\" __global__ void k(k_weights weights, k_matrix matrix, k_handle handle);",
        ]
    );
}

#[test]
fn one_instance_of_a_generic_struct_has_its_name_and_two_need_names() {
    #[derive(KernelArgs)]
    struct One {
        params: Params<f32>,
    }
    #[derive(KernelArgs)]
    struct Two {
        a: Params<f32>,
        b: Params<u32>,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(transparent)]
    #[device_type(cpp = "ParamsU32")]
    struct ParamsU32(Params<u32>);
    #[derive(KernelArgs)]
    struct Named {
        a: Params<f32>,
        b: ParamsU32,
    }

    assert_eq!(of::<One>()[..3], ["struct Params {", "float value;", "};"]);
    refused(
        &[cpp::kernel::<Two>("k")],
        &["`k.b`", "`Params<f32>` of `k.a`, and `Params<u32>` of `k.b`", "ParamsU32(Params<u32>);"],
    );
    // The correction that the error suggests.
    assert_eq!(of::<Named>()[3..6], ["struct ParamsU32 {", "unsigned int value;", "};"]);
}

#[test]
fn two_types_of_one_name_are_refused_and_one_type_twice_is_not() {
    mod other {
        #[derive(Clone, Copy, kernel_args::DeviceType)]
        #[repr(C)]
        pub(super) struct Light(f32);
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Light {
        x: u32,
    }
    refused(
        &[cpp::device_type::<Light>(), cpp::device_type::<other::Light>()],
        &["two types are called `Light` in C++", "::Light`, and `library::rust_headers::", "other::Light`"],
    );
    let twice = [cpp::device_type::<Light>(), cpp::device_type::<Light>()];
    assert_eq!(cpp::header(&twice), cpp::header(&twice[..1]));
}

#[test]
fn what_a_pointer_points_to_is_in_the_list() {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Node {
        next: DevicePointer<Node>,
    }
    #[derive(KernelArgs)]
    struct Walk {
        first: DevicePointer<Node>,
    }
    #[derive(KernelArgs)]
    struct Rows {
        rows: DevicePointer<[f32; 4]>,
    }
    let walk = cpp::kernel::<Walk>("walk");
    refused(std::slice::from_ref(&walk), &["`walk.first`: it points to `Node`", "`cpp::device_type::<Node>()`"]);
    let text = cpp::header(&[walk, cpp::device_type::<Node>()]).expect("it is in the list");
    assert!(text.contains("struct Node {\n    Node const* next;\n};"), "{text}");
    assert!(text.contains("void walk(Node const* first);"), "{text}");
    let text = cpp::header(&[cpp::kernel::<Rows>("k")]).expect("C++ has pointers to arrays");
    assert!(text.contains("void k(float const (*rows)[4]);"), "{text}");
}

#[test]
fn a_pointer_to_another_instance_than_the_one_by_value_is_refused() {
    #[derive(KernelArgs)]
    struct Fill<T: DeviceType> {
        value: Params<f32>,
        out: DevicePointerMut<Params<T>>,
    }
    #[derive(KernelArgs)]
    struct Wrong {
        value: Params<f32>,
        out: DevicePointerMut<Params<u32>>,
    }
    let right = of::<Fill<f32>>();
    assert!(right.iter().any(|line| line.ends_with("k(Params value, Params* out);")), "{right:?}");
    refused(
        &[cpp::kernel::<Wrong>("k")],
        &["`k.out`", "`Params<f32>` of `k.value`, and `DevicePointerMut<Params<u32>>` of `k.out`"],
    );
}

#[test]
fn a_symbol_must_contain_the_types_of_the_fields() {
    #[derive(KernelArgs)]
    struct Scale {
        n: usize,
        x: DevicePointerMut<f32>,
    }
    let declared = lines(&cpp::Header::new().item(cpp::kernel::<Scale>("_ZN3sim5scaleEmPf")));
    assert_eq!(
        declared,
        ["namespace sim {", "__global__ void scale(unsigned long n, float* x);", "} // namespace sim"]
    );
    refused(
        &[cpp::kernel::<Scale>("_Z5scalemPd")],
        &["`scale.x`: its type is `double*` in the symbol, but `float*` here"],
    );
}

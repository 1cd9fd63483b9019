//! Parameters of a struct from any bytes.

use kernel_args_abi::{Alignment, Body, Class, CppBase, CppType, Members, Parameter, Pointee};

const NAMES: [&str; 12] = [
    "Params",
    "sim::Params<float>",
    "sim::Params<double, (unsigned int)3>",
    "float4",
    "__half",
    "half2",
    "thrust::complex<float>",
    "cuda::std::__4::pair<int, long>",
    "CUtensorMap",
    "(anonymous namespace)::Params",
    "",
    "::<",
];

/// One parameter per four bytes.
pub(crate) fn parameters(bytes: &[u8]) -> Vec<Parameter<'static>> {
    let (seeds, _) = bytes.as_chunks::<4>();
    seeds.iter().map(|&seed| parameter(seed)).collect()
}

fn parameter([shape, base, size, kind]: [u8; 4]) -> Parameter<'static> {
    let base = match base % 8 {
        0 => CppBase::Unknown,
        1 => CppBase::Void,
        2 => CppBase::Bool,
        3 => CppBase::Char,
        4 => CppBase::Integer { signed: base & 8 != 0, bits: 8 << (base >> 4 & 3) },
        5 => CppBase::Long { signed: base & 8 != 0 },
        6 => CppBase::Float { bits: 16 << (base >> 4 & 3) },
        _ => CppBase::Named(NAMES[usize::from(base >> 3) % NAMES.len()]),
    };
    let pointers = (0..shape & 3).fold(CppType::of(base), |ty, i| ty.pointer(shape >> (2 + i) & 1 == 1));
    let class = [Class::Unknown, Class::Bits, Class::Integer, Class::Float, Class::Pointer, Class::Bytes];
    Parameter {
        name: "field",
        kernel_name: "",
        has_implied_name: false,
        spelling: "Field",
        offset: (kind & 0x40 != 0).then_some(usize::from(size) * 2),
        size: [1, 2, 4, 8, 16, 24, 64, 128][usize::from(size % 8)],
        align: Alignment::new(1 << (size >> 3 & 7)).filter(|_| kind & 0x80 == 0),
        class: class[usize::from(kind & 0x3f) % class.len()],
        cpp: pointers,
        members: Members::UNKNOWN,
        pointee: Pointee::UNKNOWN,
        body: Body::UNKNOWN,
        is_strict: kind & 1 != 0,
    }
}

//! Fields as the derive creates them, and parameters as PTX, cubins and mangled names contain them.

use kernel_args_abi::{Alignment, Body, Class, CppBase, CppType, Layout, Members, Parameter, Pointee, Signature};

pub(crate) const FLOAT: CppType<'static> = CppType::of(CppBase::Float { bits: 32 });
pub(crate) const DOUBLE: CppType<'static> = CppType::of(CppBase::Float { bits: 64 });
pub(crate) const INT: CppType<'static> = CppType::integer(true, 32);
pub(crate) const UINT: CppType<'static> = CppType::integer(false, 32);
pub(crate) const ULONGLONG: CppType<'static> = CppType::integer(false, 64);

pub(crate) const fn field<'a>(
    name: &'a str,
    spelling: &'a str,
    size: usize,
    align: usize,
    class: Class,
    cpp: CppType<'a>,
) -> Parameter<'a> {
    Parameter {
        name,
        kernel_name: "",
        has_implied_name: false,
        spelling,
        offset: None,
        size,
        align: Alignment::new(align),
        class,
        cpp,
        members: Members::UNKNOWN,
        pointee: Pointee::UNKNOWN,
        body: Body::UNKNOWN,
        is_strict: false,
    }
}

pub(crate) const fn f32(name: &'static str) -> Parameter<'static> {
    field(name, "f32", 4, 4, Class::Float, FLOAT)
}

pub(crate) const fn f64(name: &'static str) -> Parameter<'static> {
    field(name, "f64", 8, 8, Class::Float, DOUBLE)
}

pub(crate) const fn u32(name: &'static str) -> Parameter<'static> {
    field(name, "u32", 4, 4, Class::Integer, UINT)
}

pub(crate) const fn i32(name: &'static str) -> Parameter<'static> {
    field(name, "i32", 4, 4, Class::Integer, INT)
}

pub(crate) const fn u8(name: &'static str) -> Parameter<'static> {
    field(name, "u8", 1, 1, Class::Integer, CppType::integer(false, 8))
}

pub(crate) const fn boolean(name: &'static str) -> Parameter<'static> {
    field(name, "bool", 1, 1, Class::Integer, CppType::of(CppBase::Bool))
}

pub(crate) const fn usize(name: &'static str) -> Parameter<'static> {
    field(name, "usize", 8, 8, Class::Integer, ULONGLONG)
}

pub(crate) const fn slice(name: &'static str, element: CppType<'static>) -> Parameter<'static> {
    field(name, "&CudaSlice<_>", 8, 8, Class::Pointer, element.pointer(true))
}

pub(crate) const fn slice_mut(name: &'static str, element: CppType<'static>) -> Parameter<'static> {
    field(name, "&mut CudaSlice<_>", 8, 8, Class::Pointer, element.pointer(false))
}

/// A parameter as in PTX.
pub(crate) const fn ptx(
    name: &'static str,
    spelling: &'static str,
    size: usize,
    align: usize,
    class: Class,
) -> Parameter<'static> {
    field(name, spelling, size, align, class, CppType::UNKNOWN)
}

pub(crate) const fn ptx_f32() -> Parameter<'static> {
    ptx("k_param_0", ".param .f32 k_param", 4, 4, Class::Float)
}

pub(crate) const fn ptx_u32() -> Parameter<'static> {
    ptx("k_param_0", ".param .u32 k_param", 4, 4, Class::Integer)
}

pub(crate) const fn ptx_u64() -> Parameter<'static> {
    ptx("k_param_0", ".param .u64 k_param", 8, 8, Class::Integer)
}

pub(crate) const fn ptx_bytes(size: usize, align: usize) -> Parameter<'static> {
    ptx("k_param_0", ".param .align _ .b8 k_param[_]", size, align, Class::Bytes)
}

/// A parameter as in PTX, with the C++ type of a mangled name.
pub(crate) const fn with_cpp(parameter: Parameter<'static>, cpp: CppType<'static>) -> Parameter<'static> {
    Parameter { cpp, ..parameter }
}

pub(crate) const fn signature(name: &'static str, parameters: &'static [Parameter<'static>]) -> Signature<'static> {
    Signature { name, parameters }
}

/// The parameters of these fields from a cubin or the driver: offsets by C's rule, and sizes.
pub(crate) fn records(fields: &[Parameter<'static>]) -> Vec<Parameter<'static>> {
    let mut block = kernel_args_abi::ParamLayout::EMPTY;
    fields
        .iter()
        .map(|field| {
            let layout = Layout::new(field.size, field.align.unwrap()).unwrap();
            let (longer, offset) = block.push(layout).unwrap();
            block = longer;
            Parameter::record(offset, field.size)
        })
        .collect()
}

//! Parameters as Rust types provide them.

use kernel_args_abi::{Alignment, Class, CppBase, CppType, Layout, Members, Parameter, Variant};
use kernel_args_image::header::{Header, Item};

pub(crate) const FLOAT: CppType<'static> = CppType::of(CppBase::Float { bits: 32 });

pub(crate) type P = Parameter<'static>;

/// A parameter with this size, alignment and class.
pub(crate) fn value(name: &'static str, layout: (usize, usize), class: Class, cpp: CppType<'static>) -> P {
    let layout = Layout::from_size_align(layout.0, layout.1).expect("a layout");
    Parameter::field(name, "", 0, layout, class, cpp)
}

pub(crate) fn f32(name: &'static str) -> P {
    value(name, (4, 4), Class::Float, FLOAT)
}

pub(crate) fn f64(name: &'static str) -> P {
    value(name, (8, 8), Class::Float, CppType::of(CppBase::Float { bits: 64 }))
}

pub(crate) fn u8(name: &'static str) -> P {
    value(name, (1, 1), Class::Integer, CppType::integer(false, 8))
}

pub(crate) fn u32(name: &'static str) -> P {
    value(name, (4, 4), Class::Integer, CppType::integer(false, 32))
}

pub(crate) fn float4(name: &'static str) -> P {
    value(name, (16, 16), Class::Bytes, CppType::named("float4"))
}

pub(crate) fn pointer(name: &'static str, to: CppType<'static>) -> P {
    value(name, (8, 8), Class::Pointer, to)
}

/// An array of this length.
pub(crate) fn array(of: P, count: u32) -> P {
    Parameter { size: of.size * count as usize, class: Class::Bytes, cpp: of.cpp.array(count), ..of }
}

/// A struct with the layout of `repr(C)`.
pub(crate) fn structure(name: &'static str, cpp: &'static str, members: &[P]) -> P {
    aligned(name, cpp, 1, members)
}

/// A struct with `repr(align(…))`.
pub(crate) fn aligned(name: &'static str, cpp: &'static str, align: usize, members: &[P]) -> P {
    placed(name, cpp, align, usize::MAX, members)
}

/// A struct with `repr(packed(…))`.
pub(crate) fn packed(name: &'static str, cpp: &'static str, most: usize, members: &[P]) -> P {
    placed(name, cpp, 1, most, members)
}

/// A struct that is aligned to at least `least`, with members that are aligned to at most `most`.
fn placed(name: &'static str, cpp: &'static str, least: usize, most: usize, members: &[P]) -> P {
    let mut layout = Layout::from_size_align(0, least).expect("an alignment");
    let placed: Vec<P> = members
        .iter()
        .map(|member| {
            let own = member.layout().expect("a layout");
            let own = Layout::from_size_align(own.size(), own.align().bytes().min(most)).expect("a layout");
            let (longer, offset) = layout.extend(own).expect("it fits");
            layout = longer;
            Parameter { offset: Some(offset), ..*member }
        })
        .collect();
    let layout = layout.pad_to_align();
    let whole = value(name, (layout.size(), layout.align().bytes()), Class::Bytes, CppType::named(cpp));
    whole.with_members(Members::of(Vec::leak(placed)))
}

/// An enum of `size` bytes.
pub(crate) fn enumeration(name: &'static str, cpp: &'static str, size: usize, variants: &[(&'static str, i128)]) -> P {
    let variants = variants.iter().map(|&(name, value)| Variant { name, value });
    let variants: Vec<Variant<'static>> = variants.collect();
    value(name, (size, size), Class::Integer, CppType::named(cpp))
        .with_members(Members::of_enum(Vec::leak(variants), None))
}

/// A parameter with the spelling of its source.
pub(crate) fn spelled(parameter: P, spelling: &'static str) -> P {
    Parameter { spelling, ..parameter }
}

/// Without the data that DWARF 2 does not contain.
pub(crate) fn without_alignment(parameter: P) -> P {
    Parameter { align: None::<Alignment>, ..parameter }
}

/// The header of these types and one kernel with these parameters.
pub(crate) fn with_kernel(types: &[P], parameters: &[P]) -> Header<'static> {
    let types: Vec<Item<'static>> = types.iter().map(|ty| Item::device_type(*ty)).collect();
    Header::new().items(&types).item(Item::kernel("k", parameters))
}

/// The header of these types.
pub(crate) fn of_types(types: &[P]) -> Header<'static> {
    let types: Vec<Item<'static>> = types.iter().map(|ty| Item::device_type(*ty)).collect();
    Header::new().items(&types)
}

//! Compares the const engine, the architecture rule, the device types and the generator's arithmetic with a compiler's
//! answer.

use crate::oracle::answer::{Answer, Declared};
use kernel_args::abi::{Alignment, Class, Layout, ParamLayout, Sm};
use kernel_args_test_generator::{Signature, Struct, Type, cuda_types, foreign_types, spelling};

/// A device type of the crate.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) layout: Layout,
    pub(crate) class: Class,
    pub(crate) host_size: usize,
    pub(crate) host_align: usize,
}

macro_rules! kinds {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        /// The device type with this spelling in the generator.
        pub(crate) fn kind(rust: &str) -> Option<Kind> {
            use core::num::*;
            use kernel_args::{*, vector::*};
            $(if rust == spelling!($rust) {
                return Some(Kind {
                    layout: <$rust as DeviceType>::LAYOUT,
                    class: <$rust as DeviceType>::CLASS,
                    host_size: size_of::<$rust>(),
                    host_align: align_of::<$rust>(),
                });
            })*
            None
        }
    };
}

cuda_types!(kinds);

macro_rules! foreign_kinds {
    ($($rust:ty = $cpp:literal, $count:literal x $size:literal aligned $align:literal, echo $kernel:ident;)*) => {
        /// The device type of a foreign crate with this spelling in the generator.
        pub(crate) fn foreign_kind(rust: &str) -> Option<Kind> {
            use kernel_args::DeviceType;
            $(if rust == spelling!($rust) {
                return Some(Kind {
                    layout: <$rust as DeviceType>::LAYOUT,
                    class: <$rust as DeviceType>::CLASS,
                    host_size: size_of::<$rust>(),
                    host_align: align_of::<$rust>(),
                });
            })*
            None
        }
    };
}

foreign_types!(foreign_kinds);

/// Size, alignment and class of a pointer in the crate.
fn pointer() -> (Layout, Class) {
    use kernel_args::{DevicePointer, DeviceType};
    let ty = (
        <DevicePointer<core::ffi::c_void> as DeviceType>::LAYOUT,
        <DevicePointer<core::ffi::c_void> as DeviceType>::CLASS,
    );
    (ty.0, ty.1)
}

/// The type's layout, computed by the engine from the crate's device types.
pub(crate) fn layout(ty: &Type) -> Result<Layout, String> {
    let failed = |_| format!("{}: the engine refuses it", ty.rust());
    match ty {
        Type::Leaf(leaf) => {
            kind(leaf.rust).map(|kind| kind.layout).ok_or_else(|| format!("{}: no device type of this name", leaf.rust))
        }
        Type::Pointer { .. } => Ok(pointer().0),
        Type::Enum(e) => layout(&Type::Leaf(e.underlying)),
        Type::Alias { of, .. } => layout(of),
        Type::Array(of, len) => layout(of)?.array(*len).map_err(failed),
        Type::Struct(structure) => Ok(members(structure)?.0),
    }
}

/// The struct's layout, computed by the engine, and the offset of each field.
pub(crate) fn members(structure: &Struct) -> Result<(Layout, Vec<usize>), String> {
    let failed = |_| format!("{}: the engine refuses it", structure.rust());
    let mut whole = Layout::from_size_align(0, structure.align.unwrap_or(1)).map_err(failed)?;
    let mut offsets = Vec::new();
    for field in &structure.fields {
        let own = layout(&field.ty)?;
        let align = own.align().bytes().min(structure.packed.unwrap_or(usize::MAX));
        let own = Layout::from_size_align(own.size(), align).map_err(failed)?;
        let offset;
        (whole, offset) = whole.extend(own).map_err(failed)?;
        offsets.push(offset);
    }
    Ok((whole.pad_to_align(), offsets))
}

fn class(ty: &Type) -> Class {
    match ty {
        Type::Leaf(leaf) => kind(leaf.rust).map_or(Class::Unknown, |kind| kind.class),
        Type::Pointer { .. } => pointer().1,
        Type::Enum(_) => Class::Integer,
        Type::Alias { of, .. } => class(of),
        Type::Array(..) | Type::Struct(_) => Class::Bytes,
    }
}

/// Whether PTX uses this declaration for a value of this class. PTX ISA, "Kernel Function Parameters": 128-bit integers
/// and halves are also arrays of bytes.
pub(crate) fn agrees(class: Class, declared: Declared) -> bool {
    match class {
        Class::Integer if declared.size == 16 => declared.letter == 'b',
        Class::Float if declared.size == 2 => declared.letter == 'b',
        Class::Integer => matches!(declared.letter, 'u' | 's'),
        Class::Pointer => declared.letter == 'u' && declared.size == 8,
        Class::Float => declared.letter == 'f',
        Class::Bytes => declared.letter == 'b',
        _ => false,
    }
}

/// The compiler's size and alignment of each parameter after `out`, and its facts about each struct.
pub(crate) struct Facts<'a> {
    pub(crate) parameters: Vec<(usize, usize)>,
    pub(crate) structs: Vec<(&'a Struct, usize, usize, &'a [usize])>,
}

/// The facts of an answer, by subject.
pub(crate) fn facts<'a>(signature: &'a Signature, answer: &'a Answer) -> Option<Facts<'a>> {
    let (parameters, mut rest) = answer.facts.split_at_checked(2 * signature.parameters.len())?;
    let parameters = parameters.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let mut structs = Vec::new();
    for structure in signature.structs() {
        let (size, align) = (*rest.first()?, *rest.get(1)?);
        let (offsets, after) = rest[2..].split_at_checked(structure.fields.len())?;
        structs.push((structure, size, align, offsets));
        rest = after;
    }
    rest.is_empty().then_some(Facts { parameters, structs })
}

/// Every difference between the crate and the compiler, as text.
pub(crate) fn differences(signature: &Signature, answer: &Answer) -> Vec<String> {
    compare(signature, answer).unwrap_or_else(|error| vec![error])
}

fn compare(signature: &Signature, answer: &Answer) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut same = |what: String, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!("{what}: {ours}, the compiler says {theirs}"));
        }
    };
    let facts = facts(signature, answer).ok_or("the number of facts differs")?;
    for (ty, (size, align)) in signature.parameters.iter().zip(&facts.parameters) {
        let (engine, own) = (layout(ty)?, ty.extent());
        let theirs = format!("{size}/{align}");
        let engine = format!("{}/{}", engine.size(), engine.align().bytes());
        same(format!("{} by the engine", ty.rust()), engine, theirs.clone());
        let own = format!("{}/{}", own.size, own.align);
        same(format!("{} by the generator", ty.rust()), own, theirs);
    }
    for (structure, size, align, offsets) in &facts.structs {
        let (engine, places) = members(structure)?;
        let engine = format!("{}/{} {places:?}", engine.size(), engine.align().bytes());
        let theirs = format!("{size}/{align} {offsets:?}");
        same(format!("{} by the engine", structure.rust()), engine, theirs.clone());
        let (extent, places) = (structure.extent(), structure.offsets());
        let begins: Vec<usize> = places.iter().map(|(begin, _)| *begin).collect();
        let own = format!("{}/{} {begins:?}", extent.size, extent.align);
        same(format!("{} by the generator", structure.rust()), own, theirs);
    }

    let all = signature.all_parameters();
    let layouts = all.iter().map(layout).collect::<Result<Vec<_>, _>>()?;
    let engine: Vec<String> = layouts.iter().map(|l| format!("{}/{}", l.size(), l.align().bytes())).collect();
    let declared: Vec<String> = answer.declared.iter().map(|d| format!("{}/{}", d.size, d.align)).collect();
    same("parameters in PTX".into(), engine.join(" "), declared.join(" "));
    for (ty, declared) in all.iter().zip(&answer.declared) {
        if !agrees(class(ty), *declared) {
            found.push(format!("{} is {:?}, PTX declares .{}", ty.rust(), class(ty), declared.letter));
        }
    }
    for (sm, records) in &answer.records {
        let (block, offsets) = on(Sm(*sm), &layouts)?;
        let ours: Vec<(usize, usize)> = offsets.into_iter().zip(layouts.iter().map(|l| l.size())).collect();
        let ours = format!("{ours:?}, {} bytes", block.size());
        let theirs = format!("{:?}, {} bytes", records.parameters, records.total);
        if ours != theirs {
            found.push(format!("offsets and sizes on sm_{sm}: {ours}, the compiler says {theirs}"));
        }
    }
    let widest = layouts.iter().map(|l| l.align()).fold(Alignment::ONE, Alignment::max);
    if (widest.bytes() > 16) != signature.is_over_aligned() {
        found.push("the engine and the generator differ in whether it depends on the GPU".into());
    }
    Ok(found)
}

/// The block on a GPU generation, and each parameter's offset.
fn on(sm: Sm, layouts: &[Layout]) -> Result<(ParamLayout, Vec<usize>), String> {
    let mut offsets = vec![0; layouts.len()];
    let block = ParamLayout::write_on(sm, layouts, &mut offsets)
        .map_err(|error| format!("the engine refuses the block: {error}"))?
        .ok_or_else(|| format!("the engine does not know {sm}"))?;
    Ok((block, offsets))
}

//! What the derives' output names. Not part of the interface.

mod field_errors;

pub use crate::{device::assert_layout, marshal::ParamWriter};
pub use core;
pub use field_errors::*;

mod kernel;

pub use kernel::*;

use crate::{device::DeviceType, marshal::KernelArgs};
use kernel_args_abi::{
    Class, CppBase, CppType, Layout, ParamLayout, Parameter,
    param_layout::LIMIT,
    words::{Message, templates},
};

/// The constants of a device type as a value.
#[derive(Clone, Copy)]
pub struct TypeInfo {
    layout: Layout,
    class: Class,
    cpp: CppType<'static>,
}

impl TypeInfo {
    /// The constants of `D`.
    #[must_use]
    pub const fn of<D: DeviceType>() -> Self {
        const { assert_layout::<D>() };
        Self {
            layout: D::LAYOUT,
            class: D::CLASS,
            cpp: D::CPP,
        }
    }
}

/// A parameter of a kernel.
///
/// # Panics
/// At compile time, at the field, where it has no bytes.
#[must_use]
#[track_caller]
pub const fn parameter(name: &'static str, spelling: &'static str, info: TypeInfo) -> Described {
    if info.layout.size() == 0 {
        let mut message: Message = Message::new();
        templates::parameter_without_bytes(&mut message, name);
        message.fail()
    }
    Described(member(name, spelling, 0, info))
}

/// A field as [`parameter`] describes it.
pub struct Described(Parameter<'static>);

impl Described {
    /// The description as it stands.
    #[must_use]
    pub const fn typed(self) -> Parameter<'static> {
        self.0
    }

    /// The description with size and alignment alone: `#[kernel_args(opaque)]`.
    #[must_use]
    pub const fn opaque(self) -> Parameter<'static> {
        Parameter {
            class: Class::Unknown,
            cpp: CppType::UNKNOWN,
            ..self.0
        }
    }
}

/// The parameters at their offsets by C's rule.
#[must_use]
pub const fn place<const N: usize>(
    mut parameters: [Parameter<'static>; N],
) -> [Parameter<'static>; N] {
    let mut block = ParamLayout::EMPTY;
    let mut i = 0;
    while i < N {
        let (longer, offset) = push(block, &parameters[i]);
        parameters[i].offset = Some(offset);
        block = longer;
        i += 1;
    }
    parameters
}

/// The block of a kernel's parameters.
///
/// # Panics
/// At compile time, where the block is above the limit of every GPU.
#[must_use]
#[track_caller]
pub const fn param_layout(name: &'static str, parameters: &[Parameter<'static>]) -> ParamLayout {
    let mut block = ParamLayout::EMPTY;
    let mut i = 0;
    while i < parameters.len() {
        block = push(block, &parameters[i]).0;
        i += 1;
    }
    if block.size() > LIMIT {
        too_large(name, parameters, block.size());
    }
    block
}

/// The offset of a parameter.
#[must_use]
pub const fn offset<A: KernelArgs>(index: usize) -> usize {
    match A::PARAMETERS[index].offset {
        Some(offset) => offset,
        None => panic!("a parameter without an offset"),
    }
}

const fn push(block: ParamLayout, parameter: &Parameter<'_>) -> (ParamLayout, usize) {
    if let Some(layout) = parameter.layout()
        && let Ok(pushed) = block.push(layout)
    {
        return pushed;
    }
    panic!("the arguments of a kernel are larger than the address space")
}

#[track_caller]
const fn too_large(name: &str, parameters: &[Parameter<'static>], size: usize) -> ! {
    let mut message: Message = Message::new();
    templates::too_large(&mut message, name, size, LIMIT);
    // Fields of one size follow one another in the struct's order.
    let mut last: Option<usize> = None;
    let mut listed = 0;
    while listed < 3 {
        let mut largest: Option<usize> = None;
        let mut i = 0;
        while i < parameters.len() {
            let candidate = parameters[i].size;
            let follows = match last {
                Some(last) => {
                    candidate < parameters[last].size
                        || candidate == parameters[last].size && last < i
                }
                None => true,
            };
            if follows
                && (largest.is_none()
                    || matches!(largest, Some(index) if parameters[index].size < candidate))
            {
                largest = Some(i);
            }
            i += 1;
        }
        let Some(index) = largest else { break };
        let field = &parameters[index];
        templates::large_field(&mut message, field.name, field.spelling, field.size);
        last = largest;
        listed += 1;
    }
    templates::pass_pointer(&mut message);
    message.fail()
}

/// Room for the bytes of one launch's parameters, in units of 8 bytes.
///
/// The driver copies parameters from host memory byte by byte, so their alignment does not matter here.
pub type ParamBuffer<const N: usize> = [core::mem::MaybeUninit<u64>; N];

/// How many units of 8 bytes the parameters of `A` fill.
#[must_use]
pub const fn param_buffer_len<A: KernelArgs>() -> usize {
    A::LAYOUT.size().div_ceil(8)
}

/// Refuses a field whose type is not the `T` that the derive saw.
///
/// An attribute macro that runs after the derive can change the type of a field. A reference to the field would then be
/// dereferenced until it fits; inside a tuple that a variable holds it is not. For the same reason the derives take a struct apart by a pattern:
/// `self.field` would be looked up through `Deref`.
#[inline(always)]
pub const fn same_type<T>(_: &(&T,)) {}

/// Has rustc evaluate the constants of a struct: its layout and the kernel that it names; and asserts that its buffer has
/// room for the parameters.
pub const fn evaluate<A: KernelArgs>() {
    let _ = A::SOURCE;
    assert!(
        size_of::<A::ParamBuffer>() >= A::LAYOUT.size(),
        "the parameter buffer of a struct is smaller than its parameters: please report this"
    );
}

/// The description of a device type's field that lies at `offset` on the host.
#[must_use]
pub const fn member(
    name: &'static str,
    spelling: &'static str,
    offset: usize,
    info: TypeInfo,
) -> Parameter<'static> {
    Parameter::field(name, spelling, offset, info.layout, info.class, info.cpp)
}

/// What a device type must be, with words of its own: a derive's output asks for it once, at the type's name.
#[diagnostic::on_unimplemented(
    message = "`{T}` is not `Copy`, as a device type must be",
    label = "write `#[derive(Clone, Copy)]` on it",
    note = "a kernel takes it byte by byte: nothing may happen when it is copied or dropped"
)]
pub trait Copyable<T> {}

// For the unit type, because rustc would suggest a reference to the type itself.
#[diagnostic::do_not_recommend]
impl<T: Copy> Copyable<T> for () {}

/// Has rustc say so where `T` is not `Copy`.
pub const fn is_copy<T>()
where
    (): Copyable<T>,
{
}

/// The layout of a type whose derive has reported an error: its host's, so that nothing else is reported for it.
#[must_use]
pub const fn host_layout<T>() -> Layout {
    Layout::of::<T>()
}

/// The layout of a by-value struct before its first field; `align` is that of `repr(align(…))`.
#[must_use]
pub const fn first_member(align: usize) -> Layout {
    match Layout::from_size_align(0, align) {
        Ok(layout) => layout,
        Err(_) => panic!("`repr(align)` is not a power of two up to 2^28"),
    }
}

/// The layout of a by-value struct with one more field.
///
/// # Panics
/// At compile time, at the field, where the host puts it elsewhere than the device, or it has no bytes.
#[must_use]
#[track_caller]
pub const fn next_member(before: Layout, field: &Parameter<'static>) -> Layout {
    let Some(layout) = field.layout() else {
        panic!("a device type is larger than the address space")
    };
    let Ok((after, device)) = before.extend(layout) else {
        panic!("a device type is larger than the address space")
    };
    let mut message: Message = Message::new();
    if field.size == 0 && !matches!(field.cpp.base, CppBase::Void) {
        templates::member_without_bytes(&mut message, field.name, field.spelling);
        message.fail()
    }
    match field.offset {
        Some(host) if host != device => {
            let align = layout.align().bytes();
            templates::member_elsewhere(
                &mut message,
                field.name,
                field.spelling,
                host,
                device,
                align,
            );
            message.fail()
        }
        _ => after,
    }
}

/// The layout of a whole by-value struct.
///
/// # Panics
/// At compile time, where the host's size is not the device's.
#[must_use]
#[track_caller]
pub const fn whole<T>(unpadded: Layout) -> Layout {
    let device = unpadded.pad_to_align();
    let mut message: Message = Message::new();
    if device.size() == 0 {
        templates::struct_without_bytes(&mut message);
        message.fail()
    }
    if size_of::<T>() != device.size() {
        let align = device.align().bytes();
        templates::struct_size(&mut message, size_of::<T>(), device.size(), align);
        message.fail()
    }
    device
}

/// Whether a struct of `size` bytes has bytes that belong to none of its fields.
#[must_use]
pub const fn has_padding(fields: &[Parameter<'static>], size: usize) -> bool {
    let mut covered = 0;
    let mut i = 0;
    while i < fields.len() {
        covered += fields[i].size;
        i += 1;
    }
    covered != size
}

/// The one field of a `repr(transparent)` struct that has bytes.
#[must_use]
pub const fn transparent(fields: &[Parameter<'static>]) -> Parameter<'static> {
    let mut i = 0;
    while i + 1 < fields.len() && fields[i].size == 0 {
        i += 1;
    }
    fields[i]
}

//! What the derives' output says of a type.

use crate::device::{DeviceType, assert_layout};
use kernel_args_abi::{Class, CppType, Layout, Members};

/// The constants of a device type as a value.
#[derive(Clone, Copy)]
pub struct TypeInfo {
    pub(super) layout: Layout,
    pub(super) class: Class,
    pub(super) cpp: CppType<'static>,
    pub(super) members: Members<'static>,
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
            members: D::MEMBERS,
        }
    }
}

/// Refuses a field whose type is not the `T` that the derive saw.
///
/// An attribute macro that runs after the derive can change the type of a field. A reference to the field would then be
/// dereferenced until it fits; inside a tuple that a variable holds it is not. For the same reason the derives take a struct apart by a pattern:
/// `self.field` would be looked up through `Deref`.
#[inline(always)]
pub const fn same_type<T>(_: &(&T,)) {}

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

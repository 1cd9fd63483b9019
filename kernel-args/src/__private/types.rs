//! Properties of types, for the output of the derives.

use crate::device::{DeviceType, assert_layout};
use kernel_args_abi::{Class, CppType, Layout, Members, Pointee};

/// The constants of a device type as a value.
#[derive(Clone, Copy)]
pub struct TypeInfo {
    pub(super) layout: Layout,
    pub(super) class: Class,
    pub(super) cpp: CppType<'static>,
    pub(super) members: Members<'static>,
    pub(super) pointee: Pointee<'static>,
    pub(super) name: &'static str,
}

impl TypeInfo {
    pub const fn of<D: DeviceType>() -> Self {
        Self::with::<D>(D::POINTEE)
    }

    /// Returns the constants of the type of a field of a device type. `POINTEE` could contain the constants of the
    /// struct with the field.
    pub const fn in_struct<D: DeviceType>() -> Self {
        Self::with::<D>(D::POINTEE_IN_STRUCT)
    }

    const fn with<D: DeviceType>(pointee: Pointee<'static>) -> Self {
        const { assert_layout::<D>() };
        Self { layout: D::LAYOUT, class: D::CLASS, cpp: D::CPP, members: D::MEMBERS, pointee, name: D::RUST_NAME }
    }
}

/// Rejects a field whose type is not the `T` that the derive read.
///
/// An attribute macro that runs after the derive can change the type of a field. rustc would dereference a reference to
/// the field until the type matches. It does not do this for a reference in a tuple in a variable.
#[inline(always)]
pub const fn same_type<T>(_: &(&T,)) {}

/// Returns the bytes of a field of type `T` at this offset of a struct. Empty if they are not inside.
pub fn part_of<T>(bytes: &[u8], offset: usize) -> &[u8] {
    let rest = bytes.get(offset..).unwrap_or_default();
    rest.get(..size_of::<T>()).unwrap_or_default()
}

/// `Copy` with its own error message. The output of a derive requires it once, at the name of the type.
#[diagnostic::on_unimplemented(
    message = "`{T}` is not `Copy`, but a device type must be `Copy`",
    label = "write `#[derive(Clone, Copy)]` on it",
    note = "a kernel receives a copy of its bytes, so no code can run when it is copied or dropped"
)]
pub trait Copyable<T> {}

// Implemented for the unit type: with a bound on `T` itself, rustc would suggest a reference to the type.
#[diagnostic::do_not_recommend]
impl<T: Copy> Copyable<T> for () {}

pub const fn is_copy<T>()
where
    (): Copyable<T>,
{
}

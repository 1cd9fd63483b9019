//! The fields of a device type, and its layout.

use super::TypeInfo;
use crate::device::DeviceType;
use kernel_args_abi::{Alignment, CppBase, Layout, Members, Opaque, Parameter, Pointee, cpp::builtin};

pub const fn member(name: &'static str, spelling: &'static str, offset: usize, info: TypeInfo) -> Parameter<'static> {
    Parameter::field(name, spelling, offset, info.layout, info.class, info.cpp)
        .with_members(info.members)
        .with_pointee(info.pointee)
}

/// Returns what a pointer of this type points to, with the members of generic structs.
/// For a type that is not a pointer, or points to nothing that is known: no bytes.
pub(super) const fn behind<D: DeviceType>() -> Parameter<'static> {
    match D::POINTEE.ty() {
        Some(ty) => ty,
        None => Parameter::record(0, 0),
    }
}

/// Sets the type that a pointer points to; any other field stays. [`member`] has the members of a generic struct only
/// by name.
pub const fn pointing_to(member: Parameter<'static>, behind: &'static Parameter<'static>) -> Parameter<'static> {
    if member.pointee.is_known() { member.with_pointee(Pointee::of(behind)) } else { member }
}

/// Reduces a field to its offset and size: `#[device_type(opaque)]`.
pub const fn opaque_member(member: Parameter<'static>) -> Parameter<'static> {
    member.with_members(Members::opaque(Opaque::Declared)).with_pointee(Pointee::UNKNOWN)
}

/// Returns the layout of a by-value struct before its first field; `align` is the alignment from `repr(align(…))`.
pub const fn first_member(align: usize) -> Layout {
    match Layout::from_size_align(0, align) {
        Ok(layout) => layout,
        Err(_) => panic!("`repr(align)` is not a power of two up to 2^28"),
    }
}

/// Limits the alignment of a field to `most` bytes: `repr(packed(most))`, which is `#pragma pack`.
pub const fn packed_member(field: Parameter<'static>, most: usize) -> Parameter<'static> {
    match (field.align, Alignment::new(most)) {
        (Some(align), Some(most)) if align.bytes() > most.bytes() => Parameter { align: Some(most), ..field },
        _ => field,
    }
}

#[track_caller]
pub const fn next_member(before: Layout, field: &Parameter<'static>) -> Layout {
    let Some(layout) = field.layout() else { panic!("a device type is larger than the address space") };
    let Ok((after, device)) = before.extend(layout) else { panic!("a device type is larger than the address space") };
    let (name, spelling) = (field.name, field.spelling);
    if field.size == 0 && !matches!(field.cpp.base, CppBase::Void) {
        fail!(member_without_bytes(name, spelling));
    }
    match field.offset {
        Some(host) if host != device => {
            let align = layout.align().bytes();
            if let CppBase::Named(cpp) = field.cpp.base
                && let Some(row) = builtin(cpp)
                && row.align == align
            {
                fail!(member_elsewhere_builtin(name, spelling, host, device, align, row.rust));
            }
            fail!(member_elsewhere(name, spelling, host, device, align));
        }
        _ => after,
    }
}

#[track_caller]
pub const fn whole<T>(unpadded: Layout) -> Layout {
    let device = unpadded.pad_to_align();
    if device.size() == 0 {
        fail!(struct_without_bytes());
    }
    if size_of::<T>() != device.size() {
        fail!(struct_size(size_of::<T>(), device.size(), device.align().bytes()));
    }
    device
}

/// Returns whether a struct of `size` bytes has bytes that belong to no field.
pub const fn has_padding(fields: &[Parameter<'static>], size: usize) -> bool {
    let mut covered = 0;
    let mut i = 0;
    while i < fields.len() {
        covered += fields[i].size;
        i += 1;
    }
    covered != size
}

pub const fn transparent(fields: &[Parameter<'static>]) -> Parameter<'static> {
    let mut i = 0;
    while i + 1 < fields.len() && fields[i].size == 0 {
        i += 1;
    }
    fields[i]
}

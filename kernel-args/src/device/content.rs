//! What types consist of, up to a number of pointers.
//!
//! A struct can contain a pointer to itself. A constant that contained the members of the struct, and in these members
//! what the pointer points to, would contain itself, which rustc rejects. So a type has a constant for each level:
//! the content at level `n` is the members, and behind their pointers the content at level `n - 1`. At level 0, it is unknown what
//! pointers point to.

use super::DeviceType;
use core::marker::PhantomData;
use kernel_args_abi::{Members, Parameter, Pointee};

/// What a type consists of, at one level.
#[derive(Clone, Copy)]
pub struct Content {
    /// The members of a struct, or the variants of an enum.
    pub members: Members<'static>,
    /// What a pointer points to.
    pub pointee: Pointee<'static>,
}

impl Content {
    /// A type of unknown content.
    pub const UNKNOWN: Self = Self::of(Members::UNKNOWN, Pointee::UNKNOWN);

    /// The content of a type that is the same at each level.
    #[must_use]
    pub const fn of(members: Members<'static>, pointee: Pointee<'static>) -> Self {
        Self { members, pointee }
    }

    /// The content of a pointer.
    #[must_use]
    pub const fn pointer(pointee: Pointee<'static>) -> Self {
        Self::of(Members::UNKNOWN, pointee)
    }

    /// The type `T` with this content, as the pointee of a pointer.
    #[must_use]
    pub const fn in_memory<T: DeviceType>(self) -> Parameter<'static> {
        Parameter {
            offset: None,
            align: Some(T::LAYOUT.align()),
            class: T::CLASS,
            cpp: T::CPP,
            members: self.members,
            pointee: self.pointee,
            ..Parameter::record(0, T::LAYOUT.size())
        }
    }
}

/// A level, as a type: a constant cannot have a parameter.
pub trait Level: 'static {
    /// `T` at this level.
    type Of<T: DeviceType>: At;
}

/// A type at a level.
pub trait At {
    /// The type.
    type Type: DeviceType;
    /// What it consists of.
    const CONTENT: Content;
}

/// The fields of a struct with the derive, at a level.
pub trait FieldsAt<L> {
    /// The fields.
    const FIELDS: &'static [Parameter<'static>];
}

macro_rules! levels {
    ($($level:ident, $of:ident, $content:ident;)*) => {$(
        #[doc = concat!("The level of [`DeviceType::", stringify!($content), "`].")]
        pub struct $level;

        #[doc = concat!("A type at the level of [`DeviceType::", stringify!($content), "`].")]
        pub struct $of<T>(PhantomData<T>);

        impl Level for $level {
            type Of<T: DeviceType> = $of<T>;
        }

        impl<T: DeviceType> At for $of<T> {
            type Type = T;
            const CONTENT: Content = T::$content;
        }
    )*};
}

levels! {
    Level0, Of0, CONTENT_0;
    Level1, Of1, CONTENT_1;
    Level2, Of2, CONTENT_2;
    Level3, Of3, CONTENT_3;
    Level4, Of4, CONTENT_4;
    Level5, Of5, CONTENT_5;
    Level6, Of6, CONTENT_6;
    Level7, Of7, CONTENT_7;
}

/// For a type with the representation of `$inner`: its content at each level.
macro_rules! content_of {
    ($inner:ty) => {
        const MEMBERS: kernel_args_abi::Members<'static> =
            <$inner as $crate::device::DeviceType>::MEMBERS;
        const POINTEE: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::POINTEE;
        const CONTENT_0: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_0;
        const CONTENT_1: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_1;
        const CONTENT_2: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_2;
        const CONTENT_3: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_3;
        const CONTENT_4: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_4;
        const CONTENT_5: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_5;
        const CONTENT_6: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_6;
        const CONTENT_7: $crate::device::Content =
            <$inner as $crate::device::DeviceType>::CONTENT_7;
    };
}
pub(crate) use content_of;

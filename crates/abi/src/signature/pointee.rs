//! What a pointer points to.
//!
//! rustc reads everything that a constant refers to, and a struct can point to itself: a constant with its members and
//! their pointees would contain itself. So the derive writes a `static` for each struct without generic parameters, and
//! [`Pointee`] refers to it through a `MaybeUninit`, into which rustc does not look. Without it, 40 structs that point
//! to each other took 45 s instead of 2 s.
//!
//! For a generic struct, the derive of a struct that points to it writes the `static`, if the type of the field shows
//! it: `DevicePointer<Buffer<f32>>`. If both are generic, the struct behind the pointer is compared by name and size.

use super::{Parameter, stored::StoredType};
use core::{fmt, mem::MaybeUninit, ptr};

/// The type behind a pointer, as far as the source contains it.
///
/// It is read on demand. Two pointees are equal if their own members are equal, whatever these point to.
#[derive(Clone, Copy)]
pub struct Pointee<'a>(PointeeSource<'a>);

#[derive(Clone, Copy)]
enum PointeeSource<'a> {
    Unknown,
    Declared,
    Type(Hidden<'a>),
    Stored(StoredType<'a>),
}

/// A reference that rustc does not follow: see the module.
#[derive(Clone, Copy)]
struct Hidden<'a>(MaybeUninit<&'a Parameter<'a>>);

impl<'a> Hidden<'a> {
    #[allow(unsafe_code, reason = "see above")]
    const fn get(self) -> &'a Parameter<'a> {
        // SAFETY: `MaybeUninit::assume_init`, "Safety": the value is initialised, because `Pointee::of` is the only
        // place that makes one.
        unsafe { self.0.assume_init() }
    }
}

impl<'a> Pointee<'a> {
    /// Unknown, or the type is not a pointer: matches everything.
    pub const UNKNOWN: Self = Self(PointeeSource::Unknown);

    /// A struct that the source declares but does not define: matches everything.
    pub const DECLARED: Self = Self(PointeeSource::Declared);

    /// This type, which can itself be a pointer or an array.
    pub const fn of(ty: &'a Parameter<'a>) -> Self {
        Self(PointeeSource::Type(Hidden(MaybeUninit::new(ty))))
    }

    /// Returns a stored type.
    pub const fn stored(ty: StoredType<'a>) -> Self {
        Self(PointeeSource::Stored(ty))
    }

    /// Returns the type, which can itself be a pointer or an array; `None` if it is unknown.
    #[doc(hidden)]
    pub const fn ty(self) -> Option<Parameter<'a>> {
        match self.0 {
            PointeeSource::Unknown | PointeeSource::Declared => None,
            PointeeSource::Type(ty) => Some(*ty.get()),
            PointeeSource::Stored(stored) => Some(stored.parameter()),
        }
    }

    /// Returns the type without pointers and arrays around it: the struct behind `Light (**)[4]`. It has no name and no
    /// offset.
    pub const fn get(self) -> Option<Parameter<'a>> {
        let mut pointee = self;
        while let Some(ty) = pointee.ty() {
            if ty.cpp.depth == 0 {
                return Some(ty.element());
            }
            pointee = ty.pointee;
        }
        None
    }

    /// Returns whether the source declares the type, but does not define it.
    pub const fn is_declared(self) -> bool {
        matches!(self.0, PointeeSource::Declared)
    }

    /// Returns whether the source contains the type.
    pub const fn is_known(self) -> bool {
        matches!(self.0, PointeeSource::Type(_) | PointeeSource::Stored(_))
    }

    /// Returns what identifies the type among all sources.
    #[doc(hidden)]
    pub fn key(self) -> Option<(usize, usize)> {
        match self.0 {
            PointeeSource::Unknown | PointeeSource::Declared => None,
            PointeeSource::Type(ty) => Some((ptr::from_ref(ty.get()).addr(), usize::MAX)),
            PointeeSource::Stored(stored) => Some(stored.key()),
        }
    }

    /// Returns whether both are the same stored type, or have the same name and the same members.
    pub(crate) const fn is_same(self, other: Self) -> bool {
        match (self.0, other.0) {
            (PointeeSource::Stored(a), PointeeSource::Stored(b)) => a.is_same(b),
            _ => matches!((self.get(), other.get()), (Some(a), Some(b)) if are_alike(&a, &b)),
        }
    }
}

const fn are_alike(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    let (own, others) = (a.members, b.members);
    a.is_like(b)
        && own.len() == others.len()
        && !any!(i, one = own.get_unspelled(i), matches!(others.get_unspelled(i), Some(other) if !one.is_like(&other)))
}

impl PartialEq for Pointee<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.get(), other.get()) {
            (Some(a), Some(b)) => are_alike(&a, &b),
            (None, None) => self.is_declared() == other.is_declared(),
            _ => false,
        }
    }
}

impl Eq for Pointee<'_> {}

impl fmt::Debug for Pointee<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the members: a struct may contain a pointer to itself.
        match self.get() {
            Some(Parameter { cpp, size, .. }) => write!(f, "{cpp} of {size} bytes"),
            None if self.is_declared() => f.write_str("Declared"),
            None => f.write_str("Unknown"),
        }
    }
}

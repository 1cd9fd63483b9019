//! A fast check whether a struct fits a kernel. It reports no differences.

use super::{decode::Head, fingerprint::fingerprint, kernel::NOTHING, set::CompiledKernels};
use crate::{
    check::{Exchange, differences_at, names, refused},
    class::Class,
    cpp::CppBase,
    signature::{Parameter, reader::base, stored::CLASSES},
};

impl CompiledKernels {
    /// The symbol of the only kernel, if these fields fit it and its parameters are the same on every GPU. Reads the
    /// table once.
    ///
    /// # Errors
    /// [`Changed`](Doubt::Changed) if the image is not the one that was read, otherwise [`Compare`](Doubt::Compare).
    #[doc(hidden)]
    pub const fn only_fitting(&self, fields: &[Parameter<'_>]) -> Result<&'static str, Doubt> {
        let mut i = 0;
        while let Some(kernel) = self.get(i) {
            let mut head = kernel.head();
            if !head.is_unchanged() {
                return Err(Doubt::Changed);
            }
            if self.len() == 1 && !head.varies && head.fits(fields) {
                return Ok(kernel.symbol());
            }
            i += 1;
        }
        Err(Doubt::Compare)
    }
}

/// Why the fast check is not sufficient.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The image is not the one that was read.
    Changed,
    /// The struct does not fit, or there are several kernels.
    Compare,
}

impl Head {
    /// Whether the kernel's declaration in the image is the one that was read.
    pub(super) const fn is_unchanged(&self) -> bool {
        self.declaration.is_empty() || fingerprint(self.declaration) as u32 as usize == self.fingerprint
    }

    /// Whether these fields fit the parameters. It consumes the parameters.
    pub(super) const fn fits(&mut self, fields: &[Parameter<'_>]) -> bool {
        if self.parameters != fields.len() {
            return false;
        }
        let first = *self;
        let is_plain = !self.has_debug_info && !self.has_bodies();
        // A parameter's expected offset depends on the previous parameter.
        let mut before = NOTHING;
        // The position of the previous parameter if it was not decoded.
        let mut skipped = None;
        let mut exchange = Exchange::NONE;
        let mut i = 0;
        while i < fields.len() {
            let field = &fields[i];
            // A parameter that PTX alone describes, compared as in `fits_plainly` without being decoded.
            if is_plain && let Some(align) = field.align {
                let (bytes, at) = (self.types.bytes, self.types.at);
                let fits = bytes[at] < 0x80
                    && bytes[at] as usize == field.size
                    && bytes[at + 1] == 0
                    && bytes[at + 2] == align.log2 + 1
                    && bytes[at + 4] == base::UNKNOWN
                    && bytes[at + 5] == 0
                    && bytes[at + 6] == 0
                    && matches!(
                        (field.class, CLASSES[bytes[at + 3] as usize]),
                        (Class::Integer | Class::Pointer, Class::Integer)
                            | (Class::Float, Class::Float)
                            | (Class::Pointer, Class::Pointer)
                            | (_, Class::Bytes)
                    );
                if fits {
                    self.types.at = at + 7;
                    skipped = Some(at);
                    i += 1;
                    continue;
                }
            }
            if let Some(at) = skipped {
                let mut earlier = *self;
                earlier.types.at = at;
                before = earlier.next_type();
                skipped = None;
            }
            let parameter = self.next_type();
            if !fits_plainly(field, &parameter, self.has_debug_info) {
                let window = [before, parameter];
                let (_, own) = window.split_at((i == 0) as usize);
                if !differences_at(fields, own, None, i, own.len() - 1).is_empty() {
                    return false;
                }
            }
            if parameter.body.is_known() {
                exchange = exchange.and(field, &parameter);
            }
            before = parameter;
            i += 1;
        }
        !exchange.is_certain() && (!first.named || first.names_fit(fields))
    }

    /// Whether no field has the name of another parameter, if all fields fit by type.
    const fn names_fit(&self, fields: &[Parameter<'_>]) -> bool {
        let mut own = *self;
        let mut i = 0;
        while i < fields.len() {
            let parameter = own.next_parameter();
            if names::has_other_explicit_name(&fields[i], &parameter) {
                return false;
            }
            if names::is_named_otherwise(&fields[i], &parameter) {
                let mut others = *self;
                let mut j = 0;
                while j < self.parameters && j < names::MOST {
                    let other = others.next_parameter();
                    if j != i && names::is_of_another(&fields[i], &parameter, &other) {
                        return false;
                    }
                    j += 1;
                }
            }
            i += 1;
        }
        true
    }
}

/// Whether field and parameter are equal, or differ only in ways that C++ ignores. This holds for most fields that
/// fit; [`differences_at`] decides all other cases. The function contains no calls, because rustc evaluates a call about as
/// slowly as all of these comparisons. Members and variants are known only if the kernel is described by debug information.
const fn fits_plainly(field: &Parameter<'_>, parameter: &Parameter<'_>, has_debug_info: bool) -> bool {
    match (field.align, parameter.align) {
        (Some(a), Some(b)) if a.log2 == b.log2 && field.size == parameter.size => {}
        _ => return false,
    }
    match (field.class, parameter.class) {
        (Class::Integer | Class::Pointer, Class::Integer)
        | (Class::Float, Class::Float)
        | (Class::Pointer, Class::Pointer)
        | (Class::Bytes, Class::Bytes) => {}
        _ => return false,
    }
    let (host, kernel) = (field.cpp, parameter.cpp);
    let same_base = match (host.base, kernel.base) {
        // An unnamed struct can have known members, and an unnamed enum known variants.
        (_, CppBase::Unknown) if kernel.depth == 0 => {
            if parameter.body.is_known() {
                // Pointers in a struct are compared one by one.
                if matches!(field.class, Class::Bytes) {
                    return false;
                }
                if refused(field, parameter).is_some() {
                    return false;
                }
            }
            return !has_debug_info || !matches!(field.class, Class::Bytes | Class::Integer);
        }
        (CppBase::Integer { signed, bits }, CppBase::Integer { signed: kernel_signed, bits: kernel_bits }) => {
            signed == kernel_signed && bits == kernel_bits
        }
        (CppBase::Float { bits }, CppBase::Float { bits: kernel_bits }) => bits == kernel_bits,
        (CppBase::Void, CppBase::Void) | (CppBase::Bool, CppBase::Bool) => true,
        _ => false,
    };
    let to_array = host.rows[0] > 0 || kernel.rows[0] > 0;
    same_base && host.depth == kernel.depth && host.const_mask == kernel.const_mask && !to_array
}

#[cfg(test)]
mod tests {
    use super::fits_plainly;
    use crate::{Alignment, Class, CppBase, CppType, Layout, Parameter, check::compare};
    use proptest::prelude::*;

    fn parameter() -> impl Strategy<Value = Parameter<'static>> {
        let base = prop_oneof![
            Just(CppBase::Unknown),
            Just(CppBase::Void),
            Just(CppBase::Bool),
            Just(CppBase::Char),
            Just(CppBase::Named("S")),
            Just(CppBase::Long { signed: true }),
            (any::<bool>(), prop_oneof![Just(32), Just(64)])
                .prop_map(|(signed, bits)| CppBase::Integer { signed, bits }),
            prop_oneof![Just(32), Just(64)].prop_map(|bits| CppBase::Float { bits }),
        ];
        let class = prop_oneof![
            Just(Class::Unknown),
            Just(Class::Bits),
            Just(Class::Integer),
            Just(Class::Float),
            Just(Class::Pointer),
            Just(Class::Bytes),
        ];
        (base, class, 2u32..4, 0u8..3, 0u8..4).prop_map(|(base, class, power, depth, mask)| {
            let align = Alignment::new(1 << power).unwrap();
            let layout = Layout::new(1 << power, align).unwrap();
            let cpp = CppType {
                base,
                depth,
                const_mask: mask & ((1 << depth) - 1),
                extents: [0; 3],
                rows: [if depth > 0 { u32::from(mask) / 2 * 3 } else { 0 }, 0, 0],
            };
            Parameter::field("f", "F", 0, layout, class, cpp)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn what_fits_plainly_has_no_differences(field in parameter(), other in parameter()) {
            for kernel in [field, other] {
                if fits_plainly(&field, &kernel, false) {
                    prop_assert!(compare(&field, &kernel).is_empty(), "{field:?} {kernel:?}");
                }
            }
        }
    }
}

//! Whether a struct fits a kernel, without the differences.
//!
//! Most fields are numbers, or pointers to numbers: the plain types. The table contains a record for each parameter,
//! with a bit for each plain type that fits, by the full comparison. rustc interprets a comparison, so a bit of a
//! record is a hundred times as fast.

use super::{
    decode::{Head, NAMED},
    fingerprint::fingerprint,
    kernel::NOTHING,
    set::CompiledKernels,
};
use crate::{
    bytes::same,
    check::{Exchange, Pairing, names},
    class::Class,
    cpp::{CppBase, CppType},
    layout::Alignment,
    signature::{Meaning, Members, Parameter},
};

impl CompiledKernels {
    /// Returns the symbol of the only kernel, if these fields fit it on every GPU.
    #[doc(hidden)]
    pub const fn only_fitting(&self, fields: &[Parameter<'_>]) -> Option<&'static str> {
        match self.get(0) {
            Some(kernel) if self.len() == 1 && !kernel.varies() && kernel.fits(fields) => Some(kernel.symbol()),
            _ => None,
        }
    }
}

impl Head {
    pub(super) const fn is_unchanged(&self) -> bool {
        self.declaration.is_empty() || fingerprint(self.declaration) as u32 as usize == self.fingerprint
    }

    pub(super) const fn fits(&self, fields: &[Parameter<'_>]) -> bool {
        if self.parameters != fields.len() {
            return false;
        }
        let mut plain = 0;
        while plain < fields.len() && self.fits_plainly(plain, &fields[plain]) {
            plain += 1;
        }
        (plain == fields.len() || self.fits_in_full(fields)) && (self.flags & NAMED == 0 || self.names_fit(fields))
    }

    /// Returns whether the record of parameter `i` contains the type of this field.
    const fn fits_plainly(&self, i: usize, field: &Parameter<'_>) -> bool {
        let bit = bit(field);
        bit < PLAIN.len() && self.types.bytes[self.records + RECORD * i + bit / 8] >> (bit % 8) & 1 == 1
    }

    /// Returns the full comparison, except of names.
    const fn fits_in_full(&self, fields: &[Parameter<'_>]) -> bool {
        let mut own = *self;
        let mut before = NOTHING;
        let mut exchange = Exchange::NONE;
        let mut i = 0;
        while i < fields.len() {
            let parameter = own.next_type();
            if !self.fits_plainly(i, &fields[i]) {
                let window = [before, parameter];
                let (_, window) = window.split_at((i == 0) as usize);
                let pairing = Pairing { host: fields, kernel: window, base: None };
                if !pairing.differences(i, window.len() - 1).is_empty() {
                    return false;
                }
            }
            exchange = exchange.and(&fields[i], &parameter);
            before = parameter;
            i += 1;
        }
        !exchange.is_certain()
    }

    /// Returns whether no field has the name of another parameter, if all fields fit by type.
    const fn names_fit(&self, fields: &[Parameter<'_>]) -> bool {
        let mut own = *self;
        let mut i = 0;
        while i < fields.len() {
            let parameter = own.next_parameter();
            if fields[i].has_explicit_name() && !same(fields[i].kernel_name, parameter.name) {
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

/// The size of the record of a parameter in bytes: one bit for each plain type.
pub const RECORD: usize = PLAIN.len() / 8;

/// Returns the record of parameter `i` of a kernel.
pub fn record(kernel: &[Parameter<'_>], i: usize) -> [u8; RECORD] {
    let window = &kernel[i.saturating_sub(1)..=i];
    let fits = |ty: &Parameter<'_>| {
        // These are compared in full: structs behind pointers, and integers that can be exchanged with a pointer.
        (ty.cpp.depth == 0 || !kernel[i].pointee.is_known())
            && !Exchange::NONE.and(ty, &kernel[i]).has_integer()
            && Pairing { host: core::slice::from_ref(ty), kernel: window, base: None }
                .differences(0, window.len() - 1)
                .is_empty()
    };
    let mut record = [0; RECORD];
    for (bit, _) in PLAIN.iter().enumerate().filter(|(_, ty)| ty.size == kernel[i].size && fits(ty)) {
        record[bit / 8] |= 1 << (bit % 8);
    }
    record
}

/// Numbers and `usize`, pointers to numbers and `void`, and such pointers to `const`.
static PLAIN: [Parameter<'static>; 3 * NUMBERS.len()] = {
    let mut all = [NOTHING; 3 * NUMBERS.len()];
    let mut bit = 0;
    while bit < all.len() {
        let (cpp, log2, class) = NUMBERS[bit % NUMBERS.len()];
        let (log2, class, cpp) = match bit / NUMBERS.len() {
            0 if bit == COUNT => (3, Class::Integer, CppType::integer(false, 64)),
            0 => (log2, class, cpp),
            pointer => (3, Class::Pointer, cpp.pointer(pointer == 2)),
        };
        all[bit] = Parameter { size: 1 << log2, align: Some(Alignment { log2 }), class, cpp, ..NOTHING };
        bit += 1;
    }
    all[COUNT].members = Members::meaning(Meaning::Count);
    all
};

/// The number of `usize`. As a value there is no `void`.
const COUNT: usize = 15;

/// Numbers and `void`: the C++ type, the logarithm of the size, and the class.
const NUMBERS: [(CppType<'static>, u8, Class); 16] = [
    (CppType::integer(false, 8), 0, Class::Integer),
    (CppType::integer(true, 8), 0, Class::Integer),
    (CppType::integer(false, 16), 1, Class::Integer),
    (CppType::integer(true, 16), 1, Class::Integer),
    (CppType::integer(false, 32), 2, Class::Integer),
    (CppType::integer(true, 32), 2, Class::Integer),
    (CppType::integer(false, 64), 3, Class::Integer),
    (CppType::integer(true, 64), 3, Class::Integer),
    (CppType::of(CppBase::Bool), 0, Class::Integer),
    (CppType::of(CppBase::Float { bits: 32 }), 2, Class::Float),
    (CppType::of(CppBase::Float { bits: 64 }), 3, Class::Float),
    (CppType::named("__half"), 1, Class::Float),
    (CppType::named("__nv_bfloat16"), 1, Class::Float),
    (CppType::named("__nv_fp8_e4m3"), 0, Class::Float),
    (CppType::named("__nv_fp8_e5m2"), 0, Class::Float),
    (CppType::of(CppBase::Void), 0, Class::Unknown),
];

/// Returns the bit of a field's type in a record, or a larger number. It has few calls.
const fn bit(field: &Parameter<'_>) -> usize {
    let cpp = &field.cpp;
    let number = match cpp.base {
        CppBase::Integer { signed, bits: 8 } => signed as usize,
        CppBase::Integer { signed, bits: 16 } => 2 + signed as usize,
        CppBase::Integer { signed, bits: 32 } => 4 + signed as usize,
        CppBase::Integer { signed, bits: 64 } => 6 + signed as usize,
        CppBase::Bool => 8,
        CppBase::Float { bits: 32 } => 9,
        CppBase::Float { bits: 64 } => 10,
        CppBase::Named(name) => match name.as_bytes() {
            b"__half" => 11,
            b"__nv_bfloat16" => 12,
            b"__nv_fp8_e4m3" => 13,
            b"__nv_fp8_e5m2" => 14,
            _ => return usize::MAX,
        },
        CppBase::Void => 15,
        _ => return usize::MAX,
    };
    let bit = match (cpp.depth, cpp.const_mask, field.members.stands_for()) {
        (0, _, None) if field.members.is_unknown() => number,
        (0, _, Some(Meaning::Count)) if number == 6 => COUNT,
        (1, mask @ 0..2, _) => NUMBERS.len() * (1 + mask as usize) + number,
        _ => return usize::MAX,
    };
    let ty = &PLAIN[bit];
    match (field.align, ty.align) {
        (Some(align), Some(own))
            if align.log2 == own.log2
                && field.size == ty.size
                && field.class as u8 == ty.class as u8
                && cpp.extents[0] == 0
                && cpp.rows[0] == 0
                && !field.is_strict =>
        {
            bit
        }
        _ => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain type that is not found in the table is compared in full: that takes a hundred times as long, with the
    /// same result.
    #[test]
    fn each_plain_type_has_a_bit_of_its_own() {
        for (number, ty) in PLAIN.iter().enumerate() {
            assert_eq!(bit(ty), number, "{:?}", ty.cpp);
        }
    }
}

//! Opcodes with their suffixes: types, spaces, modifiers.

use super::{
    names::{Name, Names, TooMany},
    opcodes::{
        Effect,
        Effect::{
            Add, Bits, Convert, Divide, MatrixLoad, MatrixStore, Multiply, MultiplyAdd, Negate, Nothing, Number, OneOf,
            Store, Subtract,
        },
        OPCODES,
    },
};
use alloc::{vec, vec::Vec};
use kernel_args_abi::signature::ElementClass;

/// The opcodes of a text, each parsed once.
pub(super) struct Opcodes<'t> {
    names: Names<'t>,
    pub(super) known: Vec<(&'t str, Operation)>,
}

/// A type of an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Scalar {
    /// A float's class, or unknown.
    pub(super) class: ElementClass,
    pub(super) bytes: u8,
    /// `.s64`, `.u64`.
    pub(super) is_integer: bool,
}

/// The space of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Space {
    /// No suffix: any space.
    #[default]
    Generic,
    Global,
    Param,
    Local,
    /// Shared memory and constants: not memory that a parameter points to.
    Other,
}

/// An opcode with its suffixes.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a suffix")]
pub(super) struct Operation {
    pub(super) effect: Effect,
    /// The first type of the suffixes.
    pub(super) ty: Scalar,
    /// The second type, or the first one if there is only one.
    pub(super) from: Scalar,
    pub(super) space: Space,
    pub(super) is_vector: bool,
    /// `.wide`.
    pub(super) is_wide: bool,
    /// `.hi`.
    pub(super) is_high: bool,
    /// `cvta.to`, and `cvta.to.global`.
    pub(super) is_to: bool,
    pub(super) to_global: bool,
    pub(super) copies: Copies,
}

/// What a `cp` copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Copies {
    /// `.commit_group`, `.wait_group`, `.prefetch`.
    #[default]
    Nothing,
    /// From global memory: second address.
    FromGlobal,
    /// To global memory: first address.
    ToGlobal,
    /// To global memory, by atomic operations.
    Reduces,
    /// By a tensor map.
    Tensor,
}

impl Operation {
    pub(super) fn parse(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or_default();
        let found = OPCODES.binary_search_by_key(&base, |(known, _)| known);
        let mut operation = Self {
            effect: found.map_or(Effect::Unknown, |at| OPCODES[at].1),
            ty: Scalar::default(),
            from: Scalar::default(),
            space: Space::Generic,
            is_vector: false,
            is_wide: false,
            is_high: false,
            is_to: false,
            to_global: false,
            copies: Copies::Nothing,
        };
        let (mut types, mut has_carry, mut last) = (0, false, "");
        for part in parts {
            if let Some(scalar) = Scalar::parse(part) {
                if types == 0 {
                    operation.ty = scalar;
                }
                operation.from = scalar;
                types += 1;
            }
            match part {
                "global" => operation.space = Space::Global,
                "param" | "param::entry" | "param::func" => operation.space = Space::Param,
                "local" => operation.space = Space::Local,
                "const" => operation.space = Space::Other,
                "v2" | "v4" | "v8" => operation.is_vector = true,
                "wide" => operation.is_wide = true,
                "hi" => operation.is_high = true,
                "cc" => has_carry = true,
                _ if part.starts_with("shared") => operation.space = Space::Other,
                _ => {}
            }
            operation.is_to |= part == "to";
            operation.to_global |= base == "cvta" && (last, part) == ("to", "global");
            last = part;
        }
        operation.effect = match operation.special(opcode, has_carry) {
            Convert if types != 2 => Bits,
            effect => effect,
        };
        operation.copies = copies(opcode);
        operation
    }

    /// The effect, which suffixes can change.
    fn special(&self, opcode: &str, has_carry: bool) -> Effect {
        let is_float = self.ty.class.is_float();
        match self.effect {
            Add | Subtract | Multiply | MultiplyAdd | Divide | Negate | OneOf | Bits if is_float => Effect::Float,
            Add | Subtract | MultiplyAdd if has_carry => Bits,
            // The operands have the second type.
            Number if self.from.class.is_float() && opcode.starts_with("set") => Effect::Float,
            Number if opcode.starts_with("wmma.load") => MatrixLoad,
            Number if opcode.starts_with("wmma.store") => MatrixStore,
            Effect::MultimemWrite if opcode.starts_with("multimem.ld_reduce") => Effect::MultimemLoad,
            // It stores to shared memory of a cluster.
            Store if opcode.starts_with("st.bulk") => Nothing,
            effect => effect,
        }
    }
}

fn copies(opcode: &str) -> Copies {
    let Some(rest) = opcode.strip_prefix("cp.") else {
        return Copies::Nothing;
    };
    let has = |part| rest.split('.').any(|found| found == part);
    if has("tensor") {
        return Copies::Tensor;
    }
    if has("prefetch") || !has("global") {
        return Copies::Nothing;
    }
    let first = rest.split('.').find(|part| *part == "global" || part.starts_with("shared"));
    match first {
        Some("global") if rest.starts_with("reduce") => Copies::Reduces,
        Some("global") => Copies::ToGlobal,
        _ => Copies::FromGlobal,
    }
}

impl Scalar {
    fn parse(part: &str) -> Option<Self> {
        let (class, bytes) = match part {
            "f16" => (ElementClass::F16, 2),
            "f16x2" => (ElementClass::F16, 4),
            "bf16" => (ElementClass::BF16, 2),
            "bf16x2" => (ElementClass::BF16, 4),
            "f32" => (ElementClass::F32, 4),
            "f32x2" => (ElementClass::F32, 8),
            "f64" => (ElementClass::F64, 8),
            "b8" | "u8" | "s8" => (ElementClass::Unknown, 1),
            "b16" | "u16" | "s16" => (ElementClass::Unknown, 2),
            "b32" | "u32" | "s32" | "tf32" => (ElementClass::Unknown, 4),
            "b64" | "u64" | "s64" => (ElementClass::Unknown, 8),
            "b128" => (ElementClass::Unknown, 16),
            // Floats of 8 and fewer bits: `e4m3x2`, `ue8m0x2`.
            _ if is_narrow_float(part) => (ElementClass::Unknown, 2),
            _ => return None,
        };
        let is_integer = part.starts_with(['u', 's']) && !is_narrow_float(part);
        Some(Self { class, bytes, is_integer })
    }
}

fn is_narrow_float(part: &str) -> bool {
    let digits = part.strip_prefix('u').unwrap_or(part);
    let digits = digits.strip_prefix('e').or(digits.strip_prefix("s2f"));
    digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

impl Opcodes<'_> {
    pub(super) fn new() -> Self {
        Self { names: Names::new(), known: vec![("", Operation::parse(""))] }
    }
}

impl<'t> Opcodes<'t> {
    /// The number of an opcode, and what it means.
    pub(super) fn get(&mut self, opcode: Name<'t>) -> Result<(u32, Operation), TooMany> {
        // The registers of `names` are the numbers of the opcodes.
        let number = self.names.get(opcode)?;
        if number as usize == self.known.len() {
            let opcode = opcode.as_str();
            self.known.push((opcode, Operation::parse(opcode)));
        }
        Ok((number, self.known[number as usize].1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Copies, Effect, OPCODES, Operation, Space};
    use kernel_args_abi::signature::ElementClass;

    #[test]
    fn the_table_is_sorted() {
        assert!(OPCODES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn suffixes_are_read() {
        let load = Operation::parse("ld.global.nc.L2::128B.v4.f32");
        assert_eq!(load.effect, Effect::Load);
        assert_eq!(load.space, Space::Global);
        assert_eq!((load.ty.class, load.ty.bytes), (ElementClass::F32, 4));
        assert!(load.is_vector);
        let add = |opcode| Operation::parse(opcode).effect;
        assert_eq!(add("add.s64"), Effect::Add);
        assert_eq!(add("add.rn.ftz.f32"), Effect::Float);
        assert_eq!(add("add.cc.u32"), Effect::Bits);
        assert_eq!(add("setp.lt.f32"), Effect::Float);
        assert_eq!(add("setp.lt.s32"), Effect::Number);
        assert_eq!(add("tcgen05.alloc.cta_group::1.b32"), Effect::Unknown);
        assert!(Operation::parse("cvta.to.global.u64").to_global);
        assert!(!Operation::parse("cvta.global.u64").to_global);
        let copies = |opcode| Operation::parse(opcode).copies;
        assert_eq!(copies("cp.async.cg.shared.global.L2::128B"), Copies::FromGlobal);
        assert_eq!(copies("cp.async.commit_group"), Copies::Nothing);
        assert_eq!(copies("cp.async.bulk.global.shared::cta.bulk_group"), Copies::ToGlobal);
        assert_eq!(copies("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"), Copies::Reduces);
        assert_eq!(
            copies("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"),
            Copies::Tensor
        );
    }
}

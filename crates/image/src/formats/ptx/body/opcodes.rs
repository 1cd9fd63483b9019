//! What each opcode does with values, and its suffixes: types, spaces, modifiers. PTX ISA, "Instruction Set".

use super::{
    Action,
    names::{Name, Names, NoClaim},
};
use crate::prelude::*;
use kernel_args_abi::signature::{ElementClass, SlotKind};

/// The first operand is the destination, unless noted.
#[derive(Clone, Copy, Default)]
pub(super) enum Effect {
    Load,
    /// First operand: an address.
    Store,
    /// Another access to memory, with arithmetic of the opcode's type: whether it reads, and whether it writes.
    Access(bool, bool),
    /// The first name in brackets is a texture or surface object.
    Object(SlotKind),
    /// `cp`: the copies without a register.
    BulkCopy,
    Move,
    /// `cvta`, or `cvta.to`.
    ConvertAddress {
        is_to: bool,
    },
    /// Of integers: from the second and the third operand, or from 0 and the second one.
    Compute(Action),
    MultiplyAdd,
    /// The bits of the operands in another arrangement.
    Bits,
    Convert,
    /// One of the operands from the second one to this position.
    OneOf(usize),
    /// A number that is no address: a count, a comparison.
    Number,
    /// Arithmetic of floats. Every operand has the type of the opcode.
    Float,
    /// They use no values. After a jump, threads can be elsewhere, or end.
    Nothing,
    Jump,
    Call,
    /// What it does is not known: its operands escape.
    #[default]
    Unknown,
}

/// Up to their first or second dot. No other opcode is known. Arithmetic of floats is recognized by its type.
#[rustfmt::skip]
const OPCODES: [(Effect, &[&str]); 28] = [
    (Effect::Load, &["ld", "ldu"]), (Effect::Store, &["st"]), (Effect::BulkCopy, &["cp"]),
    (Effect::Access(true, true), &["atom", "multimem", "red"]),
    (Effect::Access(true, false), &["multimem.ld_reduce", "wmma.load"]),
    (Effect::Access(false, true), &["multimem.st", "wmma.store"]),
    (Effect::Object(SlotKind::Texture), &["tex", "tld4", "txq"]),
    (Effect::Object(SlotKind::Surface), &["suld", "suq", "sured", "sust"]),
    (Effect::Move, &["mov"]), (Effect::ConvertAddress { is_to: false }, &["cvta"]),
    (Effect::ConvertAddress { is_to: true }, &["cvta.to"]), (Effect::Convert, &["cvt"]),
    (Effect::Compute(Action::Add), &["add"]), (Effect::Compute(Action::Subtract), &["neg", "sub"]),
    (Effect::Compute(Action::Multiply), &["mul", "mul24"]), (Effect::MultiplyAdd, &["mad", "mad24"]),
    (Effect::Compute(Action::Divide), &["div", "rem"]), (Effect::Compute(Action::And), &["and"]),
    (Effect::Compute(Action::Or), &["or"]), (Effect::Compute(Action::ShiftLeft), &["shl"]),
    (Effect::OneOf(1), &["shfl"]), (Effect::OneOf(2), &["max", "min", "selp", "slct"]),
    (Effect::Bits, &["abs", "addc", "bfe", "bfi", "brev", "lop3", "madc", "movmatrix", "not", "prmt", "shf", "shr", "subc",
        "xor"]),
    (Effect::Number, &["activemask", "bfind", "bmsk", "clz", "cnot", "createpolicy", "dp2a", "dp4a", "elect", "fns",
        "isspacep", "ldmatrix", "match", "mbarrier", "mma", "popc", "redux", "sad", "set", "setp", "szext", "vote",
        "wgmma", "wmma"]),
    (Effect::Float, &["copysign", "cos", "ex2", "fma", "lg2", "rcp", "rsqrt", "sin", "sqrt", "tanh", "testp"]),
    // `st.bulk` stores to shared memory of a cluster.
    (Effect::Nothing, &["bar", "barrier", "brkpt", "fence", "griddepcontrol", "membar", "nanosleep", "pmevent",
        "prefetch", "prefetchu", "setmaxnreg", "st.bulk", "stmatrix"]),
    (Effect::Call, &["call"]), (Effect::Jump, &["bra", "brx", "exit", "ret", "trap"]),
];

/// The opcodes of a text, each parsed once.
pub(super) struct Opcodes<'t> {
    names: Names<'t>,
    known: Vec<(&'t str, Operation)>,
}

#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Scalar {
    pub(super) class: ElementClass,
    pub(super) bytes: u8,
    /// `.s64`, `.u64`.
    pub(super) is_integer: bool,
}

#[derive(Clone, Copy, PartialEq, Default)]
pub(super) enum AccessSpace {
    #[default]
    Generic,
    Global,
    /// Parameters and local memory.
    Local,
    /// Shared memory and constants: not memory that a parameter points to.
    Other,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Operation {
    pub(super) effect: Effect,
    /// The first type of the suffixes.
    pub(super) ty: Scalar,
    /// The last type.
    pub(super) from: Scalar,
    pub(super) space: AccessSpace,
    pub(super) is_high: bool,
}

impl Operation {
    fn parse(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or_default();
        let two = opcode.match_indices('.').nth(1).map_or(opcode, |(end, _)| &opcode[..end]);
        let find = |name| OPCODES.iter().find(|(_, names)| names.contains(&name)).map(|(effect, _)| *effect);
        let mut operation = Self { effect: find(two).or_else(|| find(base)).unwrap_or_default(), ..Self::default() };
        let (mut types, mut has_carry) = (0, false);
        for part in parts {
            if let Some(scalar) = Scalar::parse(part) {
                if types == 0 {
                    operation.ty = scalar;
                }
                operation.from = scalar;
                types += 1;
            }
            let space = match part {
                "global" => AccessSpace::Global,
                "param" | "param::entry" | "param::func" | "local" => AccessSpace::Local,
                _ if part == "const" || part.starts_with("shared") => AccessSpace::Other,
                _ => AccessSpace::Generic,
            };
            if operation.space == AccessSpace::Generic {
                operation.space = space;
            }
            operation.is_high |= part == "hi";
            has_carry |= part == "cc";
        }
        let is_float = operation.ty.class.is_float();
        operation.effect = match operation.effect {
            Effect::Compute(_) | Effect::MultiplyAdd | Effect::Bits if is_float => Effect::Float,
            Effect::OneOf(_) if is_float && base.starts_with('m') => Effect::Float,
            // `set` and `setp`: the operands have the last type.
            Effect::Number if operation.from.class.is_float() && base.starts_with("set") => Effect::Float,
            Effect::Compute(_) | Effect::MultiplyAdd if has_carry => Effect::Bits,
            Effect::Convert if types != 2 => Effect::Bits,
            effect => effect,
        };
        operation
    }
}

impl Scalar {
    fn parse(part: &str) -> Option<Self> {
        // Floats of 8 and fewer bits: `e4m3x2`, `ue8m0x2`.
        let digits = part.strip_prefix('u').unwrap_or(part);
        let digits = digits.strip_prefix('e').or(digits.strip_prefix("s2f"));
        let is_narrow = digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
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
            _ if is_narrow => (ElementClass::Unknown, 2),
            _ => return None,
        };
        Some(Self { class, bytes, is_integer: part.starts_with(['u', 's']) && !is_narrow })
    }
}

impl<'t> Opcodes<'t> {
    pub(super) fn new() -> Self {
        // The registers of `names` are the numbers of the opcodes.
        Self { names: Names::new(1), known: vec![("", Operation::parse(""))] }
    }

    pub(super) fn get(&mut self, opcode: Name<'t>) -> Result<(&'t str, Operation), NoClaim> {
        let number = self.names.get(opcode)?;
        if number as usize == self.known.len() {
            let opcode = opcode.as_str();
            self.known.push((opcode, Operation::parse(opcode)));
        }
        Ok(self.known[number as usize])
    }
}

//! The types of registers and operands: which registers and constants fit (PTX ISA 9.4, "Operand Size Exceeding
//! Instruction-Type Size"), and the special registers.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Pred,
    /// `.b32`
    Bits,
    Int,
    Float,
    /// Several values, and formats without registers of their own.
    Packed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Kind<'a> {
    pub(super) class: Class,
    pub(super) bits: u32,
    pub(super) word: &'a str,
}

impl<'a> Kind<'a> {
    /// Returns the type with this name.
    pub(super) fn of(word: &'a str) -> Option<Self> {
        let (class, bits) = match word {
            "pred" => (Class::Pred, 1),
            "b8" | "b16" | "b32" | "b64" | "b128" => (Class::Bits, word[1..].parse().ok()?),
            "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" => (Class::Int, word[1..].parse().ok()?),
            "u16x2" | "s16x2" => (Class::Int, 32),
            "f16" | "f32" | "f64" => (Class::Float, word[1..].parse().ok()?),
            "e2m1" | "e2m3" | "e3m2" | "e4m3" | "e5m2" | "ue8m0" | "ue4m3" | "e2m1x2" | "e2m1x4" | "u2" | "s2"
            | "u4" | "s4" | "b1" => (Class::Packed, 8),
            "bf16" | "e2m3x2" | "e3m2x2" | "e4m3x2" | "e5m2x2" | "ue8m0x2" => (Class::Packed, 16),
            "f16x2" | "bf16x2" | "tf32" | "e2m3x4" | "e3m2x4" | "e4m3x4" | "e5m2x4" => (Class::Packed, 32),
            "f32x2" | "texref" | "samplerref" | "surfref" => (Class::Packed, 64),
            _ => return None,
        };
        Some(Self { class, bits, word })
    }

    /// Returns whether a register is an operand of this type: of its size, or wider where that is allowed.
    pub(super) fn fits(self, register: Kind<'_>, wider: bool) -> bool {
        let has_size = register.bits == self.bits || wider && register.bits > self.bits && self.class != Class::Packed;
        match (self.class, register.class) {
            (Class::Pred, class) | (class, Class::Pred) => class == Class::Pred && self.class == register.class,
            // A register of two halves is an integer, too.
            (Class::Bits, _) | (_, Class::Bits) | (Class::Int, Class::Int | Class::Packed) => has_size,
            _ => self.word == register.word,
        }
    }

    /// Sets the type of an element if a vector has this type.
    pub(super) fn part(self, elements: usize) -> Self {
        Self { bits: self.bits / elements.max(1) as u32, ..self }
    }

    pub(super) fn takes_integers(self) -> bool {
        matches!(self.class, Class::Bits | Class::Int)
    }

    /// Returns whether a float constant of `bits` bits is an operand of this type.
    pub(super) fn takes_float(self, bits: u32) -> bool {
        self.class == Class::Float && self.bits >= 32 || self.class == Class::Bits && self.bits == bits
    }
}

/// Returns the bits of a special register (PTX ISA, chapter 10).
pub(super) fn special(name: &str) -> Option<u32> {
    let (base, _) = name.strip_prefix('%')?.split_once('.').unwrap_or((&name[1..], ""));
    match base {
        "tid" | "ntid" | "laneid" | "warpid" | "nwarpid" | "ctaid" | "nctaid" | "smid" | "nsmid" | "clusterid"
        | "nclusterid" | "cluster_ctaid" | "cluster_nctaid" | "cluster_ctarank" | "cluster_nctarank"
        | "lanemask_eq" | "lanemask_le" | "lanemask_lt" | "lanemask_ge" | "lanemask_gt" | "clock" | "clock_hi"
        | "globaltimer_lo" | "globaltimer_hi" | "total_smem_size" | "aggr_smem_size" | "dynamic_smem_size" => Some(32),
        "gridid" | "clock64" | "globaltimer" | "current_graph_exec" => Some(64),
        "is_explicit_cluster" => Some(1),
        _ if base.starts_with("pm") && base.ends_with("_64") => Some(64),
        _ => ["pm", "envreg", "reserved_smem_offset_"].iter().any(|prefix| base.starts_with(prefix)).then_some(32),
    }
}

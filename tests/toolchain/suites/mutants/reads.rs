//! Computes whether a mistake changes the bytes that the kernel reads at its own offsets, for the same values.

use crate::mutants::{
    kind::Kind,
    mutate::{Field, Mutant},
};
use kernel_args_test_generator::{Type, leaf::Scalar};

/// The conversion of a value to bits. Integers, pointers and `bool` have the same conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Integer,
    Float,
    BFloat,
}

/// A scalar of the parameter block.
#[derive(PartialEq, Debug)]
struct Bits {
    offset: usize,
    size: usize,
    format: Format,
    /// The field of its value.
    owner: String,
}

/// Whether the kernel receives different bytes from the mutant than from the correct struct with the same values.
pub(crate) fn changes_what_is_read(mutant: &Mutant, right: &[Field]) -> bool {
    match mutant.kind {
        // The name of the struct and the targets of pointers are not part of the block.
        Kind::StructName => false,
        // The names decide the values.
        Kind::SwapMembers | Kind::EnumValue => true,
        _ => block(&mutant.fields) != block(right),
    }
}

/// Every scalar, in order.
fn block(fields: &[Field]) -> Vec<Bits> {
    let mut bits = Vec::new();
    let mut end = 0usize;
    for field in fields {
        let extent = field.ty.extent();
        let begin = end.next_multiple_of(extent.align);
        flatten(&field.ty, begin, &field.name, &mut bits);
        end = begin + extent.size;
    }
    bits
}

fn flatten(ty: &Type, at: usize, owner: &str, bits: &mut Vec<Bits>) {
    let mut push = |offset, size, format, owner: String| {
        bits.push(Bits { offset, size, format, owner });
    };
    match ty {
        Type::Leaf(leaf) => {
            let size = match leaf.scalar {
                Scalar::Bool => 1,
                Scalar::Bits(size) | Scalar::NonZero(size) => size,
            };
            let stem = leaf.rust.trim_end_matches(|c: char| c.is_ascii_digit());
            let format = match leaf.rust {
                "half::bf16" | "BFloat162" => Format::BFloat,
                "f32" | "f64" | "half::f16" | "Half2" | "Double4A16" | "Double4A32" | "CuFloatComplex"
                | "CuDoubleComplex" => Format::Float,
                _ if matches!(stem, "Float" | "Double") => Format::Float,
                _ => Format::Integer,
            };
            for i in 0..leaf.count {
                push(at + i * size, size, format, owner.to_owned());
            }
        }
        Type::Pointer { .. } => push(at, 8, Format::Integer, owner.to_owned()),
        Type::Enum(e) => push(at, e.underlying.size(), Format::Integer, owner.to_owned()),
        Type::Alias { of, .. } => flatten(of, at, owner, bits),
        Type::Array(of, len) => {
            for i in 0..*len {
                flatten(of, at + i * of.extent().size, owner, bits);
            }
        }
        Type::Struct(s) => {
            for (field, (begin, _)) in s.fields.iter().zip(s.offsets()) {
                flatten(&field.ty, at + begin, owner, bits);
            }
        }
    }
}

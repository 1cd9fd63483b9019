//! Random values, and their bytes on the device.
//!
//! The order of random numbers is the order of C++ initialization: fields, elements and components in order. Each
//! component takes one number of the stream; a 128-bit component takes two, low half first. Code that makes the same
//! value in Rust must draw the numbers in the same order.

use crate::{Rng, Signature, Type, leaf::Scalar};

impl Type {
    /// The bytes of a random value, with zeros as padding.
    #[must_use]
    pub fn draw(&self, rng: &mut Rng) -> Vec<u8> {
        match self {
            Self::Leaf(leaf) => (0..leaf.count).flat_map(|_| leaf.scalar.draw(rng)).collect(),
            Self::Pointer { optional, .. } => {
                let address = rng.next_u64();
                let null = *optional && is_none(address);
                (if null { 0 } else { address }).to_le_bytes().to_vec()
            }
            Self::Enum(e) => {
                let value = e.values[rng.below(e.values.len())];
                value.to_le_bytes()[..e.underlying.size()].to_vec()
            }
            Self::Alias { of, .. } => of.draw(rng),
            Self::Array(of, len) => (0..*len).flat_map(|_| of.draw(rng)).collect(),
            Self::Struct(structure) => {
                let mut bytes = vec![0; structure.extent().size];
                for (field, (begin, end)) in structure.fields.iter().zip(structure.offsets()) {
                    bytes[begin..end].copy_from_slice(&field.ty.draw(rng));
                }
                bytes
            }
        }
    }
}

/// Whether an optional pointer with this address is replaced by `None`.
#[must_use]
pub fn is_none(address: u64) -> bool {
    address.is_multiple_of(4)
}

impl Scalar {
    fn draw(self, rng: &mut Rng) -> Vec<u8> {
        let low = rng.next_u64();
        match self {
            Self::Bool => vec![u8::from(low % 2 == 1)],
            Self::Bits(size) => bits(low, size, rng),
            Self::NonZero(size) => {
                let mut bytes = bits(low, size, rng);
                if bytes.iter().all(|byte| *byte == 0) {
                    bytes[0] = 1;
                }
                bytes
            }
        }
    }
}

fn bits(low: u64, size: usize, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = low.to_le_bytes().to_vec();
    if size > 8 {
        bytes.extend(rng.next_u64().to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

impl Signature {
    /// The bytes of random values for the parameters after `out`, one vector for each.
    #[must_use]
    pub fn draw(&self, rng: &mut Rng) -> Vec<Vec<u8>> {
        self.parameters.iter().map(|ty| ty.draw(rng)).collect()
    }
}

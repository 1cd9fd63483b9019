//! The packed form: the bytes of each value at its offset, and zeros between them.

use kernel_args::{DeviceType, KernelArgs};
use kernel_args_test_proofs::{Values, proofs};

/// A type with a value for any bytes.
trait Any: DeviceType {
    /// The number of bytes that a value is made of.
    const BYTES: usize;

    /// The value of these bytes, and the bytes that the kernel reads, with zeros for padding: as many as the type has.
    fn make(bytes: [u8; 16]) -> (Self, [u8; 16]);
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Any for $number {
            const BYTES: usize = size_of::<Self>();

            fn make(bytes: [u8; 16]) -> (Self, [u8; 16]) {
                let (own, _) = bytes.split_first_chunk().expect("at most 16 bytes");
                (Self::from_ne_bytes(*own), bytes)
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 u128 f32);

impl Any for [u8; 3] {
    const BYTES: usize = 3;

    fn make(bytes: [u8; 16]) -> (Self, [u8; 16]) {
        let [a, b, c, ..] = bytes;
        ([a, b, c], bytes)
    }
}

/// Three bytes of padding, and one after the last field.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    tag: u8,
    number: u32,
    tail: [u8; 3],
}

impl Any for Padded {
    const BYTES: usize = 8;

    fn make(mut bytes: [u8; 16]) -> (Self, [u8; 16]) {
        bytes[1..4].fill(0);
        bytes[11..].fill(0);
        let [tag, _, _, _, number @ .., _, _, _, _, _, _, _, _] = bytes;
        let padded = Self { tag, number: u32::from_ne_bytes(number), tail: [bytes[8], bytes[9], bytes[10]] };
        (padded, bytes)
    }
}

fn any<T: Any>(values: &mut impl Values) -> (T, [u8; 16]) {
    let mut bytes = [0; 16];
    // A test draws only the first byte. All bytes then differ from each other, and almost all from zero.
    let first = values.sample(255, &[0x01, 0xf3]) as u8;
    bytes[0] = first;
    for (i, byte) in (1..).zip(&mut bytes[1..T::BYTES]) {
        *byte = values.sample(255, &[usize::from(first.wrapping_add(i * 17))]) as u8;
    }
    T::make(bytes)
}

/// The packed form as it must be.
struct Expected {
    bytes: [u8; 64],
    end: usize,
}

impl Expected {
    fn with<T: Any>(mut self, value: [u8; 16]) -> Self {
        let start = self.end.next_multiple_of(T::LAYOUT.align().bytes());
        self.end = start + size_of::<T>();
        self.bytes[start..self.end].copy_from_slice(&value[..size_of::<T>()]);
        self
    }

    fn check(&self, packed: &[u8]) {
        assert_eq!(packed, &self.bytes[..self.end]);
    }
}

const EMPTY: Expected = Expected { bytes: [0; 64], end: 0 };

/// Generic structs have a buffer of slots.
#[derive(KernelArgs)]
struct Three<A: DeviceType, B: DeviceType, C: DeviceType> {
    a: A,
    b: B,
    c: C,
}

fn three<A: Any, B: Any, C: Any>(values: &mut impl Values) {
    let ((a, first), (b, second), (c, third)) = (any::<A>(values), any::<B>(values), any::<C>(values));
    let expected = EMPTY.with::<A>(first).with::<B>(second).with::<C>(third);
    Three { a, b, c }.with_packed(|packed| expected.check(packed));
}

/// All lists of three types that begin with two types.
fn after<A: Any, B: Any>(values: &mut impl Values) {
    match values.choice(4) {
        0 => three::<A, B, u8>(values),
        1 => three::<A, B, u16>(values),
        2 => three::<A, B, u64>(values),
        3 => three::<A, B, u128>(values),
        _ => three::<A, B, Padded>(values),
    }
}

/// All lists of three types that begin with one type.
fn beginning<A: Any>(values: &mut impl Values) {
    match values.choice(5) {
        0 => after::<A, u8>(values),
        1 => after::<A, u32>(values),
        2 => after::<A, u64>(values),
        3 => after::<A, u128>(values),
        4 => after::<A, [u8; 3]>(values),
        _ => after::<A, Padded>(values),
    }
}

/// Other structs have an array of bytes. Each has two fields of these types.
macro_rules! pairs {
    ($values:ident: $($a:ty, $b:ty;)*) => {{
        let mut nth = $values.choice([$(stringify!($a, $b)),*].len() - 1);
        $({
            #[derive(KernelArgs)]
            struct Pair {
                a: $a,
                b: $b,
            }
            if nth == 0 {
                let ((a, first), (b, second)) = (any::<$a>($values), any::<$b>($values));
                let expected = EMPTY.with::<$a>(first).with::<$b>(second);
                Pair { a, b }.with_packed(|packed| expected.check(packed));
                return;
            }
            nth -= 1;
        })*
        unreachable!("the choice is below the number of pairs, not {nth} above it");
    }};
}

proofs! {
    /// The packed form of three values has the bytes of each value at the first aligned offset after the previous one,
    /// zeros as padding between and inside of them, and ends with the last value.
    #[unwind(50)]
    fn values_are_at_their_offsets_and_padding_is_zero(values) {
        match values.choice(5) {
            0 => beginning::<u8>(values),
            1 => beginning::<u16>(values),
            2 => beginning::<f32>(values),
            3 => beginning::<u128>(values),
            4 => beginning::<[u8; 3]>(values),
            _ => beginning::<Padded>(values),
        }
    }

    /// For structs whose buffer is an array, or that are passed without a copy.
    #[unwind(50)]
    fn so_are_the_values_of_structs_without_type_parameters(values) {
        pairs! { values:
            u8, u8; u8, u16; u8, u64; u8, u128; u8, Padded; u8, [u8; 3];
            u16, u8; u32, u32; u32, u64; u64, u8; u64, u64; u64, u128;
            u128, u8; u128, u128; u128, Padded;
            [u8; 3], u8; [u8; 3], u32; [u8; 3], Padded;
            Padded, u8; Padded, u64; Padded, u128; Padded, Padded;
            f32, u16; f32, f32;
        }
    }
}

//! `mma.sync`: products of matrices whose elements are spread over the lanes of a warp (PTX ISA, 9.7.15.5).

use super::{
    float::{BF16, E4M3, E5M2, F16, F32, Mode, Round, mul_add},
    types::{LANES, Lanes, Type, extend, low},
    words::Words,
};

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S32,
    U8,
    S8,
    U4,
    S4,
    E4m3,
    E5m2,
}

impl Element {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "tf32" => Self::Tf32,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "s32" => Self::S32,
            "u8" => Self::U8,
            "s8" => Self::S8,
            "u4" => Self::U4,
            "s4" => Self::S4,
            "e4m3" => Self::E4m3,
            "e5m2" => Self::E5m2,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        match self {
            Self::U4 | Self::S4 => 4,
            Self::U8 | Self::S8 | Self::E4m3 | Self::E5m2 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }

    /// The elements of a register.
    fn per_register(self) -> usize {
        (32 / self.bits()).max(1) as usize
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => F16.decode(bits),
            Self::Bf16 => BF16.decode(bits),
            // The lowest 13 bits are ignored.
            Self::Tf32 => F32.decode(bits & !0x1fff),
            Self::F32 => F32.decode(bits),
            Self::F64 => f64::from_bits(bits),
            Self::E4m3 => E4M3.decode(bits),
            Self::E5m2 => E5M2.decode(bits),
            Self::S32 => f64::from(bits as i32),
            Self::U8 | Self::U4 => bits as f64,
            Self::S8 => extend(bits, Type::S8).cast_signed() as f64,
            Self::S4 => ((bits << 60).cast_signed() >> 60) as f64,
        }
    }
}

/// The shape and the types of a product `d = a * b + c`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    rows: usize,
    depth: usize,
    a: Element,
    b: Element,
    c: Element,
    d: Element,
    saturates: bool,
}

/// The columns of `b`.
const COLUMNS: usize = 8;

impl Shape {
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let [rows, columns, depth] = words.extents()?;
        let elements: Vec<Element> = words.0.iter().filter_map(|part| Element::read(part)).collect();
        let [d, a, b, c] = elements.as_slice() else { return None };
        let shape = Self { rows, depth, a: *a, b: *b, c: *c, d: *d, saturates: words.has("satfinite") };
        let has_layout = words.has("row") && words.has("col");
        let is_known = matches!(shape.rows, 8 | 16)
            && columns == COLUMNS
            && shape.depth.is_multiple_of(4 * shape.a.per_register())
            && shape.depth <= 64
            && words.any(&["sp", "sp::ordered_metadata", "block_scale", "xor", "b1"]).is_none();
        (has_layout && is_known).then_some(shape)
    }

    /// Whether the operands have as many registers as the shape needs.
    pub(super) fn fits(&self, counts: [usize; 4]) -> bool {
        let sums = |element: Element| {
            let elements = self.rows * COLUMNS / LANES;
            if element == Element::F16 { elements / 2 } else { elements }
        };
        let of = |elements: usize, element: Element| elements / LANES / element.per_register();
        counts == [of(self.rows * self.depth, self.a), of(COLUMNS * self.depth, self.b), sums(self.c), sums(self.d)]
    }

    /// The result's registers.
    pub(super) fn multiply(&self, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Vec<Lanes> {
        let mut first = vec![0.0; self.rows * self.depth];
        spread(a, self.a, self.rows / 8, |row, column, value| first[row * self.depth + column] = value);
        let mut second = vec![0.0; COLUMNS * self.depth];
        spread(b, self.b, 1, |column, row, value| second[column * self.depth + row] = value);
        let is_halves = |element: Element| element == Element::F16;
        let per_row = if is_halves(self.d) { 1 } else { 2 };
        let mut result = vec![[0; LANES]; self.rows / 8 * per_row];
        for row in 0..self.rows {
            for column in 0..COLUMNS {
                let lane = row % 8 * 4 + column / 2;
                let sum = if is_halves(self.c) {
                    self.c.value(c[row / 8][lane] >> (16 * (column % 2)) & 0xffff)
                } else {
                    self.c.value(c[row / 8 * 2 + column % 2][lane])
                };
                let (left, right) = (&first[row * self.depth..], &second[column * self.depth..]);
                let bits = self.round(sum, left, right);
                if is_halves(self.d) {
                    result[row / 8][lane] |= bits << (16 * (column % 2));
                } else {
                    result[row / 8 * 2 + column % 2][lane] = bits;
                }
            }
        }
        result
    }

    fn round(&self, sum: f64, left: &[f64], right: &[f64]) -> u64 {
        let products = || left[..self.depth].iter().zip(right);
        match self.d {
            Element::F64 => products().fold(sum, |sum, (a, b)| mul_add(*a, *b, sum)).to_bits(),
            Element::S32 => {
                // All values are integers below 2^53.
                let exact = products().fold(sum as i64, |sum, (a, b)| sum + (a * b) as i64);
                let limited = exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                if self.saturates { limited.cast_unsigned() & low(32) } else { exact.cast_unsigned() & low(32) }
            }
            d => {
                let sum = products().fold(sum, |sum, (a, b)| sum + a * b);
                let format = if d == Element::F16 { F16 } else { F32 };
                Mode { round: Round::Nearest, ..Mode::default() }.finish(format, sum)
            }
        }
    }
}

/// The matrix of a fragment of `wmma`. PTX does not define which lane has which element: here each lane has the next ones in the order of
/// rows, and starts again at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    rows: usize,
    columns: usize,
    element: Element,
    /// In memory, columns follow each other.
    by_columns: bool,
}

/// `wmma.mma`: the fragments of a, b, c and d.
pub(super) struct Fragments {
    all: [Fragment; 4],
    saturates: bool,
}

impl Fragment {
    /// `wmma.load` and `wmma.store`.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let [m, n, k] = words.extents()?;
        let element = words.0.iter().rev().find_map(|part| Element::read(part)).filter(|element| element.bits() > 4)?;
        let (rows, columns) = match words.part(2)? {
            "a" => (m, k),
            "b" => (k, n),
            _ => (m, n),
        };
        Some(Self { rows, columns, element, by_columns: words.has("col") })
    }

    pub(super) fn bytes(&self) -> u32 {
        self.element.bits() / 8
    }

    /// For an element of a lane of `registers` registers: its register, its lowest bit, and its place in memory.
    pub(super) fn places(&self, lane: usize, registers: usize, stride: u64) -> Vec<(usize, u32, u64)> {
        let count = self.element.per_register();
        let place = |slot: usize| {
            let index = (lane * registers * count + slot) % (self.rows * self.columns);
            let (row, column) = ((index / self.columns) as u64, (index % self.columns) as u64);
            let at =
                if self.by_columns { column.wrapping_mul(stride) + row } else { row.wrapping_mul(stride) + column };
            (slot / count, slot as u32 % count as u32 * self.element.bits(), at.wrapping_mul(u64::from(self.bytes())))
        };
        (0..registers * count).map(place).collect()
    }

    /// The elements of a row, without a stride.
    pub(super) fn row(&self) -> u64 {
        (if self.by_columns { self.rows } else { self.columns }) as u64
    }

    fn fits(&self, registers: usize) -> bool {
        let room = LANES * registers * self.element.per_register();
        room > 0 && room.is_multiple_of(self.rows * self.columns)
    }

    fn values(&self, registers: &[Lanes]) -> Vec<f64> {
        let mut values = vec![0.0; self.rows * self.columns];
        for lane in 0..LANES {
            for (slot, (register, bit, _)) in self.places(lane, registers.len(), 0).into_iter().enumerate() {
                let index = (lane * registers.len() * self.element.per_register() + slot) % values.len();
                values[index] = self.element.value(registers[register][lane] >> bit & low(self.element.bits()));
            }
        }
        values
    }
}

impl Fragments {
    /// `wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32`, and with all four types.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let [m, n, k] = words.extents()?;
        let elements: Vec<Element> = words.0.iter().filter_map(|part| Element::read(part)).collect();
        let [d, a, b, c] = match elements.as_slice() {
            [d, c] => [*d, Element::F16, Element::F16, *c],
            [d, a, b, c] => [*d, *a, *b, *c],
            _ => return None,
        };
        let of = |rows, columns, element: Element| Fragment { rows, columns, element, by_columns: false };
        let all = [of(m, k, a), of(k, n, b), of(m, n, c), of(m, n, d)];
        let is_known = all.iter().all(|fragment| fragment.element.bits() > 4);
        is_known.then_some(Self { all, saturates: words.has("satfinite") })
    }

    pub(super) fn fits(&self, counts: [usize; 4]) -> bool {
        self.all.iter().zip(counts).all(|(fragment, count)| fragment.fits(count))
    }

    pub(super) fn multiply(&self, a: &[Lanes], b: &[Lanes], c: &[Lanes], registers: usize) -> Vec<Lanes> {
        let [of_a, of_b, of_c, of_d] = &self.all;
        let (a, b, c) = (of_a.values(a), of_b.values(b), of_c.values(c));
        let (rows, columns, depth) = (of_a.rows, of_b.columns, of_a.columns);
        let shape = Shape {
            rows,
            depth,
            a: of_a.element,
            b: of_b.element,
            c: of_c.element,
            d: of_d.element,
            saturates: self.saturates,
        };
        let mut bits = Vec::with_capacity(rows * columns);
        for index in 0..rows * columns {
            let (row, column) = (index / columns, index % columns);
            let right: Vec<f64> = (0..depth).map(|at| b[at * columns + column]).collect();
            bits.push(shape.round(c[index], &a[row * depth..], &right));
        }
        let mut result = vec![[0; LANES]; registers];
        for lane in 0..LANES {
            for (slot, (register, bit, _)) in of_d.places(lane, registers, 0).into_iter().enumerate() {
                let index = (lane * registers * of_d.element.per_register() + slot) % bits.len();
                result[register][lane] |= bits[index] << bit;
            }
        }
        result
    }
}

/// Calls `set` with the place of each element along a group of lanes, and across it.
fn spread(registers: &[Lanes], element: Element, halves: usize, mut set: impl FnMut(usize, usize, f64)) {
    let (count, bits) = (element.per_register(), element.bits());
    for (index, register) in registers.iter().enumerate() {
        for (lane, value) in register.iter().enumerate() {
            for part in 0..count {
                let across = lane % 4 * count + part + index / halves * 4 * count;
                let value = element.value(value >> (bits * part as u32) & low(bits));
                set(lane / 4 + 8 * (index % halves), across, value);
            }
        }
    }
}

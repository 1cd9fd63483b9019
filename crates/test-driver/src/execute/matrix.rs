//! Products of matrices whose elements are spread over the lanes of a warp (PTX ISA, 9.7.15).

use super::{
    float::{F16, F32, Format, Mode, mul_add},
    types::{LANES, Lanes, Type, extend, low},
    words::Words,
};

/// The columns of `b` of `mma`.
const COLUMNS: usize = 8;

/// A matrix in the registers of a warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    rows: usize,
    columns: usize,
    kind: Type,
    /// The elements of a row that a lane of `mma` has in a row. `None` for `wmma`: PTX does not define which lane has
    /// which element; here each lane has the next ones in the order of rows, and starts again at the end.
    run: Option<usize>,
    /// Columns are stored as rows: for `b` of `mma` in registers, for `wmma` in memory.
    by_columns: bool,
}

fn number(kind: Type, bits: u64) -> f64 {
    match (kind, Format::of(kind)) {
        (Type::F64, _) => f64::from_bits(bits),
        // The lowest 13 bits are ignored.
        (Type::Tf32, _) => F32.decode(bits & !0x1fff),
        (_, Some(format)) => format.decode(bits),
        (_, None) => extend(bits, kind).cast_signed() as f64,
    }
}

impl Fragment {
    /// `wmma.load` and `wmma.store`.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let [m, n, k] = words.extents()?;
        let kind = *words.kinds().last().filter(|kind| kind.bits() > 4)?;
        let (rows, columns) = match words.part(2)? {
            "a" => (m, k),
            "b" => (k, n),
            _ => (m, n),
        };
        Some(Self { rows, columns, kind, run: None, by_columns: words.has("col") })
    }

    pub(super) fn bytes(&self) -> u32 {
        self.kind.bytes()
    }

    /// Returns the elements of a register.
    fn per_register(&self) -> usize {
        (32 / self.kind.bits()).max(1) as usize
    }

    /// For each element of a lane: its register and lowest bit, and its row and column.
    fn slots(&self, lane: usize, registers: usize) -> impl Iterator<Item = (usize, u32, [usize; 2])> + use<> {
        let Self { rows, columns, run, by_columns, kind } = *self;
        let count = self.per_register();
        (0..registers * count).map(move |slot| {
            let place = if let Some(run) = run {
                let halves = if by_columns { columns } else { rows } / 8;
                let (along, part) = (slot / run, slot % run);
                let place = [lane / 4 + 8 * (along % halves), (lane % 4 + along / halves * 4) * run + part];
                if by_columns { [place[1], place[0]] } else { place }
            } else {
                let index = (lane * registers * count + slot) % (rows * columns);
                [index / columns, index % columns]
            };
            (slot / count, (slot % count) as u32 * kind.bits(), place)
        })
    }

    /// For each element of a lane in memory: its register and lowest bit, and its address. Without a stride, rows
    /// follow each other.
    pub(super) fn addresses(
        &self,
        start: u64,
        lane: usize,
        registers: usize,
        stride: Option<u64>,
    ) -> Vec<(usize, u32, u64)> {
        let stride = stride.unwrap_or(if self.by_columns { self.rows } else { self.columns } as u64);
        let place = |(register, bit, [row, column]): (usize, u32, [usize; 2])| {
            let (along, across) = if self.by_columns { (column, row) } else { (row, column) };
            let at = (along as u64).wrapping_mul(stride) + across as u64;
            (register, bit, start.wrapping_add(at.wrapping_mul(u64::from(self.bytes()))))
        };
        self.slots(lane, registers).map(place).collect()
    }

    fn fits(&self, registers: usize) -> bool {
        let (room, size) = (LANES * registers * self.per_register(), self.rows * self.columns);
        room == size || self.run.is_none() && room > 0 && room.is_multiple_of(size)
    }

    fn values(&self, registers: &[Lanes]) -> Vec<f64> {
        let mut values = vec![0.0; self.rows * self.columns];
        for lane in 0..LANES {
            for (register, bit, [row, column]) in self.slots(lane, registers.len()) {
                let bits = registers[register][lane] >> bit & low(self.kind.bits());
                values[row * self.columns + column] = number(self.kind, bits);
            }
        }
        values
    }
}

/// A product `d = a * b + c`: the fragments of a, b, c and d.
pub(super) struct Product {
    all: [Fragment; 4],
    saturates: bool,
}

impl Product {
    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, or `wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32`.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let [m, n, k] = words.extents()?;
        let is_wide = words.part(0)? == "wmma";
        let [d, a, b, c] = match words.kinds().as_slice() {
            [d, c] if is_wide => [*d, Type::F16, Type::F16, *c],
            [d, a, b, c] => [*d, *a, *b, *c],
            _ => return None,
        };
        let of = |rows, columns, kind, run, by_columns| {
            let run = (!is_wide).then_some(run);
            Fragment { rows, columns, kind, run, by_columns }
        };
        let count = |kind: Type| (32 / kind.bits()).max(1) as usize;
        let all = [
            of(m, k, a, count(a), false),
            of(k, n, b, count(b), !is_wide),
            of(m, n, c, 2, false),
            of(m, n, d, 2, false),
        ];
        let is_known = if is_wide {
            all.iter().all(|fragment| fragment.kind.bits() > 4)
        } else {
            matches!(m, 8 | 16)
                && n == COLUMNS
                && k.is_multiple_of(4 * count(a))
                && k <= 64
                && words.has("row")
                && words.has("col")
                && words.any(&["sp", "sp::ordered_metadata", "block_scale", "xor", "b1"]).is_none()
        };
        is_known.then_some(Self { all, saturates: words.has("satfinite") })
    }

    /// Returns whether the operands have as many registers as the matrices need.
    pub(super) fn fits(&self, counts: [usize; 4]) -> bool {
        self.all.iter().zip(counts).all(|(fragment, count)| fragment.fits(count))
    }

    /// Returns the result's registers.
    pub(super) fn multiply(&self, [a, b, c]: [&[Lanes]; 3], registers: usize) -> Vec<Lanes> {
        let [of_a, of_b, of_c, of_d] = &self.all;
        let (a, b, c) = (of_a.values(a), of_b.values(b), of_c.values(c));
        let (columns, depth) = (of_b.columns, of_a.columns);
        let element = |(index, sum): (usize, &f64)| {
            let column = b.iter().skip(index % columns).step_by(columns);
            self.round(*sum, a[index / columns * depth..][..depth].iter().zip(column))
        };
        let bits: Vec<u64> = c.iter().enumerate().map(element).collect();
        let mut result = vec![[0; LANES]; registers];
        for lane in 0..LANES {
            for (register, bit, [row, column]) in of_d.slots(lane, registers) {
                result[register][lane] |= bits[row * columns + column] << bit;
            }
        }
        result
    }

    fn round<'a>(&self, sum: f64, products: impl Iterator<Item = (&'a f64, &'a f64)>) -> u64 {
        match self.all[3].kind {
            Type::F64 => products.fold(sum, |sum, (a, b)| mul_add(*a, *b, sum)).to_bits(),
            Type::S32 => {
                // All values are integers below 2^53.
                let exact = products.fold(sum as i64, |sum, (a, b)| sum + (a * b) as i64);
                let limited = exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                if self.saturates { limited } else { exact }.cast_unsigned() & low(32)
            }
            kind => {
                let sum = products.fold(sum, |sum, (a, b)| sum + a * b);
                Mode::default().finish(if kind == Type::F16 { F16 } else { F32 }, sum)
            }
        }
    }
}

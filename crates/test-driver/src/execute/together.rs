//! Instructions that the lanes of a warp execute together.

use super::{
    access::failed,
    checks::What,
    code::{Place, Shuffle, Source, Together, Vote},
    matrix::Fragment,
    step::{Step, Stop, each},
    types::{LANES, Lanes, extend, low},
};

impl Step<'_, '_> {
    /// `named`: the lanes that the instruction names.
    pub(super) fn together(&mut self, what: &Together, named: u32) -> Result<(), Stop> {
        let mask = self.mask & named;
        self.warp.epoch += 1;
        match what {
            Together::Barrier => {}
            Together::Vote { vote, of, to } => {
                let held = self.condition(*of) & mask;
                let holds = match vote {
                    Vote::All => held == mask,
                    Vote::Any => held != 0,
                    Vote::Uniform => held == mask || held == 0,
                    Vote::Ballot => {
                        self.write(*to, &[u64::from(held); LANES]);
                        return Ok(());
                    }
                };
                self.write_predicate(*to, if holds { u32::MAX } else { 0 });
            }
            Together::Shuffle { mode, value, lane, clamp, to, valid } => {
                let (values, lanes, clamps) = (*self.source(*value), *self.source(*lane), *self.source(*clamp));
                let (mut result, mut all_valid) = (values, 0u32);
                for at in each(mask) {
                    let (from, is_valid) = source_lane(*mode, at as u32, lanes[at] as u32, clamps[at] as u32);
                    if is_valid {
                        result[at] = values[from as usize % LANES];
                        all_valid |= 1 << at;
                    }
                }
                self.write(*to, &result);
                self.write_predicate(*valid, all_valid);
            }
            Together::Match { value, bits, is_all, to, valid } => {
                let values = self.source(*value).map(|value| value & low(*bits));
                let mut result = [0; LANES];
                let mut same = 0u32;
                for at in each(mask) {
                    let equal = each(mask).filter(|other| values[*other] == values[at]);
                    let equal = equal.fold(0u32, |equal, lane| equal | 1 << lane);
                    same |= u32::from(equal == mask) << at;
                    result[at] = u64::from(if *is_all && equal != mask { 0 } else { equal });
                }
                self.write(*to, &result);
                self.write_predicate(*valid, same);
            }
            Together::Reduce { combine, kind, value, to } => {
                let values = *self.source(*value);
                let mut lanes = each(mask);
                let first = lanes.next().map_or(0, |lane| values[lane]);
                let result = lanes.fold(first, |sum, lane| combine(*kind, sum, values[lane], 0));
                self.write(*to, &[extend(result, *kind) & low(kind.bits()); LANES]);
            }
            Together::Elect { to, valid } => {
                let first = mask.trailing_zeros();
                self.write(*to, &[u64::from(first); LANES]);
                self.write_predicate(*valid, 1u32.checked_shl(first).unwrap_or(0));
            }
            Together::Matrix(matrix) => {
                let all =
                    |sources: &[Source]| sources.iter().map(|source| *self.source(*source)).collect::<Vec<Lanes>>();
                let result = matrix.shape.multiply(&all(&matrix.a), &all(&matrix.b), &all(&matrix.c));
                for (slot, value) in matrix.to.iter().zip(&result) {
                    self.write(*slot, value);
                }
            }
            Together::Fragments(product) => {
                let all =
                    |sources: &[Source]| sources.iter().map(|source| *self.source(*source)).collect::<Vec<Lanes>>();
                let (a, b, c) = (all(&product.a), all(&product.b), all(&product.c));
                let result = product.fragments.multiply(&a, &b, &c, product.to.len());
                for (slot, value) in product.to.iter().zip(&result) {
                    self.write(*slot, value);
                }
            }
            Together::LoadFragment { place, to, stride, fragment } => {
                self.load_fragment(*place, to, *stride, fragment)?;
            }
            Together::StoreFragment { place, from, stride, fragment } => {
                self.store_fragment(*place, from, *stride, fragment)?;
            }
            Together::LoadMatrix { place, to, transposed } => self.load_matrix(*place, to, *transposed)?,
            Together::StoreMatrix { place, from, transposed } => self.store_matrix(*place, from, *transposed)?,
        }
        Ok(())
    }

    fn load_fragment(
        &mut self,
        place: Place,
        to: &[u32],
        stride: Option<Source>,
        fragment: &Fragment,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(place);
        let stride = stride.map_or(fragment.row(), |stride| self.uniform(stride));
        let (size, mut result) = (fragment.bytes(), vec![[0; LANES]; to.len()]);
        for lane in 0..LANES {
            for (register, bit, at) in fragment.places(lane, to.len(), stride) {
                let address = addresses[lane].wrapping_add(at);
                let value = self.read(place.space, address, size, lane);
                let touch = (place.space, address, size, What::Load);
                result[register][lane] |= value.map_err(|problem| failed(problem, lane, touch))? << bit;
            }
        }
        for (slot, value) in to.iter().zip(&result) {
            self.write(*slot, value);
        }
        Ok(())
    }

    fn store_fragment(
        &mut self,
        place: Place,
        from: &[Source],
        stride: Option<Source>,
        fragment: &Fragment,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(place);
        let stride = stride.map_or(fragment.row(), |stride| self.uniform(stride));
        let size = fragment.bytes();
        for lane in 0..LANES {
            for (register, bit, at) in fragment.places(lane, from.len(), stride) {
                let address = addresses[lane].wrapping_add(at);
                let value = self.source(from[register])[lane] >> bit;
                let touch = (place.space, address, size, What::Store);
                self.put(place.space, address, size, lane, value).map_err(|problem| failed(problem, lane, touch))?;
            }
        }
        Ok(())
    }

    fn load_matrix(&mut self, place: Place, to: &[u32], transposed: bool) -> Result<(), Stop> {
        let addresses = self.addresses(place);
        for (number, slot) in to.iter().enumerate() {
            let mut result = [0; LANES];
            for lane in 0..LANES {
                for half in 0..2 {
                    let (row, column) = matrix_place(lane, half, transposed);
                    let address = addresses[number * 8 + row].wrapping_add(2 * column as u64);
                    let value = self
                        .read(place.space, address, 2, number * 8 + row)
                        .map_err(|problem| failed(problem, lane, (place.space, address, 2, What::Load)))?;
                    result[lane] |= value << (16 * half);
                }
            }
            self.write(*slot, &result);
        }
        Ok(())
    }

    fn store_matrix(&mut self, place: Place, from: &[Source], transposed: bool) -> Result<(), Stop> {
        let addresses = self.addresses(place);
        for (number, source) in from.iter().enumerate() {
            let values = *self.source(*source);
            for lane in 0..LANES {
                for half in 0..2 {
                    let (row, column) = matrix_place(lane, half, transposed);
                    let address = addresses[number * 8 + row].wrapping_add(2 * column as u64);
                    let touch = (place.space, address, 2, What::Store);
                    self.put(place.space, address, 2, number * 8 + row, values[lane] >> (16 * half) & 0xffff)
                        .map_err(|problem| failed(problem, lane, touch))?;
                }
            }
        }
        Ok(())
    }
}

/// The row and the column of a lane's element in a matrix of 8x8.
fn matrix_place(lane: usize, half: usize, transposed: bool) -> (usize, usize) {
    let (along, across) = (lane / 4, lane % 4 * 2 + half);
    if transposed { (across, along) } else { (along, across) }
}

/// The lane that `shfl` reads, and whether it is in range (PTX ISA, 9.7.9.6).
fn source_lane(mode: Shuffle, lane: u32, value: u32, clamp: u32) -> (u32, bool) {
    let value = value & 31;
    let (limit, segment) = (clamp & 31, clamp >> 8 & 31);
    let most = lane & segment | limit & !segment;
    let least = lane & segment;
    match mode {
        Shuffle::Up => {
            let from = lane.wrapping_sub(value);
            (from, from.cast_signed() >= most.cast_signed())
        }
        Shuffle::Down => (lane + value, lane + value <= most),
        Shuffle::Butterfly => (lane ^ value, lane ^ value <= most),
        Shuffle::Index => {
            let from = least | value & !segment;
            (from, from <= most)
        }
    }
}

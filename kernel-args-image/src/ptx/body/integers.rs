//! Instructions that compute addresses and integers.

use super::{
    code::{Step, Use},
    names::Register,
    operands::{Operands, Source},
    operation::Operation,
    translate::Translator,
    value::{Stride, Value},
};

impl Translator<'_, '_> {
    /// The destination can be the operand at this position.
    pub(super) fn copies(&mut self, operands: Operands<'_>, position: u8) {
        let Some(to) = operands.first() else {
            return;
        };
        match operands.only(position) {
            Some(Source::Register(from)) => match operands.offset(position) {
                0 => self.step(to, Step::Copy { to, from }),
                number => self.step(to, Step::Plus { to, from, number }),
            },
            Some(Source::Number(number)) => {
                self.classes.constant(to);
                self.set(to, Value::constant(number));
            }
            _ => {
                self.classes.constant(to);
                self.set(to, Value::NUMBER);
            }
        }
    }

    /// The destination and the operand at this position take part in the same arithmetic.
    pub(super) fn same_element(&mut self, operands: Operands<'_>, position: u8) {
        if let (Some(to), Some(Source::Register(from))) = (operands.first(), operands.only(position)) {
            self.classes.copy(to, from);
        }
    }

    /// `mov` also packs a vector into a register, and unpacks it.
    pub(super) fn moved(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.at(0).count(), operands.at(1).count()) {
            (1, 1) => {
                self.same_element(operands, 1);
                self.copies(operands, 1);
            }
            (count, _) => self.bits(operands, is_wide && count == 1),
        }
    }

    pub(super) fn bits(&mut self, operands: Operands<'_>, is_wide: bool) {
        // Two parts of an address that was loaded are an address.
        let is_packed = is_wide && operands.sources().count() > 1;
        for to in operands.registers(0) {
            self.set(to, if is_packed { Value::ELSEWHERE } else { Value::NUMBER });
            for from in operands.sources() {
                self.step(to, Step::Bits { to, from, is_wide });
            }
        }
    }

    pub(super) fn add(&mut self, operands: Operands<'_>, a: u8, b: u8, is_difference: bool) {
        let Some(to) = operands.first() else {
            return;
        };
        match (operands.only(a), operands.only(b)) {
            (Some(Source::Register(a)), Some(Source::Register(b))) => {
                self.step(to, Step::Sum { to, a, b, is_difference });
            }
            (Some(Source::Register(from)), Some(Source::Number(number))) => {
                let number = if is_difference { number.wrapping_neg() } else { number };
                self.step(to, Step::Plus { to, from, number });
            }
            (Some(Source::Number(number)), Some(Source::Register(b))) => {
                let a = self.unnamed();
                self.set(a, Value::constant(number));
                self.step(to, Step::Sum { to, a, b, is_difference });
            }
            _ => self.numbers(operands),
        }
    }

    pub(super) fn multiply(&mut self, operation: &Operation, operands: Operands<'_>) {
        self.arithmetic(operation.ty, operands.sources());
        match operands.first() {
            Some(to) if !operation.is_high => self.product(operands, to),
            _ => self.numbers(operands),
        }
    }

    /// The product of the second and third operand.
    pub(super) fn product(&mut self, operands: Operands<'_>, to: Register) {
        let (a, b) = (operands.only(1), operands.only(2));
        match (a, b) {
            (Some(Source::Register(a)), Some(Source::Register(b))) => {
                self.step(to, Step::Product { to, a, b });
            }
            (Some(Source::Register(from)), Some(Source::Number(by)))
            | (Some(Source::Number(by)), Some(Source::Register(from))) => {
                let by = Stride::constant(by);
                self.step(to, Step::Scaled { to, from, by });
            }
            _ => self.set(to, Value::NUMBER),
        }
    }

    pub(super) fn multiply_add(&mut self, operation: &Operation, operands: Operands<'_>) {
        let Some(to) = operands.first() else {
            return;
        };
        let factors = operands.registers(1).chain(operands.registers(2));
        self.arithmetic(operation.ty, factors);
        let a = self.unnamed();
        if operation.is_high {
            self.set(a, Value::NUMBER);
        } else {
            self.product(operands, a);
        }
        match operands.only(3) {
            Some(Source::Register(b)) => {
                let is_difference = false;
                self.step(to, Step::Sum { to, a, b, is_difference });
            }
            Some(Source::Number(number)) => self.step(to, Step::Plus { to, from: a, number }),
            _ => self.set(to, Value::NUMBER),
        }
    }

    pub(super) fn and(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.first(), operands.only(1), operands.only(2)) {
            (Some(to), Some(Source::Register(from)), Some(Source::Number(mask))) => {
                self.step(to, Step::Masked { to, from, mask, is_wide });
            }
            _ => self.bits(operands, is_wide),
        }
    }

    pub(super) fn or(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.first(), operands.only(1), operands.only(2)) {
            (Some(to), Some(Source::Register(from)), Some(Source::Number(number))) => {
                self.step(to, Step::BitsSet { to, from, number });
            }
            _ => self.bits(operands, is_wide),
        }
    }

    pub(super) fn shift_left(&mut self, operation: &Operation, operands: Operands<'_>) {
        // A shift by more can remove the upper bits of an address.
        const MOST: i64 = 15;
        let is_wide = operation.ty.bytes >= 8;
        match (operands.first(), operands.only(1), operands.only(2)) {
            (Some(to), Some(Source::Register(from)), Some(Source::Number(by @ 0..=MOST))) => {
                if is_wide && by > 0 {
                    self.code.uses.push((from, Use::Arithmetic(self.origin)));
                }
                let by = Stride::constant(1 << by);
                self.step(to, Step::Scaled { to, from, by });
            }
            _ => self.bits(operands, is_wide),
        }
    }

    pub(super) fn convert(&mut self, operation: &Operation, operands: Operands<'_>) {
        let (ty, from) = (operation.ty, operation.from);
        self.classes(operands.registers(0), ty.class);
        self.classes(operands.sources(), from.class);
        if from.is_integer && ty.class.is_float() {
            self.arithmetic(from, operands.sources());
        }
        let source = operands.only(1);
        match (operands.first(), source) {
            (Some(to), Some(Source::Register(register))) if from.class == ty.class => {
                if (ty.bytes, from.bytes) == (8, 8) {
                    return self.step(to, Step::Copy { to, from: register });
                }
                let is_wide = ty.bytes >= 8;
                self.step(to, Step::Resized { to, from: register, is_wide });
            }
            (Some(to), Some(Source::Number(number))) => self.set(to, Value::constant(number)),
            _ => self.numbers(operands),
        }
    }
}

//! What each instruction adds to the compact form of a body.

use super::{
    code::{Element, Mode, Step, Use},
    loads::matrix,
    names::Register,
    opcodes::Effect,
    operands::{Operand, Operands, Source},
    operation::{Operation, Scalar},
    translate::Translator,
    value::Value,
};
use kernel_args_abi::signature::ElementClass;

impl Translator<'_, '_> {
    pub(super) fn instruction(&mut self, operation: &Operation, operands: &[Operand]) {
        let own = Operands(operands);
        let bytes = operation.ty.bytes;
        let is_wide = bytes >= 8;
        match operation.effect {
            Effect::Nothing => {}
            Effect::Load => self.load(operation, own),
            Effect::Store => self.store(operation, own),
            Effect::Atomic => self.atomic(operation, own, 1),
            Effect::Reduce => self.atomic(operation, own, 0),
            Effect::Object => self.object(own),
            Effect::BulkCopy => self.copy(operation.copies, own),
            Effect::MatrixLoad => {
                self.numbers(own);
                self.access(operation, own, 0, Mode::Read, matrix(operation.ty), 0);
            }
            Effect::MatrixStore => {
                self.access(operation, own, 0, Mode::Write, matrix(operation.ty), 0);
            }
            Effect::MultimemLoad => {
                self.elsewhere(own, is_wide);
                self.access(operation, own, 0, Mode::Read, Element::default(), 0);
            }
            Effect::MultimemWrite => {
                self.access(operation, own, 0, Mode::Atomic, Element::default(), 0);
                self.escape(own.sources());
            }
            Effect::Move => self.moved(own, is_wide),
            Effect::ConvertAddress => {
                if operation.to_global {
                    for register in own.sources() {
                        self.code.uses.push((register, Use::Pointer));
                    }
                }
                self.copies(own, 1);
            }
            Effect::Add => self.add(own, 1, 2, false),
            Effect::Subtract => self.add(own, 1, 2, true),
            Effect::Multiply => self.multiply(operation, own),
            Effect::MultiplyAdd => self.multiply_add(operation, own),
            Effect::Divide => {
                self.arithmetic(operation.ty, own.sources());
                self.numbers(own);
            }
            Effect::Negate => {
                if let (Some(to), Some(Source::Register(b))) = (own.first(), own.only(1)) {
                    let a = self.unnamed();
                    self.set(a, Value::constant(0));
                    self.step(to, Step::Sum { to, a, b, is_difference: true });
                }
            }
            Effect::OneOf => {
                self.copies(own, 1);
                self.copies(own, 2);
            }
            Effect::Select => {
                for position in [1, 2] {
                    self.same_element(own, position);
                    self.copies(own, position);
                }
            }
            Effect::Exchange => {
                self.same_element(own, 1);
                self.copies(own, 1);
            }
            Effect::Bits => self.bits(own, is_wide),
            Effect::And => self.and(own, is_wide),
            Effect::Or => self.or(own, is_wide),
            Effect::ShiftLeft => self.shift_left(operation, own),
            Effect::Convert => self.convert(operation, own),
            Effect::Number => self.numbers(own),
            Effect::Float => {
                // `set` compares. Other operations of two types do not show which operand has which type.
                if operation.ty == operation.from {
                    self.classes(own.registers(0), operation.ty.class);
                    self.classes(own.sources(), operation.ty.class);
                } else if !operation.ty.class.is_float() {
                    self.classes(own.sources(), operation.from.class);
                }
                self.numbers(own);
            }
            Effect::Call | Effect::Unknown => self.unknown(operands),
        }
    }

    /// The destinations are numbers that are not known.
    pub(super) fn numbers(&mut self, operands: Operands<'_>) {
        for register in operands.registers(0) {
            self.set(register, Value::NUMBER);
        }
    }

    /// The destinations are values from memory.
    pub(super) fn elsewhere(&mut self, operands: Operands<'_>, is_wide: bool) {
        let value = if is_wide { Value::ELSEWHERE } else { Value::NUMBER };
        for register in operands.registers(0) {
            self.set(register, value);
        }
    }

    pub(super) fn escape(&mut self, registers: impl Iterator<Item = Register>) {
        let uses = registers.map(|register| (register, Use::Escape));
        self.code.uses.extend(uses);
    }

    pub(super) fn classes(&mut self, registers: impl Iterator<Item = Register>, class: ElementClass) {
        for register in registers {
            self.classes.add(register, class);
        }
    }

    /// The registers are factors of integers of this type.
    pub(super) fn arithmetic(&mut self, ty: Scalar, registers: impl Iterator<Item = Register>) {
        for register in registers {
            self.classes.add(register, ElementClass::Integer);
            if ty.bytes == 8 {
                self.code.uses.push((register, Use::Arithmetic(self.origin)));
            }
        }
    }
}

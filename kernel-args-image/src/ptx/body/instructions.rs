//! What each instruction adds to the compact form of a body.

use super::{
    code::{Access, Element, Mode, Step, Use},
    names::{NO_REGISTER, Register},
    opcodes::{Copies, Effect, Operation, Scalar, Space},
    statements::Enclosed,
    translate::{Resolved, Source, Translator},
    value::{Stride, Value},
};
use kernel_args_abi::signature::ElementClass;

/// The operands of an instruction.
#[derive(Clone, Copy)]
struct Operands<'r>(&'r [Resolved]);

impl<'r> Operands<'r> {
    /// The operands at a position that are not in brackets: more than one of a vector.
    fn at(self, position: u8) -> impl Iterator<Item = Source> + 'r {
        let is_there = move |operand: &&Resolved| {
            operand.position == position && operand.enclosed == Enclosed::Not
        };
        self.0.iter().filter(is_there).map(|operand| operand.value)
    }

    fn registers(self, position: u8) -> impl Iterator<Item = Register> + 'r {
        self.at(position).filter_map(|source| match source {
            Source::Register(register) => Some(register),
            _ => None,
        })
    }

    /// The operand at a position, if it is no vector.
    fn only(self, position: u8) -> Option<Source> {
        let mut all = self.at(position);
        all.next().filter(|_| all.next().is_none())
    }

    /// The destination.
    fn first(self) -> Option<Register> {
        self.registers(0).next()
    }

    /// The registers after the first operand that are not in brackets.
    fn sources(self) -> impl Iterator<Item = Register> + 'r {
        let is_source =
            |operand: &&Resolved| operand.position > 0 && operand.enclosed == Enclosed::Not;
        let sources = self.0.iter().filter(is_source);
        sources.filter_map(Resolved::register)
    }

    /// The address at this index: its register, or none for a number, and its offset.
    fn address(self, index: usize) -> Option<(Register, i32)> {
        let in_brackets = |operand: &&Resolved| operand.enclosed == Enclosed::Brackets;
        let mut seen = None;
        let addresses = self.0.iter().filter(in_brackets).filter(|operand| {
            // The first part of each address.
            core::mem::replace(&mut seen, Some(operand.position)) != Some(operand.position)
        });
        let address = addresses.skip(index).next()?;
        let offset = i32::try_from(address.offset).unwrap_or(i32::MAX);
        Some((address.register()?, offset))
    }

    /// The offset of an operand that is no address: `mov.u64 %rd1, table+8`.
    fn offset(self, position: u8) -> i64 {
        let operand = self.0.iter().find(|operand| operand.position == position);
        operand.map_or(0, |operand| operand.offset)
    }
}

impl Translator<'_, '_> {
    pub(super) fn instruction(&mut self, operation: &Operation, operands: &[Resolved]) {
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
                self.access(operation, own, 0, Mode::Read, matrix(operation.ty));
            }
            Effect::MatrixStore => {
                self.access(operation, own, 0, Mode::Write, matrix(operation.ty))
            }
            Effect::MultimemLoad => {
                self.elsewhere(own, is_wide);
                self.access(operation, own, 0, Mode::Read, Element::default());
            }
            Effect::MultimemWrite => {
                self.access(operation, own, 0, Mode::Atomic, Element::default());
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
                    self.step(
                        to,
                        Step::Sum {
                            to,
                            a,
                            b,
                            is_difference: true,
                        },
                    );
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
    fn numbers(&mut self, operands: Operands<'_>) {
        for register in operands.registers(0) {
            self.set(register, Value::NUMBER);
        }
    }

    /// The destinations are values from memory.
    fn elsewhere(&mut self, operands: Operands<'_>, is_wide: bool) {
        let value = if is_wide {
            Value::ELSEWHERE
        } else {
            Value::NUMBER
        };
        for register in operands.registers(0) {
            self.set(register, value);
        }
    }

    fn escape(&mut self, registers: impl Iterator<Item = Register>) {
        let uses = registers.map(|register| (register, Use::Escape));
        self.code.uses.extend(uses);
    }

    fn classes(&mut self, registers: impl Iterator<Item = Register>, class: ElementClass) {
        for register in registers {
            self.classes.add(register, class);
        }
    }

    /// The registers are factors of integers of this type.
    fn arithmetic(&mut self, ty: Scalar, registers: impl Iterator<Item = Register>) {
        for register in registers {
            self.classes.add(register, ElementClass::Integer);
            if ty.bytes == 8 {
                self.code
                    .uses
                    .push((register, Use::Arithmetic(self.origin)));
            }
        }
    }

    fn access(
        &mut self,
        operation: &Operation,
        operands: Operands<'_>,
        address: usize,
        mode: Mode,
        element: Element,
    ) {
        if !matches!(operation.space, Space::Generic | Space::Global) {
            return;
        }
        if let Some((base, offset)) = operands.address(address) {
            self.code.accesses.push(Access {
                base,
                offset,
                mode,
                is_generic: operation.space == Space::Generic,
                element,
                origin: self.origin,
            });
        }
    }

    /// An access for each register of a vector.
    fn accesses(
        &mut self,
        operation: &Operation,
        operands: Operands<'_>,
        registers: impl Iterator<Item = Source>,
        mode: Mode,
    ) {
        for source in registers {
            let mut element = Element {
                class: operation.ty.class,
                bytes: operation.ty.bytes,
                is_vector: operation.is_vector,
                ..Element::default()
            };
            if let Source::Register(register) = source {
                element.register = register;
            }
            self.access(operation, operands, 0, mode, element);
        }
    }

    fn load(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, operands.at(0), Mode::Read);
        match (operation.space, operands.address(0)) {
            (Space::Global | Space::Other, _) | (_, None) => {
                self.elsewhere(operands, bytes >= 8);
            }
            (_, Some((base, offset))) => {
                for (index, to) in operands.registers(0).enumerate() {
                    let offset = offset.saturating_add(index as i32 * i32::from(bytes));
                    self.step(
                        to,
                        Step::Load {
                            to,
                            base,
                            offset,
                            bytes,
                        },
                    );
                }
            }
        }
    }

    fn store(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, operands.at(1), Mode::Write);
        let Some((base, offset)) = operands.address(0) else {
            return self.escape(operands.sources());
        };
        if matches!(operation.space, Space::Global | Space::Other) {
            return self.escape(operands.sources());
        }
        for (index, source) in operands.at(1).enumerate() {
            let Source::Register(from) = source else {
                continue;
            };
            let offset = offset.saturating_add(index as i32 * i32::from(bytes));
            self.code.steps.push(Step::Store {
                base,
                offset,
                bytes,
                from,
            });
            let is_generic = operation.space == Space::Generic;
            self.code
                .uses
                .push((from, Use::Stored { base, is_generic }));
        }
    }

    /// `atom` has a destination before its address, `red` has none.
    fn atomic(&mut self, operation: &Operation, operands: Operands<'_>, address: u8) {
        let mut values = operands.sources().chain(operands.registers(0));
        let element = Element {
            class: operation.ty.class,
            arithmetic: operation.ty.class,
            bytes: operation.ty.bytes,
            register: values.next().unwrap_or(NO_REGISTER),
            is_vector: operation.is_vector,
        };
        // What is exchanged with the memory is an element, too.
        for register in values {
            self.classes.unite(register, element.register);
        }
        if address > 0 {
            self.elsewhere(operands, operation.ty.bytes >= 8);
        }
        self.access(operation, operands, 0, Mode::Atomic, element);
        self.escape(operands.sources());
    }

    fn object(&mut self, operands: Operands<'_>) {
        // The destination of a load, and its residency.
        self.numbers(operands);
        if let Some((register, _)) = operands.address(0) {
            self.code.uses.push((register, Use::Handle));
        }
        self.escape(operands.sources());
    }

    fn copy(&mut self, copies: Copies, operands: Operands<'_>) {
        let (address, mode) = match copies {
            Copies::Nothing => return,
            Copies::FromGlobal => (1, Mode::Read),
            Copies::ToGlobal => (0, Mode::Write),
            Copies::Reduces => (0, Mode::Atomic),
            Copies::Tensor => {
                for index in 0..2 {
                    if let Some((register, _)) = operands.address(index) {
                        self.code.uses.push((register, Use::Handle));
                    }
                }
                return;
            }
        };
        if let Some((base, offset)) = operands.address(address) {
            self.code.accesses.push(Access {
                base,
                offset,
                mode,
                is_generic: false,
                element: Element::default(),
                origin: self.origin,
            });
        }
    }

    /// The destination can be the operand at this position.
    fn copies(&mut self, operands: Operands<'_>, position: u8) {
        let Some(to) = operands.first() else {
            return;
        };
        match operands.only(position) {
            Some(Source::Register(from)) => match operands.offset(position) {
                0 => self.step(to, Step::Copy { to, from }),
                number => self.step(to, Step::Plus { to, from, number }),
            },
            Some(Source::Number(number)) => self.set(to, Value::constant(number)),
            _ => self.set(to, Value::NUMBER),
        }
    }

    /// The destination and the operand at this position take part in the same arithmetic.
    fn same_element(&mut self, operands: Operands<'_>, position: u8) {
        if let (Some(to), Some(Source::Register(from))) =
            (operands.first(), operands.only(position))
        {
            self.classes.unite(to, from);
        }
    }

    /// `mov` also packs a vector into a register, and unpacks it.
    fn moved(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.at(0).count(), operands.at(1).count()) {
            (1, 1) => {
                self.same_element(operands, 1);
                self.copies(operands, 1);
            }
            (count, _) => self.bits(operands, is_wide && count == 1),
        }
    }

    fn bits(&mut self, operands: Operands<'_>, is_wide: bool) {
        for to in operands.registers(0) {
            self.set(to, Value::NUMBER);
            for from in operands.sources() {
                self.step(to, Step::Bits { to, from, is_wide });
            }
        }
    }

    fn add(&mut self, operands: Operands<'_>, a: u8, b: u8, is_difference: bool) {
        let Some(to) = operands.first() else {
            return;
        };
        match (operands.only(a), operands.only(b)) {
            (Some(Source::Register(a)), Some(Source::Register(b))) => {
                self.step(
                    to,
                    Step::Sum {
                        to,
                        a,
                        b,
                        is_difference,
                    },
                );
            }
            (Some(Source::Register(from)), Some(Source::Number(number))) => {
                let number = if is_difference {
                    number.wrapping_neg()
                } else {
                    number
                };
                self.step(to, Step::Plus { to, from, number });
            }
            (Some(Source::Number(number)), Some(Source::Register(b))) => {
                let a = self.unnamed();
                self.set(a, Value::constant(number));
                self.step(
                    to,
                    Step::Sum {
                        to,
                        a,
                        b,
                        is_difference,
                    },
                );
            }
            _ => self.numbers(operands),
        }
    }

    fn multiply(&mut self, operation: &Operation, operands: Operands<'_>) {
        self.arithmetic(operation.ty, operands.sources());
        match operands.first() {
            Some(to) if !operation.is_high => self.product(operands, to),
            _ => self.numbers(operands),
        }
    }

    /// The product of the second and third operand.
    fn product(&mut self, operands: Operands<'_>, to: Register) {
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

    fn multiply_add(&mut self, operation: &Operation, operands: Operands<'_>) {
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
                self.step(
                    to,
                    Step::Sum {
                        to,
                        a,
                        b,
                        is_difference,
                    },
                );
            }
            Some(Source::Number(number)) => self.step(
                to,
                Step::Plus {
                    to,
                    from: a,
                    number,
                },
            ),
            _ => self.set(to, Value::NUMBER),
        }
    }

    fn and(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.first(), operands.only(1), operands.only(2)) {
            (Some(to), Some(Source::Register(from)), Some(Source::Number(mask))) => {
                self.step(
                    to,
                    Step::Masked {
                        to,
                        from,
                        mask,
                        is_wide,
                    },
                );
            }
            _ => self.bits(operands, is_wide),
        }
    }

    fn or(&mut self, operands: Operands<'_>, is_wide: bool) {
        match (operands.first(), operands.only(1), operands.only(2)) {
            (Some(to), Some(Source::Register(from)), Some(Source::Number(number))) => {
                self.step(to, Step::BitsSet { to, from, number });
            }
            _ => self.bits(operands, is_wide),
        }
    }

    fn shift_left(&mut self, operation: &Operation, operands: Operands<'_>) {
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

    fn convert(&mut self, operation: &Operation, operands: Operands<'_>) {
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
                self.step(
                    to,
                    Step::Resized {
                        to,
                        from: register,
                        is_wide,
                    },
                );
            }
            (Some(to), Some(Source::Number(number))) => self.set(to, Value::constant(number)),
            _ => self.numbers(operands),
        }
    }
}

/// The elements of a fragment of a matrix.
fn matrix(ty: Scalar) -> Element {
    Element {
        class: ty.class,
        arithmetic: ty.class,
        bytes: ty.bytes,
        ..Element::default()
    }
}

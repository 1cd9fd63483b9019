//! Instructions that access memory.

use super::{
    code::{Access, Element, Mode, Step, Use},
    names::NO_REGISTER,
    operands::{Operands, Source},
    operation::{Copies, Operation, Scalar, Space},
    translate::Translator,
};

impl Translator<'_, '_> {
    pub(super) fn access(
        &mut self,
        operation: &Operation,
        operands: Operands<'_>,
        address: usize,
        mode: Mode,
        element: Element,
        width: u8,
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
                width,
                origin: self.origin,
            });
        }
    }

    /// An access for each register of a vector.
    pub(super) fn accesses(
        &mut self,
        operation: &Operation,
        operands: Operands<'_>,
        registers: impl Iterator<Item = Source> + Clone,
        mode: Mode,
    ) {
        let count = u8::try_from(registers.clone().count()).unwrap_or(0);
        let width = operation.ty.bytes.saturating_mul(count);
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
            self.access(operation, operands, 0, mode, element, width);
        }
    }

    pub(super) fn load(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, operands.at(0), Mode::Read);
        match (operation.space, operands.address(0)) {
            (Space::Global | Space::Other, _) | (_, None) => {
                self.elsewhere(operands, bytes >= 8);
            }
            (_, Some((base, offset))) => {
                for (index, to) in (0_i32..).zip(operands.registers(0)) {
                    let offset = offset.saturating_add(index * i32::from(bytes));
                    self.step(to, Step::Load { to, base, offset, bytes });
                }
            }
        }
    }

    pub(super) fn store(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, operands.at(1), Mode::Write);
        let Some((base, offset)) = operands.address(0) else {
            return self.escape(operands.sources());
        };
        if matches!(operation.space, Space::Global | Space::Other) {
            return self.escape(operands.sources());
        }
        for (index, source) in (0_i32..).zip(operands.at(1)) {
            let Source::Register(from) = source else {
                continue;
            };
            let offset = offset.saturating_add(index * i32::from(bytes));
            self.code.steps.push(Step::Store { base, offset, bytes, from });
            self.code.uses.push((from, Use::Stored { base }));
        }
    }

    /// `atom` has a destination before its address, `red` has none.
    pub(super) fn atomic(&mut self, operation: &Operation, operands: Operands<'_>, address: u8) {
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
        self.access(operation, operands, 0, Mode::Atomic, element, element.bytes);
        self.escape(operands.sources());
    }

    pub(super) fn object(&mut self, operands: Operands<'_>) {
        // The destination of a load, and its residency.
        self.numbers(operands);
        if let Some((register, _)) = operands.address(0) {
            self.code.uses.push((register, Use::Handle));
        }
        self.escape(operands.sources());
    }

    pub(super) fn copy(&mut self, copies: Copies, operands: Operands<'_>) {
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
                width: 0,
                origin: self.origin,
            });
        }
    }
}

/// The elements of a fragment of a matrix.
pub(super) fn matrix(ty: Scalar) -> Element {
    Element { class: ty.class, arithmetic: ty.class, bytes: ty.bytes, ..Element::default() }
}

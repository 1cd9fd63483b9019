//! From statements to compact instructions.

use super::{
    classes::Classes,
    code::{Access, Action, Call, Code, Element, Mode, Origin, Step, Symbol, Use},
    lists::{Atom, Lists},
    names::{NO_REGISTER, Name, Names, Register, TooMany},
    opcodes::Effect,
    operands::{Enclosed, Operand, Operands, Source},
    operation::{Copies, Opcodes, Operation, Scalar, Space},
    statements::{Statement, Statements, Unreadable},
    value::Value,
};
use crate::ptx::lexer::Lexer;
use alloc::vec;
use kernel_args_abi::signature::{ElementClass, SlotKind};

/// A parameter of a kernel or function: its name and size.
pub(super) type Declared<'t> = (&'t str, usize);

/// Reads one body.
pub(super) struct Translator<'o, 't> {
    opcodes: &'o mut Opcodes<'t>,
    lists: &'o mut Lists,
    names: Names<'t>,
    code: Code<'t>,
    classes: Classes,
    origin: Origin,
}

/// The register of numbers that are not known.
const NUMBER: Register = NO_REGISTER + 1;
/// The maximum number of registers in `%r<8>` of an inner block, and of slots of all parameters.
const MOST_DECLARED: i64 = 4096;
const MOST_SLOTS: usize = 4096;
/// The maximum number of steps. The largest body that was found has 60,000.
const MOST_STEPS: usize = 1 << 20;

impl From<TooMany> for Unreadable {
    fn from(_: TooMany) -> Self {
        Self
    }
}

/// The compact form of the body that begins at this `{`.
pub(super) fn translate<'t>(
    lexer: &Lexer<'t>,
    parameters: &[Declared<'t>],
    returns: &[&'t str],
    opcodes: &mut Opcodes<'t>,
    lists: &mut Lists,
) -> Result<Code<'t>, Unreadable> {
    let mut translator = Translator {
        opcodes,
        lists,
        names: Names::new(),
        code: Code::default(),
        classes: Classes::default(),
        origin: Origin::default(),
    };
    let number = translator.names.unnamed();
    translator.set(number, Value::NUMBER);
    translator.parameters(parameters)?;
    for name in returns {
        let register = translator.symbol(Name::of(name), Symbol::Memory)?;
        translator.code.returns.push(register);
    }
    translator.body(&mut Statements::new(lexer))?;
    Ok(translator.finish())
}

impl<'t> Translator<'_, 't> {
    fn parameters(&mut self, parameters: &[Declared<'t>]) -> Result<(), Unreadable> {
        let mut first = 0;
        for &(name, bytes) in parameters {
            let symbol = Symbol::Parameter {
                bytes: u32::try_from(bytes).map_err(|_| Unreadable)?,
                first: u16::try_from(first).map_err(|_| Unreadable)?,
            };
            self.symbol(Name::of(name), symbol)?;
            first += bytes.div_ceil(8);
            if first > MOST_SLOTS {
                return Err(Unreadable);
            }
        }
        self.code.slots = first;
        Ok(())
    }

    /// A register whose value is the address of a new symbol.
    fn symbol(&mut self, name: Name<'t>, symbol: Symbol) -> Result<Register, Unreadable> {
        let register = self.names.declare(name)?;
        let number = self.code.symbols.len() as u32;
        self.code.symbols.push(symbol);
        let address = Value::atom(Atom::Address(number), self.lists);
        self.set(register, address);
        Ok(register)
    }

    fn body(&mut self, statements: &mut Statements<'t>) -> Result<(), Unreadable> {
        loop {
            match statements.next()? {
                Statement::Open => self.names.open(),
                Statement::Close => {
                    self.names.close();
                    if self.names.depth() == 0 {
                        return Ok(());
                    }
                }
                Statement::Declaration { is_memory } => self.declaration(is_memory, &statements.declared)?,
                Statement::Location { file, line } => (self.origin.file, self.origin.line) = (file, line),
                Statement::Other => {}
                Statement::Instruction(opcode) => {
                    if self.code.steps.len() > MOST_STEPS {
                        return Err(Unreadable);
                    }
                    let (number, operation) = self.opcodes.get(opcode)?;
                    self.origin.opcode = number;
                    let is_plain = statements.operands(&mut self.names)?;
                    if matches!(operation.effect, Effect::Call) {
                        self.call(statements);
                    } else if is_plain {
                        self.instruction(&operation, Operands(&statements.operands));
                    } else {
                        self.unknown(&statements.operands);
                    }
                }
            }
        }
    }

    fn declaration(&mut self, is_memory: bool, declared: &[(Name<'t>, i64)]) -> Result<(), Unreadable> {
        for &(name, count) in declared {
            if is_memory {
                self.symbol(name, Symbol::Memory)?;
            } else if self.names.depth() < 2 {
                // The registers of the outermost block hide no registers.
            } else if count == 0 {
                self.names.declare(name)?;
            } else if count > MOST_DECLARED {
                return Err(Unreadable);
            } else {
                self.names.declare_range(name, count)?;
            }
        }
        Ok(())
    }

    /// `call (retval0), name, (param0, param1);`
    fn call(&mut self, statements: &Statements<'t>) {
        let operands: &[Operand] = &statements.operands;
        let named = operands.iter().position(|operand| operand.enclosed == Enclosed::Not);
        let (before, after) = operands.split_at(named.unwrap_or(0));
        let registers = |part: &[Operand]| {
            let enclosed = part.iter().filter(|operand| operand.enclosed == Enclosed::Parentheses);
            enclosed.filter_map(Operand::register).collect()
        };
        let callee = named.map(|at| &operands[at]).filter(|operand| operand.register().is_some());
        let callee = callee.map(|operand| statements.name(operand.at).as_str());
        let offset = self.code.calls.len() as i32;
        self.code.steps.push(Step { offset, ..Step::new(Action::Call, NO_REGISTER, NO_REGISTER, NO_REGISTER) });
        self.code.calls.push(Call { callee, returns: registers(before), arguments: registers(after) });
    }

    /// Registers that no instruction sets are special registers, which are numbers; other names are variables.
    fn finish(mut self) -> Code<'t> {
        let count = self.names.count();
        self.code.values.resize(count, Value::default());
        let mut is_set = vec![false; count];
        for step in &self.code.steps {
            is_set[step.to as usize] = true;
        }
        let values: &mut [Value] = &mut self.code.values;
        self.names.each(|name, register| {
            let at = register as usize;
            if values[at].is_nothing() && !is_set[at] {
                values[at] = if name.text.starts_with(b"%") { Value::NUMBER } else { Value::VARIABLE };
            }
        });
        self.code.classes = self.classes.finish(count);
        self.code
    }

    /// The register can have this value.
    fn set(&mut self, register: Register, value: Value) {
        let at = register as usize;
        if at >= self.code.values.len() {
            self.code.values.resize(2 * at + 64, Value::default());
        }
        self.code.values[at] = self.code.values[at].join(value, self.lists);
    }

    /// Computes a register, unless the instruction has no destination.
    fn step(&mut self, action: Action, to: Register, a: Register, b: Register) {
        if to != NO_REGISTER {
            self.code.steps.push(Step::new(action, to, a, b));
        }
    }

    /// An instruction whose effect is not known: the values of its operands are passed to it.
    fn unknown(&mut self, operands: &[Operand]) {
        for operand in operands {
            let Some(register) = operand.register() else {
                continue;
            };
            self.code.steps.push(Step::new(Action::Pass, NO_REGISTER, register, NO_REGISTER));
            if operand.position == 0 && operand.enclosed == Enclosed::Not {
                self.set(register, Value::ELSEWHERE);
            }
        }
    }

    fn instruction(&mut self, operation: &Operation, own: Operands<'_>) {
        let bytes = operation.ty.bytes;
        let is_wide = bytes >= 8;
        let to = own.first().unwrap_or(NO_REGISTER);
        match operation.effect {
            Effect::Nothing => {}
            Effect::Load => self.load(operation, own),
            Effect::Store => self.store(operation, own),
            Effect::Atomic => self.atomic(operation, own, is_wide),
            Effect::Reduce => self.atomic(operation, own, false),
            Effect::Texture => self.object(own, SlotKind::Texture),
            Effect::Surface => self.object(own, SlotKind::Surface),
            Effect::BulkCopy => self.copy(operation, own),
            Effect::MatrixLoad => {
                self.numbers(own, Value::NUMBER);
                self.access(operation.space, own, 0, Mode::Read, Element::computed(operation.ty.class, bytes), 0);
            }
            Effect::MatrixStore => {
                self.access(operation.space, own, 0, Mode::Write, Element::computed(operation.ty.class, bytes), 0);
            }
            Effect::MultimemLoad => {
                self.numbers(own, if is_wide { Value::ELSEWHERE } else { Value::NUMBER });
                self.access(operation.space, own, 0, Mode::Read, Element::default(), 0);
            }
            Effect::MultimemWrite => {
                self.access(operation.space, own, 0, Mode::Atomic, Element::default(), 0);
                self.stored(own);
            }
            Effect::Move if own.at(0).count() == 1 && own.at(1).count() == 1 => self.copies(own, 1, to),
            Effect::Move => self.bits(own, is_wide && own.at(0).count() == 1),
            Effect::ConvertAddress => {
                let from = self.operand(own, 1);
                if operation.to_global {
                    self.code.uses.push((from, Use::Pointer));
                }
                let is_generic = !operation.is_to && operation.space != Space::Global;
                self.step(if is_generic { Action::Generic } else { Action::Copy }, to, from, NO_REGISTER);
            }
            Effect::Add => self.binary(Action::Add, own, to),
            Effect::Subtract => self.binary(Action::Subtract, own, to),
            Effect::Multiply => self.multiply(operation, own, to),
            Effect::MultiplyAdd => {
                let product = self.names.unnamed();
                self.multiply(operation, Operands(own.until(3)), product);
                let addend = self.operand(own, 3);
                self.step(Action::Add, to, product, addend);
            }
            Effect::Divide => {
                self.arithmetic(operation.ty, own);
                let from = self.operand(own, 1);
                self.step(Action::Scale, to, from, NO_REGISTER);
            }
            Effect::Negate => {
                let (zero, from) = (self.constant(0), self.operand(own, 1));
                self.step(Action::Subtract, to, zero, from);
            }
            Effect::OneOf => {
                for position in [1, 2] {
                    let from = self.operand(own, position);
                    self.step(Action::Copy, to, from, NO_REGISTER);
                }
            }
            Effect::Select => {
                self.copies(own, 1, to);
                self.copies(own, 2, to);
            }
            Effect::Exchange => self.copies(own, 1, to),
            Effect::And | Effect::Or if matches!(own.only(2), Some(Source::Number(_))) => {
                let action = if operation.effect == Effect::And { Action::And } else { Action::Or };
                self.binary(action, own, to);
            }
            Effect::Bits | Effect::And | Effect::Or => self.bits(own, is_wide),
            Effect::ShiftLeft => self.shift_left(operation, own, to),
            Effect::Convert => self.convert(operation, own, to),
            Effect::Number => self.numbers(own, Value::NUMBER),
            Effect::Float => {
                // `set` compares. Other operations of two types do not show which operand has which type.
                if operation.ty == operation.from {
                    self.classes.add_all(own.registers(0), operation.ty.class);
                    self.classes.add_all(own.sources(), operation.ty.class);
                } else if !operation.ty.class.is_float() {
                    self.classes.add_all(own.sources(), operation.from.class);
                }
                self.numbers(own, Value::NUMBER);
            }
            Effect::Call | Effect::Unknown => self.unknown(own.0),
        }
    }

    /// The register of an operand: of a constant, a new one.
    fn operand(&mut self, operands: Operands<'_>, position: u8) -> Register {
        match operands.only(position) {
            Some(Source::Register(register)) => match operands.offset(position) {
                0 => register,
                offset => {
                    let (sum, offset) = (self.names.unnamed(), self.constant(offset));
                    self.step(Action::Add, sum, register, offset);
                    sum
                }
            },
            Some(Source::Number(number)) => self.constant(number),
            _ => NUMBER,
        }
    }

    fn constant(&mut self, number: i64) -> Register {
        let register = self.names.unnamed();
        self.set(register, Value::constant(number));
        register
    }

    /// The destinations have this value.
    fn numbers(&mut self, operands: Operands<'_>, value: Value) {
        for register in operands.registers(0) {
            self.set(register, value);
        }
    }

    /// The destination can be the operand at this position, as a number, an address or an element.
    fn copies(&mut self, operands: Operands<'_>, position: u8, to: Register) {
        match operands.only(position) {
            Some(Source::Register(from)) => self.classes.copy(to, from),
            _ => self.classes.constant(to),
        }
        let from = self.operand(operands, position);
        self.step(Action::Copy, to, from, NO_REGISTER);
    }

    fn bits(&mut self, operands: Operands<'_>, is_wide: bool) {
        let bytes = if is_wide { 8 } else { 4 };
        // Two parts of an address that was loaded are an address.
        let is_assembled = is_wide && operands.sources().count() > 1;
        self.numbers(operands, if is_assembled { Value::ELSEWHERE } else { Value::NUMBER });
        for to in operands.registers(0) {
            for from in operands.sources() {
                self.code.steps.push(Step { bytes, ..Step::new(Action::Bits, to, from, NO_REGISTER) });
            }
        }
    }

    fn binary(&mut self, action: Action, operands: Operands<'_>, to: Register) {
        let (a, b) = (self.operand(operands, 1), self.operand(operands, 2));
        self.step(action, to, a, b);
    }

    /// The operands are factors of integers of this type.
    fn arithmetic(&mut self, ty: Scalar, operands: Operands<'_>) {
        for register in operands.sources() {
            self.classes.add(register, ElementClass::Integer);
            if ty.bytes == 8 {
                self.code.uses.push((register, Use::Arithmetic(self.origin)));
            }
        }
    }

    fn multiply(&mut self, operation: &Operation, operands: Operands<'_>, to: Register) {
        self.arithmetic(operation.ty, operands);
        if operation.is_high {
            self.set(to, Value::NUMBER);
        } else {
            self.binary(Action::Multiply, operands, to);
        }
    }

    fn shift_left(&mut self, operation: &Operation, operands: Operands<'_>, to: Register) {
        // A shift by more can remove the upper bits of an address.
        const MOST: i64 = 15;
        let from = self.operand(operands, 1);
        match operands.only(2) {
            Some(Source::Number(by @ 0..=MOST)) => {
                if operation.ty.bytes >= 8 && by > 0 {
                    self.code.uses.push((from, Use::Arithmetic(self.origin)));
                }
                let by = self.constant(1 << by);
                self.step(Action::Multiply, to, from, by);
            }
            _ => self.step(Action::Scale, to, from, NO_REGISTER),
        }
    }

    fn convert(&mut self, operation: &Operation, operands: Operands<'_>, to: Register) {
        let (ty, from) = (operation.ty, operation.from);
        self.classes.add_all(operands.registers(0), ty.class);
        self.classes.add_all(operands.sources(), from.class);
        if from.is_integer && ty.class.is_float() {
            self.arithmetic(from, operands);
        }
        if from.class == ty.class {
            let register = self.operand(operands, 1);
            let action = if from.bytes == ty.bytes { Action::Copy } else { Action::Resize };
            self.step(action, to, register, NO_REGISTER);
        } else {
            self.numbers(operands, Value::NUMBER);
        }
    }

    /// An access to global memory at the address with this index.
    fn access(&mut self, space: Space, operands: Operands<'_>, index: usize, mode: Mode, element: Element, width: u8) {
        if matches!(space, Space::Generic | Space::Global)
            && let Some((base, offset)) = operands.address(index)
        {
            self.code.accesses.push(Access { base, offset, mode, element, width, origin: self.origin });
        }
    }

    /// An access for each register of a vector.
    fn accesses(&mut self, operation: &Operation, operands: Operands<'_>, position: u8, mode: Mode) {
        let count = u8::try_from(operands.at(position).count()).unwrap_or(0);
        let width = operation.ty.bytes.saturating_mul(count);
        for source in operands.at(position) {
            let register = if let Source::Register(register) = source { register } else { NO_REGISTER };
            let element = Element {
                class: operation.ty.class,
                bytes: operation.ty.bytes,
                is_vector: operation.is_vector,
                arithmetic: ElementClass::Unknown,
                register,
            };
            self.access(operation.space, operands, 0, mode, element, width);
        }
    }

    fn load(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, 0, Mode::Read);
        let is_number = bytes < 8 && operation.space == Space::Global;
        match operands.address(0) {
            Some((a, mut offset)) if !is_number && operation.space != Space::Other => {
                for to in operands.registers(0) {
                    self.code.steps.push(Step { bytes, offset, ..Step::new(Action::Load, to, a, NO_REGISTER) });
                    offset = offset.saturating_add(bytes.into());
                }
            }
            _ => self.numbers(operands, if bytes >= 8 { Value::ELSEWHERE } else { Value::NUMBER }),
        }
    }

    fn store(&mut self, operation: &Operation, operands: Operands<'_>) {
        let bytes = operation.ty.bytes;
        self.accesses(operation, operands, 1, Mode::Write);
        let (a, mut offset) = match operands.address(0) {
            Some(address) if !matches!(operation.space, Space::Global | Space::Other) => address,
            _ => return self.stored(operands),
        };
        for source in operands.at(1) {
            if let Source::Register(b) = source {
                self.code.steps.push(Step { bytes, offset, ..Step::new(Action::Store, NO_REGISTER, a, b) });
            }
            offset = offset.saturating_add(bytes.into());
        }
    }

    /// The operands after the first one are stored in memory that is not local.
    fn stored(&mut self, operands: Operands<'_>) {
        for from in operands.sources() {
            self.code.steps.push(Step::new(Action::Store, NO_REGISTER, NUMBER, from));
        }
    }

    /// `atom` has a destination before its address, `red` has none.
    fn atomic(&mut self, operation: &Operation, operands: Operands<'_>, is_wide: bool) {
        let mut values = operands.sources().chain(operands.registers(0));
        let element = Element {
            register: values.next().unwrap_or(NO_REGISTER),
            is_vector: operation.is_vector,
            ..Element::computed(operation.ty.class, operation.ty.bytes)
        };
        // What is exchanged with the memory is an element, too.
        for register in values {
            self.classes.unite(register, element.register);
        }
        self.numbers(operands, if is_wide { Value::ELSEWHERE } else { Value::NUMBER });
        self.access(operation.space, operands, 0, Mode::Atomic, element, element.bytes);
        self.stored(operands);
    }

    /// A texture or a surface: the first address is its handle.
    fn object(&mut self, operands: Operands<'_>, kind: SlotKind) {
        self.numbers(operands, Value::NUMBER);
        if let Some((register, _)) = operands.address(0) {
            self.code.uses.push((register, Use::Object(kind, self.origin)));
        }
        self.stored(operands);
    }

    fn copy(&mut self, operation: &Operation, operands: Operands<'_>) {
        let (index, mode) = match operation.copies {
            Copies::Nothing => return,
            Copies::FromGlobal => (1, Mode::Read),
            Copies::ToGlobal => (0, Mode::Write),
            Copies::Reduces => (0, Mode::Atomic),
            Copies::Tensor => {
                for (register, _) in [0, 1].iter().filter_map(|index| operands.address(*index)) {
                    self.code.uses.push((register, Use::Object(SlotKind::TensorMap, self.origin)));
                }
                return;
            }
        };
        self.access(Space::Global, operands, index, mode, Element::default(), 0);
    }
}

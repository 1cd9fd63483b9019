//! From statements to compact instructions. The body of a called function becomes a part of its caller.

use super::{
    Access, Action, Object, Program, Step,
    lists::{Atom, Lists, SlotId},
    names::{NO_REGISTER, Name, Names, NoClaim, Register},
    opcodes::{AccessSpace, Effect, Opcodes, Operation, Scalar},
    outline::Outline,
    statements::{Enclosed, Operand, OperandValue, Operands, Statement, Statements},
    value::Value,
};
use crate::formats::ptx::{Parameter, lexer::Lexer};
use crate::prelude::*;
use kernel_args_abi::signature::{ElementClass, Evidence, SlotKind};

pub(super) struct Translator<'o, 't> {
    pub(super) opcodes: &'o mut Opcodes<'t>,
    pub(super) outline: &'o Outline<'t>,
    pub(super) lists: &'o mut Lists,
    names: Names<'t>,
    code: Program<'t>,
    /// Registers that hold the same element, if the second one is no constant.
    same: Vec<(Register, Register)>,
    known: Vec<RegisterFacts>,
    /// The current instruction, and whether every thread of every launch executes it.
    evidence: Evidence<'t>,
    is_always: bool,
    depth: usize,
}

#[derive(Clone, Copy, Default)]
struct RegisterFacts {
    value: Option<Value>,
    classes: u8,
    /// Whether a step computes it, and whether an instruction copies a constant to it.
    is_set: bool,
    is_constant: bool,
}

/// The registers of numbers that are not known, and of values from elsewhere.
const NUMBER: Register = 1;
const ELSEWHERE: Register = 2;
/// Whether an access reads, and whether it writes.
const READ: (bool, bool) = (true, false);
const WRITE: (bool, bool) = (false, true);
const ATOMIC: (bool, bool) = (true, true);
const MOST_SLOTS: usize = 4096;
/// A body of gpu4pyscf has more than 2^18.
const MOST_STEPS: usize = 1 << 19;
/// Of an instruction that is no call.
const MOST_OPERANDS: usize = 256;
const MOST_DEPTH: usize = 32;
/// Functions that retain nothing and write nothing.
const HARMLESS: [&str; 2] = ["vprintf", "__assertfail"];

impl<'o, 't> Translator<'o, 't> {
    pub(super) fn new(opcodes: &'o mut Opcodes<'t>, outline: &'o Outline<'t>, lists: &'o mut Lists) -> Self {
        let (names, code, evidence) = (Names::new(ELSEWHERE + 1), Program::default(), Evidence::default());
        Self { opcodes, outline, lists, names, code, same: vec![], known: vec![], evidence, depth: 0, is_always: true }
    }

    pub(super) fn translate(mut self, body: &Lexer<'t>, parameters: &[Parameter<'t>]) -> Result<Program<'t>, NoClaim> {
        self.set(NUMBER, Value::NUMBER);
        self.set(ELSEWHERE, Value::ELSEWHERE);
        for parameter in parameters {
            let (size, first) = (parameter.layout.size(), self.code.slots as SlotId);
            self.code.slots += size.div_ceil(8);
            if self.code.slots > MOST_SLOTS {
                return Err(NoClaim);
            }
            let (bytes, is_pointer) = (size as u32, parameter.pointee.is_some());
            self.declare(Name::of(parameter.name), Some(Object::Parameter { bytes, first, is_pointer }))?;
        }
        self.body(&mut Statements::new(body))?;
        self.end_of_names();
        self.spread_classes();
        self.known[NO_REGISTER as usize] = RegisterFacts { value: Some(Value::NUMBER), ..RegisterFacts::default() };
        self.code.values.extend(self.known.iter().map(|known| known.value));
        self.code.classes.extend(self.known.iter().map(|known| known.classes));
        Ok(self.code)
    }

    fn declare(&mut self, name: Name<'t>, symbol: Option<Object>) -> Result<(), NoClaim> {
        let register = self.names.unnamed();
        if let Some(symbol) = symbol {
            let address = Value::atom(Atom::Address(self.code.symbols.len() as u32), self.lists);
            self.code.symbols.push(symbol);
            self.set(register, address);
        }
        self.names.declare(name, register)
    }

    fn body(&mut self, statements: &mut Statements<'t>) -> Result<(), NoClaim> {
        loop {
            match statements.next()? {
                Statement::Open => self.names.open(),
                Statement::Close => {
                    self.names.close();
                    if self.names.depth() == 0 {
                        return Ok(());
                    }
                }
                Statement::Declaration { is_memory, has_range } => {
                    // The registers of the outermost block hide no registers.
                    let hides = is_memory || self.names.depth() > 1;
                    if hides && has_range && !is_memory {
                        return Err(NoClaim);
                    }
                    for name in statements.declared.iter().filter(|_| hides) {
                        self.declare(*name, is_memory.then_some(Object::Memory))?;
                    }
                }
                Statement::Location { file, line } => {
                    let name = self.outline.files.get(&file.into()).filter(|_| line > 0);
                    (self.evidence.file, self.evidence.line) = (name.copied().unwrap_or_default(), line);
                }
                Statement::Other => {}
                Statement::Instruction(opcode, is_predicated) => {
                    if self.code.steps.len() > MOST_STEPS {
                        return Err(NoClaim);
                    }
                    let (opcode, operation) = self.opcodes.get(opcode)?;
                    self.evidence.opcode = opcode;
                    let is_plain = statements.operands(&mut self.names)?;
                    let before = self.is_always;
                    self.is_always &= !is_predicated;
                    if matches!(operation.effect, Effect::Call) {
                        self.call(statements)?;
                    } else if is_plain && statements.operands.all.len() <= MOST_OPERANDS {
                        self.instruction(&operation, &statements.operands);
                    } else {
                        self.unknown(&statements.operands);
                    }
                    self.is_always =
                        before && !matches!(operation.effect, Effect::Jump | Effect::Call | Effect::Unknown);
                }
            }
        }
    }

    /// `call (retval0), name, (param0, param1);`
    fn call(&mut self, statements: &Statements<'t>) -> Result<(), NoClaim> {
        let operands: &[Operand] = &statements.operands.all;
        let named = operands.iter().position(|operand| operand.enclosed == Enclosed::Not);
        let (before, after) = operands.split_at(named.unwrap_or(0));
        let registers = |part: &[Operand]| -> Vec<Register> {
            let enclosed = part.iter().filter(|operand| operand.enclosed == Enclosed::Parentheses);
            enclosed.filter_map(Operand::register).collect()
        };
        let (returns, arguments) = (registers(before), registers(after));
        let callee = named.map(|at| statements.name(operands[at].at).as_str()).unwrap_or_default();
        let outline: &'o Outline<'t> = self.outline;
        if let Some(function) = outline.functions.get(callee.as_bytes())
            && (function.parameters.len(), function.returns.len()) == (arguments.len(), returns.len())
            && self.depth < MOST_DEPTH
        {
            self.lists.pay(1)?;
            let inner = Names::new(self.names.registers);
            let (mut outer, evidence) = (core::mem::replace(&mut self.names, inner), self.evidence);
            let inner = function.parameters.iter().chain(&function.returns);
            for (parameter, register) in inner.zip(arguments.iter().chain(&returns)) {
                self.names.declare(Name::of(parameter.name), *register)?;
            }
            self.depth += 1;
            let mut statements = Statements::new(&function.body);
            self.body(&mut statements)?;
            // Reading 8 bytes takes as long as a turn of other loops.
            self.lists.pay((statements.at - function.body.at) / 8)?;
            self.depth -= 1;
            self.end_of_names();
            outer.registers = self.names.registers;
            (self.names, self.evidence) = (outer, evidence);
            return Ok(());
        }
        if !HARMLESS.contains(&callee) {
            for argument in arguments {
                self.step(Action::Pass, NO_REGISTER, argument, NO_REGISTER);
            }
        }
        for to in returns {
            let anywhere = self.names.unnamed();
            self.step(Action::Add, anywhere, to, NUMBER);
            self.memory_step(Action::Store, NO_REGISTER, (anywhere, ELSEWHERE), (8, 0));
        }
        Ok(())
    }

    /// Names that no instruction sets are special registers (numbers) or variables.
    fn end_of_names(&mut self) {
        self.known(self.names.registers);
        for (name, register) in &self.names.entries {
            let own = &mut self.known[*register as usize];
            if !own.is_set && own.value.is_none() {
                own.value = Some(if name.text.starts_with(b"%") { Value::NUMBER } else { Value::VARIABLE });
            }
        }
    }

    fn spread_classes(&mut self) {
        let known = &mut self.known[..self.names.registers as usize];
        let mut parents: Vec<Register> = (0..self.names.registers).collect();
        let root = |parents: &mut [Register], register: Register| {
            let mut at = register as usize;
            while parents[at] as usize != at {
                parents[at] = parents[parents[at] as usize];
                at = parents[at] as usize;
            }
            at
        };
        for (to, from) in &self.same {
            // Compilers use one register for an integer 0 and a float 0.
            if *to != NO_REGISTER && !known[*from as usize].is_constant {
                let (to, from) = (root(&mut parents, *to), root(&mut parents, *from));
                known[from].classes |= known[to].classes;
                parents[to] = from as Register;
            }
        }
        for register in 0..known.len() {
            known[register].classes = known[root(&mut parents, register as Register)].classes;
        }
    }

    fn known(&mut self, register: Register) -> &mut RegisterFacts {
        let at = register as usize;
        if at >= self.known.len() {
            self.known.resize(2 * at + 64, RegisterFacts::default());
        }
        &mut self.known[at]
    }

    fn set(&mut self, register: Register, value: Value) {
        let old = self.known(register).value;
        self.known[register as usize].value = Some(old.map_or(value, |old| old.join(value, self.lists)));
    }

    fn step(&mut self, action: Action, to: Register, a: Register, b: Register) {
        self.memory_step(action, to, (a, b), (0, 0));
    }

    /// Without a destination, an instruction computes nothing.
    fn memory_step(&mut self, action: Action, to: Register, (a, b): (Register, Register), (bytes, offset): (u8, i32)) {
        if to != NO_REGISTER || matches!(action, Action::Store | Action::Pass) {
            self.known(to).is_set = true;
            self.code.steps.push(Step { action, to, a, b, bytes, offset });
        }
    }

    fn classes(&mut self, registers: impl Iterator<Item = Register>, class: ElementClass) {
        if class != ElementClass::Unknown {
            registers.for_each(|register| self.known(register).classes |= 1 << class as u8);
        }
    }

    fn unknown(&mut self, operands: &Operands) {
        for register in operands.all.iter().filter_map(Operand::register) {
            self.step(Action::Pass, NO_REGISTER, register, NO_REGISTER);
        }
        self.results(operands, Value::ELSEWHERE);
    }

    fn instruction(&mut self, operation: &Operation, own: &Operands) {
        let Operation { ty: Scalar { class, bytes, .. }, space, .. } = *operation;
        let is_wide = bytes >= 8;
        let to = own.registers(0).next().unwrap_or(NO_REGISTER);
        let evidence = self.evidence;
        let plain = Access { class, is_computed: true, size: bytes, width: bytes, evidence, ..Access::default() };
        let access = |(is_read, is_written)| Access { is_read, is_written, ..plain };
        match operation.effect {
            Effect::Nothing | Effect::Jump => {}
            Effect::Load => self.transfer(operation, own, 0, access(READ)),
            Effect::Store => self.transfer(operation, own, 1, access(WRITE)),
            Effect::Access(is_read, is_written) => {
                let mut values = own.sources().chain(own.registers(0));
                let element = values.next().unwrap_or(NO_REGISTER);
                // What is exchanged with the memory is an element, too.
                self.same.extend(values.map(|register| (register, element)));
                self.results(own, if is_wide { Value::ELSEWHERE } else { Value::NUMBER });
                self.access(space, own, 0, Access { element, ..access((is_read, is_written)) });
                self.stored(own);
            }
            Effect::Object(kind) => {
                self.results(own, Value::NUMBER);
                self.code.kinds.extend(own.address(0).map(|(handle, _)| (handle, kind, evidence)));
                self.stored(own);
            }
            Effect::BulkCopy => self.copy(own, &access),
            Effect::Move if own.at(0).len() == 1 && own.at(1).len() == 1 => self.copies(own, 1, to),
            Effect::Move => self.bits(own, is_wide && own.at(0).len() == 1),
            Effect::OneOf(last) => (1..=last).for_each(|position| self.copies(own, position, to)),
            Effect::ConvertAddress { is_to } => {
                let from = self.operand(own, 1);
                if is_to && space == AccessSpace::Global {
                    self.code.kinds.push((from, SlotKind::Pointer, evidence));
                }
                let is_generic = !is_to && space != AccessSpace::Global;
                self.step(if is_generic { Action::Generic } else { Action::Copy }, to, from, NO_REGISTER);
            }
            Effect::Compute(action) => self.compute(action, operation, own, to),
            Effect::MultiplyAdd => {
                let product = self.names.unnamed();
                self.compute(Action::Multiply, operation, own, product);
                let addend = self.operand(own, 3);
                self.step(Action::Add, to, product, addend);
            }
            Effect::Bits => self.bits(own, is_wide),
            Effect::Convert => self.convert(operation, own, to),
            Effect::Number => self.results(own, Value::NUMBER),
            Effect::Float => {
                // `set` compares. Other operations of two types do not show which operand has which type.
                if operation.ty == operation.from {
                    self.classes(own.registers(0), class);
                    self.classes(own.sources(), class);
                } else if !class.is_float() {
                    self.classes(own.sources(), operation.from.class);
                }
                self.results(own, Value::NUMBER);
            }
            Effect::Call | Effect::Unknown => self.unknown(own),
        }
    }

    /// Returns the register of an operand: of a constant, a new one.
    fn operand(&mut self, operands: &Operands, position: usize) -> Register {
        let [Operand { value, offset, enclosed: Enclosed::Not, .. }] = operands.at(position) else {
            return NUMBER;
        };
        match (*value, *offset) {
            (OperandValue::Register(register), 0) => register,
            (OperandValue::Register(register), offset) => {
                let (sum, offset) = (self.names.unnamed(), self.constant(offset));
                self.step(Action::Add, sum, register, offset);
                sum
            }
            (OperandValue::Number(number), _) => self.constant(number),
            (OperandValue::Constant, _) => NUMBER,
        }
    }

    fn constant(&mut self, number: i64) -> Register {
        let register = self.names.unnamed();
        self.set(register, Value::constant(number));
        register
    }

    fn results(&mut self, operands: &Operands, value: Value) {
        operands.registers(0).for_each(|register| self.set(register, value));
    }

    /// The destination can be the operand at this position, as a number, an address or an element.
    fn copies(&mut self, operands: &Operands, position: usize, to: Register) {
        let from = self.operand(operands, position);
        if let [Operand { value: OperandValue::Register(from), .. }] = operands.at(position) {
            self.same.push((to, *from));
        } else if let Some(constant) = self.known(from).value {
            self.known(to).is_constant = true;
            return self.set(to, constant);
        }
        self.step(Action::Copy, to, from, NO_REGISTER);
    }

    fn bits(&mut self, operands: &Operands, is_wide: bool) {
        // Two parts of an address that was loaded are an address.
        let is_assembled = is_wide && operands.sources().count() > 1;
        self.results(operands, if is_assembled { Value::ELSEWHERE } else { Value::NUMBER });
        for to in operands.registers(0) {
            for a in operands.sources() {
                self.memory_step(Action::Bits, to, (a, NO_REGISTER), (if is_wide { 8 } else { 4 }, 0));
            }
        }
    }

    /// The operands are factors of integers of this type.
    fn arithmetic(&mut self, ty: Scalar, operands: &Operands) {
        let factors = || operands.registers(1).chain(operands.registers(2));
        self.classes(factors(), ElementClass::Integer);
        let kinds = factors().map(|register| (register, SlotKind::Integer, self.evidence));
        self.code.kinds.extend(kinds.filter(|_| ty.bytes == 8));
    }

    fn compute(&mut self, action: Action, operation: &Operation, operands: &Operands, to: Register) {
        let (mut a, mut b) = (self.operand(operands, 1), self.operand(operands, 2));
        if operands.at(2).is_empty() {
            // `neg`.
            (a, b) = (self.constant(0), a);
        }
        let is_scale = |by: &[Operand]| matches!(by, [Operand { value: OperandValue::Number(1..16), .. }]);
        match action {
            Action::Multiply | Action::Divide => self.arithmetic(operation.ty, operands),
            Action::ShiftLeft if operation.ty.bytes >= 8 && is_scale(operands.at(2)) => {
                self.code.kinds.push((a, SlotKind::Integer, self.evidence));
            }
            _ => {}
        }
        if operation.is_high {
            self.set(to, Value::NUMBER);
        } else {
            self.memory_step(action, to, (a, b), (operation.ty.bytes, 0));
        }
    }

    fn convert(&mut self, operation: &Operation, operands: &Operands, to: Register) {
        let (ty, from) = (operation.ty, operation.from);
        let register = self.operand(operands, 1);
        let source = *self.known(register);
        // 0 has the same bits in every format.
        if source.is_set || source.value != Some(Value::constant(0)) {
            self.classes(operands.registers(0), ty.class);
        }
        self.classes(operands.sources(), from.class);
        if from.is_integer && ty.class.is_float() {
            self.arithmetic(from, operands);
        }
        if from.class == ty.class {
            self.step(if from.bytes == ty.bytes { Action::Copy } else { Action::Resize }, to, register, NO_REGISTER);
        } else {
            self.results(operands, Value::NUMBER);
        }
    }

    fn access(&mut self, space: AccessSpace, operands: &Operands, index: usize, access: Access<'t>) {
        if matches!(space, AccessSpace::Generic | AccessSpace::Global)
            && let Some((base, offset)) = operands.address(index)
        {
            self.code.accesses.push(Access { base, offset, is_always: self.is_always, ..access });
        }
    }

    /// `ld` and `st`: the value, possibly a vector, is at position 0 or 1.
    fn transfer(&mut self, operation: &Operation, operands: &Operands, position: usize, access: Access<'t>) {
        let (bytes, space, all) = (operation.ty.bytes, operation.space, operands.at(position));
        let width = bytes.saturating_mul(u8::try_from(all.len()).unwrap_or(0));
        for operand in all {
            let element = operand.register().unwrap_or(NO_REGISTER);
            self.access(space, operands, 0, Access { element, is_computed: false, width, ..access });
        }
        // A number that is loaded from global memory needs no step.
        let is_step = space != AccessSpace::Other && (space != AccessSpace::Global || position == 0 && bytes >= 8);
        let Some((address, mut offset)) = operands.address(0).filter(|_| is_step) else {
            let value = if bytes >= 8 { Value::ELSEWHERE } else { Value::NUMBER };
            return if position == 0 { self.results(operands, value) } else { self.stored(operands) };
        };
        for operand in all {
            match (operand.register(), position) {
                (Some(to), 0) => self.memory_step(Action::Load, to, (address, NO_REGISTER), (bytes, offset)),
                (Some(from), _) => self.memory_step(Action::Store, NO_REGISTER, (address, from), (bytes, offset)),
                (None, _) => {}
            }
            offset = offset.saturating_add(bytes.into());
        }
    }

    /// The operands after the first one are stored in memory that is not local.
    fn stored(&mut self, operands: &Operands) {
        for from in operands.sources() {
            self.step(Action::Store, NO_REGISTER, NUMBER, from);
        }
    }

    /// `cp`: the first of its spaces is the destination.
    fn copy(&mut self, operands: &Operands, access: &impl Fn((bool, bool)) -> Access<'t>) {
        let opcode = self.evidence.opcode;
        let has = |part| opcode.split('.').any(|found| found == part);
        let mut spaces = opcode.split('.').filter(|part| *part == "global" || part.starts_with("shared"));
        let is_written = spaces.next() == Some("global");
        if has("tensor") {
            let maps = [0, 1].into_iter().filter_map(|index| operands.address(index));
            self.code.kinds.extend(maps.map(|(register, _)| (register, SlotKind::TensorMap, self.evidence)));
        } else if has("global") && !has("prefetch") {
            let mode = if has("reduce") { ATOMIC } else { WRITE };
            let access = Access { size: 0, width: 0, ..access(if is_written { mode } else { READ }) };
            self.access(AccessSpace::Global, operands, usize::from(!is_written), access);
        }
    }
}

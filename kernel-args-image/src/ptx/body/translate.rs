//! From statements to compact instructions.

use super::{
    classes::Classes,
    code::{Call, Code, Origin, Step, Symbol, Use},
    forms::Set,
    names::{NO_REGISTER, Name, Names, Register, TooMany},
    opcodes::Effect,
    operands::{Enclosed, Operand},
    operation::Opcodes,
    statements::{Statement, Statements, Unreadable},
    value::Value,
};
use crate::ptx::lexer::Lexer;
use alloc::vec::Vec;

/// A parameter of a kernel or function: its name and size.
pub(super) type Declared<'t> = (&'t str, usize);

/// Reads one body.
pub(super) struct Translator<'o, 't> {
    opcodes: &'o mut Opcodes<'t>,
    names: Names<'t>,
    pub(super) code: Code<'t>,
    pub(super) classes: Classes,
    /// Whether an instruction defines each register.
    defined: Vec<bool>,
    pub(super) origin: Origin,
}

/// The maximum number of registers in `%r<8>` of an inner block, and of slots of all parameters.
const MOST_DECLARED: i64 = 4096;
const MOST_SLOTS: usize = 4096;
/// The maximum number of instructions that compute a register. The largest body that was found has 60,000.
const MOST_STEPS: usize = 1 << 21;

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
) -> Result<Code<'t>, Unreadable> {
    let mut translator = Translator {
        opcodes,
        names: Names::new(),
        code: Code::default(),
        classes: Classes::default(),
        defined: Vec::new(),
        origin: Origin::default(),
    };
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
        self.set(register, Value::address(number));
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
                Statement::Declaration { is_memory } => {
                    self.declaration(is_memory, &statements.declared)?;
                }
                Statement::Location { file, line } => {
                    (self.origin.file, self.origin.line) = (file, line);
                }
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
                        self.instruction(&operation, &statements.operands);
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
                self.names.declare_range(name, count);
            }
        }
        Ok(())
    }

    /// `call (retval0), name, (param0, param1);`
    fn call(&mut self, statements: &Statements<'t>) {
        let operands: &[Operand] = &statements.operands;
        let is_argument = |operand: &&Operand| operand.enclosed == Enclosed::Parentheses;
        let named = operands.iter().position(|operand| operand.enclosed == Enclosed::Not);
        let (before, after) = operands.split_at(named.unwrap_or(0));
        let registers = |part: &[Operand]| part.iter().filter(is_argument).filter_map(Operand::register).collect();
        let (returns, arguments): (Vec<_>, Vec<_>) = (registers(before), registers(after));
        for &register in &returns {
            self.define(register);
        }
        let callee = named.map(|at| &operands[at]);
        let callee = callee.filter(|operand| operand.register().is_some());
        let callee = callee.map(|operand| statements.name(operand.at).as_str());
        self.code.steps.push(Step::Call { index: self.code.calls.len() as u32 });
        self.code.calls.push(Call { callee, arguments, returns });
    }

    /// The values of registers that no instruction defines are numbers: `%tid`, addresses of global variables.
    fn finish(mut self) -> Code<'t> {
        let count = self.names.count();
        self.defined.resize(count, false);
        self.code.values.resize(count, Value::default());
        let values: &mut [Value] = &mut self.code.values;
        let defined: &[bool] = &self.defined;
        let mut register = 0;
        while register < count {
            if !defined[register] {
                values[register] = Value::NUMBER;
            }
            register += 1;
        }
        values[NO_REGISTER as usize] = Value::default();
        self.code.seen = self.classes.finish(count);
        self.code.seen[NO_REGISTER as usize] = 0;
        self.code
    }

    /// A new register without a name.
    pub(super) fn unnamed(&mut self) -> Register {
        let register = self.names.unnamed();
        self.define(register);
        register
    }

    /// The register can have this value.
    pub(super) fn set(&mut self, register: Register, value: Value) {
        self.define(register);
        let at = register as usize;
        if at >= self.code.values.len() {
            self.code.values.resize(2 * at + 64, Value::default());
        }
        let place = &mut self.code.values[at];
        let old = *place;
        *place = match old.forms {
            Set::NONE => value,
            // Instructions without registers define numbers and values from elsewhere only.
            _ if old.forms == value.forms => Value { stride: old.stride.join(value.stride), ..old },
            _ => Value { place: old.place, ..Value::ELSEWHERE },
        };
    }

    pub(super) fn step(&mut self, to: Register, step: Step) {
        self.define(to);
        self.code.steps.push(step);
    }

    /// An instruction whose effect is not known: the values of its operands escape.
    pub(super) fn unknown(&mut self, operands: &[Operand]) {
        for operand in operands {
            let Some(register) = operand.register() else {
                continue;
            };
            self.code.uses.push((register, Use::Escape));
            if operand.position == 0 && operand.enclosed == Enclosed::Not {
                self.set(register, Value::ELSEWHERE);
            }
        }
    }

    pub(super) fn define(&mut self, register: Register) {
        let at = register as usize;
        if at >= self.defined.len() {
            self.defined.resize(2 * at + 64, false);
        }
        self.defined[at] = true;
    }
}

//! Decodes a kernel and the functions that it calls: names become slots, constants and offsets, and labels numbers.

use std::collections::HashMap;

use super::{
    arithmetic::{Vector, vector},
    code::{
        Base, Call, Callee, Condition, Constant, Executable, Flow, Function, Instruction, Op, Place, SINK, Source,
        Space, Uses, window,
    },
    flow, host, machine,
    step::{Next, REGISTERS, Step, Stop},
    types::{Type, low},
    words::Words,
};
use crate::ptx::{
    self, Mistake, Module, Operand, Parsed, Statement, Variable,
    placement::{self, Shape},
};

/// How an instruction is decoded.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// A function of lanes, with this number of operands: `arithmetic::vector`.
    Lanes(usize),
    With(fn(&mut Decoder<'_, '_>, &Words<'_>, &[Operand]) -> Option<Op>),
}

/// What a name means in a scope.
#[derive(Clone, Debug)]
enum Named {
    Register {
        slot: u32,
        width: u32,
    },
    Predicate(u32),
    /// A variable or a parameter in the function's frame.
    Frame(u32, u32),
    /// A parameter of the kernel.
    Bank(u32),
    Shared(u32),
    Targets(Vec<String>),
}

/// The most scopes in each other, and the most targets of all indexed branches of a function: looking up names, and
/// finding where branches meet, take time for each.
const DEEPEST: usize = 200;
const TARGETS: usize = 1 << 16;

#[derive(Default)]
struct Scope {
    names: HashMap<String, Named>,
    /// `%r<5>`: the type and the number of registers.
    ranges: HashMap<String, (String, u64)>,
    labels: HashMap<String, u32>,
    /// The scope around it.
    parent: Option<usize>,
}

/// The state of decoding a kernel.
struct Kernel<'a> {
    module: &'a Module,
    by_name: HashMap<&'a str, usize>,
    executable: Executable,
    constants: HashMap<Constant, u32>,
    specials: HashMap<String, u32>,
    /// Shared variables: of the module by name, and all with their places in the order in which they lie
    /// (`Module::static_shared`).
    shared_names: HashMap<String, u32>,
    shared: Vec<([usize; 2], Variable)>,
    /// Functions to decode, by their numbers in the module.
    wanted: Vec<usize>,
    /// The offsets of the kernel's parameters.
    offsets: &'a [u32],
    row: fn(&str) -> Option<How>,
    flow: fn(&Words<'_>) -> Flow,
}

/// The state of decoding a function.
pub(super) struct Decoder<'a, 'b> {
    kernel: &'b mut Kernel<'a>,
    function: Function,
    is_entry: bool,
    /// 0 for the kernel, and the number in the module for a function.
    number: usize,
    /// All scopes of the function. The first one is its body.
    scopes: Vec<Scope>,
    /// The number of the innermost scope.
    scope: usize,
    /// Branches to resolve: the instruction, and the scope.
    branches: Vec<(usize, usize, Vec<String>)>,
    pending: Vec<String>,
    /// The registers of the instruction that is being decoded.
    uses: Uses,
}

/// What is known of instructions: how they are decoded, and what they do with undefined values.
pub(super) type Table = (fn(&str) -> Option<How>, fn(&Words<'_>) -> Flow);

/// Decodes `name` for parameters at `offsets`.
pub(super) fn decode(module: &Module, name: &str, offsets: &[u32], (row, flow): Table) -> Parsed<Executable> {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (number, function) in module.functions.iter().enumerate() {
        if function.body.is_some() || !by_name.contains_key(function.name.as_str()) {
            by_name.insert(&function.name, number);
        }
    }
    for (alias, name) in &module.aliases {
        if let Some(number) = by_name.get(name.as_str()).copied() {
            by_name.insert(alias, number);
        }
    }
    let missing = || Mistake { line: 1, text: format!("there is no kernel `{name}`") };
    let first = *by_name.get(name).ok_or_else(missing)?;
    let numbers = vec![None; module.functions.len()];
    let executable = Executable { numbers, files: module.files.clone(), ..Executable::default() };
    let mut kernel = Kernel {
        module,
        by_name,
        executable,
        constants: HashMap::new(),
        specials: HashMap::new(),
        shared_names: HashMap::new(),
        shared: Vec::new(),
        wanted: vec![first],
        offsets,
        row,
        flow,
    };
    kernel.executable.numbers[first] = Some(0);
    let mut next = 0;
    while let Some(number) = kernel.wanted.get(next).copied() {
        next += 1;
        let function = kernel.function(number)?;
        kernel.executable.functions.push(function);
    }
    Ok(kernel.finish())
}

impl<'a> Kernel<'a> {
    fn function(&mut self, number: usize) -> Parsed<Function> {
        let module = self.module;
        let source = &module.functions[number];
        let Some(body) = &source.body else {
            return Err(Mistake { line: 1, text: format!("the function `{}` is not defined", source.name) });
        };
        let mut decoder = Decoder {
            function: Function { name: source.name.clone(), registers: 1, predicates: 2, ..Function::default() },
            is_entry: source.is_entry,
            number: if source.is_entry { 0 } else { number },
            scopes: vec![Scope::default()],
            scope: 0,
            branches: Vec::new(),
            pending: Vec::new(),
            uses: Uses::default(),
            kernel: self,
        };
        decoder.parameters(source)?;
        decoder.body(body)?;
        decoder.finish()
    }

    fn finish(mut self) -> Executable {
        let mut order: Vec<usize> = (0..self.shared.len()).collect();
        order.sort_by_key(|number| self.shared[*number].0);
        let mut shapes: Vec<Shape> = order.iter().map(|number| self.shared[*number].1.shape()).collect();
        let is_dynamic = |variable: &&Variable| variable.space == ".shared" && variable.size == 0;
        shapes.extend(self.module.variables.iter().filter(is_dynamic).map(Variable::shape));
        let (offsets, end) = placement::place_shared(&shapes);
        self.executable.shared = vec![0; self.shared.len()];
        for (number, offset) in order.into_iter().zip(offsets) {
            self.executable.shared[number] = offset as u64;
        }
        self.executable.shared_size = end as u64;
        self.executable
    }

    fn constant(&mut self, constant: Constant) -> Source {
        let next = self.executable.constants.len() as u32;
        let number = *self.constants.entry(constant.clone()).or_insert(next);
        if number == next {
            self.executable.constants.push(constant);
        }
        Source::Constant(number)
    }

    fn add_shared(&mut self, place: [usize; 2], variable: &Variable) -> u32 {
        self.shared.push((place, variable.clone()));
        self.shared.len() as u32 - 1
    }

    /// Returns the decoded number of a function of the module, which is decoded later.
    fn want(&mut self, number: usize) -> u32 {
        if let Some(known) = self.executable.numbers[number] {
            return known;
        }
        let next = self.wanted.len() as u32;
        self.wanted.push(number);
        self.executable.numbers[number] = Some(next);
        next
    }
}

fn digits(name: &str) -> Option<(&str, u64)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[prefix.len()..];
    // `%r01` is a different name.
    if number.len() > 1 && number.starts_with('0') {
        return None;
    }
    Some((prefix, number.parse().ok()?))
}

impl Decoder<'_, '_> {
    fn parameters(&mut self, source: &ptx::Function) -> Parsed<()> {
        if source.is_entry {
            for (index, parameter) in source.parameters.iter().enumerate() {
                let offset = self.kernel.offsets.get(index).copied().unwrap_or(u32::MAX);
                self.scopes[0].names.insert(parameter.name.clone(), Named::Bank(offset));
            }
            return Ok(());
        }
        for (variables, is_result) in [(&source.parameters, false), (&source.returns, true)] {
            for variable in variables {
                if variable.space != ".param" {
                    return Err(Mistake { line: 1, text: "parameters of functions in registers".into() });
                }
                let at = self.frame(variable)?;
                let list = if is_result { &mut self.function.returns } else { &mut self.function.parameters };
                list.push((at, variable.size as u32));
            }
        }
        Ok(())
    }

    /// Places a variable in the frame.
    fn frame(&mut self, variable: &Variable) -> Parsed<u32> {
        let at = u64::from(self.function.frame).next_multiple_of(variable.align.max(8));
        let end = at + variable.size;
        // The limit of a GPU.
        if end > 512 << 10 {
            return Err(Mistake { line: 1, text: format!("{end} bytes of local memory") });
        }
        self.function.frame = end.next_multiple_of(8) as u32;
        self.scope().names.insert(variable.name.clone(), Named::Frame(at as u32, variable.size as u32));
        Ok(at as u32)
    }

    fn depth(&self, scope: usize) -> usize {
        std::iter::successors(Some(scope), |scope| self.scopes[*scope].parent).count()
    }

    fn scope(&mut self) -> &mut Scope {
        &mut self.scopes[self.scope]
    }

    fn body(&mut self, body: &[Statement]) -> Parsed<()> {
        for statement in body {
            match statement {
                Statement::Open => {
                    if self.depth(self.scope) >= DEEPEST {
                        return Err(Mistake { line: 1, text: format!("more than {DEEPEST} scopes in each other") });
                    }
                    self.scopes.push(Scope { parent: Some(self.scope), ..Scope::default() });
                    self.scope = self.scopes.len() - 1;
                }
                Statement::Close => self.scope = self.scope().parent.unwrap_or(0),
                Statement::Label(label, _) => {
                    let at = self.function.instructions.len() as u32;
                    self.scope().labels.insert(label.clone(), at);
                }
                Statement::Registers(kind, name, None) => {
                    let register = self.register(kind);
                    self.scope().names.insert(name.clone(), register);
                }
                Statement::Registers(kind, name, Some(count)) => {
                    self.scope().ranges.insert(name.clone(), (kind.clone(), *count));
                }
                Statement::Variable(variable) => match variable.space.as_str() {
                    ".shared" => {
                        // Until it is used.
                        let number = self.kernel.add_shared([3, self.number], variable);
                        self.scope().names.insert(variable.name.clone(), Named::Shared(number));
                    }
                    ".local" | ".param" => drop(self.frame(variable)?),
                    // A variable of the module.
                    _ => {}
                },
                Statement::Targets(label, targets) => {
                    self.scope().names.insert(label.clone(), Named::Targets(targets.clone()));
                }
                Statement::Instruction(instruction) => self.instruction(instruction)?,
            }
        }
        Ok(())
    }

    fn register(&mut self, kind: &str) -> Named {
        let width = 8 * ptx::size_of(kind).unwrap_or(8) as u32;
        if width == 0 {
            self.function.predicates += 1;
            return Named::Predicate(self.function.predicates - 1);
        }
        self.function.registers += if width > 64 { 2 } else { 1 };
        Named::Register { slot: self.function.registers - if width > 64 { 2 } else { 1 }, width }
    }

    fn find(&mut self, name: &str) -> Option<Named> {
        let split = digits(name);
        let mut scope = Some(self.scope);
        while let Some(index) = scope {
            scope = self.scopes[index].parent;
            if let Some(named) = self.scopes[index].names.get(name) {
                if let Named::Shared(number) = named {
                    self.kernel.shared[*number as usize].0[0] = if self.is_entry { 0 } else { 2 };
                }
                return Some(named.clone());
            }
            let Some((prefix, number)) = split else { continue };
            let range = self.scopes[index].ranges.get(prefix);
            if let Some((kind, _)) = range.filter(|(_, count)| number < *count) {
                let kind = kind.clone();
                let named = self.register(&kind);
                self.scopes[index].names.insert(name.to_owned(), named.clone());
                return Some(named);
            }
        }
        None
    }

    fn instruction(&mut self, instruction: &ptx::Instruction) -> Parsed<()> {
        let name = instruction.name.join(".");
        let wrong = |text: String| Mistake { line: instruction.line, text };
        let guard = match &instruction.guard {
            None => Condition::ALWAYS,
            Some((name, negated)) => match self.find(name) {
                Some(Named::Predicate(slot)) => Condition { slot, negated: *negated },
                _ => return Err(wrong(format!("`{name}` is no predicate"))),
            },
        };
        let root = instruction.name[0].as_str();
        let words = Words(&instruction.name);
        let op = match (self.kernel.row)(root).zip(instruction.operands.as_ref()) {
            Some((How::Lanes(inputs), operands)) => {
                vector(&words).and_then(|function| self.vector(&words, function, inputs, operands))
            }
            Some((How::With(function), operands)) => function(self, &words, operands),
            None => None,
        };
        let op = op.ok_or_else(|| wrong(format!("`{name}` is not executed")))?;
        let mut uses = std::mem::take(&mut self.uses);
        uses.flow = (self.kernel.flow)(&words);
        let at = self.function.instructions.len();
        if !self.pending.is_empty() {
            self.branches.push((at, self.scope, std::mem::take(&mut self.pending)));
        }
        self.function.instructions.push(Instruction {
            op,
            guard,
            join: flow::END,
            line: instruction.line,
            source: instruction.source,
            name: name.into(),
            uses: Box::new(uses),
        });
        Ok(())
    }

    /// Returns a function of lanes, with this number of operands.
    pub(super) fn vector(
        &mut self,
        words: &Words<'_>,
        function: Vector,
        inputs: usize,
        operands: &[Operand],
    ) -> Option<Op> {
        let (to, _) = self.to(operands.first()?)?;
        let mut from = [self.zero(); 4];
        let kind = words.kind().unwrap_or(Type::U64);
        for index in 0..inputs {
            let kind = match (words.part(0)?, index) {
                ("mad", 2) if words.has("wide") => Type::U64,
                ("shl" | "shr", 1) | ("bfe", 1 | 2) | ("dp4a" | "dp2a", _) => Type::U32,
                _ => kind,
            };
            from[index] = self.from(operands.get(index + 1)?, kind)?;
        }
        (operands.len() == inputs + 1).then_some(Op::Vector { function, to, from })
    }

    pub(super) fn zero(&mut self) -> Source {
        self.kernel.constant(Constant::Value(0))
    }

    pub(super) fn constant(&mut self, value: u64) -> Source {
        self.kernel.constant(Constant::Value(value))
    }

    /// Returns what a name without an offset means.
    fn named(&mut self, operand: &Operand) -> Option<Named> {
        match operand {
            Operand::Name(name, 0) => self.find(name),
            _ => None,
        }
    }

    /// Returns a destination: its slot and its width.
    pub(super) fn to(&mut self, operand: &Operand) -> Option<(u32, u32)> {
        match self.named(operand) {
            Some(Named::Register { slot, width }) => {
                self.uses.writes.push((slot, width));
                Some((slot, width))
            }
            _ => operand.is_sink().then_some((0, 64)),
        }
    }

    pub(super) fn predicate(&mut self, operand: &Operand) -> Option<u32> {
        match self.named(operand) {
            Some(Named::Predicate(slot)) => {
                self.uses.predicates.push(slot);
                Some(slot)
            }
            _ => operand.is_sink().then_some(SINK),
        }
    }

    /// Returns the predicates of `a|b`, or one.
    pub(super) fn predicates(&mut self, operand: &Operand) -> Option<[u32; 2]> {
        match operand {
            Operand::Pair(first, second) => Some([self.predicate(first)?, self.predicate(second)?]),
            first => Some([self.predicate(first)?, SINK]),
        }
    }

    /// Returns the register of `a|b`, and its predicate.
    pub(super) fn pair(&mut self, operand: &Operand) -> Option<(u32, u32)> {
        match operand {
            Operand::Pair(first, second) => Some((self.to(first)?.0, self.predicate(second)?)),
            first => Some((self.to(first)?.0, SINK)),
        }
    }

    /// Returns the registers of `{a, b}`, or one.
    pub(super) fn slots(&mut self, operand: &Operand) -> Option<Vec<u32>> {
        operand.elements().iter().map(|element| Some(self.to(element)?.0)).collect()
    }

    /// Returns the operands of `{a, b}`, or one.
    pub(super) fn sources(&mut self, operand: &Operand, kind: Type) -> Option<Vec<Source>> {
        operand.elements().iter().map(|element| self.from(element, kind)).collect()
    }

    pub(super) fn condition(&mut self, operand: &Operand) -> Option<Condition> {
        let (name, negated) = match operand {
            Operand::Name(name, 0) => (name, false),
            Operand::Not(name) => (name, true),
            Operand::Integer(value) => return Some(Condition { slot: 0, negated: *value != 0 }),
            _ => return None,
        };
        match self.find(name)? {
            Named::Predicate(slot) => {
                self.uses.conditions.push(slot);
                Some(Condition { slot, negated })
            }
            _ => None,
        }
    }

    /// Returns an operand that is read.
    pub(super) fn from(&mut self, operand: &Operand, kind: Type) -> Option<Source> {
        let bits = match operand {
            Operand::Integer(value) => value & low(kind.bits()),
            Operand::Single(bits) if kind == Type::F64 => f64::from(f32::from_bits(*bits)).to_bits(),
            Operand::Single(bits) => u64::from(*bits),
            Operand::Double(value) if kind == Type::F32 => u64::from((*value as f32).to_bits()),
            Operand::Double(value) => value.to_bits(),
            Operand::Name(name, offset) => return self.name(name, *offset),
            _ => return None,
        };
        Some(self.constant(bits))
    }

    /// Returns the offset in the frame, if it is a variable there.
    pub(super) fn frame_offset(&mut self, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Name(name, offset) => match self.find(name)? {
                Named::Frame(at, _) => Some(at + *offset as u32),
                _ => None,
            },
            _ => None,
        }
    }

    fn name(&mut self, name: &str, offset: i64) -> Option<Source> {
        match self.find(name) {
            Some(Named::Register { slot, .. }) if offset == 0 => {
                self.uses.reads.push(slot);
                Some(Source::Register(slot))
            }
            Some(Named::Bank(at)) => Some(self.constant(u64::from(at).wrapping_add_signed(offset))),
            Some(Named::Shared(number)) => Some(self.kernel.constant(Constant::Shared(number, offset))),
            Some(_) => None,
            None if name.starts_with('%') => self.special(name).map(Source::Special),
            None => self.symbol(name, offset),
        }
    }

    /// Returns a variable or a function of the module.
    fn symbol(&mut self, name: &str, offset: i64) -> Option<Source> {
        if let Some(number) = self.kernel.by_name.get(name).copied() {
            let function = &self.kernel.module.functions[number];
            if function.body.is_some() && !function.is_entry {
                self.kernel.want(number);
            }
            return Some(self.kernel.constant(Constant::Function(number as u32)));
        }
        let known = self.kernel.shared_names.get(name).copied();
        let module = self.kernel.module;
        let number = known.or_else(|| {
            let is_it = |variable: &&Variable| variable.space == ".shared" && variable.name == name;
            let place = module.variables.iter().position(|variable| is_it(&variable))?;
            let number = self.kernel.add_shared([1, place], &module.variables[place]);
            self.kernel.shared_names.insert(name.to_owned(), number);
            Some(number)
        });
        Some(match number {
            Some(number) => self.kernel.constant(Constant::Shared(number, offset)),
            None if !module.variables.iter().any(|variable| variable.name == name) => return None,
            None => self.kernel.constant(Constant::Variable(name.to_owned(), offset)),
        })
    }

    fn special(&mut self, name: &str) -> Option<u32> {
        let special = machine::special(name)?;
        self.kernel.executable.has_reserved |= name.starts_with("%reserved_smem");
        self.kernel.executable.has_grid_barrier |= matches!(name, "%envreg1" | "%envreg2");
        let specials = &mut self.kernel.executable.specials;
        let number = *self.kernel.specials.entry(name.to_owned()).or_insert(specials.len() as u32);
        if number as usize == specials.len() {
            specials.push(special);
        }
        Some(number)
    }

    /// Returns an address in a space.
    pub(super) fn place(&mut self, operand: &Operand, space: Option<Space>, is_param: bool) -> Option<Place> {
        let Operand::Address(base, offset, coordinates) = operand else { return None };
        if !coordinates.is_empty() {
            return None;
        }
        let offset = *offset;
        let Some(name) = base else {
            let space = space.unwrap_or(Space::Generic);
            return Some(Place { space, base: Base::Zero, offset });
        };
        Some(match self.find(name) {
            Some(Named::Frame(at, _)) => {
                Place { space: Space::Local, base: Base::Frame, offset: i64::from(at) + offset }
            }
            Some(Named::Bank(at)) => Place { space: Space::Bank, base: Base::Zero, offset: i64::from(at) + offset },
            Some(Named::Shared(number)) => {
                let source = self.kernel.constant(Constant::Shared(number, 0));
                Place { space: Space::Shared, base: Base::Lanes(source, true), offset }
            }
            Some(Named::Register { slot, width }) => {
                let space = match (space, is_param) {
                    (_, true) if self.is_entry => Space::Bank,
                    (_, true) => Space::Local,
                    (space, _) => space.unwrap_or(Space::Generic),
                };
                self.uses.addresses.push(slot);
                Place { space, base: Base::Lanes(Source::Register(slot), width <= 32), offset }
            }
            Some(_) => return None,
            None => {
                let source = self.symbol(name, 0)?;
                let is_shared = matches!(source, Source::Constant(number)
                    if matches!(self.kernel.executable.constants[number as usize], Constant::Shared(..)));
                let space = if is_shared { Space::Shared } else { space.unwrap_or(Space::Global) };
                Place { space, base: Base::Lanes(source, is_shared), offset }
            }
        })
    }

    /// Labels of the instruction that is being decoded.
    pub(super) fn jump(&mut self, operand: &Operand) -> Option<()> {
        let Operand::Name(name, 0) = operand else { return None };
        self.pending = match self.find(name) {
            Some(Named::Targets(targets)) => targets,
            _ => vec![name.clone()],
        };
        Some(())
    }

    pub(super) fn is_entry(&self) -> bool {
        self.is_entry
    }

    pub(super) fn meets_grids(&mut self, waits: bool) {
        let executable = &mut self.kernel.executable;
        executable.awaits_grids |= waits;
        executable.releases_grids |= !waits;
    }

    /// Results depend on the order of blocks.
    pub(super) fn is_ordered(&mut self) {
        self.kernel.executable.is_ordered = true;
    }

    /// `call (results), function, (arguments), prototype`
    pub(super) fn call(&mut self, operands: &[Operand]) -> Option<Call> {
        let (results, rest) = match operands {
            [Operand::List(list), rest @ ..] => (list.as_slice(), rest),
            rest => ([].as_slice(), rest),
        };
        let (name, arguments) = match rest {
            [Operand::Name(name, 0)] => (name, [].as_slice()),
            [Operand::Name(name, 0), Operand::List(list), ..] => (name, list.as_slice()),
            _ => return None,
        };
        let mut places = |list: &[Operand]| -> Option<Vec<(u32, u32)>> {
            let place = |operand: &Operand| match self.named(operand)? {
                Named::Frame(at, size) => Some((at, size)),
                _ => None,
            };
            list.iter().map(place).collect()
        };
        let (arguments, results) = (places(arguments)?, places(results)?);
        let callee = match self.find(name) {
            Some(Named::Register { slot, .. }) => {
                // Any function whose address exists can be the target.
                for number in 0..self.kernel.module.functions.len() {
                    let function = &self.kernel.module.functions[number];
                    if !function.is_entry && function.body.is_some() {
                        self.kernel.want(number);
                    }
                }
                self.uses.addresses.push(slot);
                Callee::Indirect(Source::Register(slot))
            }
            Some(_) => return None,
            None => self.callee(name)?,
        };
        Some(Call { callee, arguments, results })
    }

    fn callee(&mut self, name: &str) -> Option<Callee> {
        let number = *self.kernel.by_name.get(name)?;
        if self.kernel.module.functions[number].body.is_some() {
            return Some(Callee::Function(self.kernel.want(number)));
        }
        let function = host::function(name)?;
        // The order of lines, of addresses and of values.
        self.kernel.executable.is_ordered |= name != "__assertfail";
        self.kernel.executable.allocates |= matches!(name, "malloc" | "free");
        Some(Callee::Host(function))
    }

    fn finish(mut self) -> Parsed<Function> {
        let line = self.function.instructions.last().map_or(1, |last| last.line);
        if self.function.registers > REGISTERS || self.function.predicates > REGISTERS {
            return Err(Mistake { line, text: format!("more than {REGISTERS} registers") });
        }
        // The end of the body is a return.
        self.function.instructions.push(Instruction {
            op: Op::Return,
            guard: Condition::ALWAYS,
            join: flow::END,
            line,
            source: None,
            name: "ret".into(),
            uses: Box::default(),
        });
        if self.branches.iter().map(|(.., labels)| labels.len() - 1).sum::<usize>() > TARGETS {
            return Err(Mistake { line, text: format!("more than {TARGETS} targets of indexed branches") });
        }
        for (at, scope, labels) in std::mem::take(&mut self.branches) {
            let mut targets = Vec::new();
            for label in labels {
                let mut scopes = std::iter::successors(Some(scope), |scope| self.scopes[*scope].parent);
                let target = scopes.find_map(|scope| self.scopes[scope].labels.get(&label).copied());
                let missing = || {
                    let line = self.function.instructions[at].line;
                    Mistake { line, text: format!("there is no label `{label}`") }
                };
                let target = target.ok_or_else(missing)?;
                targets.push(target);
            }
            match &mut self.function.instructions[at].op {
                Op::Branch { target } => *target = targets[0],
                Op::BranchIndex { targets: all, .. } => *all = targets,
                _ => {}
            }
        }
        let count = self.function.instructions.len() as u32;
        let successors: Vec<Vec<u32>> = (0..count)
            .zip(&self.function.instructions)
            .map(|(at, instruction)| {
                let is_always = instruction.guard == Condition::ALWAYS;
                let mut next = match &instruction.op {
                    Op::Branch { target } => vec![*target],
                    Op::BranchIndex { targets, .. } => targets.clone(),
                    Op::Return | Op::Exit | Op::Trap => Vec::new(),
                    _ => return vec![at + 1],
                };
                if !is_always {
                    next.insert(0, at + 1);
                }
                next
            })
            .collect();
        for (instruction, join) in self.function.instructions.iter_mut().zip(flow::joins(&successors)) {
            instruction.join = join;
        }
        Ok(self.function)
    }
}

/// Returns the address of a function of the module, by its number.
pub(super) fn function_address(number: u64) -> u64 {
    window::FUNCTION | number << 4
}

/// Returns an instruction without a variant of `Op`.
pub(super) fn run(function: impl Fn(&mut Step<'_, '_>) + Send + Sync + 'static) -> Option<Op> {
    Some(Op::Run(Box::new(move |step| {
        function(step);
        Ok(Next::On)
    })))
}

/// An instruction without a variant of `Op`, which can fail.
pub(super) fn attempt(function: impl Fn(&mut Step<'_, '_>) -> Result<(), Stop> + Send + Sync + 'static) -> Option<Op> {
    Some(Op::Run(Box::new(move |step| function(step).map(|()| Next::On))))
}

/// Returns a function of lanes.
pub(super) fn lanes<const N: usize>(
    decoder: &mut Decoder<'_, '_>,
    function: Vector,
    to: u32,
    operands: [(&Operand, Type); N],
) -> Option<Op> {
    let mut from = [decoder.zero(); 4];
    for (slot, (operand, kind)) in from.iter_mut().zip(operands) {
        *slot = decoder.from(operand, kind)?;
    }
    Some(Op::Vector { function, to, from })
}

pub(super) fn space(words: &Words<'_>) -> Option<Space> {
    match words.any(&["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"])
    {
        Some("shared" | "shared::cta" | "shared::cluster") => Some(Space::Shared),
        Some("local") => Some(Space::Local),
        Some("global" | "const") => Some(Space::Global),
        _ => None,
    }
}

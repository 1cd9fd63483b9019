//! Compares statements with the table of instructions: names, modifiers, types, and the kinds and widths of operands.
//! What the table does not describe is accepted. The texts are the same as in the log of ptxas.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use super::{
    Function, Instruction, Mistake, Module, Operand, Statement,
    forms::{Form, Slot, is_modifier, table},
    opcodes::SINCE,
    types::{Class, Kind, special},
};

/// What a name means.
#[derive(Clone, Copy)]
enum Symbol<'a> {
    Register(Kind<'a>),
    /// A vector of registers, a component of it, or a register whose type is not known here.
    Any,
    /// A special register, and its bits.
    Special(u32),
    /// A variable or a parameter, and its state space.
    Variable(&'a str),
    Function,
    Label,
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol<'a>>,
    /// `%r<5>`
    ranges: HashMap<&'a str, (Symbol<'a>, u64)>,
    labels: HashSet<&'a str>,
}

/// A form with what the name of an instruction specifies.
struct Chosen<'a> {
    form: &'static Form,
    types: Vec<Kind<'a>>,
    /// `v4`
    lanes: usize,
    /// The state space of an access, `""` if its address is generic.
    space: Option<&'a str>,
    has_policy: bool,
}

struct Checker<'a> {
    module: &'a Module,
    globals: HashMap<&'a str, Symbol<'a>>,
    /// The innermost is the last.
    scopes: Vec<Scope<'a>>,
    labels: HashSet<&'a str>,
    /// The forms of each name, or what is wrong with it.
    chosen: HashMap<&'a [String], Rc<Result<Vec<Chosen<'a>>, String>>>,
}

/// Returns all mistakes in the bodies of a module, at most one for each statement.
pub(crate) fn mistakes(module: &Module) -> Vec<Mistake> {
    let variables = module.variables.iter().map(|variable| (variable.name.as_str(), Symbol::Variable(&variable.space)));
    let functions = module.functions.iter().map(|function| function.name.as_str());
    let aliases = module.aliases.iter().map(|(alias, _)| alias.as_str());
    let globals = variables.chain(functions.chain(aliases).map(|name| (name, Symbol::Function))).collect();
    let mut checker = Checker { module, globals, scopes: Vec::new(), labels: HashSet::new(), chosen: HashMap::new() };
    let mut mistakes = Vec::new();
    for function in &module.functions {
        checker.function(function, &mut mistakes);
    }
    mistakes
}

impl<'a> Checker<'a> {
    fn function(&mut self, function: &'a Function, mistakes: &mut Vec<Mistake>) {
        let body = function.body.as_deref().unwrap_or_default();
        let label = |statement: &'a Statement| match statement {
            Statement::Label(label, _) | Statement::Targets(label, _) => Some(label.as_str()),
            _ => None,
        };
        self.labels = body.iter().filter_map(label).collect();
        let mut scope = Scope::default();
        for variable in function.parameters.iter().chain(&function.returns) {
            let symbol = if variable.space == ".reg" { Symbol::Any } else { Symbol::Variable(&variable.space) };
            scope.names.insert(&variable.name, symbol);
        }
        self.scopes = vec![scope];
        for statement in body {
            let Some(scope) = self.scopes.last_mut() else { return };
            match statement {
                Statement::Open => self.scopes.push(Scope::default()),
                Statement::Close => drop(self.scopes.pop()),
                Statement::Label(label, line) => {
                    if !scope.labels.insert(label) {
                        mistakes.push(Mistake::new(*line, format!("Duplicate definition of label '{label}'")));
                    }
                }
                Statement::Registers(kind, name, count) => {
                    let symbol = Kind::of(&kind[1..]).map_or(Symbol::Any, Symbol::Register);
                    match count {
                        None => drop(scope.names.insert(name, symbol)),
                        Some(count) => drop(scope.ranges.insert(name, (symbol, *count))),
                    }
                }
                Statement::Variable(variable) => {
                    scope.names.insert(&variable.name, Symbol::Variable(&variable.space));
                }
                Statement::Targets(..) => {}
                Statement::Instruction(instruction) => {
                    if let Err(text) = self.instruction(instruction) {
                        mistakes.push(Mistake::new(instruction.line, text));
                    }
                }
            }
        }
    }

    fn find(&self, name: &str) -> Option<Symbol<'a>> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        // `%r01` is a different name.
        let digits = Some(&name[prefix.len()..]).filter(|digits| digits.len() == 1 || !digits.starts_with('0'));
        let number: Option<u64> = digits.and_then(|digits| digits.parse().ok());
        for scope in self.scopes.iter().rev() {
            let in_range =
                || scope.ranges.get(prefix).filter(|(_, count)| number.is_some_and(|number| number < *count));
            if let Some(symbol) = scope.names.get(name).or_else(|| in_range().map(|(symbol, _)| symbol)) {
                return Some(*symbol);
            }
        }
        if self.labels.contains(name) {
            return Some(Symbol::Label);
        }
        let known = self.globals.get(name).copied().or_else(|| special(name).map(Symbol::Special));
        known.or_else(|| {
            let (base, component) = name.split_once('.')?;
            // `%v.x`, and `%r1.b0` of a video instruction.
            self.find(base).filter(|symbol| match symbol {
                Symbol::Register(_) => component.starts_with(['b', 'h']),
                symbol => matches!(symbol, Symbol::Any),
            })?;
            Some(Symbol::Any)
        })
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Result<(), String> {
        if let Some((guard, _)) = &instruction.guard {
            let symbol = self.find(guard).ok_or_else(|| format!("Unknown symbol '{guard}'"))?;
            if !is_predicate(symbol) {
                return Err("Predicate expression expected".into());
            }
        }
        let name = instruction.name.as_slice();
        let known = self.chosen.get(name).map(Rc::clone);
        let chosen = known.unwrap_or_else(|| {
            let chosen = Rc::new(choose(self.module, name));
            self.chosen.insert(name, Rc::clone(&chosen));
            chosen
        });
        let forms = chosen.as_ref().as_ref().map_err(Clone::clone)?;
        let Some(operands) = &instruction.operands else { return Ok(()) };
        let fitting = forms.iter().find(|chosen| self.fits(chosen, &chosen.form.operands, operands));
        // A name that means nothing fits no operand of a certain kind.
        if fitting.is_none_or(|chosen| chosen.form.is_vague()) {
            operands.iter().try_for_each(|operand| self.known(operand))?;
        }
        if fitting.is_some() {
            return Ok(());
        }
        Err(self.mismatch(forms, operands))
    }

    /// Whether each name in an operand means something.
    fn known(&self, operand: &Operand) -> Result<(), String> {
        let (name, rest) = match operand {
            Operand::Name(name, _) | Operand::Not(name) => (Some(name), [].as_slice()),
            Operand::Address(name, _, rest) => (name.as_ref(), rest.as_slice()),
            Operand::Vector(list) | Operand::List(list) => (None, list.as_slice()),
            Operand::Pair(first, second) => return self.known(first).and_then(|()| self.known(second)),
            _ => return Ok(()),
        };
        match name.filter(|name| *name != "_" && self.find(name).is_none()) {
            Some(name) => Err(format!("Unknown symbol '{name}'")),
            None => rest.iter().try_for_each(|operand| self.known(operand)),
        }
    }

    /// Returns the text for operands that fit no form.
    fn mismatch(&self, forms: &[Chosen<'a>], operands: &[Operand]) -> String {
        let form = forms[0].form;
        let name = form.name;
        let is_constant = |operand| matches!(operand, &Operand::Integer(_) | &Operand::Single(_) | &Operand::Double(_));
        if form.operands.first().is_some_and(|slot| "dD".contains(slot.what))
            && operands.first().is_some_and(is_constant)
        {
            return format!("Result register required for instruction '{name}'");
        }
        for (number, operand) in operands.iter().enumerate() {
            let (base, is_address) = match operand {
                Operand::Name(name, _) => (Some(name), false),
                Operand::Address(base, ..) => (base.as_ref(), true),
                _ => (None, false),
            };
            match base.and_then(|base| self.find(base)) {
                Some(Symbol::Special(_)) if !is_address && name != "mov" => {
                    return format!("Special register argument not allowed for instruction '{name}'");
                }
                Some(Symbol::Register(kind)) if is_address && !kind.takes_integers() => {
                    return format!(
                        "Illegal to use symbol '{}' of type .{} as address operand. Use integer or bit only.",
                        base.map_or("", String::as_str),
                        kind.word
                    );
                }
                Some(Symbol::Register(kind)) if is_address && kind.bits == 32 && forms[0].is_wide() => {
                    return "32-Bit addressing is not supported".into();
                }
                Some(Symbol::Variable(space)) if is_address && forms.iter().all(|chosen| !chosen.has_space(space)) => {
                    return format!("State space mismatch between instruction and address in instruction '{name}'");
                }
                _ => {}
            }
            let (Operand::Integer(value), Some(slot)) = (operand, form.operands.get(number)) else { continue };
            let argument = format!("Argument {number} of instruction '{name}'");
            if let Some(end) = slot.end.filter(|end| value >= end) {
                let (what, end) =
                    (if name.starts_with("bar") { "Barrier number" } else { &format!("{argument}: value") }, end - 1);
                return format!("{what} '{value}' out of range, expected to be in range [0..{end}]");
            }
            if !slot.values.is_empty() && !slot.values.contains(value) {
                let values = slot.values.iter().map(u64::to_string).collect::<Vec<_>>().join(" or ");
                return format!("{argument}: unexpected value '{value}', expected to be {values}");
            }
        }
        format!("Arguments mismatch for instruction '{name}'")
    }

    /// Returns whether `operands` fit the slots. An optional one may be left out even if it fits.
    fn fits(&self, chosen: &Chosen<'a>, slots: &[Slot], operands: &[Operand]) -> bool {
        let [slot, later @ ..] = slots else { return chosen.form.any_operand || operands.is_empty() };
        let takes = match operands {
            _ if slot.what == 'c' && !chosen.has_policy => return self.fits(chosen, later, operands),
            [operand, rest @ ..] => self.operand(chosen, slot, operand) && self.fits(chosen, later, rest),
            [] => false,
        };
        takes || slot.optional && self.fits(chosen, later, operands)
    }

    fn operand(&self, chosen: &Chosen<'a>, slot: &Slot, operand: &Operand) -> bool {
        let kind = slot.kind.or_else(|| chosen.types.get(slot.index).copied());
        let value = |operand: &Operand| self.value(chosen, operand, slot.what, kind, slot.wider);
        if let Operand::Pair(first, second) = operand {
            return slot.pair.is_some() && value(first) && self.value(chosen, second, 'q', None, false);
        }
        let lanes = if slot.wider { chosen.lanes } else { slot.lanes };
        match (slot.what, operand) {
            _ if slot.pair == Some(true) => false,
            (_, Operand::Integer(value)) if slot.end.is_some_and(|end| *value >= end) => false,
            (_, Operand::Integer(value)) if !slot.values.is_empty() && !slot.values.contains(value) => false,
            // `mov.b64 {%r1, %r2}, %rd1`: parts of the type.
            ('w', Operand::Vector(list)) => {
                self.vector(chosen, list, 's', kind.map(|kind| kind.part(list.len())), false)
            }
            ('v', Operand::Vector(list)) => {
                (lanes == 0 || list.len() == lanes) && self.vector(chosen, list, 's', slot.kind, false)
            }
            ('u', Operand::Vector(list)) => list.len() == chosen.lanes && self.vector(chosen, list, 's', kind, false),
            ('d' | 'a', Operand::Vector(list)) => {
                slot.wider && list.len() == lanes.max(1) && self.vector(chosen, list, slot.what, kind, true)
            }
            ('d' | 'a' | 'u' | 'v' | 'w', Operand::Name(name, 0)) if lanes > 0 || "uvw".contains(slot.what) => {
                matches!(self.find(name), Some(Symbol::Any))
            }
            ('d' | 'a', _) if lanes > 0 => false,
            _ => value(operand),
        }
    }

    /// Elements of a vector: registers of one size, of which some can be predicates, or constants.
    fn vector(&self, chosen: &Chosen<'a>, list: &[Operand], what: char, kind: Option<Kind<'a>>, wider: bool) -> bool {
        let mut bits = None;
        list.iter().all(|operand| {
            let symbol = if let Operand::Name(name, 0) = operand { self.find(name) } else { None };
            match (operand, symbol) {
                (_, Some(Symbol::Register(register))) => {
                    register.class == Class::Pred
                        || *bits.get_or_insert(register.bits) == register.bits
                            && self.value(chosen, operand, what, kind, wider)
                }
                (Operand::Single(_) | Operand::Double(_), _) => kind.is_none_or(|kind| kind.class != Class::Int),
                _ => operand.is_sink() || self.value(chosen, operand, what, kind, wider),
            }
        })
    }

    /// Returns whether an operand that is no vector is what a row of the table allows.
    fn value(&self, chosen: &Chosen<'a>, operand: &Operand, what: char, kind: Option<Kind<'a>>, wider: bool) -> bool {
        let symbol = match operand {
            Operand::Name(name, _) | Operand::Not(name) => self.find(name),
            _ => None,
        };
        let is_register = match (symbol, kind) {
            (Some(Symbol::Register(register)), Some(kind)) => kind.fits(register, wider),
            (Some(Symbol::Register(register)), None) => register.class != Class::Pred,
            (symbol, _) => matches!(symbol, Some(Symbol::Any)),
        };
        let takes_integers = kind.is_none_or(Kind::takes_integers);
        let takes_float = |bits| {
            let is_stored = wider && chosen.space.is_some_and(|space| space != "param");
            kind.is_none_or(|kind| kind.takes_float(bits) && (!is_stored || kind.class == Class::Float))
        };
        match (what, operand) {
            ('x', _) | ('p' | 'i', Operand::Integer(_)) => true,
            ('D' | 'q', _) if operand.is_sink() => true,
            ('q', Operand::Name(_, 0)) | ('p', Operand::Name(_, 0) | Operand::Not(_)) => {
                symbol.is_some_and(is_predicate)
            }
            ('n', Operand::Name(..)) => matches!(symbol, Some(Symbol::Label)),
            ('l', _) => matches!(operand, Operand::List(_)),
            ('f', Operand::Name(_, 0)) => match symbol {
                Some(Symbol::Register(register)) => register.takes_integers(),
                symbol => matches!(symbol, Some(Symbol::Function | Symbol::Any)),
            },
            ('m', Operand::Address(name, _, rest)) => {
                self.address(chosen, name.as_deref()) && rest.iter().all(|operand| self.known(operand).is_ok())
            }
            ('c', Operand::Name(_, 0)) => matches!(symbol, Some(Symbol::Register(register)) if register.bits == 64),
            ('d' | 'D' | 'a' | 'r' | 's' | 'z' | 'g', Operand::Name(_, 0)) if is_register => true,
            ('g', Operand::Name(..)) => matches!(symbol, Some(Symbol::Variable(space)) if chosen.has_space(space)),
            ('s' | 'z', Operand::Name(name, offset)) => match symbol {
                Some(Symbol::Special(special)) => {
                    let bits = kind.map_or(special, |kind| kind.bits);
                    let is_narrower = bits < special && (wider || (bits, special) == (16, 32));
                    let is_size = bits == special || is_narrower || name == "%gridid";
                    *offset == 0 && takes_integers && is_size
                }
                Some(Symbol::Variable(_) | Symbol::Function) => what == 's' && takes_integers,
                _ => false,
            },
            ('a' | 's' | 'z' | 'g', Operand::Integer(_)) => takes_integers,
            ('a' | 's', Operand::Single(_)) => takes_float(32),
            ('a' | 's', Operand::Double(_)) => takes_float(64),
            _ => false,
        }
    }

    /// Returns whether an address can be at `base`.
    fn address(&self, chosen: &Chosen<'a>, base: Option<&str>) -> bool {
        let Some(name) = base else { return chosen.space.is_none_or(|space| space == "local") };
        match self.find(name) {
            Some(Symbol::Register(kind)) => {
                kind.takes_integers() && kind.bits <= 64 && (kind.bits != 32 || !chosen.is_wide())
            }
            Some(Symbol::Variable(space)) => chosen.has_space(space),
            symbol => matches!(symbol, Some(Symbol::Any)),
        }
    }
}

fn is_predicate(symbol: Symbol<'_>) -> bool {
    match symbol {
        Symbol::Register(kind) => kind.class == Class::Pred,
        Symbol::Special(bits) => bits == 1,
        symbol => matches!(symbol, Symbol::Any),
    }
}

const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];

impl Chosen<'_> {
    /// Returns whether addresses have 64 bits.
    fn is_wide(&self) -> bool {
        matches!(self.space, Some("global" | ""))
    }

    /// Returns whether a variable in this state space can be accessed.
    fn has_space(&self, space: &str) -> bool {
        match self.space {
            Some("") => !matches!(space, ".param" | ".const"),
            Some(own) => space[1..] == *own || !SPACES.contains(&&space[1..]),
            None => true,
        }
    }
}

/// Returns the forms whose modifiers a name has.
fn choose<'a>(module: &Module, name: &'a [String]) -> Result<Vec<Chosen<'a>>, String> {
    let root = name[0].as_str();
    let forms = table().get(root).ok_or_else(|| format!("Not a name of any known instruction: '{root}'"))?;
    let lanes = name.iter().find_map(|part| part.strip_prefix('v')?.parse().ok()).unwrap_or(0);
    let space = matches!(root, "ld" | "ldu" | "st" | "atom" | "red" | "cvta").then(|| {
        let bases = name.iter().filter_map(|part| part.split("::").next());
        bases.into_iter().find(|base| SPACES.contains(base)).unwrap_or("")
    });
    let has = |word: &str| name.iter().any(|part| part == word);
    let matching: Vec<_> = forms.iter().filter_map(|form| Some((form, form.matches(name)?))).collect();
    let needs = |form: &Form| {
        let newer = SINCE.iter().filter(|(word, ..)| has(word));
        newer.fold((form.version, form.sm), |(version, sm), (_, since, gpu)| (version.max(*since), sm.max(*gpu)))
    };
    let (is_old, is_gone) =
        (|form| needs(form).0 > module.version, |form: &Form| form.is_gone(module.version, module.target.sm));
    let chosen: Vec<_> = matching
        .iter()
        .filter(|(form, _)| !is_old(form) && needs(form).1 <= module.target.sm && !is_gone(form))
        // Vectors of more than 128 bits have rows of their own.
        .filter(|(form, types)| lanes * types.first().map_or(0, |kind| kind.bits as usize) <= 128 || form.sm >= 100)
        .map(|(form, types)| Chosen { form, types: types.clone(), lanes, space, has_policy: has("L2::cache_hint") })
        .collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    Err(match matching.first() {
        Some((form, _)) if is_gone(form) => format!(
            "Instruction '{root}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4"
        ),
        Some((form, _)) if is_old(form) => {
            let ((major, minor), _) = needs(form);
            format!("Feature '{}' requires PTX ISA .version {major}.{minor} or later", form.name)
        }
        Some((form, _)) if needs(form).1 > module.target.sm => {
            format!("Feature '{}' requires .target sm_{} or higher", form.name, needs(form).1)
        }
        Some((form, _)) => format!("Unexpected instruction types specified for '{}'", form.name),
        None => unmatched(forms, name),
    })
}

/// Returns the text for a name that no form has.
fn unmatched(forms: &[Form], name: &[String]) -> String {
    if let Some(part) = name[1..].iter().find(|part| !is_modifier(part)) {
        return format!("Unknown modifier '.{part}'");
    }
    let similar: Vec<_> = forms.iter().filter(|form| form.rest(name).is_some()).collect();
    let shown = similar.iter().map(|form| form.name).max_by_key(|name| name.len()).unwrap_or(&name[0]);
    let in_no_form = |forms: &[&Form]| {
        let mut parts = name[1..].iter().filter(|part| Kind::of(part).is_none());
        parts.find(|part| !forms.iter().any(|form| form.has(part))).cloned()
    };
    let typed: Vec<_> = similar.iter().copied().filter(|form| form.has_types(name)).collect();
    let is_rounding =
        |part: &&String| matches!(part.as_str(), "rn" | "rz" | "rm" | "rp" | "rna" | "rni" | "rzi" | "rmi" | "rpi");
    if name.iter().filter(is_rounding).count() > 1 {
        return "Multiple rounding modifiers specified".into();
    }
    if let Some(part) = in_no_form(if typed.is_empty() { &similar } else { &typed }) {
        let kind = name.iter().find(|part| Kind::of(part).is_some_and(|kind| kind.class == Class::Int));
        return match (part.as_str(), kind) {
            ("sat", Some(kind)) => format!("Modifier '.sat' does not apply to '.{kind}' type"),
            _ if is_rounding(&&part) => format!("Illegal rounding modifier for instruction '{shown}'"),
            _ => format!("Illegal modifier '.{part}' for instruction '{shown}'"),
        };
    }
    let is_missing = |group: &&super::forms::Group| !group.optional && !name.iter().any(|part| group.has(part));
    let what = typed.iter().find_map(|form| {
        let group = form.groups.iter().find(is_missing)?;
        Some(match () {
            () if group.has("rn") && group.has("approx") => "Rounding modifier or '.approx' modifier",
            () if group.has("rn") => "Rounding modifier",
            () if group.has("eq") => "Comparison modifier",
            () if group.has("up") => "Shuffle modifier",
            () if group.has("approx") => ".approx modifier",
            () if group.has("aligned") => ".aligned modifier",
            () if group.has("sync") => ".sync modifier",
            () => return None,
        })
    });
    match what {
        Some(what) => format!("{what} required for instruction '{shown}'"),
        None => format!("Unexpected instruction types specified for '{shown}'"),
    }
}

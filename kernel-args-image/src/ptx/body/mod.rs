//! What the bodies of kernels do with their parameters: which of them are pointers, what is read and written through
//! them, and which elements are behind them. It needs neither debug information nor types in the symbols.
//!
//! | module | content |
//! |---|---|
//! | `statements`, `directives`, `names`, `operands` | the statements of a body; its registers |
//! | `opcodes`, `operation` | one table of opcodes; their suffixes |
//! | `translate`, `code` | the body as compact instructions |
//! | `lists`, `number`, `value` | abstract values: from which parameters a register can be computed |
//! | `flow` | the values of all registers and of local memory: a fixpoint, in any order of the instructions |
//! | `classes` | the arithmetic that elements take part in |
//! | `uses`, `slot_use` | which slot each access uses; the result in the common model |
//! | `functions` | functions of the same text |

mod classes;
mod code;
mod directives;
mod flow;
mod functions;
mod lists;
mod names;
mod number;
mod opcodes;
mod operands;
mod operation;
mod slot_use;
mod statements;
mod translate;
mod uses;
mod value;

use super::{Module, entry::parameters, lexer::Lexer};
use alloc::{rc::Rc, vec::Vec};
use code::{Code, Origin};
use flow::Flow;
use functions::Outline;
use kernel_args_abi::{
    layout::Alignment,
    signature::{Body, Evidence, Slot},
};
use lists::{Lists, SlotId};
use names::TooMany;
use operation::Opcodes;
use slot_use::{SlotUse, Summary};
use translate::{Declared, translate};
use uses::Uses;

/// Analyses the bodies of the kernels of a PTX text, one kernel at a time.
///
/// It remembers functions that several kernels call.
pub struct Bodies<'t> {
    text: &'t [u8],
    opcodes: Opcodes<'t>,
    lists: Lists,
    /// Where the functions and files are.
    places: Vec<u32>,
    outline: Option<Outline<'t>>,
    /// The functions of the outline.
    functions: Vec<State>,
}

/// What the body of a kernel does with its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelBody<'t> {
    /// `None` for a parameter without memory, such as a `.texref`.
    parameters: Vec<Option<Vec<Slot<'t>>>>,
    alignments: Vec<PointeeAlignment>,
}

/// The alignment that a kernel needs of the memory behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PointeeAlignment {
    /// The index of the parameter.
    pub parameter: usize,
    /// The offset of the pointer in the parameter, in bytes: a multiple of 8.
    pub offset: usize,
    /// The alignment.
    pub align: Alignment,
}

impl PointeeAlignment {
    pub(crate) const fn new(parameter: usize, offset: usize, align: Alignment) -> Self {
        Self { parameter, offset, align }
    }
}

/// How far the analysis of a function is.
#[derive(Clone)]
enum State {
    New,
    /// It is being analysed: a call of it is recursive.
    Open,
    /// `None` if nothing is known about it.
    Done(Option<Rc<Summary>>),
}

/// The maximum depth of calls.
const MOST_DEPTH: usize = 256;
/// The work for all bodies of a text: for each byte of it, and in addition. Compilers' output needs less than 1 for each byte.
const WORK: u64 = 8;
const LEAST_WORK: u64 = 1 << 18;

impl<'t> Bodies<'t> {
    /// For the text that a [`Module`] was read from.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            opcodes: Opcodes::new(),
            lists: Lists::new(WORK * text.len() as u64 + LEAST_WORK),
            places: Vec::new(),
            outline: None,
            functions: Vec::new(),
        }
    }

    /// Analyses a kernel. `None` if `module` does not define it, was read from a different text, or if the body cannot
    /// be analysed.
    pub fn kernel(&mut self, module: &Module, symbol: &str) -> Option<KernelBody<'t>> {
        let (at, declaration) = module.declaration(symbol)?;
        let end = at.checked_add(declaration.len())?;
        if self.text.get(at..end) != Some(declaration) || self.text.get(end) != Some(&b'{') {
            return None;
        }
        if self.outline.is_none() {
            self.places.clear();
            self.places.extend_from_slice(module.outline());
        }
        let whole = Lexer::new(self.text);
        let mut lexer = whole.back_to(at);
        lexer.identifier("").ok()?;
        let parameters = parameters(&mut lexer).ok()?;
        let declared: Vec<Declared<'t>> =
            parameters.iter().map(|parameter| (parameter.name, parameter.layout.size())).collect();
        let mut pointers: Vec<SlotId> = Vec::new();
        let mut first = 0;
        for parameter in &parameters {
            if parameter.pointee.is_some() {
                pointers.push(first);
            }
            first = first.checked_add(SlotId::try_from(parameter.layout.size().div_ceil(8)).ok()?)?;
        }
        if self.lists.is_full() {
            self.lists = self.lists.cleared();
            self.functions.fill(State::New);
        }
        let code = translate(&whole.back_to(end), &declared, &[], &mut self.opcodes, &mut self.lists).ok()?;
        let summaries = self.summaries(&code);
        let mut flow = Flow::run(&code, &mut self.lists, &summaries).ok()?;
        let uses = Uses::of(&mut flow, &pointers).ok()?;
        Some(self.body(&declared, &uses))
    }

    fn body(&mut self, declared: &[Declared<'t>], uses: &[SlotUse]) -> KernelBody<'t> {
        let mut first = 0;
        let parameters = declared.iter().map(|(_, bytes)| {
            let count = bytes.div_ceil(8);
            let own = uses.get(first..first + count).unwrap_or_default();
            first += count;
            let loaded = own.iter().enumerate().filter(|(_, own)| own.is_used);
            let slots = loaded.map(|(index, own)| own.slot(8 * index, &mut |origin| self.locate(origin)));
            (*bytes > 0).then(|| slots.collect())
        });
        KernelBody { parameters: parameters.collect(), alignments: alignments(declared, uses) }
    }

    /// What is known about the function of each call. Analyses these functions, and the functions that they call.
    fn summaries(&mut self, code: &Code<'t>) -> Vec<Option<Rc<Summary>>> {
        let callees: Vec<_> = code.calls.iter().map(|call| self.find(call.callee)).collect();
        for function in callees.iter().flatten() {
            self.analyse(*function);
        }
        self.known(code)
    }

    /// What is known so far about the function of each call.
    fn known(&mut self, code: &Code<'t>) -> Vec<Option<Rc<Summary>>> {
        let callees: Vec<_> = code.calls.iter().map(|call| self.find(call.callee)).collect();
        let summary = |function: Option<usize>| match self.functions.get(function?)? {
            State::Done(summary) => summary.clone(),
            State::New | State::Open => None,
        };
        callees.into_iter().map(summary).collect()
    }

    fn find(&mut self, name: Option<&str>) -> Option<usize> {
        let name = name?;
        let outline = self.outline();
        let found = outline.find(name)?;
        let count = outline.functions.len();
        self.functions.resize(count, State::New);
        Some(found)
    }

    fn outline(&mut self) -> &Outline<'t> {
        let text = self.text;
        self.outline.get_or_insert_with(|| Outline::read(&Lexer::new(text), &self.places))
    }

    /// Analyses a function after all functions that it calls.
    fn analyse(&mut self, function: usize) {
        // The functions whose callees are analysed, and their next call.
        let mut open: Vec<(usize, Option<Code<'t>>, usize)> = Vec::new();
        let mut next = Some(function);
        loop {
            if let Some(function) = next.take()
                && matches!(self.functions[function], State::New)
                && open.len() < MOST_DEPTH
            {
                self.functions[function] = State::Open;
                open.push((function, self.translated(function), 0));
            }
            let Some((function, code, call)) = open.last_mut() else {
                return;
            };
            let function = *function;
            let callee = code.as_ref().and_then(|code| code.calls.get(*call)).map(|call| call.callee);
            *call += 1;
            if let Some(callee) = callee {
                next = self.find(callee);
                continue;
            }
            let (_, code, _) = open.pop().unwrap_or((function, None, 0));
            let summary = code.and_then(|code| self.summary(&code).ok());
            self.functions[function] = State::Done(summary.map(Rc::new));
        }
    }

    fn translated(&mut self, function: usize) -> Option<Code<'t>> {
        let function = self.outline.as_ref()?.functions.get(function)?;
        translate(&function.body, &function.parameters, &function.returns, &mut self.opcodes, &mut self.lists).ok()
    }

    fn summary(&mut self, code: &Code<'t>) -> Result<Summary, TooMany> {
        let summaries = self.known(code);
        let mut flow = Flow::run(code, &mut self.lists, &summaries)?;
        let uses = Uses::of(&mut flow, &[])?;
        Ok(Summary::new(&flow, uses))
    }

    /// The opcode and the source line of an instruction.
    fn locate(&mut self, origin: Origin) -> Evidence<'t> {
        let file = if origin.line > 0 { self.outline().file(origin.file) } else { "" };
        let known = self.opcodes.known.get(origin.opcode as usize);
        Evidence { opcode: known.map_or("", |(opcode, _)| *opcode), file, line: origin.line }
    }
}

/// What all accesses through each slot need, if it is more than a byte.
fn alignments(declared: &[Declared<'_>], uses: &[SlotUse]) -> Vec<PointeeAlignment> {
    let slots = declared
        .iter()
        .enumerate()
        .flat_map(|(parameter, (_, bytes))| (0..bytes.div_ceil(8)).map(move |index| (parameter, 8 * index)));
    let needed = slots.zip(uses).filter(|(_, own)| !own.escapes);
    let aligned = needed.filter_map(|((parameter, offset), own)| {
        let align = Alignment::new(own.alignment as usize)?;
        (align > Alignment::ONE).then(|| PointeeAlignment::new(parameter, offset, align))
    });
    aligned.collect()
}

impl KernelBody<'_> {
    /// What the body does with each parameter.
    #[must_use]
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = Body<'_>> {
        let parameters = self.parameters.iter();
        parameters.map(|slots| slots.as_ref().map_or(Body::UNKNOWN, |slots| Body::of(slots)))
    }

    /// The alignment that every access through a pointer needs. A kernel that chooses between accesses of several widths, by
    /// testing the address or by a flag, needs the alignment of the narrowest one. Without an access, or if the kernel passes the pointer
    /// on or rounds it, nothing is known.
    #[must_use]
    pub fn alignments(&self) -> &[PointeeAlignment] {
        &self.alignments
    }

    /// What the body does with the parameter at this index.
    #[must_use]
    pub fn parameter(&self, index: usize) -> Body<'_> {
        self.parameters().nth(index).unwrap_or(Body::UNKNOWN)
    }
}

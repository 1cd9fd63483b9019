//! Reads PTX: modules, functions, statements and their operands.
//!
//! The chapters 4, 5, 7 and 11 of PTX ISA 9.0. Nothing is compiled.
//!
//! | matter | module |
//! |---|---|
//! | a text as tokens, and steps through them | `lexer`, `reader` |
//! | a module, its functions and their directives | `module` |
//! | variables and parameters, and initial values | `variable` |
//! | statements and operands | `syntax` |
//! | the table of instructions, and its rows | `opcodes`, `forms` |
//! | statements compared with the table | `check`, `types` |
//! | where ptxas places parameters | `placement` |
//!
//! It is one of three PTX readers in the repository, and intentionally independent. It rejects what a driver rejects;
//! the suites therefore detect a library that accepts more than the driver. `kernel-args-image` reads the data for the
//! comparison from any PTX. The oracle's `read_ptx` reads only NVRTC's output, to check the other two.

mod check;
pub(crate) mod forms;
mod lexer;
mod module;
mod opcodes;
pub(crate) mod placement;
mod reader;
mod syntax;
mod types;
mod variable;

pub(crate) use check::mistakes;
pub(crate) use module::{Function, Module, begins, read};
pub(crate) use syntax::{Instruction, Operand, Statement};
pub(crate) use variable::{Relocation, Variable, size_of};

/// A mistake in the text: its line, and what was not understood.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    pub(crate) line: u32,
    pub(crate) text: String,
}

impl Mistake {
    pub(crate) fn new(line: u32, text: impl Into<String>) -> Self {
        Self { line, text: text.into() }
    }
}

pub(crate) type Parsed<T> = Result<T, Mistake>;

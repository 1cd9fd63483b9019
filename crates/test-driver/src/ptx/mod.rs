//! PTX: the declarations of a PTX module, with a check of the grammar (PTX ISA 9.0, chapters 4, 5, 7 and 11). Nothing is
//! compiled: only the names of instructions are checked.
//!
//! This is one of three PTX readers in the repository, and intentionally independent. It rejects what a driver rejects; the
//! suites therefore detect a library that accepts more than the driver. `kernel-args-image` reads the data for the comparison
//! from any PTX. The oracle's `read_ptx` reads only NVRTC's output, to check the other two.

mod body;
pub(crate) mod lexer;
mod opcodes;
mod reader;
mod variable;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    error::Status,
    execute::Program,
    image::{Image, Kernel, Refusal, Variable},
    placement::{self, Shape},
};

use body::Body;

/// The newest PTX version that the driver accepts, as a driver for CUDA 13.0 does.
const NEWEST: (u32, u32) = (9, 0);
/// A placeholder: the registers that ptxas would allocate are not known here.
const REGISTERS: u32 = 32;

/// The declarations of a module.
#[derive(Debug, Default)]
struct Module {
    version: (u32, u32),
    target: Target,
    entries: Vec<Entry>,
    variables: Vec<Variable>,
    /// The size of the variables in constant memory, in bytes.
    constants: usize,
    /// The functions that are not kernels, with their numbers.
    functions: HashMap<String, (usize, Body)>,
    /// Module-level `.shared` variables. A kernel has those that it names, or a function that it calls.
    shared: Vec<(String, Shape)>,
}

/// `.target sm_90a`.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    sm: u32,
    /// `a`: only this GPU; `f`: only this family; or neither.
    suffix: Option<u8>,
}

impl Target {
    /// Whether code for this target runs on a device of capability `sm`.
    fn runs_on(self, sm: u32) -> bool {
        match self.suffix {
            Some(b'a') => self.sm == sm,
            Some(_) => self.sm / 10 == sm / 10 && self.sm <= sm,
            None => self.sm <= sm,
        }
    }
}

/// An `.entry` with a body.
#[derive(Debug, Default)]
struct Entry {
    name: String,
    line: u32,
    parameters: Vec<Shape>,
    directives: Directives,
    body: Body,
}

/// The performance directives that the driver reports or enforces.
#[derive(Clone, Copy, Debug, Default)]
struct Directives {
    max_threads: Option<[u32; 3]>,
    required_threads: Option<[u32; 3]>,
    max_registers: Option<u32>,
    cluster: Option<[u32; 3]>,
    blocks_are_clusters: bool,
}

/// The constant memory of a module, in bytes.
const MAX_CONSTANTS: usize = 64 << 10;

/// An error in the text, for the error log.
#[derive(Debug)]
pub(crate) struct Mistake {
    line: u32,
    text: String,
    /// The text does not begin with `.version`.
    headless: bool,
}

impl Mistake {
    fn new(line: u32, text: impl Into<String>) -> Self {
        Self { line, text: text.into(), headless: false }
    }

    /// In the wording of ptxas, which users know from its log.
    fn refusal(&self, status: Status) -> Refusal {
        let Self { line, text, .. } = self;
        Refusal::new(
            status,
            format!(
                "ptxas application ptx input, line {line}; error   : {text}\n\
                 ptxas fatal   : Ptx assembly aborted due to errors"
            ),
        )
    }
}

/// Reads PTX for a device of compute capability `sm`.
pub(crate) fn compile(text: &[u8], sm: u32) -> Result<Image, Refusal> {
    let module = reader::read(text).map_err(|mistake| {
        // The driver treats text that does not begin like PTX as an invalid image.
        mistake.refusal(if mistake.headless { Status::INVALID_IMAGE } else { Status::INVALID_PTX })
    })?;
    let (major, minor) = module.version;
    if module.version > NEWEST {
        let text = format!("Unsupported .version {major}.{minor}; current version is '{}.{}'", NEWEST.0, NEWEST.1);
        return Err(Mistake::new(1, text).refusal(Status::UNSUPPORTED_PTX_VERSION));
    }
    if !module.target.runs_on(sm) {
        let text =
            format!("SM version specified by .target ({}) does not run on this device (sm_{sm})", module.target.sm);
        return Err(Mistake::new(1, text).refusal(Status::INVALID_PTX));
    }
    if module.constants > MAX_CONSTANTS {
        let text = format!(
            "ptxas error   : File uses too much global constant data ({:#x} bytes, {MAX_CONSTANTS:#x} max)",
            module.constants
        );
        return Err(Refusal::new(Status::INVALID_PTX, text));
    }
    let mut kernels = Vec::with_capacity(module.entries.len());
    let program = Arc::new(Program::new(vec![Arc::from(text)]));
    for entry in &module.entries {
        let kernel = module.kernel(entry, sm).map_err(|mistake| mistake.refusal(Status::INVALID_PTX))?;
        kernels.push(Arc::new(Kernel { program: Some(program.clone()), ..kernel }));
    }
    Ok(Image { kernels, variables: module.variables })
}

impl Module {
    fn kernel(&self, entry: &Entry, sm: u32) -> Result<Kernel, Mistake> {
        let limit = placement::limit(self.version, self.target.sm);
        let size = placement::c_size(&entry.parameters);
        if size > limit {
            let text = format!(
                "Formal parameter space overflowed ({size} bytes required, max {limit} bytes allowed) in function {}",
                entry.name
            );
            return Err(Mistake::new(entry.line, text));
        }
        let product = |threads: [u32; 3]| threads.iter().product();
        let directives = entry.directives;
        Ok(Kernel {
            name: entry.name.clone(),
            parameters: placement::place(&entry.parameters, sm),
            max_threads: directives.required_threads.or(directives.max_threads).map_or(1024, product),
            required_threads: directives.required_threads,
            is_tile: false,
            cluster: directives.cluster,
            blocks_are_clusters: directives.blocks_are_clusters,
            static_shared: self.static_shared(&entry.body),
            registers: directives.max_registers.map_or(REGISTERS, |most| most.min(REGISTERS)),
            local: entry.body.local,
            ptx_version: self.target.sm,
            binary_version: sm,
            program: None,
        })
    }

    /// The static shared memory of a kernel with this body, and of the functions that it names. First is what the kernel uses, then what
    /// is used of the module, then what the functions use. What is only declared comes last.
    fn static_shared(&self, body: &Body) -> u32 {
        let (mut names, mut functions, mut next) = (HashSet::new(), BTreeMap::new(), vec![body]);
        while let Some(body) = next.pop() {
            let new = body.names.iter().filter(|name| names.insert(name.as_str()));
            for (number, function) in new.filter_map(|name| self.functions.get(name)) {
                functions.insert(*number, function);
                next.push(function);
            }
        }
        let of = |body: &&Body, is_used: bool| {
            let found = body.shared.iter().filter(|(name, _)| body.names.contains(name) == is_used);
            found.map(|(_, shape)| *shape).collect::<Vec<_>>()
        };
        let of_module = self.shared.iter().filter(|(name, shape)| shape.size == 0 || names.contains(name.as_str()));
        let mut shapes = of(&body, true);
        shapes.extend(of_module.map(|(_, shape)| *shape));
        shapes.extend(functions.values().flat_map(|body| of(body, true)));
        shapes.extend(std::iter::once(&body).chain(functions.values()).flat_map(|body| of(body, false)));
        placement::place_shared(&shapes).1 as u32
    }
}

#[cfg(test)]
mod tests;

//! Executes kernels: an interpreter of PTX.
//!
//! | matter | module |
//! |---|---|
//! | names to slots, labels to numbers; the table of instructions | `decode`, `table`, `words`; `code` is the result |
//! | where branches meet again | `flow` |
//! | lanes, and what is computed with them | `types`, `arithmetic`, `convert`, `float`, `matrix` |
//! | blocks, warps and groups of lanes; their instructions | `machine`; `step`, `together`, `access`, `host`, `texel` |
//! | the text that `printf` writes | `print` |
//! | memory of the device, the heap | `global`, `heap` |
//! | memcheck: accesses, and values that nothing has written | `checks`, `undefined` |
//!
//! No crate is used: `ptoxide` executes a small part of PTX, and the other crates are parsers.
//!
//! A register is 32 values of 64 bits. The lanes of a warp that are at the same place are a *group*. A branch splits a
//! group, and both parts meet again at the branch's immediate post-dominator. If one of them waits for something, the
//! lanes that have arrived go on without it, so a lock between lanes of a warp ends.

// Values are bits of registers, and change their types all the time.
#![allow(clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_precision_loss, clippy::cast_sign_loss)]
// Lanes are indices.
#![allow(clippy::needless_range_loop, clippy::many_single_char_names, clippy::precedence, clippy::float_cmp)]
// The functions of the table have one signature, and its modifiers are flags.
#![allow(clippy::unnecessary_wraps, clippy::struct_excessive_bools, clippy::match_bool, clippy::similar_names)]

mod access;
mod arithmetic;
mod checks;
mod code;
mod convert;
mod decode;
mod float;
mod flow;
mod global;
mod heap;
mod host;
mod machine;
mod matrix;
mod print;
mod step;
mod table;
#[cfg(test)]
mod tests;
mod texel;
mod together;
mod types;
mod undefined;
mod words;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic},
};

pub(crate) use checks::Written;
pub(crate) use heap::Heap;
pub(crate) use texel::{Channel, Image, Sampling};

use code::{Call, Constant};
pub(crate) use code::{Executable, Space};
use machine::{Launch, Seen};
use step::{Next, Step, Stop};
use types::{LANES, Lanes};

use crate::{
    error::Status,
    lock::lock,
    ptx::{self, Module, Parsed},
};

/// The PTX of a module. It is decoded when a kernel of it is launched first.
#[derive(Default)]
pub(crate) struct Program {
    texts: Vec<Arc<[u8]>>,
    modules: OnceLock<Parsed<Module>>,
    kernels: Mutex<HashMap<String, Decoded>>,
}

type Decoded = Parsed<Arc<Executable>>;

// Instructions contain functions of a step, and a step has the instructions: these types are above both files.

/// What an instruction does that has no variant of its own.
type Run = Box<dyn Fn(&mut Step<'_, '_>) -> Result<Next, Stop> + Send + Sync>;

/// Writes the result of a barrier: whether the condition holds for all, for any, and for how many threads.
type Finish = Box<dyn Fn(&mut Step<'_, '_>, (bool, bool, u32)) + Send + Sync>;

/// A function of the driver: what it does for a lane.
type Host = fn(&mut Step<'_, '_>, &Call, usize) -> Result<(), Stop>;

/// The values of a special register, for an axis.
type Special = fn(&Seen<'_>, usize) -> Lanes;

/// The grid, the block, the cluster, and the dynamic shared memory of each block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) cooperative: bool,
}

impl Geometry {
    /// Returns the blocks of a cluster: one block, if there are no clusters.
    fn cluster(&self) -> [u32; 3] {
        self.cluster.unwrap_or([1; 3])
    }

    /// Returns the index of a thread in its block.
    fn thread(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [number % x, number / x % y, number / x / y]
    }
}

/// How kernels run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Orders blocks and warps. 0: in the order of their numbers.
    pub(crate) seed: u64,
    /// The most instructions of threads in a launch.
    pub(crate) budget: u64,
    pub(crate) memcheck: bool,
    /// The stack of a thread, if it is more than [`STACK`].
    pub(crate) stack: usize,
    /// The most bytes that `printf` writes.
    pub(crate) printed: usize,
    /// The threads of this machine that run blocks.
    pub(crate) workers: usize,
}

/// The stack of a thread, also where less is requested: frames of PTX are larger than frames of machine code.
const STACK: usize = 64 << 10;

/// The texture and surface objects, by their handles.
#[derive(Debug, Default)]
pub(crate) struct Objects(pub(crate) BTreeMap<u64, Image>);

/// A launch.
pub(crate) struct Request<'a> {
    pub(crate) executable: &'a Executable,
    pub(crate) bank: &'a [u8],
    pub(crate) geometry: Geometry,
    /// Address and size of the module's variables.
    pub(crate) variables: &'a HashMap<String, (u64, usize)>,
    /// The memory that the kernel can access: starts and ends, in ascending order.
    pub(crate) regions: Vec<(u64, u64)>,
    pub(crate) heap: &'a mut Heap,
    pub(crate) textures: &'a Objects,
    /// The address of the memory for barriers of a cooperative grid, or 0.
    pub(crate) workspace: u64,
    /// The written bytes of allocations, for the checks.
    pub(crate) written: &'a mut Written,
    pub(crate) settings: Settings,
}

/// What a kernel did in addition to writing memory.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) printed: Vec<u8>,
    pub(crate) conditions: Vec<(u64, u32)>,
    /// New bytes of parameters of nodes in graphs: the node, the offset, the bytes.
    pub(crate) updates: Vec<(u64, u64, Vec<u8>)>,
    pub(crate) fault: Option<Fault>,
    /// Instructions of threads, whole warps counted.
    pub(crate) instructions: u64,
}

/// Why a kernel was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Address,
    Misaligned,
    Trap,
    Assert,
    Jump,
    Stack,
    Instruction,
    Budget,
    /// A check that a GPU does not make.
    Check,
}

/// An access of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessed {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) size: u32,
    pub(crate) is_store: bool,
}

/// An error of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// More about it, or nothing.
    pub(crate) text: String,
    pub(crate) function: String,
    pub(crate) instruction: String,
    /// The line of the PTX, and of the source.
    pub(crate) line: u32,
    pub(crate) source: Option<String>,
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
    pub(crate) access: Option<Accessed>,
    lane: usize,
}

impl Kind {
    /// Returns the error that the driver leaves in the context.
    pub(crate) fn status(self) -> Status {
        match self {
            Self::Address | Self::Stack => Status::ILLEGAL_ADDRESS,
            Self::Misaligned => Status::MISALIGNED_ADDRESS,
            Self::Trap | Self::Check => Status::LAUNCH_FAILED,
            Self::Assert => Status::ASSERT,
            Self::Jump | Self::Instruction => Status::ILLEGAL_INSTRUCTION,
            Self::Budget => Status::LAUNCH_TIMEOUT,
        }
    }
}

impl Fault {
    fn plain(kind: Kind, text: String) -> Self {
        Self {
            kind,
            text,
            function: String::new(),
            instruction: String::new(),
            line: 0,
            source: None,
            block: [0; 3],
            thread: [0; 3],
            access: None,
            lane: 0,
        }
    }

    /// Returns the instruction, and where it is.
    pub(crate) fn place(&self) -> String {
        let source = self.source.as_ref().map_or(String::new(), |source| format!(" ({source})"));
        format!(
            "`{}`, line {} of the PTX{source}, function `{}`, block {:?}, thread {:?}",
            self.instruction, self.line, self.function, self.block, self.thread
        )
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({} texts)", self.texts.len())
    }
}

impl Program {
    pub(crate) fn new(texts: Vec<Arc<[u8]>>) -> Self {
        Self { texts, ..Self::default() }
    }

    /// Returns the program of a text that is already read.
    pub(crate) fn of(text: &[u8], module: Module) -> Self {
        Self { modules: OnceLock::from(Ok(module)), ..Self::new(vec![Arc::from(text)]) }
    }

    pub(crate) fn texts(&self) -> &[Arc<[u8]>] {
        &self.texts
    }

    fn module(&self) -> Parsed<&Module> {
        let read = || {
            let mut whole = Module::default();
            for text in &self.texts {
                let module = ptx::read(text)?;
                whole.functions.extend(module.functions);
                whole.variables.extend(module.variables);
                whole.aliases.extend(module.aliases);
                whole.files.extend(module.files);
            }
            Ok(whole)
        };
        self.modules.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// Returns the number of a function, from which its address is made.
    pub(crate) fn function_address(&self, name: &str) -> Option<u64> {
        let module = self.module().ok()?;
        let defined = |function: &ptx::Function| function.name == name && function.body.is_some();
        Some(decode::function_address(module.functions.iter().position(defined)? as u64))
    }

    /// Returns a kernel whose parameters have these offsets. The error names an instruction that is not executed, and
    /// its line.
    pub(crate) fn kernel(&self, name: &str, offsets: &[u32]) -> Result<Arc<Executable>, String> {
        let mut kernels = lock(&self.kernels);
        let decode = || {
            self.module()
                .and_then(|module| decode::decode(module, name, offsets, (table::row, table::flow)))
                .map(Arc::new)
        };
        let kernel = kernels.entry(name.to_owned()).or_insert_with(decode);
        kernel.clone().map_err(|mistake| format!("{} (line {} of its PTX)", mistake.text, mistake.line))
    }
}

impl Request<'_> {
    /// Runs the kernel.
    pub(crate) fn run(self) -> Effects {
        let Request { executable, geometry, variables, heap, written, settings, .. } = self;
        if matches!(executable.functions[0].instructions.first(), Some(first) if first.is_end()) {
            return Effects::default();
        }
        let number = |constant: &Constant| match constant {
            Constant::Value(value) => *value,
            Constant::Variable(name, offset) => {
                variables.get(name).map_or(0, |(address, _)| address.wrapping_add_signed(*offset))
            }
            Constant::Shared(number, offset) => executable.shared[*number as usize].wrapping_add_signed(*offset),
            Constant::Function(number) => decode::function_address(u64::from(*number)),
        };
        let dynamic_start = if geometry.shared > 0 { executable.shared_size.next_multiple_of(16) } else { 0 };
        let shared = executable.shared_size.max(dynamic_start + u64::from(geometry.shared));
        // SAFETY: the regions are live allocations of the driver, which is locked as long as the kernel runs. The
        // program accesses them as it would access the memory of a GPU.
        let global = unsafe { global::Global::new(self.regions) };
        let checks = settings.memcheck.then(|| checks::Global::new(std::mem::take(written)));
        let budget = settings.budget / LANES as u64;
        let launch = Launch {
            constants: executable.constants.iter().map(|constant| [number(constant); LANES]).collect(),
            executable,
            bank: self.bank,
            geometry,
            shared: shared.min(1 << 20) as u32,
            global: &global,
            settings,
            stack: (executable.functions[0].frame as usize + settings.stack.max(STACK)).min(64 << 20),
            budget: atomic::AtomicI64::new(budget.min(i64::MAX as u64) as i64),
            stops: atomic::AtomicBool::new(false),
            next_cluster: atomic::AtomicU64::new(0),
            effects: Mutex::default(),
            heap: Mutex::new(std::mem::take(heap)),
            checks: Mutex::new(checks),
            workspace: self.workspace,
            textures: self.textures,
            start: std::time::Instant::now(),
            is_slow: atomic::AtomicBool::new(false),
        };
        let is_serial = executable.is_ordered || settings.seed != 0 || settings.memcheck || geometry.cooperative;
        launch.run(if is_serial { 1 } else { settings.workers });
        *heap = launch.heap.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut checks) = launch.checks.into_inner().unwrap_or_else(PoisonError::into_inner) {
            *written = checks.written();
        }
        let left = launch.budget.into_inner();
        let mut effects = launch.effects.into_inner().unwrap_or_else(PoisonError::into_inner);
        effects.instructions = (budget as i64).saturating_sub(left).cast_unsigned() * LANES as u64;
        effects
    }
}

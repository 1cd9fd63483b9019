//! The content of a loaded module, independent of its format.

use std::sync::Arc;

use crate::{error::Status, execute::Program, ptx::Relocation};

pub(crate) use crate::ptx::placement::Parameter;

/// A module's kernels and variables.
#[derive(Debug, Default)]
pub(crate) struct Image {
    pub(crate) kernels: Vec<Arc<Kernel>>,
    pub(crate) variables: Vec<Variable>,
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    /// `.maxntid` or `.reqntid`, multiplied; else 1024.
    pub(crate) max_threads: u32,
    /// `.reqntid`.
    pub(crate) required_threads: Option<[u32; 3]>,
    /// Whether it was compiled from Tile IR.
    pub(crate) is_tile: bool,
    /// `.reqnctapercluster`.
    pub(crate) cluster: Option<[u32; 3]>,
    /// `.blocksareclusters`: the grid of a launch counts clusters.
    pub(crate) blocks_are_clusters: bool,
    pub(crate) static_shared: u32,
    pub(crate) registers: u32,
    pub(crate) local: u32,
    pub(crate) ptx_version: u32,
    pub(crate) binary_version: u32,
    /// The PTX of its module, if there is any.
    pub(crate) program: Option<Arc<Program>>,
}

impl Kernel {
    /// Returns the blocks of a launch with this grid.
    pub(crate) fn blocks(&self, grid: [u32; 3]) -> [u32; 3] {
        match self.cluster.filter(|_| self.blocks_are_clusters) {
            Some(cluster) => std::array::from_fn(|axis| grid[axis].saturating_mul(cluster[axis])),
            None => grid,
        }
    }

    /// Returns the size of the parameter bank: the end of its last parameter, without tail padding.
    pub(crate) fn bank_size(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.offset + parameter.size).max().unwrap_or(0)
    }
}

/// A `.global` or `.const` variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its initial bytes: the full size of the variable.
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
}

/// Why an image does not load: the driver's code, and the text in the compiler's log.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    pub(crate) log: String,
}

impl Refusal {
    pub(crate) fn new(status: Status, log: impl Into<String>) -> Self {
        Self { status, log: log.into() }
    }
}

/// The formats of `cuModuleLoadData`.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Ptx(Vec<u8>),
    Cubin(Vec<u8>),
    Fatbin(Vec<u8>),
    /// nvcc's structure with the address of a fat binary.
    Wrapper,
}

impl Image {
    /// Returns the PTX of its kernels.
    pub(crate) fn program(&self) -> Option<&Arc<Program>> {
        self.kernels.iter().find_map(|kernel| kernel.program.as_ref())
    }

    /// Sets the image, whose kernels are executed from the PTX `texts` if they have none.
    pub(crate) fn with_program(mut self, texts: Vec<Arc<[u8]>>) -> Self {
        if self.program().is_none() && !texts.is_empty() {
            let program = Arc::new(Program::new(texts));
            for kernel in &mut self.kernels {
                Arc::make_mut(kernel).program = Some(program.clone());
            }
        }
        self
    }

    pub(crate) fn kernel(&self, name: &str) -> Option<&Arc<Kernel>> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

//! Everything about a launch except the image and the memory.

use super::Error;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// The maximum size of all parameters in bytes, from CUDA 12.1 on (CUDA C++ Programming Guide, "Function Parameters").
pub const MAX_PARAMETER_BYTES: usize = 32_764;

const FORMAT: u32 = 1;

/// A parameter block has no room for more pointers.
const MAX_ALLOCATIONS: usize = MAX_PARAMETER_BYTES / 8 + 1;
const MAX_ATTRIBUTES: usize = 64;

/// One launch, as `manifest.json` contains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// The symbol of the kernel.
    pub kernel: String,
    /// The C++ name of the kernel, if the symbol is mangled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it was recorded.
    pub machine: Machine,
    /// In blocks.
    pub grid: [u32; 3],
    /// In threads.
    pub block: [u32; 3],
    /// The dynamic shared memory of a block in bytes.
    pub shared_memory: u32,
    /// The launch attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attribute>,
    /// The attributes that a recording cannot contain, because their values contain an address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_attributes: Vec<String>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
    /// The pointers in the parameters.
    pub pointers: Vec<Pointer>,
    /// The allocations that the pointers point into.
    pub memory: Vec<Memory>,
}

/// Where a launch was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The version of the program that recorded it.
    pub recorder: String,
    /// The name of the GPU.
    pub gpu: String,
    /// Its architecture: `sm_90`.
    pub sm: String,
    /// The CUDA version of the driver: `13.0`.
    pub driver: String,
}

/// A launch attribute: `CUlaunchAttribute`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Its number: `CUlaunchAttributeID`.
    pub id: u32,
    /// The value for a reader: `cluster = (2, 1, 1)`.
    pub text: String,
    /// The value for the driver: `CUlaunchAttributeValue`.
    #[serde(with = "hex::serde")]
    pub value: [u8; 64],
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name of the argument; empty if it is not known.
    pub name: String,
    /// Its C++ type; empty if it is not known.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value for a reader.
    pub value: String,
    /// The bytes that the kernel received.
    #[serde(with = "hex::serde")]
    pub bytes: Vec<u8>,
}

/// A pointer in a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pointer {
    /// The index of the parameter.
    pub parameter: usize,
    /// The offset of the pointer in the parameter in bytes.
    pub at: usize,
    /// The index of the allocation.
    pub memory: usize,
    /// What it points to, as an offset in the allocation in bytes.
    pub offset: u64,
}

/// An allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Its address when it was recorded.
    pub address: u64,
    /// In bytes.
    pub size: u64,
    /// If it is known and a number can be compared with a tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<ElementType>,
}

/// A type whose values are compared with a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl Manifest {
    /// Creates the manifest of a launch without parameters and attributes.
    #[must_use]
    pub fn new(kernel: impl Into<String>, machine: Machine) -> Self {
        Self {
            format: FORMAT,
            kernel: kernel.into(),
            name: None,
            machine,
            grid: [1; 3],
            block: [1; 3],
            shared_memory: 0,
            attributes: Vec::new(),
            lost_attributes: Vec::new(),
            parameters: Vec::new(),
            pointers: Vec::new(),
            memory: Vec::new(),
        }
    }

    pub(crate) fn parse(json: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let malformed = |error| Error::invalid(format!("{}: {error}", super::MANIFEST));
        let Version { format } = serde_json::from_slice(json).map_err(malformed)?;
        if format != FORMAT {
            return Err(Error::invalid(format!(
                "its format is version {format}, and this program reads version {FORMAT}"
            )));
        }
        let manifest: Self = serde_json::from_slice(json).map_err(malformed)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), Error> {
        let has_threads = |extents: [u32; 3]| extents.iter().all(|extent| *extent > 0);
        let sizes = || self.parameters.iter().map(|parameter| parameter.bytes.len());
        let is_sized = |memory: &Memory| memory.size > 0 && memory.address.checked_add(memory.size).is_some();
        let is_within = |pointer: &Pointer| {
            let bytes = self.parameters.get(pointer.parameter).map(|parameter| parameter.bytes.len());
            pointer.at.checked_add(size_of::<u64>()).is_some_and(|end| bytes.is_some_and(|bytes| end <= bytes))
        };
        let has_target =
            |pointer: &Pointer| self.memory.get(pointer.memory).is_some_and(|memory| pointer.offset <= memory.size);
        for (holds, what) in [
            (!self.kernel.is_empty() && !self.kernel.contains('\0'), "the name of the kernel is empty or contains NUL"),
            (has_threads(self.grid) && has_threads(self.block), "the grid or the block is empty"),
            (self.attributes.len() <= MAX_ATTRIBUTES, "it has more launch attributes than exist"),
            (self.memory.len() <= MAX_ALLOCATIONS, "it has more allocations than pointers fit into parameters"),
            (sizes().sum::<usize>() <= MAX_PARAMETER_BYTES, "the parameters are larger than a kernel can have"),
            (sizes().all(|size| size > 0), "a parameter has no bytes"),
            (self.memory.iter().all(is_sized), "an allocation is empty, or exceeds the address space"),
            (self.pointers.iter().all(is_within), "a pointer is outside of its parameter"),
            (self.pointers.iter().all(has_target), "a pointer points outside of its allocation"),
        ] {
            if !holds {
                return Err(Error::invalid(what));
            }
        }
        Ok(())
    }
}

//! The errors that have fields of their own.

use crate::{device::vector::Dim3, driver::api::Status};
use std::{borrow::Cow, fmt, string::String, vec::Vec};

/// A struct that does not fit a kernel.
#[derive(Debug)]
#[non_exhaustive]
pub struct MismatchError {
    /// The kernel.
    pub kernel: String,
    /// The struct; `ArgList` for a list.
    pub arguments: String,
    /// The fields that are wrong, or the indices of the arguments in a list, in order. A parameter that no field passes is not
    /// among them.
    pub fields: Vec<String>,
    /// Both sides, field by field, as a text.
    pub table: String,
}

/// A launch that exceeds a limit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Limit {
    /// The kernel.
    pub kernel: String,
    /// What was requested.
    pub requested: String,
    /// The limit.
    pub limit: String,
    /// What to do.
    pub help: &'static str,
}

/// A launch attribute that the driver or the GPU lacks.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnsupportedAttribute {
    /// The kernel.
    pub kernel: String,
    /// The option of `launch!`, which is the method of [`Launch`](crate::Launch).
    pub attribute: &'static str,
    /// The oldest driver, by its CUDA version, or the oldest GPU that has it.
    pub required: String,
    /// The driver or the GPU at hand.
    pub found: String,
    /// What to do.
    pub help: &'static str,
}

/// A graph, or a node of one, that was not made, changed or launched.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphError {
    /// The kernel of the node; `None` for another node, and for the graph as a whole.
    pub kernel: Option<String>,
    /// What was not done, as a sentence: "the node was not updated".
    pub action: &'static str,
    /// Why, with the arguments where the driver has rejected them.
    pub reason: String,
    /// What the driver returned; `None` where it was not asked.
    pub status: Option<Status>,
    /// What to do; may be empty.
    pub help: &'static str,
}

/// A launch for which the driver returned an error.
#[derive(Debug)]
#[non_exhaustive]
pub struct LaunchError {
    /// The kernel.
    pub kernel: String,
    /// What the driver returned.
    pub status: Status,
    /// The grid in blocks.
    pub grid: Dim3,
    /// The block in threads.
    pub block: Dim3,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// The launch attributes with their values and what each one needs; empty where there were none.
    pub attributes: String,
    /// Every argument by its field's name, decoded.
    pub arguments: String,
    /// What the kernel uses: registers, memory, threads of a block; empty where the driver does not tell, as in a lost context.
    pub resources: String,
    /// The limit that the launch exceeds where there is one, else what this error usually means at a launch.
    pub meaning: Cow<'static, str>,
    /// What to do; may be empty.
    pub help: &'static str,
}

pub(super) fn help(f: &mut fmt::Formatter<'_>, help: &str) -> fmt::Result {
    if help.is_empty() {
        return Ok(());
    }
    write!(f, "\nhelp: {help}")
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "kernel `{kernel}`: ")?;
        }
        write!(f, "{}: {}", self.action, self.reason)?;
        help(f, self.help)
    }
}

impl fmt::Display for MismatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            requested,
            limit,
            help,
        } = self;
        write!(
            f,
            "kernel `{kernel}` was not launched: requested {requested}, but {limit}\nhelp: {help}"
        )
    }
}

impl fmt::Display for UnsupportedAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            attribute,
            required,
            found,
            help,
        } = self;
        write!(
            f,
            "kernel `{kernel}` was not launched: the launch attribute `{attribute}` needs {required}, and {found}\n\
             help: {help}"
        )
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "launching kernel `{}` returned {}\n  {}\n  grid {}, block {}, {} bytes of dynamic shared memory",
            self.kernel, self.status, self.meaning, self.grid, self.block, self.shared
        )?;
        if !self.attributes.is_empty() {
            write!(f, "\n  attributes: {}", self.attributes)?;
        }
        if !self.resources.is_empty() {
            write!(f, "\n  the kernel uses {}", self.resources)?;
        }
        if !self.arguments.is_empty() {
            write!(f, "\n{}", self.arguments)?;
        }
        help(f, self.help)
    }
}

impl std::error::Error for Limit {}
impl std::error::Error for GraphError {}
impl std::error::Error for MismatchError {}
impl std::error::Error for LaunchError {}
impl std::error::Error for UnsupportedAttribute {}

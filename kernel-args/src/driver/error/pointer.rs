//! Pointers that a kernel must not get.

use std::borrow::Cow;

/// An argument that points to memory that the kernel cannot use. [`check_pointers`](crate::observe::check_pointers)
/// finds it.
#[non_exhaustive]
pub struct BadPointer {
    /// The kernel.
    pub kernel: String,
    /// The field, or the index of an argument of a list, with the path to the pointer in a struct by value:
    /// `lights.at`.
    pub field: String,
    /// The C++ type: `float const*`.
    pub cpp: String,
    /// The address.
    pub address: u64,
    /// What is wrong.
    pub problem: PointerProblem,
}

/// What is wrong with a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PointerProblem {
    /// A pointer to this many elements is null.
    #[non_exhaustive]
    Null {
        /// The number of elements.
        elements: usize,
    },
    /// It is null, and every launch of the kernel accesses memory through it.
    NullAccess,
    /// It is memory of the process that CUDA does not know, and the GPU cannot access such memory.
    Host,
    /// It is registered host memory that has a different address for kernels.
    #[non_exhaustive]
    HostAddress {
        /// The address for kernels.
        device: u64,
    },
    /// No allocation contains it: it was freed, or never allocated.
    NotAllocated,
    /// It is memory of a GPU that the kernel's GPU cannot access.
    #[non_exhaustive]
    OtherDevice {
        /// The ordinal of the GPU with the memory.
        memory: i32,
        /// The ordinal of the GPU that runs the kernel.
        kernel: i32,
    },
    /// It is not aligned as the kernel needs.
    #[non_exhaustive]
    Misaligned {
        /// The alignment that is needed, in bytes.
        required: usize,
        /// What needs it.
        because: AlignedBy,
    },
    /// A slice is longer than the rest of its allocation, or the contract `len` requires more elements.
    #[non_exhaustive]
    TooLong {
        /// The number of elements.
        elements: usize,
        /// Their size in bytes.
        bytes: u64,
        /// The number of bytes from the address to the end of the allocation.
        available: u64,
        /// The size of the allocation in bytes.
        allocation: u64,
    },
}

/// What needs an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AlignedBy {
    /// The C++ type behind the pointer.
    Type,
    /// The PTX of the kernel: `.ptr .align`, or the width of every access through the pointer.
    Code,
}

display!(BadPointer, |this, f| {
    let Self { kernel, field, cpp, address, problem } = this;
    let (what, found, help) = problem.texts(*address);
    write!(
        f,
        "kernel `{kernel}` was not launched: `{field}` {what}\n  {cpp} {field} = {address:#x}{found}\nhelp: {help}"
    )
});

impl PointerProblem {
    fn texts(self, address: u64) -> (Cow<'static, str>, Cow<'static, str>, &'static str) {
        const HOST: &str = "points to host memory, which the GPU cannot access at this address";
        match self {
            Self::Null { elements } => (
                "is null".into(),
                format!(", with {elements} elements").into(),
                "pass `None` in an `Option` of the slice, if the kernel accepts a null pointer",
            ),
            Self::NullAccess => (
                "is null".into(),
                ", and every thread of the kernel accesses memory through it".into(),
                "pass memory; to accept a null pointer, the kernel has to compare it before the access",
            ),
            Self::Host => (
                HOST.into(),
                ", in memory of the process that no allocation of CUDA contains".into(),
                "copy the data to the GPU (`stream.clone_htod(&data)?`) and pass the slice, or allocate it as pinned or managed memory",
            ),
            Self::HostAddress { device } => (
                HOST.into(),
                format!(", whose address for kernels is {device:#x}").into(),
                "pass the address that `cuMemHostGetDevicePointer` returns",
            ),
            Self::NotAllocated => (
                "points to memory that is not allocated".into(),
                ", which no allocation contains: it was freed, or never allocated".into(),
                "pass a reference to the slice, which keeps the memory allocated, or free the memory later",
            ),
            Self::OtherDevice { memory, kernel } => (
                format!("points to memory of GPU {memory}, which GPU {kernel} cannot access").into(),
                format!(", allocated on GPU {memory}").into(),
                "enable the access with `PeerAccess::enable`, or copy the data to the GPU that runs the kernel",
            ),
            Self::Misaligned { required, because } => {
                let aligned = 1_u64 << address.trailing_zeros().min(63);
                let found = match because {
                    AlignedBy::Type => format!(", and its type is aligned to {required} bytes"),
                    AlignedBy::Code => format!(
                        "\n  in PTX, the pointer is declared with this alignment, or every access through it needs {required} bytes"
                    ),
                };
                (
                    format!("is aligned to {aligned} bytes, and the kernel needs {required}").into(),
                    found.into(),
                    "begin the view at a multiple of this alignment; allocations are aligned to at least 256 bytes",
                )
            }
            Self::TooLong { elements, bytes, available, allocation } => (
                "is longer than its allocation".into(),
                format!(
                    ", {elements} elements with {bytes} bytes\n  its allocation has {allocation} bytes, {available} of them from this address on"
                )
                .into(),
                "allocate more elements, or pass the length that was allocated: `upgrade_device_ptr` and `transmute` accept any length",
            ),
        }
    }
}

//! What is an error.
//!
//! nvcc declares no alignment of pointers in PTX up to sm_90, and `.ptr .align 1` for later targets. The field's type
//! states it: `CudaSlice<Double2>`. Kernels test the address, or take a flag, and contain narrower accesses for the
//! other case. So the alignment of a pointer is the one that all accesses through it need.

use super::memory::MemoryAt;
use crate::{
    driver::{
        api::{Allocation, Api, CallError, StreamHandle, out},
        context::current_device,
        error::{AlignedBy, BadPointer, Error, LaunchError, PointerProblem},
    },
    marshal::Lengths,
    memory::ForEachValue,
};
use kernel_args_abi::pointers::{Pointer, element_align, element_size, for_each_pointer};

/// A launch whose pointers are checked. Its context is current.
pub(crate) struct PointerCheck<'r> {
    pub(crate) api: &'r Api,
    pub(crate) kernel: &'r dyn Fn() -> String,
    pub(crate) runs: Runs<'r>,
    pub(crate) code: Option<&'r dyn KernelCode>,
    pub(crate) lengths: &'r Lengths,
    pub(crate) values: &'r ForEachValue<'r>,
}

#[derive(Clone, Copy)]
pub(crate) enum Runs<'r> {
    /// When it is launched. On a stream that is captured, as a node of a graph.
    On(StreamHandle<'r>),
    /// With memory that is allocated now.
    Now,
    /// As a node of a graph, which can allocate memory before.
    #[cfg(feature = "graphs")]
    Later,
}

/// What the code of a kernel does with a pointer.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct PointerUse {
    /// Whether it can access memory through the pointer.
    pub(crate) is_accessed: bool,
    /// Whether it contains an access that is certainly through the pointer.
    pub(crate) is_certain: bool,
    /// Whether one of them is at the pointer, or at a constant offset after it: the pointer is not the end of a range.
    pub(crate) is_at_start: bool,
    /// Whether every launch makes one at a constant offset.
    pub(crate) is_always: bool,
    /// The alignment that it needs in bytes.
    pub(crate) align: usize,
}

impl PointerUse {
    pub(crate) const UNKNOWN: Self =
        Self { is_accessed: true, is_certain: false, is_at_start: false, is_always: false, align: 1 };
}

pub(crate) trait KernelCode {
    /// Returns what it does with the pointer at this offset in a parameter.
    fn pointer_use(&self, parameter: usize, offset: usize) -> PointerUse;
}

/// Checks all pointers. The error is about the first one that the kernel cannot use.
pub(crate) fn check(request: &PointerCheck<'_>) -> Result<(), Error> {
    let (mut index, mut result) = (0, Ok(()));
    (request.values)(&mut |parameter, bytes| {
        if result.is_ok() {
            result = for_each_pointer(parameter, bytes, &mut |pointer| {
                let code = request.code.map_or(PointerUse::UNKNOWN, |code| code.pointer_use(index, pointer.offset));
                // A pointer without a length can be null, whatever a contract requires.
                let elements = match pointer.address {
                    0 => request.lengths.get(index),
                    _ => request.lengths.at_least(index, parameter.name),
                };
                pointer_of(request, elements, code, pointer)
            });
        }
        index += 1;
    });
    match result {
        Err(Some(bad)) => Err(Error::Launch(LaunchError::Pointer(bad))),
        // If a call of the driver failed, the launch will report why.
        Ok(()) | Err(None) => Ok(()),
    }
}

fn pointer_of(
    request: &PointerCheck<'_>,
    elements: Option<usize>,
    code: PointerUse,
    pointer: &Pointer<'_>,
) -> Result<(), Option<Box<BadPointer>>> {
    // An integer is an address only if the kernel uses it as one.
    if pointer.is_integer && !code.is_certain {
        return Ok(());
    }
    // The kernel accesses nothing behind an empty slice, whose address can be the end of another allocation.
    if !code.is_accessed || elements == Some(0) {
        return Ok(());
    }
    let Some(problem) = problem(request, elements, code, pointer).map_err(|_| None)? else {
        return Ok(());
    };
    let cpp = pointer.parameter.cpp.element();
    Err(Some(Box::new(BadPointer {
        kernel: (request.kernel)(),
        field: pointer.path.to_string(),
        cpp: if cpp.is_unknown() { pointer.parameter.spelling.into() } else { cpp.to_string() },
        address: pointer.address,
        problem,
    })))
}

fn problem(
    request: &PointerCheck<'_>,
    elements: Option<usize>,
    code: PointerUse,
    pointer: &Pointer<'_>,
) -> Result<Option<PointerProblem>, CallError> {
    let address = pointer.address;
    if address == 0 {
        let has_elements = elements.map(|elements| PointerProblem::Null { elements });
        return Ok(has_elements.or(code.is_always.then_some(PointerProblem::NullAccess)));
    }
    let unusable = match MemoryAt::at(request.api, address)? {
        MemoryAt::Allocated(allocation) => in_allocation(pointer, elements, &allocation)?,
        // Kernels take the end of a range as a pointer, and can read backwards from it. No slice begins there.
        MemoryAt::End if elements.is_none() && !code.is_at_start => None,
        MemoryAt::Host { is_accessible: true } => None,
        // Memory of a graph is allocated when the graph runs.
        MemoryAt::End | MemoryAt::Host { .. } | MemoryAt::None if is_captured(request)? => None,
        MemoryAt::Host { .. } => Some(PointerProblem::Host),
        MemoryAt::End | MemoryAt::None => Some(PointerProblem::NotAllocated),
    };
    Ok(unusable.or_else(|| misaligned(pointer, code)))
}

fn in_allocation(
    pointer: &Pointer<'_>,
    elements: Option<usize>,
    allocation: &Allocation,
) -> Result<Option<PointerProblem>, CallError> {
    let address = pointer.address;
    let device = allocation.device_pointer;
    if allocation.is_host {
        if device != address {
            return Ok(Some(match device {
                0 => PointerProblem::Host,
                device => PointerProblem::HostAddress { device },
            }));
        }
    } else if device == 0 {
        let kernel = current_device()?;
        if kernel != allocation.device {
            return Ok(Some(PointerProblem::OtherDevice { memory: allocation.device, kernel }));
        }
    }
    let Some((elements, size)) = elements.zip(element_size(pointer.parameter)) else {
        return Ok(None);
    };
    let bytes = (elements as u64).saturating_mul(size as u64);
    let available = allocation.size.saturating_sub(address - allocation.start);
    Ok((bytes > available).then_some(PointerProblem::TooLong {
        elements,
        bytes,
        available,
        allocation: allocation.size,
    }))
}

fn misaligned(pointer: &Pointer<'_>, code: PointerUse) -> Option<PointerProblem> {
    let (of_type, of_code) = (element_align(pointer.parameter), code.align);
    let (required, because) = if of_code > of_type { (of_code, AlignedBy::Code) } else { (of_type, AlignedBy::Type) };
    let is_aligned = pointer.address.is_multiple_of(required.max(1) as u64);
    (!is_aligned).then_some(PointerProblem::Misaligned { required, because })
}

/// Returns whether the launch becomes a node of a graph.
fn is_captured(request: &PointerCheck<'_>) -> Result<bool, CallError> {
    let stream = match request.runs {
        Runs::On(stream) => stream,
        Runs::Now => return Ok(false),
        #[cfg(feature = "graphs")]
        Runs::Later => return Ok(true),
    };
    Ok(out(|status| request.api.cuStreamIsCapturing(stream, status))? != 0)
}

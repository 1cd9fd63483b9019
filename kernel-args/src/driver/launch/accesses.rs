//! The memory that a recorded launch uses, as its arguments show it.

use crate::{driver::api::Access, marshal::HeldSlices};
use cudarc::driver::sys::CUdeviceptr;
use kernel_args_abi::{Class, CppBase, CppType, Members, Parameter, cpp::builtin};
use std::vec::Vec;

/// What is known about a launch while its parameters are visited.
pub(super) struct Accesses<'a> {
    held: &'a HeldSlices,
    found: &'a mut Vec<Access>,
    is_known: bool,
}

impl<'a> Accesses<'a> {
    /// Stores the accesses in `found`.
    pub(super) fn new(held: &'a HeldSlices, found: &'a mut Vec<Access>) -> Self {
        found.clear();
        Self {
            held,
            found,
            is_known: true,
        }
    }

    /// A parameter and its bytes.
    pub(super) fn add(&mut self, parameter: &Parameter<'_>, bytes: &[u8]) {
        self.is_known &= match parameter.class {
            Class::Pointer => self.add_pointer(parameter.cpp, bytes),
            _ => is_value(parameter.class, parameter.cpp, parameter.members),
        };
    }

    /// A pointer to memory of a slice of this launch, which contains no pointers. A null pointer uses no memory.
    fn add_pointer(&mut self, cpp: CppType<'_>, bytes: &[u8]) -> bool {
        let Ok(bytes) = bytes.try_into() else {
            return false;
        };
        let address = CUdeviceptr::from_ne_bytes(bytes);
        if address == 0 {
            return true;
        }
        let Some((address, bytes)) = self.held.used_at(address) else {
            return false;
        };
        self.found.push(Access {
            address,
            bytes,
            writes: cpp.const_mask & 1 == 0,
        });
        cpp.depth == 1
    }

    /// The accesses; `None` if the launch can use other memory.
    pub(super) fn all(self) -> Option<&'a [Access]> {
        self.is_known.then_some(&*self.found)
    }
}

/// Whether the parameter contains no pointer.
fn is_value(class: Class, cpp: CppType<'_>, members: Members<'_>) -> bool {
    if cpp.is_pointer() || class == Class::Pointer || class == Class::Unknown {
        return false;
    }
    if members.is_known() {
        let mut members = members.iter();
        return members.all(|member| is_value(member.class, member.cpp, member.members));
    }
    class != Class::Bytes
        || match cpp.base {
            CppBase::Unknown | CppBase::Void => false,
            CppBase::Named(name) => builtin(name).is_some(),
            _ => true,
        }
}

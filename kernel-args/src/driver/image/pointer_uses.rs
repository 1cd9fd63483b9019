//! What the code of a kernel does with its pointers, as the check of pointers needs it.

use super::code::read;
use crate::{
    driver::pointers::{KernelCode, PointerUse},
    lock::lock,
};
use cudarc::driver::sys::CUfunction;
use kernel_args_abi::{
    Sm,
    signature::{Slot, SlotKind},
};
use kernel_args_image::{Error, Image, ptx::PointerAccess};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, Weak},
};

/// A kernel whose PTX is read when its pointers are checked first.
pub(crate) struct PointerUses {
    images: Vec<Arc<Vec<u8>>>,
    sm: Sm,
    symbol: String,
    known: OnceLock<Known>,
}

/// The functions that are loaded, by their handles, for launches of raw handles.
static LOADED: Mutex<BTreeMap<usize, Weak<PointerUses>>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
struct Known {
    needed: Vec<PointerAccess>,
    /// The pointers that are accessed, by parameter and offset, and whether that is certain; `None` if the code cannot
    /// be analysed.
    accessed: Option<Vec<((usize, usize), bool)>>,
}

impl PointerUses {
    pub(super) fn new(images: &[Arc<Vec<u8>>], sm: Sm, symbol: &str) -> Self {
        Self { images: images.to_vec(), sm, symbol: symbol.into(), known: OnceLock::new() }
    }

    /// A launch of this handle finds it, as long as the loaded function exists: the driver can reuse the handle
    /// afterwards.
    pub(crate) fn register(self: &Arc<Self>, function: CUfunction) {
        let mut loaded = lock(&LOADED);
        loaded.retain(|_, uses| uses.strong_count() > 0);
        loaded.insert(function.addr(), Arc::downgrade(self));
    }

    pub(crate) fn find(function: CUfunction) -> Option<Arc<Self>> {
        let loaded = lock(&LOADED);
        loaded.get(&function.addr())?.upgrade()
    }

    fn read(&self) -> Result<Known, Error> {
        let image = read(&self.images, Image::read_again)?;
        let mut kernels = image.kernels()?;
        image.add_bodies(&mut kernels, |name| name == self.symbol)?;
        let needed = kernels.accesses(&self.symbol, self.sm);
        let kernel = kernels.kernel(&self.symbol, Some(self.sm));
        let bodies = kernel.map_or_else(Vec::new, |kernel| kernel.bodies);
        let accessed = bodies.iter().enumerate().flat_map(|(parameter, body)| {
            body.slots().filter_map(move |Slot { read, written, kind, offset, .. }| {
                let is_certain = read.is_certain() || written.is_certain();
                // A kernel that only stores a pointer accesses nothing.
                let is_possible = read.is_possible() || written.is_possible() || kind == SlotKind::TensorMap;
                is_possible.then_some(((parameter, offset), is_certain))
            })
        });
        Ok(Known { needed, accessed: (!bodies.is_empty()).then(|| accessed.collect()) })
    }
}

impl KernelCode for PointerUses {
    fn pointer_use(&self, parameter: usize, offset: usize) -> PointerUse {
        let Known { needed, accessed } = self.known.get_or_init(|| self.read().unwrap_or_default());
        let place = (parameter, offset);
        let of_pointer = || needed.iter().filter(|needed| (needed.parameter, needed.offset) == place);
        let align = of_pointer().map(|needed| needed.align.bytes()).max().unwrap_or(1);
        let Some(accessed) = accessed else {
            return PointerUse { align, ..PointerUse::UNKNOWN };
        };
        let access = accessed.iter().find(|(known, _)| *known == place);
        PointerUse {
            is_accessed: access.is_some(),
            is_certain: access.is_some_and(|(_, is_certain)| *is_certain),
            is_at_start: of_pointer().any(|needed| needed.is_at_start),
            is_always: of_pointer().any(|needed| needed.is_always),
            align,
        }
    }
}

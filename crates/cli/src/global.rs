//! The global variables of files.

use kernel_args_abi::Alignment;
use kernel_args_image::{ParameterList, Variable, mangled::Demangled};
use std::collections::{BTreeMap, HashMap};

pub(crate) struct Global {
    pub(crate) symbol: String,
    /// The C++ name, if the symbol is mangled.
    pub(crate) name: Option<String>,
    /// `__device__`, `__constant__` or `__managed__`.
    pub(crate) specifier: &'static str,
    pub(crate) size: usize,
    /// `None` if only cubins contain it.
    pub(crate) align: Option<usize>,
    /// The C++ type, if debug information contains it.
    pub(crate) ty: Option<String>,
    /// The only parameter of a list, from debug information.
    pub(crate) described: Option<ParameterList>,
}

impl Global {
    pub(crate) fn of(variable: &Variable<'_>) -> Option<Self> {
        let value = variable.value()?;
        Some(Self {
            symbol: variable.symbol().to_owned(),
            name: variable.demangled().map(Demangled::text).map(str::to_owned),
            specifier: variable.space.specifier(),
            size: value.size,
            align: value.align.map(Alignment::bytes),
            ty: (!value.cpp.is_unknown()).then(|| value.cpp.to_string()),
            described: (variable.debug_info().is_known()).then(|| ParameterList::of_members(variable.debug_info())),
        })
    }
}

/// Once for each symbol, memory and size.
#[derive(Default)]
pub(crate) struct Globals(BTreeMap<(String, &'static str, usize), Global>);

impl Globals {
    pub(crate) fn add(&mut self, global: Global) {
        let key = (global.symbol.clone(), global.specifier, global.size);
        match self.0.get_mut(&key) {
            Some(known) => {
                // An optimizing compiler raises alignments.
                known.align = known.align.into_iter().chain(global.align).min();
                known.ty = known.ty.take().or(global.ty);
                known.described = known.described.take().or(global.described);
            }
            None => _ = self.0.insert(key, global),
        }
    }

    pub(crate) fn described(self) -> HashMap<String, ParameterList> {
        let all = self.0.into_values();
        all.filter_map(|global| Some((global.symbol, global.described?))).collect()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Global> {
        self.0.values()
    }
}

//! Names that cannot have two meanings in C++.

use super::{
    collect::Collector,
    definition::{Declared, Prototype},
    error::HeaderError,
    names::{Path, segments},
};
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

pub(super) fn check(collector: &Collector<'_, '_>, kernels: &mut Vec<Prototype>) -> Result<(), HeaderError> {
    let taken = |name: &str| {
        let problem = format!(
            "the header already declares `{name}`\n  help: give one of them another name, or put the \
             types in a namespace: `.namespace(\"…\")`"
        );
        HeaderError::new(name, problem)
    };
    let mut unique: Vec<Prototype> = Vec::with_capacity(kernels.len());
    let mut symbols = BTreeSet::new();
    for kernel in kernels.drain(..) {
        if symbols.insert(kernel.symbol.clone()) {
            unique.push(kernel);
        } else if !unique.contains(&kernel) {
            return Err(taken(&kernel.symbol));
        }
    }
    *kernels = unique;

    let own = collector
        .definitions
        .iter()
        .filter(|definition| definition.kind != Declared::Included)
        .map(|definition| &definition.path)
        .chain(collector.pointees.iter().map(|(path, ..)| path));
    let (mut types, mut functions) = (BTreeSet::new(), BTreeSet::new());
    types.extend(own.clone().map(Path::full));
    functions.extend(kernels.iter().map(|kernel| kernel.path.full()));
    let mut namespaces: BTreeSet<String> = BTreeSet::new();
    for path in own.chain(kernels.iter().map(|kernel| &kernel.path)) {
        let mut namespace = String::new();
        for segment in segments(path.namespace()) {
            namespace = if namespace.is_empty() { segment.to_string() } else { format!("{namespace}::{segment}") };
            namespaces.insert(namespace.clone());
        }
    }
    let both = types.intersection(&functions).next().copied();
    let namespace = namespaces.iter().find(|name| types.contains(&***name) || functions.contains(&***name));
    match both.or(namespace.map(String::as_str)) {
        Some(name) => Err(taken(name)),
        None => Ok(()),
    }
}

//! The names of what is written.

use super::{
    definition::Definition,
    identifier::{free, identifier, numbered, sort, upper_camel},
};
use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};
use kernel_args_abi::cpp::{BUILTINS, name};

/// The names of structs and types.
pub(super) struct Names {
    /// Of the struct of each kernel.
    pub(super) kernels: Vec<String>,
    /// Of each type; empty where none is written.
    pub(super) types: Vec<String>,
}

/// Names that a text imports, besides those of CUDA's types, and what no type can be called.
const RESERVED: [&str; 11] = [
    "CLong",
    "CULong",
    "CudaSlice",
    "DevicePointer",
    "DevicePointerMut",
    "DeviceType",
    "KernelArgs",
    "Self",
    "SurfaceObject",
    "TextureObject",
    // The derives of the language: no type, but a reader would take it for them.
    "Debug",
];

/// A longer name is cut, in bytes.
const LONGEST: usize = 60;

/// Names for the kernels of these items, and for types.
pub(super) fn names<'i>(
    items: impl Iterator<Item = &'i str>,
    definitions: &[Definition<'_>],
) -> Names {
    let mut taken = BTreeSet::new();
    taken.extend(RESERVED.map(String::from));
    taken.extend(BUILTINS.iter().map(|row| row.rust.to_owned()));
    let mut used: Vec<usize> = (0..definitions.len())
        .filter(|&id| definitions[id].is_used)
        .collect();
    let key = |id: usize| {
        let Definition {
            wanted, cpp, shape, ..
        } = &definitions[id];
        (wanted, cpp, shape, definitions[id].known_align)
    };
    sort(&mut used, &|a, b| key(a).cmp(&key(b)));
    let mut types = alloc::vec![String::new(); definitions.len()];
    for group in used.chunk_by(|&a, &b| definitions[a].wanted == definitions[b].wanted) {
        for &id in group {
            let definition = &definitions[id];
            let wanted = if group.len() > 1 && is_told_apart(group, definitions) {
                qualified(&definition.cpp)
            } else {
                definition.wanted.clone()
            };
            types[id] = unused(&short(wanted, &definition.cpp), &mut taken);
        }
    }
    let kernels = items
        .map(|item| {
            let name = upper_camel(item.trim_start_matches("r#"), "Kernel");
            let name = short(name, item);
            if taken.contains(&name) {
                unused(&format!("{name}Args"), &mut taken)
            } else {
                unused(&name, &mut taken)
            }
        })
        .collect();
    Names { kernels, types }
}

/// Whether types of one name have namespaces that tell them apart.
fn is_told_apart(group: &[usize], definitions: &[Definition<'_>]) -> bool {
    let mut names = BTreeSet::new();
    group
        .iter()
        .all(|&id| names.insert(qualified(&definitions[id].cpp)))
}

/// The name of a type with its namespaces.
fn qualified(cpp: &str) -> String {
    let (path, name, arguments) = name::split(cpp);
    let name = [path, name, arguments].map(identifier).join("_");
    upper_camel(&name, "Type")
}

/// A name that is not too long.
fn short(name: String, of: &str) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    upper_camel(&numbered(&name, LONGEST - 9, of), "")
}

/// A name that nothing has yet.
fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let name = free(name, |name| taken.contains(name));
    taken.insert(name.clone());
    name
}

//! The names of generated structs and types.

use super::{
    Generated,
    identifier::{identifier, numbered, unused, upper_camel},
};
use crate::prelude::*;
use kernel_args_abi::cpp::{BUILTINS, name};

pub(super) struct TypeNames {
    /// Of each kernel's struct, then of each generic struct.
    pub(super) kernels: Vec<String>,
    /// Empty if the type is not written.
    pub(super) types: Vec<String>,
}

/// Names that the text imports in addition to CUDA's types, or that no type can have.
const RESERVED: [&str; 16] = [
    "CLong",
    "CULong",
    "CudaSlice",
    "CudaView",
    "CudaViewMut",
    "DevicePointer",
    "DevicePointerMut",
    "DeviceType",
    "KernelArgs",
    "Self",
    "Surface",
    "SurfaceObject",
    // A type parameter.
    "T",
    "Texture",
    "TextureObject",
    // The standard derives. They are not types, but would confuse readers.
    "Debug",
];

const LONGEST: usize = 60;

/// `used` are names of other types.
pub(super) fn names<'i>(
    items: impl Iterator<Item = &'i str>,
    used: impl Iterator<Item = &'i str>,
    definitions: &[Generated<'_>],
) -> TypeNames {
    let mut taken = BTreeSet::new();
    taken.extend(RESERVED.map(String::from));
    taken.extend(used.map(String::from));
    taken.extend(BUILTINS.iter().map(|row| row.rust.to_owned()));
    let mut used: Vec<usize> = (0..definitions.len()).filter(|&id| definitions[id].is_used).collect();
    let key = |id: usize| {
        let Generated { wanted, cpp, shape, .. } = &definitions[id];
        (wanted, cpp, shape, definitions[id].known_align)
    };
    sort(&mut used, &|&a, &b| key(a).cmp(&key(b)));
    let mut types = vec![String::new(); definitions.len()];
    for group in used.chunk_by(|&a, &b| definitions[a].wanted == definitions[b].wanted) {
        for &id in group {
            let Generated { cpp, wanted, .. } = &definitions[id];
            let is_qualified = group.len() > 1 && are_distinct(group, definitions);
            let wanted = if is_qualified { qualified(cpp) } else { wanted.clone() };
            types[id] = unused(&short(wanted, cpp), &mut taken);
        }
    }
    let kernels = items
        .map(|item| {
            let mut name = short(upper_camel(item.trim_start_matches("r#"), "Kernel"), item);
            if taken.contains(&name) {
                name.push_str("Args");
            }
            unused(&name, &mut taken)
        })
        .collect();
    TypeNames { kernels, types }
}

fn are_distinct(group: &[usize], definitions: &[Generated<'_>]) -> bool {
    let mut names = BTreeSet::new();
    group.iter().all(|&id| names.insert(qualified(&definitions[id].cpp)))
}

fn qualified(cpp: &str) -> String {
    let (path, name, arguments) = name::split(cpp);
    let name = [path, name, arguments].map(identifier).join("_");
    upper_camel(&name, "Type")
}

fn short(name: String, of: &str) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    upper_camel(&numbered(&name, LONGEST - 9, of), "")
}

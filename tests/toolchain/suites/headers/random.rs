//! The headers of the random structs.

use kernel_args::{KernelArgs, abi::Signature, cpp};
use kernel_args_test_generator::{self as generator, Struct, Type, echo};
use kernel_args_tests::derived::{ENTRIES, visit};
use kernel_args_tests::values::Visitor;

/// A struct, and its header or the reason why it has no header.
pub(crate) struct Written {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) signature: Signature<'static>,
}

/// A struct without a header.
pub(crate) struct Refused {
    pub(crate) index: usize,
    pub(crate) error: cpp::HeaderError,
}

#[derive(Default)]
struct Write {
    written: Vec<Written>,
    refused: Vec<Refused>,
}

impl Visitor for Write {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        self.over_aligned(index, args);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, _: A) {
        let name = ENTRIES[index];
        let namespace = format!("types_of_{name}");
        // The types behind pointers have no header here.
        let header = cpp::Header::new().namespace(&namespace).forward_declare_pointees().item(cpp::kernel::<A>(name));
        match header.write() {
            Ok(text) => self.written.push(Written { index, name: name.to_owned(), text, signature: A::SIGNATURE }),
            Err(error) => self.refused.push(Refused { index, error }),
        }
    }
}

fn write() -> Write {
    let mut write = Write::default();
    visit(1, 0, &mut write);
    write
}

/// All structs with a header.
pub(crate) fn all() -> Vec<Written> {
    write().written
}

/// The generator's data about by-value types, including inner types.
fn by_value<'t>(ty: &'t Type, found: &mut Vec<&'t Type>) {
    match ty {
        Type::Array(of, _) | Type::Alias { of, .. } => by_value(of, found),
        Type::Struct(Struct { fields, .. }) => {
            for field in fields {
                by_value(&field.ty, found);
            }
        }
        Type::Leaf(_) | Type::Pointer { .. } | Type::Enum(_) => {}
    }
    found.push(ty);
}

/// Whether two by-value types have the same C++ name: instances of a generic struct, or both tensor maps.
fn has_two_of_one_name(signature: &generator::Signature) -> bool {
    let mut types = Vec::new();
    signature.parameters.iter().for_each(|ty| by_value(ty, &mut types));
    let structs: Vec<&Struct> = types
        .iter()
        .filter_map(|ty| match ty {
            Type::Struct(structure) => Some(structure),
            _ => None,
        })
        .collect();
    let is_leaf = |name: &str| types.iter().any(|ty| matches!(ty, Type::Leaf(leaf) if leaf.rust == name));
    let two = structs.iter().any(|a| structs.iter().any(|b| a.name == b.name && a != b));
    two || is_leaf("TensorMap") && is_leaf("TensorMapA64")
}

/// A struct has no header if two of its types have the same name, and only then.
pub(crate) fn check_refused() -> Result<(), String> {
    let kernels = echo::signatures(echo::SEED, ENTRIES.len());
    let Write { written, refused } = write();
    println!("{} headers, {} structs without", written.len(), refused.len());
    for written in &written {
        if has_two_of_one_name(&kernels[written.index]) {
            return Err(format!("{}: two types of one name\n{}", written.name, written.text));
        }
    }
    for Refused { index, error } in &refused {
        let text = error.to_string();
        let says_two = text.contains("two types are called") || text.contains("has two layouts");
        if !says_two || !has_two_of_one_name(&kernels[*index]) {
            return Err(format!("{}: {error}", ENTRIES[*index]));
        }
    }
    if refused.is_empty() || refused.len() > written.len() / 2 {
        return Err(format!("{} refused, {} written", refused.len(), written.len()));
    }
    Ok(())
}

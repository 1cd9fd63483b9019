//! Signatures as Rust: structs with both derives, and a table of them.
//!
//! The text is a module of a crate that depends on `kernel_args` and on `kernel_args_tests`.

use crate::{Pointee, Signature, Slot, Struct, Type};
use std::fmt::Write as _;

impl Type {
    /// The spelling of the type.
    #[must_use]
    pub fn rust(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.rust.to_owned(),
            Self::Pointer { to, is_const, optional } => {
                let to = match to {
                    Pointee::Void => "core::ffi::c_void".to_owned(),
                    Pointee::Type(ty) => ty.rust(),
                };
                let mutable = if *is_const { "" } else { "Mut" };
                let pointer = format!("DevicePointer{mutable}<{to}>");
                if *optional { format!("Option<{pointer}>") } else { pointer }
            }
            Self::Enum(e) => e.name.clone(),
            Self::Alias { name, .. } => name.clone(),
            Self::Array(of, len) => format!("[{}; {len}]", of.rust()),
            Self::Struct(structure) => structure.rust(),
        }
    }

    /// The definition of the type; empty if it has no definition.
    #[must_use]
    pub fn rust_definition(&self) -> String {
        match self {
            Self::Struct(structure) => structure.define_rust(),
            Self::Alias { name, of } => format!(
                "#[derive(Clone, Copy, DeviceType)]\n#[repr(transparent)]\n\
                 pub struct {name} {{ pub value: {} }}\ndraw!({{}} {name} {{ value }});\n",
                of.rust()
            ),
            Self::Enum(e) => {
                let variants: Vec<String> = (0..e.values.len()).map(|i| format!("V{i}")).collect();
                let values: Vec<String> =
                    variants.iter().zip(&e.values).map(|(variant, value)| format!("{variant} = {value}")).collect();
                format!(
                    "#[derive(Clone, Copy, DeviceType)]\n#[repr({})]\npub enum {name} {{ {} }}\n\
                     draw!(enum {name} {{ {} }});\n",
                    e.underlying.rust,
                    values.join(", "),
                    variants.join(", "),
                    name = e.name,
                )
            }
            Self::Leaf(_) | Self::Pointer { .. } | Self::Array(..) => String::new(),
        }
    }
}

impl Struct {
    /// The name of the struct with its arguments.
    #[must_use]
    pub fn rust(&self) -> String {
        if self.arguments.is_empty() {
            return self.name.clone();
        }
        let mut arguments: Vec<String> = self.arguments.iter().map(Type::rust).collect();
        arguments.extend(self.length.map(|n| n.to_string()));
        format!("{}<{}>", self.name, arguments.join(", "))
    }

    fn define_rust(&self) -> String {
        let Self { name, fields, .. } = self;
        let packed = self.packed.map(|n| format!(", packed({n})"));
        let align = self.align.map(|n| format!(", align({n})")).or(packed).unwrap_or_default();
        let types = (0..self.arguments.len()).map(|i| format!("T{i}"));
        let names: Vec<String> = types.chain(self.length.map(|_| "N".to_owned())).collect();
        let declared = |bound: &str| {
            let types = (0..self.arguments.len()).map(|i| format!("T{i}{bound}"));
            let length = self.length.map(|_| "const N: usize".to_owned());
            types.chain(length).collect::<Vec<_>>().join(", ")
        };
        let of = |list: String| {
            if list.is_empty() { list } else { format!("<{list}>") }
        };
        let mut text =
            format!("#[derive(Clone, Copy, DeviceType)]\n#[repr(C{align})]\npub struct {name}{} {{ ", of(declared("")));
        for (i, field) in fields.iter().enumerate() {
            let _ = match field.slot {
                Slot::Own => write!(text, "pub f{i}: {}, ", field.ty.rust()),
                Slot::Argument(t) => write!(text, "pub f{i}: T{t}, "),
                Slot::Array(t) => write!(text, "pub f{i}: [T{t}; N], "),
            };
        }
        let members: Vec<String> = (0..fields.len()).map(|i| format!("f{i}")).collect();
        let _ = writeln!(
            text,
            "}}\ndraw!({{{}}} {name}{} {{ {} }});",
            declared(": Draw"),
            of(names.join(", ")),
            members.join(", ")
        );
        text
    }
}

impl Signature {
    /// The name of the struct.
    #[must_use]
    pub fn rust_name(&self) -> String {
        let mut name = self.name.replace("echo_", "Echo");
        name[..1].make_ascii_uppercase();
        name
    }

    /// The type of the struct, with its type parameters filled in.
    #[must_use]
    pub fn rust_type(&self) -> String {
        if self.open == 0 {
            return self.rust_name();
        }
        let open = self.parameters[..self.open].iter().map(Type::rust);
        let arguments = open.collect::<Vec<_>>().join(", ");
        format!("{}<{arguments}>", self.rust_name())
    }

    /// The definitions of the signature's types and of its `KernelArgs` struct.
    #[must_use]
    pub fn rust_definitions(&self) -> String {
        let definitions = self.definitions().into_iter();
        let types: String = definitions.map(Type::rust_definition).collect();
        types + &self.rust_arguments()
    }

    fn rust_arguments(&self) -> String {
        let name = self.rust_name();
        let parameters = |bound: &str| {
            let open = (0..self.open).map(|i| format!("A{i}{bound}"));
            open.collect::<Vec<_>>().join(", ")
        };
        let of = |list: String| {
            if list.is_empty() { list } else { format!("<{list}>") }
        };
        let mut fields = Vec::new();
        let mut members = Vec::new();
        if self.echo {
            fields.push("pub out: DevicePointerMut<u8>".to_owned());
        }
        for (i, ty) in self.parameters.iter().enumerate() {
            let open = (i < self.open).then(|| format!("A{i}"));
            fields.push(format!("pub p{i}: {}", open.unwrap_or_else(|| ty.rust())));
            members.push(format!("p{i}"));
        }
        format!(
            "#[derive(Clone, Copy, KernelArgs)]\npub struct {name}{} {{ {} }}\n\
             draw!({}{{{}}} {name}{} {{ {} }});\n",
            of(parameters(": KernelArg")),
            fields.join(", "),
            if self.echo { "echo " } else { "" },
            parameters(": KernelArg + Draw"),
            of(parameters("")),
            members.join(", "),
        )
    }
}

/// The start of every generated module.
pub(crate) const HEAD: &str = "\
use core::num::*;
use kernel_args::*;
use kernel_args_tests::{vectors::*, values::{Draw, Draws, Structure, Visitor, draw, structure}};
";

/// A module with all these structs, each signature in its own submodule, with functions that visit the structs.
#[must_use]
pub fn source(signatures: &[Signature]) -> String {
    let mut text = HEAD.to_owned();
    let (mut entries, mut visits, mut structures) = (String::new(), String::new(), String::new());
    for (i, signature) in signatures.iter().enumerate() {
        let visit = if signature.is_over_aligned() { "over_aligned" } else { "packable" };
        let name = &signature.name;
        // One function per struct: in a debug build a single function for all would need megabytes of stack.
        let _ = writeln!(
            text,
            "pub mod {name} {{ use super::*;\n{}\
             pub(super) fn visit<V: Visitor>(draws: &Draws, visitor: &mut V) {{ \
             visitor.{visit}({i}, draws.args::<{}>({i})) }}\n\
             pub(super) fn structures<R: FnMut(Structure)>(report: &mut R) {{",
            signature.rust_definitions(),
            signature.rust_type()
        );
        for structure in signature.structs() {
            let members: Vec<String> = (0..structure.fields.len()).map(|i| format!("f{i}")).collect();
            let ty = structure.rust();
            let _ = writeln!(text, "structure!(report, {i}, {ty} {{ {} }});", members.join(", "));
        }
        text.push_str("} }\n");
        let _ = write!(entries, "{name:?}, ");
        let _ = writeln!(visits, "{name}::visit(draws, visitor);");
        let _ = writeln!(structures, "{name}::structures(report);");
    }
    let _ = write!(
        text,
        "/// Every entry's name, in the order in which `visit` calls.\n\
         pub const ENTRIES: &[&str] = &[{entries}];\n\
         /// Calls `visitor` with every struct in order, filled with the random values of `seed`; `out` is the\n\
         /// address for the first field of an echo kernel's struct.\n\
         pub fn visit<V: Visitor>(seed: u64, out: u64, visitor: &mut V) {{\n\
         let draws = &Draws {{ seed, out }};\n{visits}}}\n\
         /// Calls `report` with every by-value struct.\n\
         pub fn structures<R: FnMut(Structure)>(mut report: R) {{\n\
         let report = &mut report;\n{structures}}}\n"
    );
    text
}

impl Signature {
    /// The structs of only this signature, for a message.
    #[must_use]
    pub fn rust_alone(&self) -> String {
        let definitions = self.rust_definitions();
        let shown = definitions.lines().filter(|line| !line.starts_with("draw!"));
        shown.fold(String::new(), |text, line| text + line + "\n")
    }
}

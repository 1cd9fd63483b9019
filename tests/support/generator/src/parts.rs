//! Echo kernels whose Rust structs spread and flatten fields, at random: runs of parameters of one type are arrays,
//! runs of fields are structs of their own, at most two levels deep, with type parameters and lengths as parameters.

use crate::{Rng, Signature, Type, echo, rust};
use std::fmt::Write as _;

/// A field of the struct.
enum Field {
    /// Parameters of one type: one, or an array that is spread.
    Run { number: usize, ty: String, count: usize },
    /// The fields of a struct with this number.
    Flat { number: usize, fields: Vec<Field> },
}

/// A kernel, and the fields of its struct.
pub struct Parts {
    /// The kernel: each element of an array is a parameter.
    pub kernel: Signature,
    fields: Vec<Field>,
}

/// The kernels with the numbers 0 to `count - 1` of `seed`.
#[must_use]
pub fn all(seed: u64, count: usize) -> Vec<Parts> {
    let kernels = echo::signatures(seed, count).into_iter().enumerate();
    kernels.map(|(i, kernel)| Parts::new(kernel, &mut Rng::new(!seed, i as u64))).collect()
}

impl Parts {
    fn new(mut kernel: Signature, rng: &mut Rng) -> Self {
        kernel.open = 0;
        let types: Vec<Type> = std::mem::take(&mut kernel.parameters);
        let mut fields = Vec::new();
        for (number, ty) in types.into_iter().enumerate() {
            let count = *rng.pick(&[1, 1, 1, 2, 3, 4, 7]);
            let name = ty.rust();
            fields.push(Field::Run { number, ty: name, count });
            kernel.parameters.extend(vec![ty; count]);
        }
        let mut structs = 0;
        for _ in 0..2 {
            fields = flatten(fields, &mut structs, rng);
        }
        Self { kernel, fields }
    }

    /// The type of the struct.
    #[must_use]
    pub fn rust_type(&self) -> String {
        instance("Parts", &self.fields)
    }

    /// The definitions of the types and of all structs of arguments.
    #[must_use]
    pub fn rust_definitions(&self) -> String {
        let definitions = self.kernel.definitions().into_iter();
        let mut text: String = definitions.map(Type::rust_definition).collect();
        define("Parts", &self.fields, true, &mut text);
        text
    }
}

/// Replaces some runs of fields by structs.
fn flatten(fields: Vec<Field>, structs: &mut usize, rng: &mut Rng) -> Vec<Field> {
    let (mut flat, mut open) = (Vec::new(), Vec::new());
    let mut left = 0;
    for field in fields {
        if left == 0 {
            left = 1 + rng.below(4);
            close(&mut flat, &mut open, structs, rng);
        }
        left -= 1;
        open.push(field);
    }
    close(&mut flat, &mut open, structs, rng);
    flat
}

fn close(flat: &mut Vec<Field>, open: &mut Vec<Field>, structs: &mut usize, rng: &mut Rng) {
    if open.is_empty() || rng.chance(50) {
        flat.append(open);
        return;
    }
    flat.push(Field::Flat { number: *structs, fields: std::mem::take(open) });
    *structs += 1;
}

impl Field {
    /// Whether the type is a type parameter of its struct.
    fn is_open(&self) -> bool {
        matches!(self, Self::Run { number, .. } if number % 3 == 0)
    }

    /// Whether the length of the array is a parameter of its struct.
    fn has_open_length(&self) -> bool {
        matches!(self, Self::Run { number, count, .. } if *count > 1 && number % 2 == 0)
    }

    fn name(&self) -> String {
        match self {
            Self::Run { number, .. } => format!("p{number}"),
            Self::Flat { number, .. } => format!("flat{number}"),
        }
    }

    fn declaration(&self) -> String {
        let name = self.name();
        match self {
            Self::Run { number, ty, count } => {
                let element = if self.is_open() { format!("T{number}") } else { ty.clone() };
                // One element in five is an array of one element.
                if *count == 1 && number % 5 != 4 {
                    return format!("pub {name}: {element}");
                }
                let length = if self.has_open_length() { format!("N{number}") } else { count.to_string() };
                format!("#[kernel_args(spread)] pub {name}: [{element}; {length}]")
            }
            Self::Flat { number, fields } => {
                let parameters = parameters(fields, "", "");
                let ty = applied(&format!("Flat{number}"), &parameters);
                format!("#[kernel_args(flatten)] pub {name}: {ty}")
            }
        }
    }
}

/// The type and length parameters of a struct with these fields, and of its flattened structs.
fn parameters(fields: &[Field], bound: &str, length: &str) -> Vec<String> {
    let (mut types, mut lengths) = (Vec::new(), Vec::new());
    visit(fields, &mut |field, number, _, _| {
        if field.is_open() {
            types.push(format!("T{number}{bound}"));
        }
        if field.has_open_length() {
            lengths.push(format!("{length}N{number}{}", if length.is_empty() { "" } else { ": usize" }));
        }
    });
    types.into_iter().chain(lengths).collect()
}

/// The struct with its types and lengths.
fn instance(name: &str, fields: &[Field]) -> String {
    let (mut types, mut lengths) = (Vec::new(), Vec::new());
    visit(fields, &mut |field, _, ty, count| {
        if field.is_open() {
            types.push(ty.to_owned());
        }
        if field.has_open_length() {
            lengths.push(count.to_string());
        }
    });
    types.extend(lengths);
    applied(name, &types)
}

fn visit<'f>(fields: &'f [Field], then: &mut impl FnMut(&'f Field, usize, &'f str, usize)) {
    for field in fields {
        match field {
            Field::Run { number, ty, count } => then(field, *number, ty, *count),
            Field::Flat { fields, .. } => visit(fields, then),
        }
    }
}

fn applied(name: &str, parameters: &[String]) -> String {
    if parameters.is_empty() {
        return name.to_owned();
    }
    format!("{name}<{}>", parameters.join(", "))
}

fn define(name: &str, fields: &[Field], echo: bool, text: &mut String) {
    for field in fields {
        if let Field::Flat { number, fields } = field {
            define(&format!("Flat{number}"), fields, false, text);
        }
    }
    let bounds = |bound| parameters(fields, bound, "const ");
    let mut declared: Vec<String> = fields.iter().map(Field::declaration).collect();
    if echo {
        declared.insert(0, "pub out: DevicePointerMut<u8>".to_owned());
    }
    let members: Vec<String> = fields.iter().map(Field::name).collect();
    let _ = writeln!(
        text,
        "#[derive(Clone, Copy, KernelArgs)]\npub struct {} {{ {} }}\ndraw!({}{{{}}} {} {{ {} }});",
        applied(name, &bounds(": KernelArg")),
        declared.join(", "),
        if echo { "echo " } else { "" },
        bounds(": KernelArg + Draw").join(", "),
        applied(name, &parameters(fields, "", "")),
        members.join(", ")
    );
}

/// A module with all these structs, with a function that visits them.
#[must_use]
pub fn source(all: &[Parts]) -> String {
    let mut text = rust::HEAD.to_owned();
    let mut visits = String::new();
    for (i, parts) in all.iter().enumerate() {
        let visit = if parts.kernel.is_over_aligned() { "over_aligned" } else { "packable" };
        let _ = writeln!(
            text,
            "pub mod k{i} {{ use super::*;\n{}\
             pub(super) fn visit<V: Visitor>(draws: &Draws, visitor: &mut V) {{ \
             visitor.{visit}({i}, draws.args::<{}>({i})) }} }}",
            parts.rust_definitions(),
            parts.rust_type()
        );
        let _ = writeln!(visits, "k{i}::visit(draws, visitor);");
    }
    let _ = write!(
        text,
        "/// Calls `visitor` with every struct in order, filled with the random values of `seed`.\n\
         pub fn visit<V: Visitor>(seed: u64, out: u64, visitor: &mut V) {{\n\
         let draws = &Draws {{ seed, out }};\n{visits}}}\n"
    );
    text
}

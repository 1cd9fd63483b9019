//! What debug information says of signatures, against what the generator made, the const engine, and the records of the
//! cubins with and without it.

use crate::{
    compile::{Debug, answers_of},
    engine,
};
use kernel_args::abi::{Members, Parameter, dwarf::DebugInfo, image::Image};
use kernel_args_compiler_tests::golden::{check, place};
use kernel_args_test_generator::{Leaf, Pointee, Signature, Slot, Struct, Type};

/// How many signatures the committed PTX has.
pub(crate) const GOLDEN: usize = 24;

/// A type, or a member of a struct, as C++ has it.
#[derive(Debug)]
struct Expected {
    name: String,
    /// The type of one value, without arguments of templates; empty where it may be any of several names.
    cpp: String,
    /// How many values, one after another.
    elements: usize,
    /// Of all of them, in bytes.
    size: usize,
    members: Content,
}

#[derive(Debug)]
enum Content {
    None,
    /// With the offset of each.
    Struct(Vec<(usize, Expected)>),
    /// A struct of the prelude or of CUDA: so many scalars of so many bytes, one after another.
    Scalars(usize, usize),
}

impl Expected {
    fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// A type as a parameter, an argument of a template or what a pointer points to: an array is a struct around it.
    fn value(ty: &Type) -> Self {
        let size = ty.extent().size;
        let of = |cpp: &str, members| Self {
            name: String::new(),
            cpp: cpp.to_owned(),
            elements: 1,
            size,
            members,
        };
        match ty {
            Type::Leaf(leaf) if leaf.aggregate => of(
                named(leaf),
                Content::Scalars(leaf.count, leaf.scalar.size()),
            ),
            Type::Leaf(leaf) => of(named(leaf), Content::None),
            Type::Pointer { to, is_const, .. } => {
                let to = match to {
                    Pointee::Void => "void".to_owned(),
                    Pointee::Type(to) => Self::value(to).cpp,
                };
                let to_const = if *is_const { " const" } else { "" };
                of(&format!("{to}{to_const}*"), Content::None)
            }
            Type::Enum(e) => of(&e.name, Content::None),
            Type::Alias { of, .. } => Self::value(of),
            Type::Array(element, len) => {
                let elements = Self::array(Self::value(element), *len).named("elements".to_owned());
                of("Array", Content::Struct(vec![(0, elements)]))
            }
            Type::Struct(structure) => {
                of(&structure.name, Content::Struct(Self::fields(structure)))
            }
        }
    }

    /// A type as a field is declared: an array is one of C.
    fn declared(ty: &Type) -> Self {
        match ty {
            Type::Array(element, len) => Self::array(Self::declared(element), *len),
            ty => Self::value(ty),
        }
    }

    fn array(element: Self, len: usize) -> Self {
        Self {
            elements: element.elements * len,
            size: element.size * len,
            ..element
        }
    }

    fn fields(structure: &Struct) -> Vec<(usize, Self)> {
        let fields = structure.fields.iter().zip(structure.offsets());
        let fields = fields.enumerate().map(|(i, (field, (offset, _)))| {
            let expected = match (&field.slot, &field.ty) {
                (Slot::Own, ty) => Self::declared(ty),
                (Slot::Argument(_), ty) => Self::value(ty),
                (Slot::Array(_), Type::Array(element, len)) => {
                    Self::array(Self::value(element), *len)
                }
                (Slot::Array(_), ty) => unreachable!("an array of an argument is one: {ty:?}"),
            };
            (offset, expected.named(format!("f{i}")))
        });
        fields.collect()
    }

    /// How a parameter or member differs, in words.
    fn differences(&self, place: &str, told: &Parameter<'_>, found: &mut Vec<String>) {
        let mut same = |what: &str, told: String, expected: String| {
            if told != expected {
                found.push(format!("{place}: {what} {told}, expected {expected}"));
            }
        };
        same("name", told.name.to_owned(), self.name.clone());
        same("size", told.size.to_string(), self.size.to_string());
        same(
            "elements",
            told.cpp.elements().to_string(),
            self.elements.to_string(),
        );
        same(
            "type",
            plain(&told.cpp.element().to_string()),
            self.cpp.clone(),
        );
        match &self.members {
            Content::None => same("members", told.members.len().to_string(), "0".to_owned()),
            Content::Struct(members) => {
                same(
                    "members",
                    told.members.len().to_string(),
                    members.len().to_string(),
                );
                let known = told.members.is_known();
                same("members", known.to_string(), "true".to_owned());
                for (told, (offset, member)) in told.members.iter().zip(members) {
                    let place = format!("{place}.{}", member.name);
                    if told.offset != Some(*offset) {
                        found.push(format!("{place}: at {:?}, expected {offset}", told.offset));
                    }
                    member.differences(&place, &told, found);
                }
            }
            Content::Scalars(count, size) => {
                let mut scalars = Vec::new();
                flatten(told.members, 0, &mut scalars);
                let expected: Vec<_> = (0..*count).map(|i| (i * size, *size)).collect();
                same("scalars", format!("{scalars:?}"), format!("{expected:?}"));
            }
        }
    }
}

/// Offset and size of each scalar in a struct.
fn flatten(members: Members<'_>, start: usize, scalars: &mut Vec<(usize, usize)>) {
    for member in members.iter() {
        let size = member.size / member.cpp.elements();
        for i in 0..member.cpp.elements() {
            let at = start + member.offset.unwrap_or(usize::MAX) + i * size;
            if member.members.is_known() {
                flatten(member.members, at, scalars);
            } else {
                scalars.push((at, size));
            }
        }
    }
}

/// The name of the type that stands behind a typedef of the prelude.
fn named(leaf: &Leaf) -> &str {
    match leaf.cpp {
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => "unsigned long long",
        "cuFloatComplex" => "float2",
        "cuDoubleComplex" => "double2",
        name => name,
    }
}

/// A type without namespaces and arguments of templates.
fn plain(cpp: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for c in cpp.chars() {
        depth += usize::from(c == '<');
        if depth == 0 {
            text.push(c);
        }
        depth -= usize::from(c == '>');
        if text.ends_with("::") {
            text.clear();
        }
    }
    text
}

/// The differences between a signature and what is told of it.
fn of_signature(signature: &Signature, told: Members<'_>) -> Result<Vec<String>, String> {
    let parameters = signature.all_parameters();
    if told.len() != parameters.len() {
        return Ok(vec![format!(
            "{} parameters, expected {}",
            told.len(),
            parameters.len()
        )]);
    }
    let mut found = Vec::new();
    for (i, (ty, told)) in parameters.iter().zip(told.iter()).enumerate() {
        let expected = Expected::value(ty).named(format!("p{i}"));
        expected.differences(&format!("p{i}"), &told, &mut found);
        // Our own engine, by the crate's device types.
        let layout = engine::layout(ty)?;
        if layout.size() != told.size {
            found.push(format!(
                "p{i}: {} bytes, the engine says {}",
                told.size,
                layout.size()
            ));
        }
        let mut structs = Vec::new();
        ty.walk(&mut |ty| {
            if let Type::Struct(structure) = ty {
                structs.push(structure);
            }
        });
        for structure in structs {
            let (_, offsets) = engine::members(structure)?;
            let ours: Vec<usize> = Expected::fields(structure)
                .iter()
                .map(|(at, _)| *at)
                .collect();
            if ours != offsets {
                found.push(format!(
                    "{}: at {ours:?}, the engine says {offsets:?}",
                    structure.name
                ));
            }
        }
    }
    Ok(found)
}

/// What was compared.
#[derive(Default)]
pub(crate) struct Amount {
    pub(crate) parameters: usize,
    /// By-value structs of the program's own.
    pub(crate) structs: usize,
    pub(crate) members: usize,
}

fn members(told: Members<'_>) -> usize {
    let inner: usize = told.iter().map(|member| members(member.members)).sum();
    told.len() + inner
}

/// Compares signatures with what debug information says: the differences, with the number of the signature.
pub(crate) fn compare(
    signatures: &[Signature],
    infos: &[DebugInfo],
) -> Result<(Vec<(usize, String)>, Amount), String> {
    let mut found = Vec::new();
    let mut amount = Amount::default();
    for (i, signature) in signatures.iter().enumerate() {
        let mut told = infos
            .iter()
            .filter_map(|info| info.parameters(&signature.name));
        let Some(parameters) = told.next() else {
            found.push((i, format!("{}: no debug information", signature.name)));
            continue;
        };
        let differences = of_signature(signature, parameters)?;
        found.extend(
            differences
                .into_iter()
                .map(|what| (i, format!("{}: {what}", signature.name))),
        );
        if told.any(|other| other != parameters) {
            found.push((
                i,
                format!("{}: PTX and cubin tell different things", signature.name),
            ));
        }
        amount.parameters += parameters.len();
        amount.structs += signature.structs().len();
        amount.members += parameters.iter().map(|p| members(p.members)).sum::<usize>();
    }
    for error in infos.iter().flat_map(DebugInfo::errors) {
        found.push((0, error.to_string()));
    }
    Ok((found, amount))
}

/// Compiles signatures with and without debug information, and compares everything: what debug information says with the
/// signatures, and the parameters of both builds with each other.
pub(crate) fn differences(
    signatures: &[Signature],
) -> Result<(Vec<(usize, String)>, Amount), String> {
    let debug = answers_of("debug", signatures, Debug::Yes)?;
    let optimised = answers_of("optimised", signatures, Debug::No)?;
    let names = || signatures.iter().map(|signature| signature.name.as_str());
    let mut found = Vec::new();
    let mut infos = Vec::new();
    for (text, cubin) in &debug.images {
        infos.push(DebugInfo::of_ptx(text, names()).map_err(|error| error.to_string())?);
        infos.push(DebugInfo::of_cubin(cubin, names()).map_err(|error| error.to_string())?);
    }
    let answers = debug.answers.iter().zip(&optimised.answers);
    for (i, ((debug, optimised), signature)) in answers.zip(signatures).enumerate() {
        if debug != optimised {
            found.push((
                i,
                format!(
                    "{}: built for debugging\n  {}\noptimised\n  {}",
                    signature.name,
                    debug.line(),
                    optimised.line()
                ),
            ));
        }
        // The sizes of the records, which are those of PTX too.
        let told = infos
            .iter()
            .find_map(|info| info.parameters(&signature.name));
        let told: Vec<usize> = told
            .into_iter()
            .flat_map(Members::iter)
            .map(|p| p.size)
            .collect();
        for (sm, records) in &optimised.records {
            let recorded: Vec<usize> = records.parameters.iter().map(|(_, size)| *size).collect();
            if recorded != told {
                found.push((
                    i,
                    format!(
                        "{}: sizes {told:?}, records of sm_{sm} {recorded:?}",
                        signature.name
                    ),
                ));
            }
        }
    }
    // An image tells the same by itself: by its own records and declarations.
    for (text, cubin) in &debug.images {
        for image in [&text[..], cubin] {
            let kernels = Image::read(image)
                .and_then(|image| image.kernels())
                .map_err(|error| error.to_string())?;
            for (i, signature) in signatures.iter().enumerate() {
                let Some(kernel) = kernels.kernel(&signature.name, None) else {
                    continue;
                };
                let named = kernel
                    .parameters()
                    .iter()
                    .enumerate()
                    .all(|(i, p)| p.name == format!("p{i}"));
                if !named {
                    found.push((
                        i,
                        format!(
                            "{}: its image is told without debug information",
                            signature.name
                        ),
                    ));
                }
            }
        }
    }
    let (of_signatures, amount) = compare(signatures, &infos)?;
    found.extend(of_signatures);
    Ok((found, amount))
}

/// Exchanges neighbours of different types, parameters and fields of structs, in each signature: those that debug
/// information does not tell from the right ones, and how many there were.
fn unnoticed(signatures: &[Signature], info: &DebugInfo) -> Result<(Vec<String>, usize), String> {
    let mut unnoticed = Vec::new();
    let mut count = 0;
    for signature in signatures {
        let Some(told) = info.parameters(&signature.name) else {
            continue;
        };
        for i in 0..signature.parameters.len() {
            let mut changed = Vec::new();
            if let Some(next) = signature.parameters.get(i + 1)
                && *next != signature.parameters[i]
            {
                let mut other = signature.clone();
                other.parameters.swap(i, i + 1);
                changed.push(other);
            }
            if let Type::Struct(structure) = &signature.parameters[i] {
                for j in 1..structure.fields.len() {
                    let (a, b) = (&structure.fields[j - 1], &structure.fields[j]);
                    let mut other = signature.clone();
                    let Type::Struct(structure) = &mut other.parameters[i] else {
                        continue;
                    };
                    structure.fields.swap(j - 1, j);
                    if a.ty != b.ty {
                        changed.push(other);
                    }
                }
            }
            for other in changed {
                count += 1;
                // Two spellings of one type are no difference.
                if of_signature(&other, told)?.is_empty() {
                    unnoticed.push(other.cpp_alone());
                }
            }
        }
    }
    Ok((unnoticed, count))
}

/// The declarations and sections of debug information of a PTX text.
fn outline(text: &str) -> String {
    let mut outline = String::new();
    let (mut is_body, mut are_bytes) = (false, false);
    for line in text.lines() {
        match line {
            "{" => is_body = true,
            "}" if is_body => {
                is_body = false;
                outline.push_str("\n{}");
            }
            _ if is_body || line.trim_start().starts_with("//") || line.trim().is_empty() => {}
            _ if line.contains(".global ") => {}
            line => {
                let line = line.trim_start();
                // Bytes that follow each other are one line.
                match line.strip_prefix(".b8 ") {
                    Some(bytes) if are_bytes => outline.push_str(&format!(",{bytes}")),
                    _ => outline.push_str(&format!("\n{line}")),
                }
                are_bytes = line.starts_with(".b8 ");
            }
        }
    }
    outline + "\n"
}

/// Compares the committed PTX with what NVRTC writes now, or writes it.
pub(crate) fn check_golden(signatures: &[Signature], version: &str) -> Result<(), String> {
    let debug = answers_of("golden_debug", &signatures[..GOLDEN], Debug::Yes)?;
    let mut text = format!(
        "// {version}, --device-debug: the first {GOLDEN} signatures of signatures.tsv, without bodies."
    );
    for (ptx, _) in &debug.images {
        text.push_str(&outline(&String::from_utf8_lossy(ptx)));
    }
    check("debug.ptx", &text)
}

/// What the committed PTX says of its signatures.
pub(crate) fn golden(signatures: &[Signature]) -> Result<(Vec<(usize, String)>, Amount), String> {
    let text = kernel_args_compiler_tests::read(&place("debug.ptx"))?;
    let signatures = &signatures[..GOLDEN];
    let names = signatures.iter().map(|signature| signature.name.as_str());
    let info = DebugInfo::of_ptx(text.as_bytes(), names).map_err(|error| error.to_string())?;
    let (unnoticed, count) = unnoticed(signatures, &info)?;
    println!(
        "{count} exchanges, {} of one type by two names",
        unnoticed.len()
    );
    if count < 20 || unnoticed.len() > count / 10 {
        return Err(format!(
            "exchanged, but not noticed:\n{}",
            unnoticed.join("\n")
        ));
    }
    compare(signatures, &[info])
}

//! Mistakes in structs for random kernels without types in their symbols and without debug information: how many are
//! refused, and how many are refused if the struct is strict, by kind of mistake and set of kernels. A right struct
//! that is refused is an error, even if it is strict: these kernels do not pun.
//!
//! A struct is compared in both ways that a user meets: with the table that `kernels!` makes, and with the parameters
//! of a loaded image.

use super::{COMPILED, compiled, element_type};
use kernel_args_abi::{
    Class, CppBase, CppType, Layout, Members, Parameter, Signature,
    check::{Report, report},
    compiled::{CompiledImage, CompiledKernels},
};
use kernel_args_image::{Encoder, Image};
use kernel_args_test_generator::known_uses::{Kernel, Value};
use libtest_mimic::Failed;
use std::collections::BTreeMap;

type Fields = Vec<Parameter<'static>>;

/// By kind of mistake and set: how many were refused, how many of a strict struct, and how many there are.
type Counts = BTreeMap<&'static str, [[usize; 3]; COMPILED.len()]>;

/// The kinds of mistakes, and the shares of each that must be refused, and refused if the struct is strict, in percent.
const KINDS: [(&str, usize, usize); 9] = [
    ("input and output exchanged, same elements", 95, 95),
    ("input and output exchanged, other elements", 95, 95),
    ("shared, but the kernel writes", 95, 95),
    ("a pointer for an integer", 0, 95),
    ("a float for another float", 92, 95),
    ("an integer for a float, or a float for an integer", 0, 70),
    ("an integer of another size", 0, 40),
    ("shared or other elements in a struct by value", 70, 70),
    ("a pointer and an integer exchanged", 95, 95),
];

pub(super) fn found() -> Result<(), Failed> {
    let (mut counts, mut wrong) = (Counts::new(), Vec::new());
    let (mut right, mut refused) = (0, 0);
    compiled("bodies_mistakes", &mut |set, text, kernels| {
        let image = Image::read(text).map_err(|error| error.to_string())?;
        let mut read = image.kernels().map_err(|error| error.to_string())?;
        image.add_bodies(&mut read, |_| true).map_err(|error| error.to_string())?;
        for kernel in kernels {
            let mut found = read.kernel(&kernel.name, None).ok_or("a kernel is missing")?;
            // As if the sets with debug information had none.
            found.debug_info = Members::UNKNOWN;
            let mut encoder = Encoder::new();
            encoder.push(&found, None, false);
            let (table, names) = encoder.finish();
            let table = CompiledImage::table(table.leak(), names.leak());
            let table = CompiledKernels::all(Box::leak(Box::new(table)));
            let parameters = found.parameters();
            let is_refused = |fields: &[Parameter<'static>], wrong: &mut Vec<String>| {
                let signature = |name, parameters| Signature { name, parameters };
                let (host, loaded) = (signature("Host", fields), signature("kernel", &parameters));
                let at_load: Report<'_> = report(&host, &loaded);
                let at_compile_time = table.only_fitting(fields).is_none();
                if at_load.is_empty() == at_compile_time {
                    wrong.push(format!("{}: the stages differ: {fields:?}", kernel.name));
                }
                at_compile_time.then(|| at_load.whole_message())
            };
            let fields = fields(kernel);
            right += 4;
            let declared = as_declared(kernel, &fields);
            for right in [&fields, &declared, &strict(&fields), &strict(&declared)] {
                if let Some(why) = is_refused(right, &mut wrong) {
                    refused += 1;
                    let source = &kernel.source;
                    wrong.push(format!("{}: a right struct is refused: {why}\n{source}", kernel.name));
                }
            }
            for (kind, mutant) in mutants(kernel, &fields) {
                let count = &mut counts.entry(kind).or_default()[set];
                count[0] += usize::from(is_refused(&mutant, &mut wrong).is_some());
                count[1] += usize::from(is_refused(&strict(&mutant), &mut wrong).is_some());
                count[2] += 1;
            }
        }
        Ok(())
    })?;
    println!("bodies: mistakes refused + only if strict / all, by set; {right} right structs, refused: {refused}");
    for (number, (target, options)) in COMPILED.iter().enumerate() {
        println!("  set {number}: {target} {}", options.join(" "));
    }
    for (kind, least, least_strict) in KINDS {
        let sets = counts.get(kind).copied().unwrap_or_default();
        let [refused, strict, all] = [0, 1, 2].map(|i| sets.iter().map(|set| set[i]).sum::<usize>());
        let each = sets.map(|[refused, strict, all]| format!("{refused:>4}+{}/{all:<4}", strict - refused));
        println!("  {kind:50}{refused:>5}+{:<4}/{all:<5} {}", strict - refused, each.join(" "));
        if all == 0 || refused * 100 < all * least || strict * 100 < all * least_strict {
            wrong.push(format!("{kind}: {refused} of {all} refused, {strict} if strict"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let count = wrong.len();
    wrong.truncate(5);
    Err(format!("{count} failures:\n{}", wrong.join("\n")).into())
}

/// The fields of a struct that asks for an error for each contradiction.
fn strict(fields: &[Parameter<'static>]) -> Fields {
    fields.iter().map(|field| Parameter { is_strict: true, ..*field }).collect()
}

fn value(class: Class, cpp: CppType<'static>, size: usize) -> Parameter<'static> {
    let layout = Layout::from_size_align(size, size.min(8)).expect("a power of two");
    Parameter::field("field", "Field", 0, layout, class, cpp)
}

fn pointer(element: &'static str, is_const: bool) -> Parameter<'static> {
    value(Class::Pointer, element_type(element).pointer(is_const), 8)
}

fn structure(members: Vec<(usize, Parameter<'static>)>, size: usize) -> Parameter<'static> {
    let members = members.into_iter().map(|(offset, member)| Parameter { offset: Some(offset), ..member });
    let members: &'static [Parameter<'static>] = members.collect::<Vec<_>>().leak();
    Parameter { size, ..value(Class::Bytes, CppType::UNKNOWN, 8).with_members(Members::of(members)) }
}

/// The right struct: a pointer is shared if the kernel only reads through it.
fn fields(kernel: &Kernel) -> Fields {
    let declared = kernel.declared.iter().enumerate();
    let field = |(index, declared): (usize, &String)| {
        let known = kernel.parameters.iter().filter(|known| known.parameter == index);
        let pointers: Vec<_> = known
            .filter_map(|known| match known.value {
                Value::Pointer { element, is_written, .. } => Some((known.offset, pointer(element, !is_written))),
                Value::Integer => None,
            })
            .collect();
        let long = || value(Class::Integer, CppType::integer(true, 64), 8);
        let int = || value(Class::Integer, CppType::integer(true, 32), 4);
        match pointers.as_slice() {
            _ if declared.starts_with("int ") => int(),
            _ if declared.starts_with("long long ") => long(),
            _ if declared.starts_with("void**") => {
                value(Class::Pointer, CppType::of(CppBase::Void).pointer(false).pointer(false), 8)
            }
            [(_, only)] if declared.contains('*') => *only,
            [(_, data)] => structure(vec![(0, *data), (8, long())], 16),
            several => {
                let mut members = vec![(0, int())];
                members.extend(several.iter().copied());
                structure(members, 32)
            }
        }
    };
    declared.map(field).collect()
}

/// The right struct with a mutable pointer for each `T*` of the source.
fn as_declared(kernel: &Kernel, fields: &[Parameter<'static>]) -> Fields {
    let pairs = fields.iter().zip(&kernel.declared);
    let mutable = |(field, declared): (&Parameter<'static>, &String)| match field.cpp.to_mutable() {
        Some(cpp) if !declared.contains("const") => Parameter { cpp, ..*field },
        _ => *field,
    };
    pairs.map(mutable).collect()
}

/// Structs with one mistake.
fn mutants(kernel: &Kernel, fields: &[Parameter<'static>]) -> Vec<(&'static str, Fields)> {
    let mut mutants = Vec::new();
    let with = |index: usize, field: Parameter<'static>| {
        let mut fields = fields.to_vec();
        fields[index] = field;
        fields
    };
    // The pointers that an instruction uses alone.
    let direct: Vec<_> = kernel
        .parameters
        .iter()
        .filter_map(|known| match known.value {
            Value::Pointer { element, is_written, is_direct: true, .. } => {
                Some((known.parameter, known.offset, element, is_written))
            }
            _ => None,
        })
        .collect();
    mutants.push((KINDS[3].0, with(1, pointer("float", true))));
    for &(index, ..) in direct.iter().filter(|(index, ..)| fields[*index].size == 8) {
        let mut fields = fields.to_vec();
        fields.swap(1, index);
        mutants.push((KINDS[8].0, fields));
    }
    for &(index, offset, element, is_written) in &direct {
        let is_member = fields[index].size > 8;
        if is_member {
            if is_written {
                let other = |_| pointer(element, true);
                mutants.push((KINDS[7].0, with(index, with_member(&fields[index], offset, other))));
            }
            if matches!(element, "float" | "double") {
                let other = if element == "float" { "double" } else { "float" };
                let other = |_| pointer(other, !is_written);
                mutants.push((KINDS[7].0, with(index, with_member(&fields[index], offset, other))));
            }
            continue;
        }
        if is_written {
            mutants.push((KINDS[2].0, with(index, pointer(element, true))));
        }
        for other in ["float", "double", "__half", "__nv_bfloat16", "int", "long long", "short"] {
            let Some(kind) = kind(element, other) else {
                continue;
            };
            mutants.push((kind, with(index, pointer(other, !is_written))));
        }
        for &(other, _, other_element, other_written) in &direct {
            if is_written && !other_written && fields[other].size == 8 {
                let mut fields = fields.to_vec();
                fields.swap(index, other);
                let kind = KINDS[usize::from(element != other_element)].0;
                mutants.push((kind, fields));
            }
        }
    }
    mutants
}

fn with_member(
    field: &Parameter<'static>,
    offset: usize,
    change: impl Fn(Parameter<'static>) -> Parameter<'static>,
) -> Parameter<'static> {
    let members = field.members.iter().map(|member| {
        let at = member.offset.unwrap_or_default();
        (at, if at == offset { change(member) } else { member })
    });
    structure(members.collect(), field.size)
}

/// The kind of a mistake in the elements. `None` if their accesses are equal, or are not compared.
fn kind(own: &str, other: &str) -> Option<&'static str> {
    let is_float = |element: &str| matches!(element, "float" | "double" | "__half" | "__nv_bfloat16");
    let kind = match (is_float(own), is_float(other)) {
        _ if own == other => return None,
        (true, true) => 4,
        (true, false) | (false, true) => 5,
        (false, false) if element_size(own) != element_size(other) => 6,
        (false, false) => return None,
    };
    Some(KINDS[kind].0)
}

fn element_size(element: &str) -> usize {
    match element {
        "unsigned char" => 1,
        "short" | "__half" | "__nv_bfloat16" => 2,
        "float" | "int" | "unsigned" => 4,
        _ => 8,
    }
}

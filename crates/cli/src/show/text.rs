//! Writes a table and a byte map of each kernel.

use super::{columns::Columns, inferred, map, types};
use crate::{
    escape::terminal,
    findings::findings,
    kernel::{DEPTH, Host, InImage, Kernel, MEMBERS, block_size},
    output::Output,
    place::Kind,
    style::{Paint, count},
};
use kernel_args_abi::{Body, Parameter, Sm, signature::Variant, texts::byte_map::letter};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

pub(super) fn write(kernels: &[Kernel], demangle: bool, output: &mut Output) -> io::Result<()> {
    for (index, kernel) in kernels.iter().enumerate() {
        if index > 0 {
            writeln!(output.to)?;
        }
        write_kernel(kernel, demangle, output.paint, &mut output.to)?;
    }
    Ok(())
}

fn write_kernel(kernel: &Kernel, demangle: bool, paint: Paint, to: &mut dyn Write) -> io::Result<()> {
    let name = kernel.name(demangle);
    writeln!(to, "{}", paint.title(&terminal(name)))?;
    if name != kernel.symbol {
        line(to, paint, "symbol", &terminal(&kernel.symbol))?;
    }
    if let Some(Host { file, prototype, .. }) = &kernel.host {
        line(to, paint, "in", &terminal(file))?;
        line(to, paint, "C", &terminal(prototype))?;
    }
    for (file, gpus) in images(&kernel.images) {
        line(to, paint, "in", &format!("{}: {gpus}", terminal(&file)))?;
    }
    let limits = kernel.limits.texts();
    if !limits.is_empty() {
        line(to, paint, "launch", &limits.join("; "))?;
    }
    for (what, text) in resources(&kernel.images) {
        line(to, paint, what, &text)?;
    }
    for finding in findings(kernel).iter().filter(|finding| finding.is_contradiction) {
        line(to, paint, "remark", &finding.text)?;
    }
    let parameters = kernel.parameters();
    write_parameters(&parameters, kernel.host.is_some(), paint, to)
}

fn line(to: &mut dyn Write, paint: Paint, what: &str, text: &str) -> io::Result<()> {
    writeln!(to, "  {} {text}", paint.faint(&format!("{what:9}")))
}

fn write_parameters(parameters: &[Parameter<'_>], is_host: bool, paint: Paint, to: &mut dyn Write) -> io::Result<()> {
    let size = block_size(parameters);
    let count = match parameters.len() {
        0 => return writeln!(to, "  no parameters"),
        number => count(number, "parameter"),
    };
    match size {
        _ if is_host => writeln!(to, "  {count}")?,
        Some(1) => writeln!(to, "  {count}, 1 byte")?,
        Some(size) => writeln!(to, "  {count}, {size} bytes")?,
        None => writeln!(to, "  {count}; offsets depend on the GPU")?,
    }
    let head = ["", "parameter", "type", "offset", "size", "align", "use", "inferred"];
    let mut columns = Columns::new(&head, &[3, 4, 5]);
    let mut owners = vec![None];
    for (index, parameter) in parameters.iter().enumerate() {
        let letter = letter(index).to_string();
        let value = Value { of: parameter, body: parameter.body, at: 0, depth: 0 };
        push(&mut columns, &mut owners, (index, &letter), &value);
    }
    // The calling convention places the arguments of a host function.
    if is_host {
        columns.clear_unknown();
    }
    for optional in [3, 5, 6, 7] {
        columns.remove_unused_heading(optional);
    }
    for (row, owner) in columns.rows().zip(owners) {
        let (letter, rest) = (&row[0], row[1..].join("  "));
        match owner {
            Some(index) => writeln!(to, "  {}  {}", paint.parameter(index, letter), rest.trim_end())?,
            None => writeln!(to, "  {letter}  {}", paint.faint(rest.trim_end()))?,
        }
    }
    if is_host {
        return Ok(());
    }
    let rows = map::rows(parameters, size.unwrap_or(0), paint);
    if !rows.is_empty() {
        writeln!(to, "\n   {}{rows}", paint.faint("byte  (`.` is padding)"))?;
    }
    Ok(())
}

/// A parameter, or a member at `at` bytes in the parameter with this body.
struct Value<'p> {
    of: &'p Parameter<'p>,
    body: Body<'p>,
    at: usize,
    depth: u32,
}

fn push(columns: &mut Columns, owners: &mut Vec<Option<usize>>, (index, letter): (usize, &str), value: &Value<'_>) {
    let &Value { of: parameter, body, at, depth } = value;
    let number = |number: Option<usize>| number.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let unit = if depth > 0 { "." } else { "" };
    let mut ty = types::spelling(parameter);
    if let Some(why) = parameter.members.why_opaque() {
        ty = format!("{ty} ({})", types::opaque(why));
    }
    let [uses, inferred] = inferred::cells(parameter, body, (depth > 0, at));
    columns.push(vec![
        letter.to_owned(),
        format!("{}{unit}{}", "  ".repeat(depth as usize), terminal(parameter.name)),
        ty,
        number(parameter.offset),
        parameter.size.to_string(),
        // No image contains the alignment of a member.
        if depth > 0 && parameter.align.is_none() {
            String::new()
        } else {
            number(parameter.align.map(kernel_args_abi::Alignment::bytes))
        },
        uses,
        inferred,
    ]);
    owners.push(Some(index));
    if depth == DEPTH {
        return;
    }
    for member in parameter.members.iter().take(MEMBERS) {
        let offset = member.offset.unwrap_or_default();
        let value = Value {
            of: &member,
            // Only the first element of an array of structs is shown.
            body: if parameter.cpp.is_array() { Body::UNKNOWN } else { body },
            at: at.saturating_add(offset),
            depth: depth + 1,
        };
        push(columns, owners, (index, " "), &value);
    }
    let indent = "  ".repeat(depth as usize + 1);
    for Variant { name, value } in parameter.members.variants().take(MEMBERS) {
        let name = format!("{indent}{}", terminal(name));
        columns.push(vec![" ".to_owned(), name, format!("= {value}")]);
        owners.push(Some(index));
    }
    if depth == 0 && parameter.size != 8 && !parameter.members.is_known() {
        let slots = body.slots().filter(inferred::is_shown);
        for slot in slots.take(MEMBERS) {
            let [uses, inferred] = inferred::slot_cells(&slot);
            let (name, offset, size) = (format!("{indent}."), slot.offset.to_string(), "8".to_owned());
            let none = String::new;
            columns.push(vec![" ".to_owned(), name, none(), offset, size, none(), uses, inferred]);
            owners.push(Some(index));
        }
    }
    let count = parameter.members.len().max(parameter.members.variants().count());
    if count > MEMBERS {
        let more = format!("{indent}… {} more", count - MEMBERS);
        columns.push(vec![" ".to_owned(), more]);
        owners.push(Some(index));
    }
}

/// Returns each file with the GPUs for which it has the kernel: first the GPUs of cubins, then of PTX.
fn images(images: &[InImage]) -> Vec<(String, String)> {
    let mut files: Vec<(String, BTreeSet<Gpu>)> = Vec::new();
    for image in images {
        let file = image.place.unit.to_string();
        match files.last_mut().filter(|(last, _)| *last == file) {
            Some((_, gpus)) => _ = gpus.insert(gpu(image)),
            None => files.push((file, BTreeSet::from([gpu(image)]))),
        }
    }
    files.into_iter().map(|(file, gpus)| (file, names(&gpus))).collect()
}

type Gpu = (bool, Option<Sm>, String);

fn gpu(image: &InImage) -> Gpu {
    let place = &image.place;
    (place.kind == Kind::Ptx, place.sm, place.gpu())
}

fn names(gpus: &BTreeSet<Gpu>) -> String {
    let names: Vec<&str> = gpus.iter().map(|(.., name)| name.as_str()).collect();
    names.join(", ")
}

/// Returns one number if it is equal for all GPUs, otherwise one number per GPU.
fn resources(images: &[InImage]) -> Vec<(&'static str, String)> {
    type Of = fn(&InImage) -> Option<u64>;
    let registers: Of = |image| image.resources?.registers.map(u64::from);
    let shared: Of = |image| Some(image.resources?.static_shared).filter(|bytes| *bytes > 0);
    let mut texts = Vec::new();
    for (what, unit, of) in [("registers", "", registers), ("shared", " bytes", shared)] {
        let mut seen: BTreeMap<u64, BTreeSet<Gpu>> = BTreeMap::new();
        for image in images {
            if let Some(number) = of(image) {
                seen.entry(number).or_default().insert(gpu(image));
            }
        }
        let texts_of = seen.iter().map(|(number, gpus)| format!("{number}{unit} ({})", names(gpus)));
        match seen.len() {
            0 => {}
            1 => texts.extend(seen.keys().map(|number| (what, format!("{number}{unit}")))),
            _ => texts.push((what, texts_of.collect::<Vec<_>>().join(", "))),
        }
    }
    texts
}

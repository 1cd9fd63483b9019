//! Writes a table and a byte map of each kernel.

use super::{columns::Columns, inferred, map, types};
use crate::{
    escape::terminal,
    findings::findings,
    kernel::{DEPTH, Host, InImage, Kernel, MEMBERS, block_size},
    output::Output,
    place::Kind,
    style::{Paint, count, joined, number},
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
    if parameters.is_empty() {
        return writeln!(to, "  no parameters");
    }
    let size = block_size(parameters);
    let bytes = match size {
        _ if is_host => String::new(),
        Some(size) => format!(", {}", count(size, "byte")),
        None => "; offsets depend on the GPU".to_owned(),
    };
    writeln!(to, "  {}{bytes}", count(parameters.len(), "parameter"))?;
    let head = ["", "parameter", "type", "offset", "size", "align", "use", "inferred"];
    let mut columns = Columns::new(&head, &[3, 4, 5]);
    for (index, parameter) in parameters.iter().enumerate() {
        push(&mut columns, &letter(index).to_string(), parameter, (parameter.body, 0), 0);
    }
    // The calling convention places the arguments of a host function.
    if is_host {
        columns.clear_unknown();
    }
    for optional in [3, 5, 6, 7] {
        columns.remove_unused_heading(optional);
    }
    let mut begun: usize = 0;
    for row in columns.rows() {
        let (letter, rest) = (&row[0], row[1..].join("  "));
        // The rows of its members follow the row of a parameter.
        begun += usize::from(letter != " ");
        match begun.checked_sub(1) {
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

/// Adds the rows of a parameter, or of a member at `at` bytes in the parameter with this body. Only the first row of a
/// parameter has its letter.
fn push(columns: &mut Columns, letter: &str, parameter: &Parameter<'_>, (body, at): (Body<'_>, usize), depth: u32) {
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
    if depth == DEPTH {
        return;
    }
    for member in parameter.members.iter().take(MEMBERS) {
        // Only the first element of an array of structs is shown.
        let body = if parameter.cpp.is_array() { Body::UNKNOWN } else { body };
        let at = at.saturating_add(member.offset.unwrap_or_default());
        push(columns, " ", &member, (body, at), depth + 1);
    }
    let indent = "  ".repeat(depth as usize + 1);
    for Variant { name, value } in parameter.members.variants().take(MEMBERS) {
        let name = format!("{indent}{}", terminal(name));
        columns.push(vec![" ".to_owned(), name, format!("= {value}")]);
    }
    if depth == 0 && parameter.size != 8 && !parameter.members.is_known() {
        let slots = body.slots().filter(inferred::is_shown);
        for slot in slots.take(MEMBERS) {
            let [uses, inferred] = inferred::slot_cells(&slot);
            let (name, offset, size) = (format!("{indent}."), slot.offset.to_string(), "8".to_owned());
            let none = String::new;
            columns.push(vec![" ".to_owned(), name, none(), offset, size, none(), uses, inferred]);
        }
    }
    let count = parameter.members.len().max(parameter.members.variants().count());
    if count > MEMBERS {
        let more = format!("{indent}… {} more", count - MEMBERS);
        columns.push(vec![" ".to_owned(), more]);
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
    joined(gpus.iter().map(|(.., name)| name), ", ")
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
        match seen.len() {
            0 => {}
            1 => texts.extend(seen.keys().map(|number| (what, format!("{number}{unit}")))),
            _ => {
                let each = seen.iter().map(|(number, gpus)| format!("{number}{unit} ({})", names(gpus)));
                texts.push((what, joined(each, ", ")));
            }
        }
    }
    texts
}

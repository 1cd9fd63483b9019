//! Writes one line per kernel, in a stable order, for reading and comparing.

use super::types;
use crate::{escape, kernel::Kernel};
use kernel_args_abi::{Alignment, Members, Parameter};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::{self, Write},
};

pub(crate) const TITLE: &str = "# kernel-args list 1: symbol(type name @offset size/align, …) limits";

pub(super) fn write(kernels: &[Kernel], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{TITLE}")?;
    lines(kernels).iter().try_for_each(|line| writeln!(to, "{line}"))
}

/// In the order of the symbols. If a symbol has different parameters on different GPUs, it has a line for each
/// variant, with its GPUs.
pub(crate) fn lines(kernels: &[Kernel]) -> Vec<String> {
    let mut seen: BTreeMap<&str, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for kernel in kernels {
        let of_symbol = seen.entry(&kernel.symbol).or_default();
        let gpus = kernel.images.iter().map(|image| image.place.gpu());
        of_symbol.entry(line(kernel)).or_default().extend(gpus);
    }
    let of_symbol = |lines: BTreeMap<String, BTreeSet<String>>| {
        let is_only = lines.len() == 1;
        let line = move |(line, gpus): (String, BTreeSet<String>)| {
            if is_only {
                return line;
            }
            let gpus: Vec<String> = gpus.into_iter().collect();
            format!("{line} [{}]", gpus.join(" "))
        };
        lines.into_iter().map(line)
    };
    seen.into_values().flat_map(of_symbol).collect()
}

fn line(kernel: &Kernel) -> String {
    let mut line = escape::list(&kernel.symbol).into_owned();
    line.push('(');
    for (index, parameter) in kernel.parameters().iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        push(&mut line, parameter, true);
    }
    line.push(')');
    if let Some(host) = &kernel.host {
        _ = write!(line, " -> {}", escape::terminal(&host.result));
    }
    line.push_str(&kernel.limits.listed());
    line
}

fn push(line: &mut String, parameter: &Parameter<'_>, is_parameter: bool) {
    let number = |number: Option<usize>| number.map_or_else(|| "?".to_owned(), |n| n.to_string());
    line.push_str(&types::spelling(parameter));
    if !parameter.name.is_empty() {
        line.push(' ');
        line.push_str(&escape::list(parameter.name));
    }
    // The calling convention places the arguments of a host function.
    if is_parameter && parameter.offset.is_none() && parameter.align.is_none() {
        _ = write!(line, " {}", parameter.size);
    } else {
        _ = write!(line, " @{} {}", number(parameter.offset), parameter.size);
        if is_parameter {
            _ = write!(line, "/{}", number(parameter.align.map(Alignment::bytes)));
        }
    }
    push_members(line, parameter.members);
}

fn push_members(line: &mut String, members: Members<'_>) {
    if let Some(why) = members.why_opaque() {
        _ = write!(line, " {{{}}}", types::opaque(why));
        return;
    }
    if members.is_enum() {
        let values = members.variants();
        let values = values.map(|v| format!("{} = {}", escape::list(v.name), v.value));
        _ = write!(line, " {{{}}}", values.collect::<Vec<_>>().join(", "));
        return;
    }
    if !members.is_known() || members.is_empty() {
        return;
    }
    line.push_str(" {");
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        push(line, &member, false);
    }
    line.push('}');
}

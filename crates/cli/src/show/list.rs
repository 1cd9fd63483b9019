//! Writes one line per kernel, in a stable order, for reading and comparing.

use super::types;
use crate::{
    escape,
    kernel::Kernel,
    style::{joined, number},
};
use kernel_args_abi::{Alignment, Parameter};
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
            format!("{line} [{}]", joined(gpus, " "))
        };
        lines.into_iter().map(line)
    };
    seen.into_values().flat_map(of_symbol).collect()
}

fn line(kernel: &Kernel) -> String {
    let parameters = kernel.parameters();
    let parameters = joined(parameters.iter().map(|parameter| spelled(parameter, true)), ", ");
    let result = kernel.host.as_ref().map(|host| format!(" -> {}", escape::terminal(&host.result)));
    let (symbol, limits) = (escape::list(&kernel.symbol), kernel.limits.listed());
    format!("{symbol}({parameters}){}{limits}", result.unwrap_or_default())
}

fn spelled(parameter: &Parameter<'_>, is_parameter: bool) -> String {
    let &Parameter { name, offset, size, align, members, .. } = parameter;
    let mut text = types::spelling(parameter);
    if !name.is_empty() {
        text.extend([" ", &escape::list(name)]);
    }
    // The calling convention places the arguments of a host function.
    if is_parameter && offset.is_none() && align.is_none() {
        _ = write!(text, " {size}");
    } else {
        _ = write!(text, " @{} {size}", number(offset));
        if is_parameter {
            _ = write!(text, "/{}", number(align.map(Alignment::bytes)));
        }
    }
    let inside = match members.why_opaque() {
        Some(why) => types::opaque(why).to_owned(),
        None if members.is_enum() => {
            joined(members.variants().map(|v| format!("{} = {}", escape::list(v.name), v.value)), ", ")
        }
        None if members.is_known() && !members.is_empty() => {
            joined(members.iter().map(|member| spelled(&member, false)), ", ")
        }
        None => return text,
    };
    text + " {" + &inside + "}"
}

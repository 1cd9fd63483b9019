//! One line for each launch, as CUDA C++ spells it.

use super::{
    Traced, microseconds,
    protocol::{GraphLaunch, Handle},
};
use crate::{escape::terminal, style::Paint};
use std::io::{self, Write};

/// `  0.001234 saxpy<<<4, 256>>>(n = 1024, x = 0x7f49fa800000) <3.2 µs>`
pub(super) fn launch(to: &mut dyn Write, launch: &Traced<'_>, paint: Paint) -> io::Result<()> {
    let Traced { process, start, name, .. } = *launch;
    let event = launch.event;
    head(to, process, start, paint)?;
    let [grid, block] = [event.grid, event.block].map(extents);
    let options = match (event.shared, event.stream) {
        (0, Handle(0)) => String::new(),
        (shared, Handle(0)) => format!(", {shared}"),
        (shared, stream) => format!(", {shared}, {stream}"),
    };
    let name = terminal(without_parameters(name));
    write!(to, "{}<<<{grid}, {block}{options}>>>(", paint.title(&name))?;
    for (index, argument) in launch.arguments.iter().enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        let name = match argument.name.as_str() {
            "" => String::new(),
            name => format!("{} = ", terminal(name)),
        };
        let value = paint.parameter(index, &terminal(&argument.value));
        write!(to, "{separator}{name}{value}")?;
    }
    if event.values.is_none() {
        to.write_all(b"?")?;
    }
    tail(to, &event.result, event.duration, paint)?;
    for bad in &launch.bad_pointers {
        writeln!(to, "{:11}{}: {}", "", paint.bad("pointer"), terminal(&bad.to_string()))?;
    }
    Ok(())
}

/// `  0.001234 graph 0x55d0c8 in stream 0x55d0a0 <3.2 µs>`
pub(super) fn graph(to: &mut dyn Write, process: u32, start: f64, graph: &GraphLaunch, paint: Paint) -> io::Result<()> {
    head(to, process, start, paint)?;
    write!(to, "cuGraphLaunch({}, {}", graph.graph, graph.stream)?;
    tail(to, &graph.result, graph.duration, paint)
}

/// Returns the process, unless it is the first, and the time in seconds.
fn head(to: &mut dyn Write, process: u32, start: f64, paint: Paint) -> io::Result<()> {
    let process = if process > 0 { format!("[{process}] ") } else { String::new() };
    write!(to, "{process}{} ", paint.faint(&format!("{:10.6}", start / 1e6)))
}

/// Returns the error, and how long the call took.
fn tail(to: &mut dyn Write, result: &str, duration: u64, paint: Paint) -> io::Result<()> {
    let error = match result {
        "0" => String::new(),
        error => format!(" = {}", paint.bad(&terminal(error))),
    };
    let duration = format!("<{:.1} µs>", microseconds(duration));
    writeln!(to, "){error} {}", paint.faint(&duration))
}

/// `4`, or `(4, 2, 1)`.
pub(crate) fn extents([x, y, z]: [u32; 3]) -> String {
    if (y, z) == (1, 1) { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// `void work<float>(float*, short)` without the result and the parameters.
pub(crate) fn without_parameters(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    if !name.ends_with(')') {
        return name;
    }
    // The last list in parentheses: names and template arguments can contain such lists, too.
    let mut depth = 0_usize;
    let start = name.rfind(|c| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    &name[..start.unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::without_parameters;

    #[test]
    fn parameters_are_cut_off() {
        for (name, short) in [
            ("saxpy", "saxpy"),
            ("void work<float>(float*, P, short)", "work<float>"),
            ("void f<(E)3>(void (*)(int), int)", "f<(E)3>"),
            ("(anonymous namespace)::fill(int*)", "(anonymous namespace)::fill"),
        ] {
            assert_eq!(without_parameters(name), short);
        }
    }
}

//! One JSON object for each launch, each on its own line. The README of this crate has the schema.

use super::{
    Traced, microseconds,
    protocol::{GraphLaunch, hex},
};
use crate::escape;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn launch(to: &mut dyn Write, launch: &Traced<'_>) -> io::Result<()> {
    let event = launch.event;
    let mut value = json!({
        "event": "launch",
        "process": launch.process,
        "thread": event.thread,
        "start_us": launch.start,
        "duration_us": microseconds(event.duration),
        "stream": event.stream.to_string(),
        "symbol": event.symbol,
        "name": launch.name,
        "grid": event.grid,
        "block": event.block,
        "shared": event.shared,
        "form": event.form,
        "error": error(&event.result),
        "parameters": event.values.as_ref().map(|_| parameters(launch)),
    });
    if event.memory.is_some() {
        let bad = launch.bad_pointers.iter();
        let bad = bad.map(|bad| json!({ "parameter": bad.parameter, "address": format!("{:#x}", bad.address), "problem": bad.problem }));
        value["bad_pointers"] = bad.collect();
    }
    writeln!(to, "{}", escape::json(&value))
}

pub(super) fn graph(to: &mut dyn Write, process: u32, start: f64, graph: &GraphLaunch) -> io::Result<()> {
    let value = json!({
        "event": "graph",
        "process": process,
        "thread": graph.thread,
        "start_us": start,
        "duration_us": microseconds(graph.duration),
        "stream": graph.stream.to_string(),
        "graph": graph.graph.to_string(),
        "error": error(&graph.result),
    });
    writeln!(to, "{}", escape::json(&value))
}

/// `null` for success.
pub(super) fn error(result: &str) -> Value {
    if result == "0" { Value::Null } else { json!(result) }
}

fn parameters(launch: &Traced<'_>) -> Vec<Value> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let parameters = launch.arguments.iter().map(|argument| {
        json!({
            "name": text(&argument.name),
            "type": text(&argument.ty),
            "offset": argument.passed.offset,
            "size": argument.passed.bytes.len(),
            "value": argument.value,
            "bytes": hex(&argument.passed.bytes),
        })
    });
    parameters.collect()
}

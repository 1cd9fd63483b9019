//! A file in the trace event format, for Chrome (`chrome://tracing`) and Perfetto (<https://ui.perfetto.dev>).

use super::{TraceFile, Traced, json, microseconds, protocol::GraphLaunch, text};
use crate::escape;
use serde_json::{Value, json};
use std::{
    io::{self, BufWriter, Write as _},
    path::Path,
};

pub(super) struct Chrome {
    to: BufWriter<TraceFile>,
    is_first: bool,
}

impl Chrome {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut to = TraceFile::create(path)?;
        to.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        Ok(Self { to, is_first: true })
    }

    pub(super) fn launch(&mut self, launch: &Traced<'_>) -> io::Result<()> {
        let event = launch.event;
        let mut details = json!({
            "grid": text::extents(event.grid),
            "block": text::extents(event.block),
            "shared": event.shared,
            "stream": event.stream.to_string(),
            "error": json::error(&event.result),
        });
        for (index, argument) in launch.arguments.iter().enumerate() {
            details[argument.shown_name(index)] = json!(argument.value);
        }
        let name = text::without_parameters(launch.name);
        self.event(name, (launch.process, event.thread), (launch.start, event.duration), &details)
    }

    pub(super) fn graph(&mut self, process: u32, start: f64, graph: &GraphLaunch) -> io::Result<()> {
        let details = json!({
            "graph": graph.graph.to_string(),
            "stream": graph.stream.to_string(),
            "error": json::error(&graph.result),
        });
        self.event("cuGraphLaunch", (process, graph.thread), (start, graph.duration), &details)
    }

    fn event(
        &mut self,
        name: &str,
        (process, thread): (u32, u64),
        (start, duration): (f64, u64),
        details: &Value,
    ) -> io::Result<()> {
        let event = json!({
            "name": name,
            "ph": "X",
            "ts": start,
            "dur": microseconds(duration),
            "pid": process,
            "tid": thread,
            "args": details,
        });
        let separator = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        write!(self.to, "{separator}{}", escape::json(&event))
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.to.write_all(b"\n]}\n")?;
        self.to.flush()
    }
}

use super::{Event, LauncherEvent, Observer};
use crate::driver::error::Error;
use core::cell::RefCell;
use tracing::{Span, field::Empty, span::EnteredSpan};

/// An observer that makes each event a span of the crate `tracing`, with the target `kernel_args`.
///
/// | span | level | fields |
/// |---|---|---|
/// | `launch` | debug | `kernel`, `demangled`, `module`, `grid`, `block`, `shared_memory`, `stream`, `attributes`, `arguments`, `is_recorded` |
/// | `graph_launch` | debug | `graph`, `stream` |
/// | `sequence` | debug | `steps`, `stream` |
/// | `load` | info | `name`, `images`, `bytes` |
/// | `compile` | info | `name`, `bytes` |
///
/// The call of a launcher is a span `launch` without what only a kernel has, such as `grid`; `kernel` is its name.
///
/// A span begins before the driver's call and ends after it: it is the time of the host. If the call fails, the span
/// has the field `error`, and contains an event of level error with the text. Fields are decoded only if a subscriber
/// wants the span.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracing;

thread_local! {
    /// The spans that this thread is in. The last one is the span of the current event.
    static SPANS: RefCell<Vec<EnteredSpan>> = const { RefCell::new(Vec::new()) };
}

const TARGET: &str = "kernel_args";

macro_rules! span {
    ($level:ident, $name:literal, $($fields:tt)*) => {
        tracing::$level!(target: TARGET, $name, $($fields)*, error = Empty)
    };
}

impl Observer for Tracing {
    fn before(&self, event: &Event<'_>) {
        let entered = span(event).entered();
        SPANS.with_borrow_mut(|spans| spans.push(entered));
    }

    fn after(&self, _: &Event<'_>, result: Result<(), &Error>) {
        let Some(span) = SPANS.with_borrow_mut(Vec::pop) else {
            return;
        };
        if let Err(error) = result {
            let error = error.to_string();
            span.record("error", &*error);
            tracing::error!(target: TARGET, error);
        }
    }
}

fn call(call: &LauncherEvent<'_>, module: Option<&str>, shared_memory: Option<u32>) -> Span {
    let span = span!(
        debug_span,
        "launch",
        kernel = Empty,
        demangled = Empty,
        module,
        grid = Empty,
        block = Empty,
        shared_memory,
        stream = format_args!("{:p}", call.cu_stream()),
        attributes = Empty,
        arguments = Empty,
        is_recorded = call.is_recorded()
    );
    if !span.is_disabled() {
        span.record("kernel", &*call.name());
        span.record("arguments", &*call.arguments());
    }
    span
}

fn span(event: &Event<'_>) -> Span {
    match event {
        Event::KernelLaunch(launch) => {
            let span = call(&launch.call, launch.module(), Some(launch.shared_memory()));
            if !span.is_disabled() {
                if let Some(demangled) = launch.demangled() {
                    span.record("demangled", &*demangled);
                }
                span.record("grid", &*launch.grid().to_string());
                span.record("block", &*launch.block().to_string());
                let attributes = launch.attributes();
                if !attributes.is_empty() {
                    let all: Vec<_> = attributes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    span.record("attributes", &*all.join(", "));
                }
            }
            span
        }
        Event::LauncherCall(launcher) => call(launcher, None, None),
        Event::GraphLaunch(graph) => span!(
            debug_span,
            "graph_launch",
            graph = format_args!("{:p}", graph.exec),
            stream = format_args!("{:p}", graph.stream.cu_stream())
        ),
        Event::SequenceRun(run) => {
            span!(debug_span, "sequence", steps = run.steps, stream = format_args!("{:p}", run.stream.cu_stream()))
        }
        Event::ModuleLoad(load) => span!(
            info_span,
            "load",
            name = load.name,
            images = load.images.len(),
            bytes = load.images.iter().map(|image| image.len()).sum::<usize>()
        ),
        Event::Compilation(compile) => span!(info_span, "compile", name = compile.name, bytes = compile.source.len()),
    }
}

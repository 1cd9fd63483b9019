//! An observer that keeps what it sees.

use kernel_args::{
    Error,
    args::Form,
    observe::{self, Event, Installed, Observer},
    vector::Dim3,
};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What an event contains.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Seen {
    Launch(Box<Launch>),
    Graph { exec: usize, graph: usize, stream: usize },
    Sequence { steps: usize, stream: usize },
    Load { name: Option<String>, images: Vec<usize> },
    Compile { name: String, source: String, has_cache: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Launch {
    pub(super) name: String,
    pub(super) demangled: Option<String>,
    pub(super) module: Option<String>,
    pub(super) function: usize,
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) shared: u32,
    /// The driver's handle, and the handle of the stream object.
    pub(super) stream: (usize, Option<usize>),
    pub(super) context: Option<usize>,
    pub(super) form: Form,
    pub(super) is_recorded: bool,
    pub(super) attributes: Vec<(&'static str, String)>,
    pub(super) bytes: usize,
    pub(super) text: String,
    pub(super) arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) cpp: String,
    pub(super) rust: String,
    pub(super) offset: usize,
    pub(super) value: String,
    pub(super) bytes: Vec<u8>,
    pub(super) elements: Option<usize>,
}

/// The moment of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Moment {
    Before,
    /// The text of the error.
    After(Result<(), String>),
}

pub(super) type Log = Arc<Mutex<Vec<(Moment, Seen)>>>;

struct Keeps(Log);

impl Keeps {
    fn push(&self, moment: Moment, event: &Event<'_>) {
        let seen = seen(event);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((moment, seen));
    }
}

impl Observer for Keeps {
    fn before(&self, event: &Event<'_>) {
        self.push(Moment::Before, event);
    }

    fn after(&self, event: &Event<'_>, result: Result<(), &Error>) {
        self.push(Moment::After(result.map_err(ToString::to_string)), event);
    }
}

fn seen(event: &Event<'_>) -> Seen {
    match event {
        Event::KernelLaunch(launch) => {
            let mut arguments = Vec::new();
            launch.for_each_argument(|argument| {
                arguments.push(Argument {
                    name: argument.name().to_owned(),
                    cpp: argument.cpp_type().to_string(),
                    rust: argument.rust_type().to_owned(),
                    offset: argument.offset(),
                    value: argument.value().to_string(),
                    bytes: argument.bytes().to_vec(),
                    elements: argument.elements(),
                });
            });
            Seen::Launch(Box::new(Launch {
                name: launch.name(),
                demangled: launch.demangled(),
                module: launch.module().map(str::to_owned),
                function: launch.cu_function() as usize,
                grid: launch.grid(),
                block: launch.block(),
                shared: launch.shared_memory(),
                stream: (launch.cu_stream() as usize, launch.stream().map(|stream| stream.cu_stream() as usize)),
                context: launch.context().map(|context| context.cu_ctx() as usize),
                form: launch.form(),
                is_recorded: launch.is_recorded(),
                attributes: launch.attributes(),
                bytes: launch.parameter_bytes(),
                text: launch.arguments(),
                arguments,
            }))
        }
        Event::GraphLaunch(graph) => Seen::Graph {
            exec: graph.exec as usize,
            graph: graph.graph as usize,
            stream: graph.stream.cu_stream() as usize,
        },
        Event::SequenceRun(run) => Seen::Sequence { steps: run.steps, stream: run.stream.cu_stream() as usize },
        Event::ModuleLoad(load) => Seen::Load {
            name: load.name.map(str::to_owned),
            images: load.images.iter().map(|image| image.len()).collect(),
        },
        Event::Compilation(compile) => Seen::Compile {
            name: compile.name.to_owned(),
            source: compile.source.to_owned(),
            has_cache: compile.cache.is_some(),
        },
        other => panic!("an event that the suite does not know: {other:?}"),
    }
}

/// Installs an observer that keeps what it sees.
pub(super) fn install() -> (Installed, Log) {
    let log = Log::default();
    (observe::install(Keeps(log.clone())), log)
}

/// What was seen since the last call: each event once. It was seen before and after its call, and the call succeeded.
pub(super) fn taken(log: &Log) -> Result<Vec<Seen>, String> {
    let mut events = Vec::new();
    let all = std::mem::take(&mut *log.lock().map_err(|error| error.to_string())?);
    for pair in all.chunks(2) {
        let [(Moment::Before, before), (Moment::After(Ok(())), after)] = pair else {
            return Err(format!("not a pair: {pair:#?}"));
        };
        if before != after {
            return Err(format!("{before:#?}\nis not\n{after:#?}"));
        }
        events.push(before.clone());
    }
    Ok(events)
}

/// The only event since the last call, which is a launch.
pub(super) fn launched(log: &Log) -> Result<Launch, String> {
    match taken(log)?.as_slice() {
        [Seen::Launch(launch)] => Ok((**launch).clone()),
        other => Err(format!("not one launch: {other:#?}")),
    }
}

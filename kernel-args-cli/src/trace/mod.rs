//! `kernel-args trace`: runs a program, and shows its kernel launches.
//!
//! CUPTI calls a library in the program (`tracer/`) for each launch. The library sends one line for each, and the images of the kernels
//! become files. This process decodes them: an error here never ends the program.

mod chrome;
mod connections;
mod event;
mod json;
mod kernels;
mod pointers;
mod record;
mod session;
mod summary;
mod text;
mod verify;

use crate::{
    error::{Error, Failure},
    escape,
    output::Status,
    select::Select,
    style::Paint,
};
use chrome::Chrome;
pub(crate) use connections::Wanted;
use event::{Event, GraphLaunch};
use kernel_args_nvrtc::open_to_write;
use kernels::{Argument, Found, Images};
use pointers::BadPointer;
pub(crate) use record::Record;
use session::{Asked, Session};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufWriter, IsTerminal as _, Write},
    path::{Path, PathBuf},
};
use summary::Summary;
#[cfg(feature = "replay")]
pub(crate) use text::{extents, without_parameters};
use verify::Verified;

/// The options of the command.
pub(crate) struct Trace {
    pub(crate) command: Vec<OsString>,
    pub(crate) select: Select,
    pub(crate) format: Format,
    /// A file for a trace in the format of Chrome's trace viewer.
    pub(crate) chrome: Option<PathBuf>,
    /// A file for the trace. Otherwise it is written to standard error.
    pub(crate) output: Option<PathBuf>,
    pub(crate) cupti: Option<PathBuf>,
    pub(crate) verify: bool,
    pub(crate) record: Option<Record>,
    pub(crate) check_pointers: bool,
    pub(crate) demangle: bool,
    pub(crate) color: clap::ColorChoice,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Summary,
}

impl Trace {
    /// What the tracer does in addition.
    fn asked(&self) -> Asked {
        Asked { record: self.record.as_ref().map(|record| record.wanted.clone()), checks_pointers: self.check_pointers }
    }
}

/// A launch with what is known about its kernel.
struct Traced<'a> {
    process: u32,
    /// Microseconds since the first event.
    start: f64,
    name: &'a str,
    event: &'a event::Launch,
    found: &'a Found<'a>,
}

impl<'a> Traced<'a> {
    fn arguments(&self) -> Vec<Argument<'a>> {
        self.found.arguments(self.event)
    }

    /// The pointers that the kernel cannot use.
    fn bad_pointers(&self) -> Vec<BadPointer> {
        pointers::check(self.event, &self.found.parameters, &self.arguments())
    }
}

/// Replaces the symbols of the kernels for whose names there is no memory.
const FURTHER: &str = "(further kernels)";

/// Runs the program. The exit code is the program's own.
pub(crate) fn run(trace: &Trace) -> Result<Status, Failure> {
    let mut writer = Writer::new(trace)?;
    let mut session = Session::start(&trace.command, trace.cupti.as_deref(), &trace.asked())?;
    let mut images = Images::default();
    while let Some((process, event)) = session.next() {
        match event {
            Event::Process(program) => writer.process(process, &program)?,
            Event::Failed(why) => writer.failed(&why)?,
            Event::Ended(why) => writer.ended(process, &why)?,
            Event::Image(name) => {
                if let Some(error) = session.read(&name, |path| images.add(path)) {
                    writer.warn(&error)?;
                }
            }
            Event::Graph(graph) => writer.graph(process, &graph)?,
            Event::Recorded(_) | Event::Unrecorded { .. } => {
                writer.recorded(&event, session.folder(), &mut images)?;
            }
            Event::Launch(mut launch) => {
                if trace.select.wants(&launch.symbol) {
                    if !images.name(&launch.symbol) {
                        FURTHER.clone_into(&mut launch.symbol);
                    }
                    writer.launch(process, &launch, &images)?;
                }
            }
        }
    }
    let code = session.finish()?;
    let differs = writer.finish()?;
    Ok(match code {
        0 if differs => Status::Different,
        code => Status::Program(code),
    })
}

/// Where the trace is written.
struct Writer<'t> {
    trace: &'t Trace,
    to: Box<dyn Write>,
    paint: Paint,
    chrome: Option<Chrome>,
    summary: Summary,
    verified: Verified,
    /// The time of the first event, in nanoseconds.
    first: Option<u64>,
}

impl<'t> Writer<'t> {
    fn new(trace: &'t Trace) -> Result<Self, Failure> {
        let (to, has_colors): (Box<dyn Write>, _) = if let Some(path) = &trace.output {
            (Box::new(BufWriter::new(create(path)?)), false)
        } else {
            let is_terminal = || io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let has_colors = match trace.color {
                clap::ColorChoice::Always => true,
                clap::ColorChoice::Never => false,
                clap::ColorChoice::Auto => is_terminal(),
            };
            (Box::new(io::stderr()), has_colors)
        };
        Ok(Self {
            trace,
            to,
            paint: Paint::new(has_colors),
            chrome: trace.chrome.as_deref().map(Chrome::create).transpose()?,
            summary: Summary::default(),
            verified: Verified::default(),
            first: None,
        })
    }

    /// Microseconds since the first event.
    fn since_first(&mut self, start: u64) -> f64 {
        let first = *self.first.get_or_insert(start);
        microseconds(start.saturating_sub(first))
    }

    /// The first process is the program itself.
    fn process(&mut self, process: u32, program: &str) -> io::Result<()> {
        if process > 0 && self.trace.format == Format::Text {
            writeln!(self.to, "process {process}: {}", escape::terminal(program))?;
        }
        Ok(())
    }

    fn failed(&mut self, why: &str) -> io::Result<()> {
        let error = self.paint.bad("error");
        writeln!(self.to, "{error}: the program runs without a trace: {}", escape::terminal(why))
    }

    /// The trace of a process, or of the program, has ended before it.
    fn ended(&mut self, process: u32, why: &str) -> io::Result<()> {
        writeln!(self.to, "warning: the trace of process {process} ends: {}", escape::terminal(why))
    }

    fn warn(&mut self, error: &Error) -> io::Result<()> {
        writeln!(self.to, "warning: an image of the program cannot be read: {error}")
    }

    /// The launch of `--record` is in a file, or not.
    fn recorded(&mut self, event: &Event, folder: &Path, images: &mut Images) -> io::Result<()> {
        let Some(record) = &self.trace.record else {
            return Ok(());
        };
        let line = match event {
            Event::Recorded(recorded) => {
                _ = images.name(&recorded.launch.symbol);
                let written = record.write(recorded, folder, images);
                written.unwrap_or_else(|error| format!("the launch was not recorded: {error}"))
            }
            other => record::not_recorded(other).unwrap_or_default(),
        };
        writeln!(self.to, "{line}")
    }

    fn graph(&mut self, process: u32, graph: &GraphLaunch) -> Result<(), Failure> {
        let start = self.since_first(graph.start);
        match self.trace.format {
            Format::Text => text::graph(&mut *self.to, process, start, graph, self.paint)?,
            Format::Json => json::graph(&mut *self.to, process, start, graph)?,
            Format::Summary => self.summary.graph(),
        }
        match &mut self.chrome {
            Some(chrome) => chrome.graph(process, start, graph),
            None => Ok(()),
        }
    }

    fn launch(&mut self, process: u32, event: &event::Launch, images: &Images) -> Result<(), Failure> {
        let start = self.since_first(event.start);
        let found = images.find(event);
        if self.trace.verify {
            self.verified.launch(event, &found);
        }
        let traced = Traced {
            process,
            start,
            name: images.known_name(&event.symbol, self.trace.demangle),
            event,
            found: &found,
        };
        match self.trace.format {
            Format::Text => text::launch(&mut *self.to, &traced, self.paint)?,
            Format::Json => json::launch(&mut *self.to, &traced)?,
            Format::Summary => self.summary.launch(&traced),
        }
        match &mut self.chrome {
            Some(chrome) => chrome.launch(&traced),
            None => Ok(()),
        }
    }

    /// Writes what follows the launches. Returns whether `--verify` has found a difference.
    fn finish(mut self) -> Result<bool, Failure> {
        if self.trace.format == Format::Summary {
            self.summary.write(&mut *self.to, self.paint)?;
        }
        if let Some(chrome) = self.chrome {
            chrome.finish()?;
        }
        let differs = self.trace.verify && self.verified.write(&mut *self.to, self.paint)?;
        self.to.flush()?;
        Ok(differs)
    }
}

fn create(path: &Path) -> Result<File, Error> {
    open_to_write(path).map_err(|error| Error::new(path.display().to_string(), error.to_string()))
}

#[expect(clippy::cast_precision_loss, reason = "2^53 nanoseconds are 104 days")]
fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

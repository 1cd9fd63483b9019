//! `kernel-args trace`: runs a program, and shows its kernel launches.
//!
//! CUPTI calls a library in the program (`tracer/`) for each launch. This process decodes them: an error here never
//! ends the program.
//!
//! | to change | open |
//! |---|---|
//! | what is recorded | `cupti.rs`, `parameters.rs` and `report.rs` of the tracer; `protocol.rs` reads it; `connections.rs`, `session.rs` limit it |
//! | what is shown | `kernels.rs`, `text.rs`, `json.rs`, `chrome.rs`, `summary.rs`, `verify.rs`, `pointers.rs` |

mod chrome;
mod connections;
mod json;
mod kernels;
mod pointers;
#[path = "../../tracer/protocol.rs"]
#[allow(dead_code, reason = "the tracer writes what this program reads")]
mod protocol;
mod record;
mod session;
mod summary;
mod text;
mod verify;

use crate::{
    error::{self, Error},
    escape,
    options::Options,
    output::Status,
    select::Select,
    style::{Paint, count},
};
use chrome::Chrome;
use connections::WantedLaunch;
use kernel_args_nvrtc::open_to_write;
use kernels::{Argument, Images};
use pointers::BadPointer;
use protocol::{Event, GraphLaunch, Launch};
use record::Record;
use session::Session;
use std::{
    fs::File,
    io::{self, BufWriter, IsTerminal as _, Write},
    path::{Path, PathBuf},
};
use summary::Summary;
#[cfg(feature = "replay")]
pub(crate) use text::{extents, without_parameters};
use verify::Verified;

#[derive(PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Summary,
}

struct Traced<'a> {
    process: u32,
    start: f64,
    name: &'a str,
    event: &'a Launch,
    arguments: Vec<Argument<'a>>,
    bad_pointers: Vec<BadPointer>,
}

/// For kernels for whose names there is no memory.
const FURTHER: &str = "(further kernels)";

/// Runs the program. The exit code is the program's own.
pub(crate) fn run(options: Options<'_>, color: clap::ColorChoice) -> io::Result<Status> {
    let select = |patterns| Select { patterns, gpus: Vec::new() };
    let record = options.value::<(String, u64)>("record").map(|(pattern, nth)| Record {
        wanted: WantedLaunch { select: select(vec![pattern]), nth },
        file: options.value("record-file"),
    });
    let select = select(options.values("kernel"));
    let mut writer = Writer::new(options, color)?;
    let mut session = Session::start(options, record.as_ref().map(|record| &record.wanted))?;
    let mut images = Images::default();
    let mut seen = Seen::default();
    while let Some((process, event)) = session.next() {
        match event {
            Err(why) => error::warn(&Error::new("", format!("the trace of process {process} ends: {why}"))),
            Ok(Event::Process(program)) => {
                seen.has_process = true;
                // The first process is the program itself.
                if process > 0 && writer.format == Format::Text {
                    writeln!(writer.to, "process {process}: {}", escape::terminal(&program))?;
                }
            }
            Ok(Event::Failed(why)) => {
                seen.failed = why.lines().next().map(str::to_owned);
                error::print(&Error::new("", format!("the program runs without a trace: {why}")));
            }
            Ok(Event::Image(file)) => {
                if let Some(error) = session.read(file, |path| images.add(path)) {
                    error::warn(&format_args!("an image of the program cannot be read: {error}"));
                }
            }
            Ok(Event::Graph(graph)) => {
                seen.is_shown = true;
                writer.graph(process, &graph)?;
            }
            Ok(Event::Recorded(recorded)) => {
                seen.is_recorded = true;
                if let Some(record) = &record {
                    _ = images.name(&recorded.symbol);
                    record.write(&recorded, session.folder(), &images);
                }
            }
            Ok(Event::Unrecorded(protocol::Unrecorded { symbol, why })) => {
                seen.is_recorded = true;
                error::print(&Error::new("", format!("`{symbol}` was not recorded: {why}")));
            }
            Ok(Event::Launch(mut launch)) => {
                seen.launches += 1;
                if select.wants(&launch.symbol) {
                    seen.is_shown = true;
                    if !images.name(&launch.symbol) {
                        FURTHER.clone_into(&mut launch.symbol);
                    }
                    writer.launch(process, &launch, &images)?;
                }
            }
            // The connection has answered it.
            Ok(Event::Wanted(_)) => {}
        }
    }
    let code = session.finish()?;
    let differs = writer.finish()?;
    seen.warn(&select, record.as_ref());
    Ok(match code {
        0 if differs => Status::Different,
        code => Status::Program(code),
    })
}

struct Writer {
    format: Format,
    demangle: bool,
    to: Box<dyn Write>,
    paint: Paint,
    chrome: Option<Chrome>,
    summary: Summary,
    verified: Option<Verified>,
    /// The time of the first event, in nanoseconds.
    first: Option<u64>,
}

impl Writer {
    fn new(options: Options<'_>, color: clap::ColorChoice) -> io::Result<Self> {
        let file = |name| options.value::<PathBuf>(name);
        let (to, has_colors): (Box<dyn Write>, _) = match (file("output"), color) {
            (Some(path), _) => (Box::new(TraceFile::create(&path)?), false),
            (None, clap::ColorChoice::Auto) => {
                let is_terminal = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
                (Box::new(io::stderr()), is_terminal)
            }
            (None, color) => (Box::new(io::stderr()), color == clap::ColorChoice::Always),
        };
        Ok(Self {
            format: match (options.is("json"), options.is("summary")) {
                (true, _) => Format::Json,
                (false, true) => Format::Summary,
                (false, false) => Format::Text,
            },
            demangle: options.demangle(),
            to,
            paint: Paint(has_colors),
            chrome: file("chrome").as_deref().map(Chrome::create).transpose()?,
            summary: Summary::default(),
            verified: options.is("verify").then(Verified::default),
            first: None,
        })
    }

    fn since_first(&mut self, start: u64) -> f64 {
        let first = *self.first.get_or_insert(start);
        microseconds(start.saturating_sub(first))
    }

    fn graph(&mut self, process: u32, graph: &GraphLaunch) -> io::Result<()> {
        let start = self.since_first(graph.start);
        match self.format {
            Format::Text => text::graph(&mut *self.to, process, start, graph, self.paint)?,
            Format::Json => json::graph(&mut *self.to, process, start, graph)?,
            Format::Summary => self.summary.graph(),
        }
        self.chrome.as_mut().map_or(Ok(()), |chrome| chrome.graph(process, start, graph))
    }

    fn launch(&mut self, process: u32, event: &Launch, images: &Images) -> io::Result<()> {
        let start = self.since_first(event.start);
        let found = images.find(&event.symbol, &event.values);
        if let Some(verified) = &mut self.verified {
            verified.launch(event, &found);
        }
        let name = images.known_name(&event.symbol, self.demangle);
        let arguments = found.arguments(&event.values);
        let bad_pointers = pointers::check(event, &found.parameters, &arguments);
        let traced = Traced { process, start, name, event, arguments, bad_pointers };
        match self.format {
            Format::Text => text::launch(&mut *self.to, &traced, self.paint)?,
            Format::Json => json::launch(&mut *self.to, &traced)?,
            Format::Summary => self.summary.launch(&traced),
        }
        self.chrome.as_mut().map_or(Ok(()), |chrome| chrome.launch(&traced))
    }

    /// Returns whether `--verify` has found a difference.
    fn finish(mut self) -> io::Result<bool> {
        if self.format == Format::Summary {
            self.summary.write(&mut *self.to, self.paint)?;
        }
        if let Some(chrome) = self.chrome {
            chrome.finish()?;
        }
        let differs = match self.verified {
            Some(verified) => verified.write(&mut *self.to, self.paint)?,
            None => false,
        };
        self.to.flush()?;
        Ok(differs)
    }
}

#[derive(Default)]
struct Seen {
    has_process: bool,
    failed: Option<String>,
    launches: u64,
    /// Whether one of them was shown, or a graph.
    is_shown: bool,
    is_recorded: bool,
}

impl Seen {
    /// Writes to standard error why nothing was traced, or nothing recorded.
    fn warn(&self, select: &Select, record: Option<&Record>) {
        let patterns = select.patterns.join("`, `");
        if let Some(Record { wanted: WantedLaunch { select, nth }, .. }) = record
            && !self.is_recorded
        {
            let patterns = select.patterns.join("`, `");
            let times = count(*nth + 1, "time");
            let what = format!("no launch was recorded: no process launched kernels that match `{patterns}` {times}");
            error::warn(&Error::new("", what));
        }
        if self.is_shown {
            return;
        }
        let why = if self.launches > 0 {
            format!("the program made {}, and no kernel matches `{patterns}`", count(self.launches, "launch"))
        } else if let Some(why) = &self.failed {
            format!("the program ran without a trace: {why}")
        } else if self.has_process {
            "the program loaded the CUDA driver, and launched no kernel".to_owned()
        } else {
            "no process of the program loaded the CUDA driver\n\
             help: processes without the variable CUDA_INJECTION64_PATH, which `sudo` and `env -i` remove, are not traced"
                .to_owned()
        };
        error::warn(&Error::new("", format!("0 launches: {why}")));
    }
}

struct TraceFile {
    file: File,
    path: PathBuf,
}

impl TraceFile {
    fn create(path: &Path) -> io::Result<BufWriter<Self>> {
        let file = open_to_write(path).map_err(|error| named(path, &error))?;
        Ok(BufWriter::new(Self { file, path: path.into() }))
    }
}

impl Write for TraceFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| named(&self.path, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.path, &error))
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), Error::new(path.display(), error))
}

#[expect(clippy::cast_precision_loss, reason = "2^53 nanoseconds are 104 days")]
fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

//! The options of the command line.

use crate::{
    check::{self, Check},
    cli,
    diff::{self, Diff},
    error::Failure,
    man,
    output::{Output, Status},
    select::Select,
    show::{self, Format, Show},
    trace::{self, Trace},
    write::{self, Header, Rust, Source},
};
use clap::{ArgMatches, ColorChoice};
use std::{io::Write as _, path::PathBuf};

pub(crate) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let Some((command, matches)) = matches.subcommand() else {
        return Ok(Status::Error);
    };
    let color = matches.try_get_one::<ColorChoice>("color");
    let color = color.ok().flatten().copied().unwrap_or(ColorChoice::Never);
    let mut output = Output::new(color);
    match command {
        "show" => {
            let show = Show {
                files: paths(matches, "file"),
                select: select(matches),
                format: format(matches),
                demangle: !matches.get_flag("no-demangle"),
            };
            show::run(&show, &mut output)
        }
        "diff" => {
            let diff = Diff {
                old: path(matches, "old"),
                new: path(matches, "new"),
                select: select(matches),
                json: matches.get_flag("json"),
                demangle: !matches.get_flag("no-demangle"),
            };
            diff::run(&diff, &mut output)
        }
        "check" => {
            let check = Check {
                files: paths(matches, "file"),
                list: matches.get_one::<PathBuf>("against").cloned(),
                lint: matches.get_flag("lint"),
                select: select(matches),
            };
            check::run(&check, &mut output)
        }
        "rust" => {
            let rust = Rust {
                source: source(matches),
                raw: matches.get_flag("raw"),
                half: matches.get_flag("half"),
                float8: matches.get_flag("float8"),
                items: text(matches, "items"),
                image: text(matches, "image"),
            };
            write::rust(&rust, &mut output)
        }
        "header" => {
            let header = Header {
                source: source(matches),
                guard: text(matches, "guard"),
                namespace: text(matches, "namespace"),
                strict: matches.get_flag("strict"),
            };
            write::header(&header, &mut output)
        }
        "trace" => trace::run(&trace_options(matches, color)),
        #[cfg(feature = "replay")]
        "replay" => crate::replay::run(&replay(matches), &mut output),
        "completions" => {
            let shell = matches.get_one::<clap_complete::Shell>("shell");
            if let Some(shell) = shell {
                let mut command = cli::command();
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut command, cli::NAME, &mut script);
                output.to.write_all(&script)?;
                output.to.flush()?;
            }
            Ok(Status::Success)
        }
        _ => {
            man::write(&mut output.to)?;
            output.to.flush()?;
            Ok(Status::Success)
        }
    }
}

fn trace_options(matches: &ArgMatches, color: ColorChoice) -> Trace {
    let format = match (matches.get_flag("json"), matches.get_flag("summary")) {
        (true, _) => trace::Format::Json,
        (false, true) => trace::Format::Summary,
        (false, false) => trace::Format::Text,
    };
    Trace {
        command: matches.get_many("command").into_iter().flatten().cloned().collect(),
        select: Select { patterns: patterns(matches), gpus: Vec::new() },
        format,
        chrome: matches.get_one("chrome").cloned(),
        output: matches.get_one("output").cloned(),
        cupti: matches.get_one("cupti").cloned(),
        verify: matches.get_flag("verify"),
        check_pointers: matches.get_flag("check-pointers"),
        record: matches.get_one::<(String, u64)>("record").map(|(pattern, nth)| trace::Record {
            wanted: trace::Wanted { select: Select { patterns: vec![pattern.clone()], gpus: Vec::new() }, nth: *nth },
            file: matches.get_one("record-file").cloned(),
        }),
        demangle: !matches.get_flag("no-demangle"),
        color,
    }
}

#[cfg(feature = "replay")]
fn replay(matches: &ArgMatches) -> crate::replay::Options {
    let number = |name| matches.get_one::<u32>(name).copied();
    crate::replay::Options {
        file: path(matches, "file"),
        grid: matches.get_one("grid").copied(),
        block: matches.get_one("block").copied(),
        shared_memory: number("shared-memory"),
        image: matches.get_one("image").cloned(),
        repetitions: number("repetitions").unwrap_or(0),
        device: number("device").unwrap_or(0) as usize,
        show: matches.get_flag("show"),
        json: matches.get_flag("json"),
    }
}

fn paths(matches: &ArgMatches, name: &str) -> Vec<PathBuf> {
    matches.get_many(name).into_iter().flatten().cloned().collect()
}

fn path(matches: &ArgMatches, name: &str) -> PathBuf {
    matches.get_one::<PathBuf>(name).cloned().unwrap_or_default()
}

fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn source(matches: &ArgMatches) -> Source {
    Source {
        files: paths(matches, "file"),
        debug_info: matches.get_one::<PathBuf>("debug-info").cloned(),
        select: select(matches),
    }
}

fn select(matches: &ArgMatches) -> Select {
    Select { patterns: patterns(matches), gpus: matches.get_many("arch").into_iter().flatten().copied().collect() }
}

fn patterns(matches: &ArgMatches) -> Vec<String> {
    let patterns = matches.get_many("kernel");
    patterns.into_iter().flatten().cloned().collect()
}

fn format(matches: &ArgMatches) -> Format {
    let formats = [("json", Format::Json), ("list", Format::List), ("summary", Format::Summary)];
    let requested = formats.into_iter().find(|(name, _)| matches.get_flag(name));
    requested.map_or(Format::Text, |(_, format)| format)
}

//! Runs a command.

use crate::{
    check, cli, diff,
    error::Failure,
    man,
    options::Options,
    output::{Output, Status},
    show, trace, write,
};
use clap::{ArgMatches, ColorChoice};
use std::io::Write as _;

pub(crate) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let Some((command, matches)) = matches.subcommand() else {
        return Ok(Status::Error);
    };
    let options = Options::new(matches);
    let color = matches.try_get_one::<ColorChoice>("color");
    let color = color.ok().flatten().copied().unwrap_or(ColorChoice::Never);
    let mut output = Output::new(color);
    let status = match command {
        "show" => show::run(options, &mut output)?,
        "diff" => diff::run(options, &mut output)?,
        "check" => check::run(options, &mut output)?,
        "rust" => write::rust(options, &mut output)?,
        "header" => write::header(options, &mut output)?,
        "trace" => trace::run(options, color)?,
        #[cfg(feature = "replay")]
        "replay" => crate::replay::run(options, &mut output)?,
        "completions" => {
            if let Some(shell) = options.value::<clap_complete::Shell>("shell") {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut cli::command(), cli::NAME, &mut script);
                output.to.write_all(&script)?;
            }
            Status::Success
        }
        _ => {
            man::write(&mut output.to)?;
            Status::Success
        }
    };
    output.to.flush()?;
    Ok(status)
}

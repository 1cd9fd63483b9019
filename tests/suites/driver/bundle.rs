//! The program `driver` also runs on machines without the sources, in the bundle that `tests/gpu.py` makes.

use kernel_args_tests::{driver::trial_unless, sources};
use libtest_mimic::Arguments;
use object::{Object, ObjectSection, SectionKind};
use std::{env, error::Error, fs, path::Path, process::ExitCode};

pub(crate) fn main() -> ExitCode {
    let missing = sources().is_none().then_some("there are no sources: cargo did not start this program");
    let trial = trial_unless(missing, "no_suite_contains_the_path_of_the_sources", no_path_of_the_sources);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

/// A suite that read a file of the sources would contain their path. Debug information may contain it.
fn no_path_of_the_sources() -> Result<(), Box<dyn Error>> {
    let program = fs::read(env::current_exe()?)?;
    let file = object::File::parse(&*program)?;
    let constants = file
        .sections()
        .filter(|section| matches!(section.kind(), SectionKind::ReadOnlyData | SectionKind::ReadOnlyString))
        .map(|section| section.data())
        .collect::<Result<Vec<_>, _>>()?;
    let found = |text: &str| -> Vec<String> {
        let places = constants.iter().flat_map(|data| places(data, text));
        places.collect()
    };
    assert_eq!(found("a text that only this line contains").len(), 1);
    let sources = sources().ok_or("there are no sources")?;
    let mut wrong = found(sources.to_str().ok_or("the path is not UTF-8")?);
    // A panic names its file, which a build script may have written.
    let built = env::current_exe()?;
    let built = built.ancestors().nth(3).and_then(Path::to_str);
    wrong.retain(|path| !built.is_some_and(|built| path.starts_with(built)));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the program contains paths of the sources, which another machine does not have:\n{}\n\
         help: `include_str!`, or `kernel_args_tests::sources()` where the suite can do without them",
        wrong.join("\n")
    )
    .into())
}

/// The places of a text, each with a part of what follows.
fn places(data: &[u8], text: &str) -> Vec<String> {
    let parts = data.windows(text.len()).enumerate();
    let places = parts.filter(|(_, part)| *part == text.as_bytes());
    let rest = |at: usize| &data[at..data.len().min(at + text.len() + 40)];
    let lines = places.map(|(at, _)| String::from_utf8_lossy(rest(at)).into_owned());
    lines.collect()
}

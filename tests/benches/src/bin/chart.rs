//! Draws the chart and prints the tables of a run, from its `launch.tsv`:
//! `chart [DATA.tsv] [--fill FILE]... [--rehearsal]`.
//!
//! Draws `DATA.svg` next to the data and prints the tables. `--fill` writes the tables into a Markdown file, between
//! `<!-- measured: NAME -->` and `<!-- end of NAME -->`. The results of a rehearsal are written to files only with
//! `--rehearsal`.

use kernel_args_benches::{chart, measured::Measured, report, targets};
use kernel_args_nvrtc::write_file;
use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

/// The parts of a file that are filled in.
const PARTS: [&str; 3] = ["chart", "summary", "targets"];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut data, mut fill, mut rehearsal) = (None, Vec::new(), false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--fill" => fill.push(PathBuf::from(arguments.next().ok_or("--fill takes a file")?)),
            "--rehearsal" => rehearsal = true,
            _ if data.is_none() && !argument.starts_with("--") => {
                data = Some(PathBuf::from(argument));
            }
            _ => {
                return Err(format!("{argument}: it takes DATA.tsv, --fill FILE, --rehearsal").into());
            }
        }
    }
    let data = data.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/launch.tsv").into());
    let measured = Measured::read(&data)?;
    let svg = data.with_extension("svg");
    write_file(&svg, chart::draw(&measured)?.as_bytes())?;
    println!("{}\n\n{}\n{}", report::summary(&measured), targets::table(&measured), report::launches(&measured));
    if measured.is_rehearsal() && !rehearsal && !fill.is_empty() {
        return Err("these are figures of a rehearsal: `--rehearsal` writes them all the same".into());
    }
    for file in fill {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut new = text.clone();
        for part in PARTS {
            new = filled(&new, part, &content(part, &measured, &file, &svg)?)?;
        }
        if !text.contains("<!-- measured: ") {
            return Err(format!("{} has no part to fill in", file.display()).into());
        }
        write_file(&file, new.as_bytes())?;
        println!("filled in: {}", file.display());
    }
    Ok(())
}

fn content(part: &str, measured: &Measured, file: &Path, svg: &Path) -> Result<String, Box<dyn Error>> {
    Ok(match part {
        "chart" => format!(
            "![Nanoseconds per launch against the number of parameters: kernel-args and its peers]({})\n",
            relative(file, svg)?
        ),
        "summary" => report::summary(measured),
        _ => targets::table(measured),
    })
}

/// The link to the picture, relative to the file.
fn relative(file: &Path, svg: &Path) -> Result<String, Box<dyn Error>> {
    let file = fs::canonicalize(file)?;
    let svg = fs::canonicalize(svg)?;
    let folder = file.parent().ok_or("a file is in a folder")?;
    let below = svg.strip_prefix(folder);
    let below = below.map_err(|_| format!("{} does not stand below {}", svg.display(), folder.display()))?;
    Ok(below.to_string_lossy().into_owned())
}

/// Returns the text with `content` in this part, if the text has the part.
fn filled(text: &str, part: &str, content: &str) -> Result<String, Box<dyn Error>> {
    let (begin, end) = (format!("<!-- measured: {part} -->\n"), format!("<!-- end of {part} -->"));
    let Some((before, rest)) = text.split_once(&begin) else {
        return Ok(text.to_owned());
    };
    let (_, after) = rest.split_once(&end).ok_or_else(|| format!("`{end}` is missing"))?;
    Ok(format!("{before}{begin}{content}{end}{after}"))
}

//! Compares the derives' results for signatures with a compiler's answers: a crate of structs is generated, built and
//! run.

use crate::oracle::{answer::Answer, engine};
use kernel_args::abi::Class;
use kernel_args_test_generator::{Rng, Signature, rust};
use kernel_args_toolchain_tests::{
    folder,
    rustc::{self, Compiler, Kind},
};
use std::{fmt::Write as _, fs, process::Command};

/// The seed of the values.
pub(crate) const VALUES: u64 = 77;

/// The name of the generated crate.
const PACKAGE: &str = "oracle_structs";

const LIBRARIES: [&str; 4] = ["half", "kernel_args", "kernel_args_abi", "kernel_args_tests"];

/// The differences, by signature.
pub(crate) struct Difference {
    pub(crate) index: usize,
    pub(crate) what: String,
}

/// The number of comparisons.
#[derive(Default, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) structs: usize,
    pub(crate) packed: usize,
}

/// Builds the structs of these signatures and compares every line of `describe` with the answers.
pub(crate) fn differences(
    name: &str,
    signatures: &[Signature],
    answers: &[Answer],
) -> Result<(Vec<Difference>, Count), String> {
    let folder = folder(&format!("oracle/{name}"))?;
    let places = folder.join("offsets.tsv");
    fs::write(&places, offsets(answers)).map_err(|error| error.to_string())?;
    let source = rust::source(signatures);
    let files = [("main.rs", include_str!("describe.rs")), ("structs.rs", &*source)];
    let compiler = Compiler::new(&folder, &LIBRARIES);
    let output = compiler.one(&rustc::lay_out(&folder, PACKAGE, Kind::Program, &files)?)?;
    let Some(program) = &output.program else {
        let errors: String = output.rendered("error").collect();
        return refused(signatures, &source, &errors);
    };
    let output = Command::new(program)
        .arg(VALUES.to_string())
        .arg(&places)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Ok(compare(&text, signatures, answers))
}

fn offsets(answers: &[Answer]) -> String {
    let mut text = String::new();
    for (index, answer) in answers.iter().enumerate() {
        for (sm, records) in &answer.records {
            let offsets: Vec<String> = records.parameters.iter().map(|(at, _)| at.to_string()).collect();
            let _ = writeln!(text, "{index}\t{sm}\t{}", offsets.join(","));
        }
    }
    text
}

/// The signatures that rustc or a derive rejects: the message contains lines of the source.
fn refused(signatures: &[Signature], source: &str, message: &str) -> Result<(Vec<Difference>, Count), String> {
    let line_of = |rest: &str| rest.split(':').next()?.parse::<usize>().ok();
    let first = message.split("structs.rs:").skip(1).find_map(line_of);
    let Some(line) = first else {
        return Err(message.to_owned());
    };
    let module = source.lines().take(line).filter_map(|line| line.strip_prefix("pub mod ")?.split(' ').next());
    let name = module.last().unwrap_or_default();
    let Some(index) = signatures.iter().position(|signature| signature.name == name) else {
        return Err(message.to_owned());
    };
    let what = format!("rustc refuses it:\n{}", message.chars().take(3000).collect::<String>());
    Ok((vec![Difference { index, what }], Count::default()))
}

fn compare(text: &str, signatures: &[Signature], answers: &[Answer]) -> (Vec<Difference>, Count) {
    let mut found = Vec::new();
    let mut count = Count::default();
    let mut lines = vec![Seen::default(); signatures.len()];
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let index = columns.get(1).and_then(|index| index.parse::<usize>().ok());
        let Some(index) = index.filter(|index| *index < signatures.len()) else {
            found.push(Difference { index: 0, what: format!("not a line of `describe`: {line}") });
            continue;
        };
        let expected = Expected { signature: &signatures[index], answer: &answers[index] };
        let line_of = &mut lines[index];
        let (ours, theirs) = match columns[0] {
            "block" => (columns[2..].join(" "), expected.block()),
            "parameter" => {
                line_of.parameters += 1;
                (columns[2..].join(" "), expected.parameter(&columns))
            }
            "struct" => {
                line_of.structs += 1;
                (columns[2..].join(" "), expected.structure(line_of.structs - 1))
            }
            "params" => (columns[2..].join(" "), expected.params(index)),
            "packed" => {
                line_of.packed += 1;
                (columns[2..].join(" "), expected.packed(index, 75))
            }
            "packed_at" => {
                line_of.packed += 1;
                let sm = columns.get(2).and_then(|sm| sm.parse().ok()).unwrap_or(0);
                (columns[3..].join(" "), expected.packed(index, sm))
            }
            _ => ("an unknown line".to_owned(), line.to_owned()),
        };
        if ours != theirs {
            let kind = match columns[0] {
                "packed_at" => format!("packed on sm_{}", columns[2]),
                kind => kind.to_owned(),
            };
            let what = format!("{kind}: derived\n  {ours}\nexpected\n  {theirs}");
            found.push(Difference { index, what });
        }
    }
    // No line may be missing, because a missing line is not compared.
    for (index, seen) in lines.iter().enumerate() {
        let signature = &signatures[index];
        let forms = answers[index].records.len() + usize::from(!signature.is_over_aligned());
        let all =
            Seen { parameters: signature.all_parameters().len(), structs: signature.structs().len(), packed: forms };
        if *seen != all {
            found.push(Difference { index, what: format!("described {seen:?}, expected {all:?}") });
        }
        count.structs += seen.structs;
        count.packed += seen.packed;
    }
    found.sort_by_key(|difference| difference.index);
    (found, count)
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Seen {
    parameters: usize,
    structs: usize,
    packed: usize,
}

struct Expected<'a> {
    signature: &'a Signature,
    answer: &'a Answer,
}

impl Expected<'_> {
    /// The offset and the end of each parameter by C's rule, from the sizes and alignments in the PTX.
    fn c_rule(&self) -> Vec<(usize, usize)> {
        let mut end = 0usize;
        let place = |d: &crate::oracle::answer::Declared| {
            let begin = end.next_multiple_of(d.align);
            end = begin + d.size;
            (begin, end)
        };
        self.answer.declared.iter().map(place).collect()
    }

    fn block(&self) -> String {
        let size = self.c_rule().last().map_or(0, |(_, end)| *end);
        let align = self.answer.declared.iter().map(|d| d.align).max();
        format!("{size} {}", align.unwrap_or(1))
    }

    fn parameter(&self, columns: &[&str]) -> String {
        let number = columns.get(2).and_then(|i| i.parse::<usize>().ok());
        let Some((i, declared)) = number.and_then(|i| Some((i, self.answer.declared.get(i)?))) else {
            return "no such parameter".to_owned();
        };
        let word = columns.last().copied().unwrap_or_default();
        let classes = [Class::Integer, Class::Float, Class::Pointer, Class::Bytes];
        let agrees = classes.iter().any(|class| format!("{class:?}") == word && engine::agrees(*class, *declared));
        let class = if agrees { word.to_owned() } else { format!(".{}", declared.letter) };
        format!("{i} {} {} {} {class}", self.c_rule()[i].0, declared.size, declared.align)
    }

    fn structure(&self, number: usize) -> String {
        let facts = engine::facts(self.signature, self.answer);
        let Some((_, size, align, offsets)) = facts.and_then(|facts| facts.structs.into_iter().nth(number)) else {
            return "no such struct".to_owned();
        };
        let offsets: Vec<String> = offsets.iter().map(ToString::to_string).collect();
        format!("{size} {align} {size} {align} {}", offsets.join(","))
    }

    /// The bytes of every parameter; `describe` passes null as `out`.
    fn values(&self, index: usize) -> Vec<Vec<u8>> {
        let out = self.signature.echo.then(|| vec![0; 8]);
        let values = self.signature.draw(&mut Rng::new(VALUES, index as u64));
        out.into_iter().chain(values).collect()
    }

    fn params(&self, index: usize) -> String {
        let values: Vec<String> = self.values(index).iter().map(|bytes| hex(bytes)).collect();
        values.join(",")
    }

    fn packed(&self, index: usize, sm: u16) -> String {
        let Some(records) = self.answer.records.get(&sm) else {
            return format!("no answer for sm_{sm}");
        };
        let mut bytes = vec![0; records.total];
        for ((offset, size), value) in records.parameters.iter().zip(self.values(index)) {
            if value.len() != *size || offset + size > bytes.len() {
                return format!("a value of {} bytes at {offset}", value.len());
            }
            bytes[*offset..offset + size].copy_from_slice(&value);
        }
        hex(&bytes)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

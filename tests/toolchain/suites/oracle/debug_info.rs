//! Compares the debug information of signatures with the generator's types, the const engine, and the records of the
//! cubins with and without debug information.

use crate::oracle::{
    compile::{Debug, answers_of},
    expected::of_signature,
};
use kernel_args::abi::Members;
use kernel_args_image::{Image, dwarf::DebugInfo};
use kernel_args_test_generator::{Signature, Type};
use kernel_args_toolchain_tests::golden::{check, place};

/// The number of signatures in the committed PTX.
pub(crate) const GOLDEN: usize = 24;

/// The numbers of comparisons.
#[derive(Default)]
pub(crate) struct Amount {
    pub(crate) parameters: usize,
    /// By-value structs of the program.
    pub(crate) structs: usize,
    pub(crate) members: usize,
}

fn members(actual: Members<'_>) -> usize {
    let inner: usize = actual.iter().map(|member| members(member.members)).sum();
    actual.len() + inner
}

/// Compares signatures with their debug information. Returns the differences with the number of the signature.
pub(crate) fn compare(signatures: &[Signature], infos: &[DebugInfo]) -> Result<(Vec<(usize, String)>, Amount), String> {
    let mut found = Vec::new();
    let mut amount = Amount::default();
    for (i, signature) in signatures.iter().enumerate() {
        let mut actual = infos.iter().filter_map(|info| info.parameters(&signature.name));
        let Some(parameters) = actual.next() else {
            found.push((i, format!("{}: no debug information", signature.name)));
            continue;
        };
        let differences = of_signature(signature, parameters)?;
        found.extend(differences.into_iter().map(|what| (i, format!("{}: {what}", signature.name))));
        if actual.any(|other| other != parameters) {
            found.push((i, format!("{}: PTX and cubin tell different things", signature.name)));
        }
        amount.parameters += parameters.len();
        amount.structs += signature.structs().len();
        amount.members += parameters.iter().map(|p| members(p.members)).sum::<usize>();
    }
    for error in infos.iter().flat_map(DebugInfo::errors) {
        found.push((0, error.to_string()));
    }
    Ok((found, amount))
}

/// Compiles signatures with and without debug information. Compares the debug information with the signatures, and the
/// parameters of both builds with each other.
pub(crate) fn differences(signatures: &[Signature]) -> Result<(Vec<(usize, String)>, Amount), String> {
    let debug = answers_of("debug", signatures, Debug::Yes)?;
    let optimised = answers_of("optimised", signatures, Debug::No)?;
    let names = || signatures.iter().map(|signature| signature.name.as_str());
    let mut found = Vec::new();
    let mut infos = Vec::new();
    for (text, cubin) in &debug.images {
        infos.push(DebugInfo::of_ptx(text, names()).map_err(|error| error.to_string())?);
        infos.push(DebugInfo::of_cubin(cubin, names()).map_err(|error| error.to_string())?);
    }
    let answers = debug.answers.iter().zip(&optimised.answers);
    for (i, ((debug, optimised), signature)) in answers.zip(signatures).enumerate() {
        if debug != optimised {
            found.push((
                i,
                format!(
                    "{}: built for debugging\n  {}\noptimised\n  {}",
                    signature.name,
                    debug.line(),
                    optimised.line()
                ),
            ));
        }
        // The sizes from the records, which are equal to the sizes in PTX.
        let actual = infos.iter().find_map(|info| info.parameters(&signature.name));
        let actual: Vec<usize> = actual.into_iter().flat_map(Members::iter).map(|p| p.size).collect();
        for (sm, records) in &optimised.records {
            let recorded: Vec<usize> = records.parameters.iter().map(|(_, size)| *size).collect();
            if recorded != actual {
                found.push((i, format!("{}: sizes {actual:?}, records of sm_{sm} {recorded:?}", signature.name)));
            }
        }
    }
    // The records and declarations of an image contain the same facts.
    for (text, cubin) in &debug.images {
        for image in [&text[..], cubin] {
            let kernels = Image::read(image).and_then(|image| image.kernels()).map_err(|error| error.to_string())?;
            for (i, signature) in signatures.iter().enumerate() {
                let Some(kernel) = kernels.kernel(&signature.name, None) else {
                    continue;
                };
                let is_told = kernel.parameters().iter().enumerate().all(|(i, p)| p.name == format!("p{i}"));
                if !is_told {
                    found.push((i, format!("{}: its image is reported without debug information", signature.name)));
                }
            }
        }
    }
    let (of_signatures, amount) = compare(signatures, &infos)?;
    found.extend(of_signatures);
    Ok((found, amount))
}

/// In each signature, exchanges adjacent parameters and struct fields with different types. Returns the exchanges that
/// debug information does not detect, and the total number.
fn unnoticed(signatures: &[Signature], info: &DebugInfo) -> Result<(Vec<String>, usize), String> {
    let mut unnoticed = Vec::new();
    let mut count = 0;
    for signature in signatures {
        let Some(actual) = info.parameters(&signature.name) else {
            continue;
        };
        for i in 0..signature.parameters.len() {
            let mut changed = Vec::new();
            if let Some(next) = signature.parameters.get(i + 1)
                && *next != signature.parameters[i]
            {
                let mut other = signature.clone();
                other.parameters.swap(i, i + 1);
                changed.push(other);
            }
            if let Type::Struct(structure) = &signature.parameters[i] {
                for j in 1..structure.fields.len() {
                    let (a, b) = (&structure.fields[j - 1], &structure.fields[j]);
                    let mut other = signature.clone();
                    let Type::Struct(structure) = &mut other.parameters[i] else {
                        continue;
                    };
                    structure.fields.swap(j - 1, j);
                    if a.ty != b.ty {
                        changed.push(other);
                    }
                }
            }
            for other in changed {
                count += 1;
                // Two spellings of one type are not a difference.
                if of_signature(&other, actual)?.is_empty() {
                    unnoticed.push(other.cpp_alone());
                }
            }
        }
    }
    Ok((unnoticed, count))
}

/// The declarations and debug sections of a PTX text.
fn outline(text: &str) -> String {
    let mut outline = String::new();
    let (mut is_body, mut are_bytes) = (false, false);
    for line in text.lines() {
        match line {
            "{" => is_body = true,
            "}" if is_body => {
                is_body = false;
                outline.push_str("\n{}");
            }
            _ if is_body || line.trim_start().starts_with("//") || line.trim().is_empty() => {}
            _ if line.contains(".global ") => {}
            line => {
                let line = line.trim_start();
                // Consecutive bytes become one line.
                let (before, rest) = match line.strip_prefix(".b8 ") {
                    Some(bytes) if are_bytes => (',', bytes),
                    _ => ('\n', line),
                };
                outline.push(before);
                outline.push_str(rest);
                are_bytes = line.starts_with(".b8 ");
            }
        }
    }
    outline + "\n"
}

/// Compares the committed PTX with NVRTC's current output, or writes it.
pub(crate) fn check_golden(signatures: &[Signature], version: &str) -> Result<(), String> {
    let debug = answers_of("golden_debug", &signatures[..GOLDEN], Debug::Yes)?;
    let mut text =
        format!("// {version}, --device-debug: the first {GOLDEN} signatures of signatures.tsv, without bodies.");
    for (ptx, _) in &debug.images {
        text.push_str(&outline(&String::from_utf8_lossy(ptx)));
    }
    check("debug.ptx", &text)
}

/// The facts about its signatures in the committed PTX.
pub(crate) fn golden(signatures: &[Signature]) -> Result<(Vec<(usize, String)>, Amount), String> {
    let text = kernel_args_toolchain_tests::read(&place("debug.ptx"))?;
    let signatures = &signatures[..GOLDEN];
    let names = signatures.iter().map(|signature| signature.name.as_str());
    let info = DebugInfo::of_ptx(text.as_bytes(), names).map_err(|error| error.to_string())?;
    let (unnoticed, count) = unnoticed(signatures, &info)?;
    println!("{count} exchanges, {} of one type by two names", unnoticed.len());
    if count < 20 || unnoticed.len() > count / 10 {
        return Err(format!("exchanged, but not noticed:\n{}", unnoticed.join("\n")));
    }
    compare(signatures, &[info])
}

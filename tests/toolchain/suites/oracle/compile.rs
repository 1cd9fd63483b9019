//! NVRTC's answers for signatures.

use crate::oracle::{
    answer::{Answer, SMS},
    read_cubin::Cubin,
    read_ptx,
};
use kernel_args_test_generator::{Signature, cpp};
use kernel_args_toolchain_tests::{folder, nvrtc};
use std::fs;

/// The number of kernels in one source.
const BATCH: usize = 64;

/// Whether kernels are compiled with debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Debug {
    Yes,
    No,
}

/// The answers, and for each source the PTX and a cubin that they were read from.
pub(crate) struct Compiled {
    pub(crate) answers: Vec<Answer>,
    pub(crate) images: Vec<(Vec<u8>, Vec<u8>)>,
}

/// NVRTC's answer for each signature. The names of the signatures must differ.
pub(crate) fn answers(name: &str, signatures: &[Signature]) -> Result<Vec<Answer>, String> {
    Ok(compile(name, signatures, &SMS, &[])?.answers)
}

/// NVRTC's answer for each signature on one GPU, with or without debug information.
pub(crate) fn answers_of(name: &str, signatures: &[Signature], debug: Debug) -> Result<Compiled, String> {
    const SM: [u16; 1] = [90];
    let options: &[&str] = match debug {
        Debug::Yes => &["--device-debug"],
        Debug::No => &[],
    };
    compile(name, signatures, &SM, options)
}

fn compile(name: &str, signatures: &[Signature], sms: &[u16], options: &[&str]) -> Result<Compiled, String> {
    let folder = folder(&format!("oracle/{name}"))?;
    let mut sources = Vec::new();
    for (i, batch) in signatures.chunks(BATCH).enumerate() {
        let place = folder.join(format!("batch_{i}.cu"));
        fs::write(&place, cpp::source(batch, true)).map_err(|error| error.to_string())?;
        sources.push(place);
    }
    let targets: Vec<String> = sms.iter().map(|sm| format!("sm_{sm}")).collect();
    let targets = format!("compute_75,{}", targets.join(","));
    nvrtc::compile_with(&folder, &targets, &[], options, &sources)?;

    let mut compiled = Compiled { answers: Vec::new(), images: Vec::new() };
    for (i, batch) in signatures.chunks(BATCH).enumerate() {
        let ptx = fs::read_to_string(folder.join(format!("batch_{i}.ptx"))).map_err(|error| error.to_string())?;
        let images = sms
            .iter()
            .map(|sm| {
                let image = fs::read(folder.join(format!("batch_{i}.sm_{sm}.cubin")));
                Ok((*sm, image.map_err(|error| error.to_string())?))
            })
            .collect::<Result<Vec<_>, String>>()?;
        let cubins =
            images.iter().map(|(sm, image)| Ok((*sm, Cubin::parse(image)?))).collect::<Result<Vec<_>, String>>()?;
        for signature in batch {
            let name = &signature.name;
            let missing = |what: &str| format!("{name}: {what} cannot be read");
            let records = cubins
                .iter()
                .map(|(sm, cubin)| {
                    let records = cubin.records(name);
                    Ok((*sm, records.ok_or_else(|| missing(&format!("the cubin of sm_{sm}")))?))
                })
                .collect::<Result<_, String>>()?;
            compiled.answers.push(Answer {
                facts: read_ptx::numbers(&ptx, &format!("facts_{name}")).ok_or_else(|| missing("its facts"))?,
                declared: read_ptx::parameters(&ptx, name).ok_or_else(|| missing("its PTX"))?,
                records,
            });
        }
        drop(cubins);
        if let Some((_, cubin)) = images.into_iter().next() {
            compiled.images.push((ptx.into_bytes(), cubin));
        }
    }
    Ok(compiled)
}

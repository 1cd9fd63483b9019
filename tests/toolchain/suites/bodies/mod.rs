//! What the analysis of bodies claims about random kernels, compared with what their sources do.
//!
//! NVRTC compiles them for several GPU generations, with and without optimization and debug information. A claim that
//! the source contradicts is an error; how many claims were possible is printed.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_BODIES` | the number of kernels | 60 | 600 |
//! | `KERNEL_ARGS_BODIES_SEED` | their seed | 1 | 1 |

mod mistakes;

use kernel_args_abi::{
    CppBase, CppType,
    check::{Contradiction, contradiction},
    signature::{Body, SlotKind},
};
use kernel_args_image::ptx::{Bodies, Module};
use kernel_args_test_generator::tools::{self as tools, trial};
use kernel_args_test_generator::{
    known_uses::{Kernel, Value, kernels},
    size,
};
use kernel_args_toolchain_tests::{
    folder,
    nvrtc::{self, HEADERS, NVRTC},
    write,
};
use libtest_mimic::{Arguments, Failed};
use std::{collections::BTreeMap, env, fs, process::ExitCode};

pub(crate) fn main() -> ExitCode {
    let trials = vec![
        trial("claims_are_what_the_sources_do", &[NVRTC, HEADERS], claims),
        trial("mistakes_are_found_without_debug_information", &[NVRTC, HEADERS], mistakes::found),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The target and the options of each set of kernels.
const COMPILED: [(&str, &[&str]); 8] = [
    ("compute_75", &[]),
    ("compute_120", &[]),
    ("compute_90", &["--generate-line-info"]),
    ("compute_80", &["--device-debug"]),
    ("compute_100", &["--device-debug"]),
    ("compute_90", &["--device-debug", "--dopt=on"]),
    ("compute_100", &["--use_fast_math", "--extra-device-vectorization"]),
    ("compute_86", &["--fmad=false", "--relocatable-device-code=true"]),
];

/// The number of kernels in a source.
const EACH: usize = 20;

fn number(variable: &str, default: usize) -> usize {
    let text = env::var(variable).ok();
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// By kind of claim: how many were made, and how many were possible.
type Coverage = BTreeMap<&'static str, [usize; 2]>;

/// Takes the number of a set of kernels, the PTX of a source, and the kernels in it.
type Each<'e> = dyn FnMut(usize, &[u8], &[Kernel]) -> Result<(), Failed> + 'e;

/// Calls `each` for every set and source.
fn compiled(name: &str, each: &mut Each<'_>) -> Result<(), Failed> {
    let headers = tools::path(HEADERS);
    let seed = number("KERNEL_ARGS_BODIES_SEED", 1) as u64;
    let count = number("KERNEL_ARGS_BODIES", size::choose(60, 600));
    for (set, (target, options)) in COMPILED.iter().enumerate() {
        let folder = folder(&format!("{name}/{set}"))?;
        let mut sources = Vec::new();
        let mut known = Vec::new();
        for first in (0..count).step_by(EACH) {
            let (source, kernels) = kernels(seed, first, EACH.min(count - first));
            let path = folder.join(format!("from_{first}.cu"));
            write(&path, source)?;
            sources.push(path);
            known.push(kernels);
        }
        nvrtc::compile_with(&folder, target, std::slice::from_ref(&headers), options, &sources)?;
        for (source, kernels) in sources.iter().zip(&known) {
            let text = fs::read(source.with_extension("ptx")).map_err(|error| error.to_string())?;
            each(set, &text, kernels)?;
        }
    }
    Ok(())
}

fn claims() -> Result<(), Failed> {
    let (mut wrong, mut coverage) = (Vec::new(), Coverage::new());
    let mut judged = 0;
    compiled("bodies", &mut |_, text, kernels| {
        let module = Module::read(text).map_err(|error| error.to_string())?;
        let mut bodies = Bodies::new(text);
        for kernel in kernels {
            let body = bodies.kernel(&module, &kernel.name);
            let body = body.ok_or_else(|| format!("{}: not analysed", kernel.name))?;
            judge(kernel, |index| body.parameter(index), &mut wrong, &mut coverage);
            judged += 1;
        }
        Ok(())
    })?;
    println!("bodies: {judged} kernels");
    for (claim, [made, possible]) in &coverage {
        println!("bodies: {claim}: {made} of {possible}");
        // An analysis that claims nothing is never wrong.
        if made * 2 < *possible {
            wrong.push(format!("{claim}: claimed in {made} of {possible} cases"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let count = wrong.len();
    wrong.truncate(10);
    Err(format!("{count} claims are wrong:\n{}", wrong.join("\n")).into())
}

fn judge<'b>(kernel: &Kernel, body: impl Fn(usize) -> Body<'b>, wrong: &mut Vec<String>, coverage: &mut Coverage) {
    for known in &kernel.parameters {
        let own = body(known.parameter);
        let Some(slot) = own.at(known.offset) else {
            wrong.push(format!("{}: unused: {known:?}\n{}", kernel.name, kernel.source));
            continue;
        };
        let mut claim = |claim: &'static str, is_made: bool, is_right: bool| {
            let [made, possible] = coverage.entry(claim).or_default();
            *made += usize::from(is_made && is_right);
            *possible += usize::from(is_right);
            if is_made && !is_right {
                let source = &kernel.source;
                wrong.push(format!("{}: {claim}: {known:?}\n{slot:?}\n{source}", kernel.name));
            }
        };
        match known.value {
            Value::Integer => {
                claim("integer", slot.kind == SlotKind::Integer, true);
                claim("pointer", slot.kind == SlotKind::Pointer, false);
            }
            Value::Pointer { element, is_read, is_written, is_direct } => {
                claim("integer", slot.kind == SlotKind::Integer, false);
                claim("pointer", slot.kind == SlotKind::Pointer, true);
                // Whether an unclear pointer is accessed can be decided where it is chosen.
                if is_direct || !is_read {
                    claim("read", slot.read.is_certain(), is_read);
                }
                if is_direct || !is_written {
                    claim("written", slot.written.is_certain(), is_written);
                }
                claim("only read", slot.is_only_read(), !is_written);
                let ty = element_type(element);
                let found = contradiction(ty.pointer(!is_written), None, &slot);
                claim("an error", found.is_some_and(Contradiction::is_certain), false);
                claim("a remark", found.is_some(), false);
                claim("elements", slot.elements.is_some(), true);
            }
        }
    }
}

fn element_type(element: &'static str) -> CppType<'static> {
    let integer = |signed, bits| CppBase::Integer { signed, bits };
    CppType::of(match element {
        "float" => CppBase::Float { bits: 32 },
        "double" => CppBase::Float { bits: 64 },
        "int" => integer(true, 32),
        "unsigned" => integer(false, 32),
        "long long" => integer(true, 64),
        "unsigned long long" => integer(false, 64),
        "short" => integer(true, 16),
        "unsigned char" => integer(false, 8),
        named => CppBase::Named(named),
    })
}

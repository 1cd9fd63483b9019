//! What is refused before the function is called, and what a returned status becomes.

use super::{
    Outcome,
    functions::{Memory, N, OnDefault, Returns, ReturnsOwn, ReturnsUnsigned, Saxpy, calls, ffi, load},
};
use kernel_args::{
    Error,
    context::{ContextFlags, ContextName, create_context},
    error::{ContextError, LaunchError},
    launch,
};
use kernel_args_tests::driver::{context, device, trial, trial_unless};
use libtest_mimic::Trial;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn foreign() -> Outcome {
    let (primary, own) = (context()?, create_context(device(), ContextFlags::new())?);
    let (here, there) = (primary.new_stream()?, own.new_stream()?);
    let (ours, mut theirs) = (Memory::new(&here)?, Memory::new(&there)?);
    calls();
    let mut results = Vec::new();
    let args = Saxpy { n: N, alpha: 1.0, x: &ours.x, y: &mut theirs.y };
    // SAFETY: nothing is called, here and below.
    results.push(("y", unsafe { launch!(ffi::saxpy, args, stream = &here) }));
    // SAFETY: the same.
    results.push(("x", unsafe { launch!(ffi::saxpy, theirs.args(1.0), stream = &here) }));
    let args = OnDefault { n: 5, x: Some(&ours.x), y: Some(&mut theirs.y) };
    // SAFETY: the same.
    results.push(("y", unsafe { launch!(ffi::saxpy_default, args, default_stream = true) }));
    for (name, result) in results {
        let Err(Error::Context(ContextError::OtherContextArgument { kernel, field, contexts, .. })) = &result else {
            return Err(format!("{name}: {result:?}").into());
        };
        assert!(kernel.starts_with("saxpy") && field.as_deref() == Some(name), "{kernel}: {field:?}");
        assert_eq!((contexts.expected, contexts.found), (ContextName::of(&primary), ContextName::of(&own)), "{name}");
    }
    assert_eq!(calls().0, 0);
    ours.is_added(0.0)
}

fn contracts() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    calls();
    let args = Saxpy { n: N + 1, alpha: 1.0, x: &memory.x, y: &mut memory.y };
    // SAFETY: nothing is called, here and below.
    let refused = unsafe { launch!(ffi::saxpy, args, stream = &stream) };
    let text = refused.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(text.contains("`saxpy` was not launched: `x` of `Saxpy` has 1000 elements"), "{text}");
    let args = OnDefault { n: 1 << 32, x: None, y: None };
    // SAFETY: the same.
    let refused = unsafe { launch!(ffi::saxpy_default, args, default_stream = true) };
    let text = refused.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(text.contains("`n` of `OnDefault` is 4294967296"), "{text}");
    assert_eq!(calls().0, 0);
    Ok(())
}

/// The code, its name, and what it means.
fn statuses() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    for code in [0, 1, 9, 98, 700, 719, 999, -1, 12345] {
        // SAFETY: the function launches nothing, here and below.
        let signed = unsafe { launch!(ffi::returns, Returns { code }, stream = &stream) };
        // SAFETY: the same.
        let unsigned =
            unsafe { launch!(ffi::returns_unsigned, ReturnsUnsigned { code: code.cast_unsigned() }, stream = &stream) };
        for result in [signed, unsigned] {
            let name = match code {
                0 => {
                    result?;
                    continue;
                }
                1 => Some("cudaErrorInvalidValue"),
                9 => Some("cudaErrorInvalidConfiguration"),
                98 => Some("cudaErrorInvalidDeviceFunction"),
                700 => Some("cudaErrorIllegalAddress"),
                719 => Some("cudaErrorLaunchFailure"),
                999 => Some("cudaErrorUnknown"),
                _ => None,
            };
            let Err(Error::Launch(LaunchError::Launcher(failed))) = &result else {
                return Err(format!("{code}: {result:?}").into());
            };
            assert_eq!((failed.code, failed.name.as_deref()), (code, name));
            let (text, named) =
                (failed.to_string(), name.map_or_else(|| code.to_string(), |name| format!("{name} ({code})")));
            // The first line of the error of a kernel is about the kernel.
            let line = text.lines().nth(usize::from(failed.lost.is_some())).unwrap_or_default();
            let line = line.trim_start_matches("  noticed: ");
            assert!(line.starts_with("launcher `returns") && line.ends_with(&format!(" returned {named}")), "{text}");
            assert_eq!(failed.lost.is_some(), matches!(code, 700 | 719), "{text}");
            assert!(name.is_none() || text.contains("\n  ") && text.contains("\nhelp: "), "{text}");
        }
    }
    // A status of the library's own has no name of CUDA, though its number is one.
    // SAFETY: the same.
    unsafe { launch!(ffi::returns_own, ReturnsOwn { code: 1 }, stream = &stream)? };
    // SAFETY: the same.
    let failed = unsafe { launch!(ffi::returns_own, ReturnsOwn { code: 0 }, stream = &stream) };
    let text = failed.map_or_else(|error| error.to_string(), |()| String::new());
    assert_eq!(text, "launcher `returns_own` returned 9");
    Ok(())
}

/// `driver_types.h` of the toolkit in `.toolchain`.
fn header() -> Option<PathBuf> {
    let below = |folder: &Path| fs::read_dir(folder).ok().into_iter().flatten().flatten().map(|entry| entry.path());
    let toolchain = kernel_args_tests::sources()?.join(".toolchain");
    let mut folders = below(&toolchain).flat_map(|toolkit| below(&toolkit.join("nvidia")).collect::<Vec<_>>());
    folders.find_map(|folder| Some(folder.join("include/driver_types.h")).filter(|header| header.is_file()))
}

/// Every code of the runtime has the name that the header gives it.
fn names() -> Outcome {
    let stream = context()?.new_stream()?;
    let text = fs::read_to_string(header().ok_or("no header")?)?;
    let codes = text.lines().filter_map(|line| {
        let (name, code) = line.trim().strip_prefix("cudaError")?.split_once('=')?;
        Some((format!("cudaError{}", name.trim()), code.trim().trim_end_matches(',').trim().parse::<i32>().ok()?))
    });
    let mut found = 0;
    for (name, code) in codes.filter(|(_, code)| *code != 10_000) {
        // SAFETY: the function launches nothing.
        match unsafe { launch!(ffi::returns, Returns { code }, stream = &stream) } {
            Err(Error::Launch(LaunchError::Launcher(failed))) => assert_eq!(failed.name, Some(name)),
            other => return Err(format!("{name}: {other:?}").into()),
        }
        found += 1;
    }
    assert!(found > 120, "{found}");
    Ok(())
}

/// A launch whose kernel the driver refuses: the launcher returns it.
fn refused_kernel() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let args = Saxpy { n: 0, alpha: 1.0, x: &memory.x, y: &mut memory.y };
    // SAFETY: a grid without blocks is refused.
    let refused = unsafe { launch!(ffi::saxpy, args, stream = &stream) };
    let text = refused.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(text.starts_with("launcher `saxpy` returned cudaErrorInvalidValue (1)\n"), "{text}");
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("an_argument_of_a_different_context_is_refused", foreign),
        trial("a_broken_contract_is_refused", contracts),
        trial("a_returned_status_is_an_error_that_names_it", statuses),
        trial_unless(
            header().is_none().then_some("there is no toolkit: `python3 ptx/toolchain.py nvcc`"),
            "each_code_of_the_runtime_has_its_name",
            names,
        ),
        trial("a_kernel_that_the_driver_refuses_is_an_error", refused_kernel),
    ]
}

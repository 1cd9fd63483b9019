//! Every error code of the driver has an explanation, in every context.

use crate::error_texts::provoke::{Outcome, Pointers, SAXPY};
use kernel_args::{
    Error, Kernel, Module,
    error::{LoadError, Status},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, context, trial, trial_unless};
use libtest_mimic::Trial;

/// The codes that this machine's driver has names for, without success.
fn codes() -> impl Iterator<Item = Status> {
    (1..1200).map(Status).filter(|status| status.name().is_some())
}

fn every_code_has_a_meaning() -> Outcome {
    let unknown: Vec<_> = codes().filter(|status| status.meaning().is_none()).collect();
    if !unknown.is_empty() || codes().count() < 80 {
        return Err(format!("{unknown:?} are not explained").into());
    }
    assert_eq!(Status(0).meaning(), None);
    Ok(())
}

/// After these errors "any further CUDA work will return the same error" (CUDA Driver API, `CUresult`), so the launched
/// kernel is not their cause.
fn an_error_of_an_earlier_kernel_names_it_as_the_cause() -> Outcome {
    for code in [700, 702, 710, 714, 715, 716, 717, 718, 719, 721] {
        let meaning = Status(code).meaning().ok_or("no meaning")?;
        for words in ["EARLIER kernel", "the context is lost"] {
            assert!(meaning.contains(words), "{code}: {meaning}");
        }
    }
    Ok(())
}

/// The test driver returns each code from a load and from a launch.
fn every_code_is_explained_where_it_is_returned() -> Outcome {
    let control = Control::attach().ok_or("this is not the test driver")?;
    let ctx = context()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
    for status in codes() {
        let meaning = status.meaning().ok_or("no meaning")?;
        control.fail_once("cuModuleLoadDataEx", status.0);
        let load = Module::load(&ctx, SAXPY).expect_err("the driver returns an error");
        assert!(matches!(load, Error::Load(LoadError::Rejected { .. })), "{load:?}");
        let launch = ["cuLaunchKernelEx", "cuLaunchKernel"].map(|call| {
            control.fail_once(call, status.0);
            // SAFETY: the launch returns the error.
            unsafe { launch!(kernel, 1, 32, Pointers::NONE) }
        });
        control.clear_failures();
        let Some(Err(launch)) = launch.into_iter().find(Result::is_err) else {
            return Err(format!("{status} was not returned").into());
        };
        for (error, means) in [(&load, None), (&launch, None), (&load, Some(meaning))] {
            let text = error.to_string();
            let name = status.to_string();
            assert!(text.contains(&name), "{name} is not in\n{text}");
            let lines = text.lines().filter(|line| line.starts_with("  ")).count();
            assert!(lines > 0, "{text}");
            // The explanation of a code may be different for loading an image.
            let is_special = [1, 2, 302, 303, 400, 500].contains(&status.0);
            if let Some(means) = means.filter(|_| !is_special) {
                assert!(text.contains(means), "{means} is not in\n{text}");
            }
        }
        let text = launch.to_string();
        for words in ["`saxpy`", "grid (1, 1, 1), block (32, 1, 1)", "alpha"] {
            assert!(text.contains(words), "{words} is not in\n{text}");
        }
        // The driver is not queried about a function that may be unloaded, nor after the error of an earlier kernel.
        let is_asked = !matches!(status.0, 201 | 400 | 500 | 700 | 702..=719 | 721);
        assert_eq!(text.contains("registers"), is_asked, "{text}");
    }
    Ok(())
}

pub(super) fn trials(driver: &Driver) -> Vec<Trial> {
    vec![
        trial("every_code_has_a_meaning", every_code_has_a_meaning),
        trial(
            "an_error_of_an_earlier_kernel_names_it_as_the_cause",
            an_error_of_an_earlier_kernel_names_it_as_the_cause,
        ),
        trial_unless(
            driver.is_real().then_some("the test driver returns the requested error"),
            "every_code_is_explained_where_it_is_returned",
            every_code_is_explained_where_it_is_returned,
        ),
    ]
}

//! The results of `versions`.

use crate::images::Outcome;
use kernel_args::{abi::Sm, context::versions};
use kernel_args_stand_in::Control;
use kernel_args_tests::{
    driver::{Driver, context, trial, trial_unless},
    nvrtc::NVRTC,
};
use libtest_mimic::Trial;

fn all_versions_are_reported() -> Outcome {
    let (versions, ctx) = (versions()?, context()?);
    let text = versions.to_string();
    println!("{text}");
    let (major, minor) = ctx.compute_capability()?;
    assert_eq!(versions.gpus[0].sm, Sm(u16::try_from(major * 10 + minor)?));
    assert_eq!(versions.gpus[0].name, ctx.name()?);
    for row in [
        format!("kernel-args           {}\n", env!("CARGO_PKG_VERSION")),
        format!("for CUDA {}\n", versions.driver),
        format!("GPU 0                 {}, {}\n", versions.gpus[0].name, versions.gpus[0].sm),
    ] {
        assert!(text.contains(&row), "{row} is missing in\n{text}");
    }
    // The process of this suite finds NVRTC if the machine has it.
    match versions.nvrtc {
        Some(nvrtc) => assert!(text.contains(&format!("NVRTC                 {nvrtc}\n")), "{text}"),
        None => assert!(NVRTC.found().is_err() && text.contains("not found"), "{text}"),
    }
    match versions.newest_ptx {
        Some(ptx) => assert!(text.contains(&format!("newest PTX            {ptx}\n")), "{text}"),
        None => assert!(text.contains("not known for this driver"), "{text}"),
    }
    Ok(())
}

/// The settings of the test driver.
fn the_versions_of_simulated_drivers_are_reported() -> Outcome {
    let control = Control::attach().ok_or("this is the test driver")?;
    for (number, cuda, ptx) in [
        (12040, "12.4", Some("8.4")),
        (12060, "12.6", Some("8.5")),
        (99000, "99.0", None),
        (13000, "13.0", Some("9.0")),
    ] {
        control.set_version(number);
        let versions = versions()?;
        assert_eq!(versions.driver.to_string(), cuda);
        let newest = versions.newest_ptx.map(|ptx| ptx.to_string());
        assert_eq!(newest.as_deref(), ptx);
    }
    control.fail_once("cuDeviceGetName", 999);
    let error = versions().expect_err("the driver returned an error");
    assert!(error.to_string().contains("cuDeviceGetName"), "{error}");
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let real = driver.is_real().then_some("the versions are this machine's");
    vec![
        trial("all_versions_are_reported", all_versions_are_reported),
        trial_unless(
            real,
            "the_versions_of_simulated_drivers_are_reported",
            the_versions_of_simulated_drivers_are_reported,
        ),
    ]
}

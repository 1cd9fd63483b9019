//! The table of launches on a GPU, and a copy for programs.

use crate::{
    batch::{BATCH, Timed},
    launch::Device,
    versions,
};
use cudarc::driver::{DriverError, sys};
use std::{fmt::Write, fs, time::Duration};

/// What it costs to verify a kernel once.
#[derive(Clone, Copy, Debug)]
pub struct Verification {
    /// Which kernel.
    pub case: &'static str,
    /// `Kernel::from_function`.
    pub from_function: Duration,
    /// `Module::kernel`, of a module that is loaded.
    pub from_image: Duration,
}

/// Every ratio is to this variant of the same case.
const FLOOR: &str = "bare, kernelParams";

/// The tables in Markdown.
///
/// # Errors
/// Where the driver does not tell what it is.
pub fn render(
    device: &Device,
    rehearsal: bool,
    timed: &[Timed],
    verification: &[Verification],
) -> Result<String, DriverError> {
    let mut text = format!("{}\n\n", setting(device, rehearsal)?);
    text.push_str("| launch | how | ns, median | 10 % | 90 % | / bare kernelParams |\n|---|---|---|---|---|---|\n");
    let mut cases: Vec<&str> = Vec::new();
    for Timed { case, .. } in timed {
        if !cases.contains(case) {
            cases.push(case);
        }
    }
    for case in cases {
        let of_case = || timed.iter().filter(|timed| timed.case == case);
        let floor = of_case()
            .find(|timed| timed.variant == FLOOR)
            .map_or(f64::NAN, Timed::median);
        for timed in of_case() {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "| {case} | {} | {:.0} | {:.0} | {:.0} | {:.3} |",
                timed.variant,
                timed.median(),
                timed.quantile(0.1),
                timed.quantile(0.9),
                timed.median() / floor,
            );
        }
    }
    text.push_str(
        "\n| verified once | from a function, µs | from the image, µs |\n|---|---|---|\n",
    );
    for Verification {
        case,
        from_function,
        from_image,
    } in verification
    {
        let _ = writeln!(
            text,
            "| {case} | {:.1} | {:.1} |",
            from_function.as_secs_f64() * 1e6,
            from_image.as_secs_f64() * 1e6
        );
    }
    Ok(text)
}

/// The same for programs: comments after `#`, then values separated by tabs.
///
/// # Errors
/// Where the driver does not tell what it is.
pub fn machine_readable(
    device: &Device,
    rehearsal: bool,
    timed: &[Timed],
    verification: &[Verification],
) -> Result<String, DriverError> {
    let mut text = format!("# {}\n", setting(device, rehearsal)?.replace('\n', "\n# "));
    text.push_str("case\tvariant\tmedian_ns\tp10_ns\tp90_ns\tbatches\n");
    for timed in timed {
        let _ = writeln!(
            text,
            "{}\t{}\t{:.1}\t{:.1}\t{:.1}\t{}",
            timed.case,
            timed.variant,
            timed.median(),
            timed.quantile(0.1),
            timed.quantile(0.9),
            timed.nanoseconds.len(),
        );
    }
    for Verification {
        case,
        from_function,
        from_image,
    } in verification
    {
        for (variant, time) in [("from_function", from_function), ("from_image", from_image)] {
            let _ = writeln!(
                text,
                "{case}\tverified once, {variant}\t{}\t\t\t",
                time.as_nanos()
            );
        }
    }
    Ok(text)
}

/// The GPU, the driver, the host, and what this was built with.
fn setting(device: &Device, rehearsal: bool) -> Result<String, DriverError> {
    let mut version = 0;
    // SAFETY: the pointer is to a local, which the driver fills.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let kernel_module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let kernel_module = kernel_module
        .lines()
        .next()
        .unwrap_or("no kernel module")
        .trim();
    let mut text = format!(
        "{}, CUDA driver {}.{}, {kernel_module}\n{}; {}, cudarc {}; batches of {BATCH} launches",
        device.context.name()?,
        version / 1000,
        version % 1000 / 10,
        versions::machine(),
        versions::RUSTC,
        versions::CUDARC,
    );
    if rehearsal {
        text.insert_str(
            0,
            "REHEARSAL on the test driver: there is no GPU, and the times say nothing of one\n",
        );
    }
    Ok(text)
}

//! Writes the results as Markdown.

use crate::{
    batch::BATCH,
    launch::Device,
    measured::{Measured, REHEARSAL},
    versions, ways,
};
use cudarc::driver::{DriverError, sys};
use std::{fmt::Write, fs};

/// Each ratio is relative to this way to launch the same case.
const FLOOR: &str = ways::BARE_PARAMS;
/// The columns of [`summary`]: case and heading.
const SUMMARY: &[(&str, &str)] = &[
    ("8 parameters", "8"),
    ("32 parameters", "32"),
    ("128 parameters", "128"),
    ("512 parameters", "512"),
    (ways::STRUCT_4_KIB, "4 KiB struct"),
    (ways::STRUCT_32_KIB, "32 KiB struct"),
];
/// The rows of [`summary`].
const SUMMARY_WAYS: &[(&str, &str)] = &[
    (ways::OURS, "**kernel-args, `launch!`**"),
    (ways::CHEVRONS, "CUDA C++, `<<<>>>`"),
    (ways::RUNTIME_EX, "CUDA C++, `cudaLaunchKernelExC`"),
    (ways::C_PARAMS, "C, `cuLaunchKernel` with `kernelParams`"),
    (ways::CUDARC, "cudarc, `launch_builder`"),
    (ways::CUDA_CORE, "Python, cuda.core"),
    (ways::CUPY, "Python, CuPy `RawKernel`"),
    (ways::TRITON, "Python, Triton"),
];

/// The settings of a run and the table of all results.
#[must_use]
pub fn launches(measured: &Measured) -> String {
    let mut text = settings_of(measured);
    text.push_str("| launch | how | ns, median | 10 % | 90 % | / bare kernelParams |\n|---|---|---|---|---|---|\n");
    for case in measured.cases() {
        let floor = measured.median(case, FLOOR);
        for row in measured.rows.iter().filter(|row| row.case == case) {
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                text,
                "| {case} | {} | {:.0} | {:.0} | {:.0} | {} |",
                code(&row.way),
                row.median,
                row.p10,
                row.p90,
                floor
                    .filter(|_| ![ways::VERIFIED_FUNCTION, ways::LOOKED_UP].contains(&row.way.as_str()))
                    .map_or(String::new(), |floor| format!("{:.3}", row.median / floor)),
            );
        }
    }
    if !measured.missing.is_empty() {
        text.push_str("\nNot measured:\n\n");
        for [case, way, reason] in &measured.missing {
            let case = if case == "*" { "everything" } else { case };
            let _ = writeln!(text, "- {}, {case}: {reason}", code(way));
        }
    }
    text
}

/// A table with one column per way: nanoseconds per launch.
#[must_use]
pub fn summary(measured: &Measured) -> String {
    let mut text = settings_of(measured);
    text.push_str("| ns per launch |");
    for (_, heading) in SUMMARY {
        let _ = write!(text, " {heading} |");
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(SUMMARY.len()));
    text.push('\n');
    for (way, heading) in SUMMARY_WAYS {
        let _ = write!(text, "| {heading} |");
        for (case, _) in SUMMARY {
            match measured.median(case, way) {
                Some(median) => {
                    let _ = write!(text, " {median:.0} |");
                }
                None => text.push_str(" – |"),
            }
        }
        text.push('\n');
    }
    text
}

fn settings_of(measured: &Measured) -> String {
    let mut text = String::from("Measured on ");
    text.push_str(&measured.settings.join("; "));
    text.push_str(".\n\n");
    text
}

/// Markdown would parse `<<<>>>` as a tag.
fn code(way: &str) -> String {
    way.replace("<<<>>>", "`<<<>>>`")
}

/// The GPU with its driver, the host, and the versions of the tools.
///
/// # Errors
/// If the driver does not report its version.
pub fn settings(device: &Device, rehearsal: bool) -> Result<Vec<String>, DriverError> {
    let mut version = 0;
    // SAFETY: the pointer is to a local, which the driver fills.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    let kernel_module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let kernel_module = kernel_module
        .split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or("unknown");
    let mut settings = vec![
        format!("{}, driver {kernel_module} (CUDA {}.{})", device.context.name()?, version / 1000, version % 1000 / 10,),
        versions::machine(),
        format!("{}, cudarc {}", versions::RUSTC, versions::CUDARC),
        format!("batches of {BATCH} launches"),
    ];
    if rehearsal {
        settings.insert(0, REHEARSAL.to_owned());
    }
    Ok(settings)
}

//! The packed form instead of `kernelParams`, in suites of this program and in programs of other authors, whose results
//! must not change.
//!
//! `packed.c` replaces the form of each launch. It needs gcc; the programs in Python need a GPU and their packages.

use kernel_args_test_generator::tools::{self as tools, GCC, PYTHON, Tool};
use kernel_args_tests::{
    command_line,
    driver::{Driver, suite},
    suites,
};
use libtest_mimic::{Completion, Trial};
use serde_json::{Value, json};
use std::{
    error::Error,
    fmt::Write as _,
    fs,
    path::PathBuf,
    process::{Command, ExitCode, Output},
};
use tempfile::TempDir;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The suites whose launches are compared by their kernels' results or by the test driver.
const SUITES: [&str; 2] = ["echo", "generated_structs"];

/// A program in Python, with the package that it needs, and its source.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("cuda_core_templates", "cuda.core", include_str!("cuda_core_templates.py")),
    ("cupy_functions", "cupy", include_str!("cupy_functions.py")),
    ("torch_methods", "torch", include_str!("torch_methods.py")),
    ("triton_kernels", "triton", include_str!("triton_kernels.py")),
];

pub(crate) fn main() -> ExitCode {
    suite("packed", trials, |_| {})
}

fn trials(driver: &Driver) -> Vec<Trial> {
    let name = "every_function_is_found_and_only_the_right_launches_are_replaced";
    let mut trials = vec![tools::trial(name, &[GCC], every_function_is_found)];
    trials.extend(SUITES.map(|name| {
        tools::trial(format!("suite_{name}"), &[GCC], move || -> Outcome {
            let (output, report) = Replaced::new()?.run(&mut suites::command(name))?;
            succeeded(&output)?;
            agrees(name, &report)
        })
    }));
    for (name, package, source) in PROGRAMS {
        let is_real = driver.is_real();
        let on_a_gpu = move |run: &dyn Fn() -> Outcome| -> Outcome<Completion> {
            if is_real {
                return run().map(|()| Completion::Completed);
            }
            let why = "its package needs NVIDIA's runtime, which calls functions that the test driver lacks";
            Ok(Completion::ignored_with(why))
        };
        let package = Tool::of_python(package);
        trials.push(tools::trial(format!("program_{name}"), &[package, PYTHON, GCC], move || {
            on_a_gpu(&|| {
                let replaced = Replaced::new()?;
                let (output, report) = replaced.run(tools::command(PYTHON).arg(replaced.file(name, source)?))?;
                passed(&output)?;
                agrees(name, &report)
            })
        }));
        trials.push(tools::trial(format!("records_of_{name}"), &[package, PYTHON, command_line::PROGRAM], move || {
            on_a_gpu(&|| records_agree(name, source))
        }));
    }
    trials
}

/// `packed.c`, compiled in a folder of its own.
struct Replaced {
    folder: TempDir,
}

impl Replaced {
    fn new() -> Outcome<Self> {
        let this = Self { folder: tempfile::tempdir()? };
        this.compile("packed.so", ("packed.c", include_str!("packed.c")), &["-shared", "-fPIC", "-ldl", "-lpthread"])?;
        Ok(this)
    }

    fn file(&self, name: &str, content: &str) -> Outcome<PathBuf> {
        let path = self.folder.path().join(name);
        fs::write(&path, content)?;
        Ok(path)
    }

    fn compile(&self, to: &str, (name, source): (&str, &str), options: &[&str]) -> Outcome {
        let mut gcc = tools::command(GCC);
        gcc.args(["-O2", "-Wall", "-Werror", "-o", to]).arg(self.file(name, source)?).args(options);
        succeeded(&gcc.current_dir(&self.folder).output()?)
    }

    /// What the program printed, and what was replaced: the sums over its processes.
    fn run(&self, command: &mut Command) -> Outcome<(Output, Value)> {
        let reports = self.file("reports", "")?;
        command.env("LD_PRELOAD", self.folder.path().join("packed.so")).env("KERNEL_ARGS_PACKED", &reports);
        let output = command.output()?;
        let mut sums = serde_json::Map::new();
        for line in fs::read_to_string(reports)?.lines() {
            let report: serde_json::Map<String, Value> = serde_json::from_str(line)?;
            for (name, count) in report {
                let sum = sums.entry(name).or_insert(json!(0));
                *sum = json!(sum.as_u64().unwrap_or(0) + count.as_u64().ok_or("no number")?);
            }
        }
        Ok((output, Value::Object(sums)))
    }
}

fn succeeded(output: &Output) -> Outcome {
    if output.status.success() {
        return Ok(());
    }
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    Err(format!("{}\n{out}{err}", output.status).into())
}

/// A program in Python prints PASS at its end.
fn passed(output: &Output) -> Outcome {
    succeeded(output)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    if last.starts_with("PASS: ") {
        println!("{last}");
        return Ok(());
    }
    Err(format!("no PASS at the end: {text}").into())
}

/// Launches were replaced, the driver's places were known and all were the rule's.
fn agrees(name: &str, report: &Value) -> Outcome {
    println!("{name}: {report}");
    let is_right = report["replaced"].as_u64() > Some(0) && report["unknown"] == 0 && report["differences"] == 0;
    is_right.then_some(()).ok_or_else(|| format!("{name}: {report}").into())
}

/// What `kernel-args trace --verify` compares: the driver's record of each kernel, its image's, and the reading of the
/// image.
fn records_agree(name: &str, source: &str) -> Outcome {
    let folder = tempfile::tempdir()?;
    let [script, trace] = [name, "trace"].map(|name| folder.path().join(name));
    fs::write(&script, source)?;
    let mut command = tools::command(command_line::PROGRAM);
    command.args(["trace", "--summary", "--verify", "-o"]).arg(&trace).arg("--");
    passed(&command.arg(tools::path(PYTHON)).arg(script).output()?)?;
    let trace = fs::read_to_string(trace)?;
    let last = trace.lines().last().unwrap_or_default();
    println!("{name}: {last}");
    let is_right = last.starts_with("kernels: ") && last.ends_with("differences: 0");
    is_right.then_some(()).ok_or(trace.into())
}

/// On a driver that prints each launch (`driver.c`), a program finds the functions in each way and launches each kind
/// of kernel.
fn every_function_is_found() -> Outcome {
    let replaced = Replaced::new()?;
    let driver = ["-shared", "-fPIC", "-Wl,-Bsymbolic,-soname,libcuda.so.1"];
    replaced.compile("libcuda.so.1", ("driver.c", include_str!("driver.c")), &driver)?;
    replaced.compile("program", ("program.c", include_str!("program.c")), &["libcuda.so.1", "-ldl"])?;
    for way in ["linked", "dlsym", "cuGetProcAddress", "cuGetProcAddress_v2"] {
        let mut program = Command::new(replaced.folder.path().join("program"));
        program.arg(way).env("LD_LIBRARY_PATH", replaced.folder.path());
        let (output, report) = replaced.run(&mut program)?;
        succeeded(&output)?;
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected()?, "{way}");
        let counts = json!({
            "replaced": 8, "kernels": 2, "bytes": 4 * (20 + 2), "packed": 4, "without_parameters": 4, "cooperative": 14,
            "aligned_above_16": 4, "unknown": 4, "differences": 4,
        });
        assert_eq!(report, counts, "{way}");
        assert!(agrees(way, &report).is_err(), "differences must be an error");
    }
    Ok(())
}

/// The output of `program.c` on `driver.c`. The last launch has the packed form already, and cooperative launches have
/// none.
fn expected() -> Outcome<String> {
    let (packed, own) = (format!("11{}{}{}", "a5".repeat(7), "22".repeat(8), "33".repeat(4)), "11".repeat(4));
    let mut text = String::new();
    for function in ["cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel"] {
        for suffix in ["", "_ptsz"] {
            let of_launches = [&packed, "kernelParams", "kernelParams", "", "kernelParams", "1111", &own];
            for (at, mut form) in of_launches.into_iter().enumerate() {
                if function == "cuLaunchCooperativeKernel" {
                    form = if [3, 6].contains(&at) { "" } else { "kernelParams" };
                }
                writeln!(text, "{function}{suffix} {} {form}", at % 6 + 1)?;
            }
        }
    }
    Ok(text)
}

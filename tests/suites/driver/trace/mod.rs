//! `kernel-args trace`: programs that print what they launch, and what the trace shows of them.
//!
//! It needs the program `kernel-args` of the same build, or `KERNEL_ARGS_PROGRAM` with its path; on a GPU also CUPTI.

mod program;

use kernel_args_test_generator::tools::{self as tools, Tool};
use kernel_args_tests::{
    command_line,
    driver::{Driver, device, suite_on},
};
use libtest_mimic::Trial;
use serde_json::Value;
use std::{
    env,
    error::Error,
    process::{ExitCode, Output},
};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Test = fn() -> Outcome;

pub(crate) fn main() -> ExitCode {
    match env::var(program::VARIABLE) {
        Ok(name) => program::run(&name),
        Err(_) => suite_on("trace", device() + 2, trials, |_| {}),
    }
}

/// The program, where it can trace.
const TRACER: Tool = Tool::new("kernel-args trace", |_| {
    if cfg!(target_os = "linux") {
        command_line::PROGRAM.found()
    } else {
        Err("programs are traced on Linux only".to_owned())
    }
});

fn trials(_: &Driver) -> Vec<Trial> {
    let all: [(&str, Test); 17] = [
        ("every_launch_has_its_parameters", || compare("random")),
        ("launches_of_threads_are_traced", || compare("threads")),
        ("processes_that_a_program_starts_are_traced", || compare("processes")),
        ("launches_before_an_abort_are_shown", launches_before_an_abort_are_shown),
        ("launches_of_graphs_are_traced", launches_of_graphs_are_traced),
        ("modules_that_the_first_launch_loads_are_traced", modules_that_the_first_launch_loads_are_traced),
        ("an_error_of_a_launch_is_shown", an_error_of_a_launch_is_shown),
        ("a_trace_is_text", a_trace_is_text),
        ("values_have_the_types_of_mangled_names", values_have_the_types_of_mangled_names),
        ("values_have_the_types_of_ptx", values_have_the_types_of_ptx),
        ("kernels_are_selected", kernels_are_selected),
        ("a_summary_counts_launches", a_summary_counts_launches),
        ("a_chrome_trace_has_every_launch", a_chrome_trace_has_every_launch),
        ("the_driver_and_the_images_agree", the_driver_and_the_images_agree),
        ("a_launch_of_another_library_is_recorded_and_replayed", a_launch_of_another_library_is_recorded_and_replayed),
        ("pointers_that_kernels_cannot_use_are_shown", pointers_that_kernels_cannot_use_are_shown),
        ("a_program_without_cuda_runs_as_it_is", a_program_without_cuda_runs_as_it_is),
    ];
    all.map(|(name, run)| tools::trial(name, &[TRACER], run)).into()
}

/// Traces one of the programs.
fn trace(options: &[&str], name: &str) -> Outcome<Output> {
    let mut command = tools::command(TRACER);
    command.arg("trace").args(options).arg("--").arg(env::current_exe()?);
    Ok(command.env(program::VARIABLE, name).output()?)
}

/// What the program printed, and the trace; the exit code of the program is 7.
fn traced(options: &[&str], name: &str) -> Outcome<(String, String)> {
    let output = trace(options, name)?;
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.code() == Some(7) { Ok((out, err)) } else { Err(format!("{}: {out}{err}", output.status).into()) }
}

fn lines(text: &str) -> Outcome<Vec<Value>> {
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}").into())).collect()
}

/// A launch in the form that the programs print.
fn reduced(event: &Value) -> Value {
    let parameters = event["parameters"].as_array().into_iter().flatten();
    let parameters: Vec<Value> =
        parameters.map(|parameter| serde_json::json!([parameter["offset"], parameter["bytes"]])).collect();
    serde_json::json!({
        "symbol": event["symbol"], "grid": event["grid"], "block": event["block"], "shared": event["shared"], "parameters": parameters,
    })
}

/// The launches of both, in the order of each thread.
fn same(printed: &str, trace: &str) -> Outcome<usize> {
    let (expected, found) = (lines(printed)?, lines(trace)?);
    if let Some(error) = found.iter().find(|event| !event["error"].is_null()) {
        return Err(format!("{error}").into());
    }
    let found: Vec<Value> = found.iter().map(reduced).collect();
    let texts = |values: &[Value]| {
        let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    let (expected, found) = (texts(&expected), texts(&found));
    if expected.is_empty() || expected != found {
        let missing = expected.iter().find(|launch| !found.contains(launch));
        return Err(format!(
            "{} launches, {} in the trace; the first that is missing: {missing:?}",
            expected.len(),
            found.len()
        )
        .into());
    }
    Ok(expected.len())
}

fn compare(name: &str) -> Outcome {
    let (printed, trace) = traced(&["--json"], name)?;
    let launches = same(&printed, &trace)?;
    println!("trace of `{name}`: {launches} launches, 0 differences");
    Ok(())
}

fn modules_that_the_first_launch_loads_are_traced() -> Outcome {
    for options in [["--json"].as_slice(), &["--json", "--check-pointers"]] {
        let (printed, trace) = traced(options, "lazy")?;
        assert_eq!(same(&printed, &trace)?, 2);
    }
    Ok(())
}

fn launches_before_an_abort_are_shown() -> Outcome {
    let output = trace(&["--json"], "abort")?;
    assert_eq!(output.status.code(), Some(128 + 6), "the signal that ends the program");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(same(&out, &err)?, 5);
    Ok(())
}

fn launches_of_graphs_are_traced() -> Outcome {
    let (_, trace) = traced(&["--json"], "graph")?;
    let events = lines(&trace)?;
    let graphs: Vec<&Value> = events.iter().filter(|event| event["event"] == "graph").collect();
    assert_eq!(graphs.len(), 3, "{trace}");
    assert!(graphs.iter().all(|event| event["graph"] == graphs[0]["graph"] && event["error"].is_null()));
    Ok(())
}

fn an_error_of_a_launch_is_shown() -> Outcome {
    let (_, trace) = traced(&[], "refused")?;
    let line = trace.lines().find(|line| line.contains("scale<<<1, 4096>>>")).unwrap_or_default();
    assert!(line.contains("(null, 1, 2.0) = 1 CUDA_ERROR_INVALID_VALUE <"), "{trace}");
    Ok(())
}

fn a_trace_is_text() -> Outcome {
    let (printed, trace) = traced(&["--color=never"], "random")?;
    assert_eq!(printed.lines().count(), trace.lines().count(), "{trace}");
    for (expected, line) in lines(&printed)?.iter().zip(trace.lines()) {
        let name = match expected["symbol"].as_str() {
            Some("_Z5scalePfif") => "scale",
            Some("_ZN3sim4stepIdEEvPT_6float4c") => "sim::step<double>",
            other => other.unwrap_or_default(),
        };
        let (time, call) = line.trim_start().split_once(' ').unwrap_or_default();
        assert!(time.parse::<f64>().is_ok_and(|seconds| seconds < 600.0), "{line}");
        assert!(call.starts_with(&format!("{name}<<<")) && call.ends_with(" µs>"), "{line}");
    }
    Ok(())
}

fn values_have_the_types_of_mangled_names() -> Outcome {
    let (_, trace) = traced(&["--json", "--kernel", "scale", "--kernel", "step"], "random")?;
    let mut kinds = [0, 0];
    for event in lines(&trace)? {
        let texts = |key: &str| -> Vec<String> {
            let parameters = event["parameters"].as_array().into_iter().flatten();
            parameters.map(|parameter| parameter[key].as_str().unwrap_or_default().to_owned()).collect()
        };
        let (types, values, bytes) = (texts("type"), texts("value"), texts("bytes"));
        if event["symbol"] == "_Z5scalePfif" {
            kinds[0] += 1;
            assert_eq!(types, ["float*", "int", "float"]);
            assert!(values[0].starts_with("0x") || values[0] == "null", "{values:?}");
            let bits = u32::from_str_radix(&bytes[1], 16)?.swap_bytes();
            assert_eq!(values[1], bits.cast_signed().to_string());
            let bits = u32::from_str_radix(&bytes[2], 16)?.swap_bytes();
            assert_eq!(values[2], format!("{:?}", f32::from_bits(bits)));
        } else {
            kinds[1] += 1;
            assert_eq!(types, ["double*", "float4", "char"]);
            assert!(values[1].starts_with("(1.5, ") && values[1].ends_with(", -0.0, 4.0)"), "{values:?}");
        }
    }
    assert!(kinds.iter().all(|kind| *kind > 10), "{kinds:?}");
    Ok(())
}

/// The driver makes code without types of PTX.
fn values_have_the_types_of_ptx() -> Outcome {
    let (_, trace) = traced(&["--json"], "saxpy")?;
    let launches = lines(&trace)?;
    let value = |launch: &Value, index: usize| launch["parameters"][index]["value"].as_str().unwrap_or("").to_owned();
    let alphas: Vec<String> = launches.iter().map(|launch| value(launch, 1)).collect();
    assert_eq!(alphas, ["1.0", "2.0", "3.0"]);
    for launch in &launches {
        assert_eq!(value(launch, 0), "100");
        assert!(value(launch, 2).starts_with("0x"), "{launch}");
    }
    Ok(())
}

fn kernels_are_selected() -> Outcome {
    let (printed, trace) = traced(&["--json", "--kernel", "sim::*"], "random")?;
    let of_step = |value: &&Value| value["symbol"] == "_ZN3sim4stepIdEEvPT_6float4c";
    let (printed, trace) = (lines(&printed)?, lines(&trace)?);
    assert_eq!(printed.iter().filter(of_step).count(), trace.len());
    assert!(!trace.is_empty() && trace.iter().all(|event| of_step(&event)));
    Ok(())
}

fn a_summary_counts_launches() -> Outcome {
    let (printed, summary) = traced(&["--summary", "--color=never"], "random")?;
    let printed = lines(&printed)?;
    for (symbol, name) in [("_Z5scalePfif", "scale"), ("mixed", "mixed"), ("nothing", "nothing")] {
        let launches = printed.iter().filter(|launch| launch["symbol"] == symbol).count().to_string();
        let row = summary.lines().find(|line| line.ends_with(&format!("  {name}"))).unwrap_or_default();
        assert_eq!(row.split_whitespace().next(), Some(launches.as_str()), "{summary}");
    }
    assert!(summary.ends_with("4 kernels, 200 launches, 0 graph launches\n"), "{summary}");
    Ok(())
}

fn a_chrome_trace_has_every_launch() -> Outcome {
    let file = env::temp_dir().join(format!("kernel-args-trace-{}.json", std::process::id()));
    let name = file.display().to_string();
    let (printed, _) = traced(&["--summary", "--chrome", &name], "threads")?;
    let text = std::fs::read_to_string(&file)?;
    std::fs::remove_file(&file)?;
    let trace: Value = serde_json::from_str(&text)?;
    let events = trace["traceEvents"].as_array().ok_or("no events")?;
    assert_eq!(events.len(), printed.lines().count());
    let mut threads: Vec<u64> = events.iter().filter_map(|event| event["tid"].as_u64()).collect();
    threads.sort_unstable();
    threads.dedup();
    assert_eq!(threads.len(), 4);
    assert!(events.iter().all(|event| event["ph"] == "X" && event["dur"].as_f64() > Some(0.0)));
    Ok(())
}

fn the_driver_and_the_images_agree() -> Outcome {
    let (printed, trace) = traced(&["--summary", "--verify"], "random")?;
    let launches = printed.lines().count();
    let last = trace.lines().last().unwrap_or_default();
    assert!(last.starts_with(&format!("kernels: 4, launches: {launches}, bytes of parameters: ")), "{trace}");
    assert!(last.ends_with("differences: 0"), "{trace}");
    Ok(())
}

fn a_launch_of_another_library_is_recorded_and_replayed() -> Outcome {
    let own = format!("kernel-args-trace-{}.launch", std::process::id());
    let file = env::temp_dir().join(own);
    let name = file.to_str().ok_or("not UTF-8")?;
    let (_, trace) = traced(&["--record", "saxpy#1", "--record-file", name], "saxpy")?;
    assert!(trace.contains(&format!("saxpy was recorded: {name}\n")), "{trace}");
    assert_eq!(trace.matches("saxpy<<<4, 32>>>(").count(), 3, "{trace}");
    let replay = |options: &[&str], code| -> Outcome<Value> {
        let output = tools::command(TRACER).args(["replay", "--json", "-n", "1"]).args(options).arg(&file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}{}", String::from_utf8_lossy(&output.stdout));
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    let same = replay(&[], 0)?;
    let [manifest, memory] = ["manifest", "memory"].map(|part| &same[part]);
    assert_eq!((&manifest["kernel"], &manifest["grid"]), (&"saxpy".into(), &[4, 1, 1].into()));
    let bytes: Vec<_> = manifest["parameters"].as_array().into_iter().flatten().map(|one| &one["bytes"]).collect();
    assert_eq!((bytes[0], bytes[1]), (&"64000000".into(), &"00000040".into()), "{manifest}");
    assert!(manifest["machine"]["sm"].as_str().is_some_and(|sm| sm.starts_with("sm_")));
    let written: Vec<_> = memory.as_array().into_iter().flatten().map(|one| &one["written"]).collect();
    assert_eq!(written, [&Value::from(false), &true.into()]);
    let differs = replay(&["--grid", "3"], 1)?;
    assert_eq!(differs["memory"][1]["difference"]["first"], 96 * 4 + 2, "{differs}");
    std::fs::remove_file(&file)?;
    // A launch that does not come, and a file that cannot be written.
    let (_, trace) = traced(&["--record", "saxpy#3", "--record-file", name], "saxpy")?;
    let none = "warning: no launch was recorded: no process launched kernels that match `saxpy` 4 times\n";
    assert!(trace.contains(none) && !file.exists(), "{trace}");
    let (_, trace) = traced(&["--record", "sax*", "--record-file", "/dev/null/no"], "saxpy")?;
    assert!(trace.contains("the launch was not recorded: /dev/null/no"), "{trace}");
    Ok(())
}

fn pointers_that_kernels_cannot_use_are_shown() -> Outcome {
    let (printed, trace) = traced(&["--json", "--check-pointers"], "pointers")?;
    let (expected, found) = (lines(&printed)?, lines(&trace)?);
    assert_eq!(expected.len(), found.len(), "{trace}");
    let mut wrong = 0;
    for (expected, event) in expected.iter().zip(&found) {
        let bad = event["bad_pointers"].as_array().ok_or("no list")?;
        let (address, problem) = (expected[0].as_u64(), expected[1].as_str());
        let Some(problem) = problem.filter(|problem| !problem.is_empty()) else {
            assert!(bad.is_empty(), "{event}");
            continue;
        };
        wrong += 1;
        assert_eq!(bad.len(), 1, "{expected} {event}");
        assert_eq!(bad[0]["parameter"], "parameter 0");
        assert_eq!(bad[0]["address"], format!("{:#x}", address.unwrap_or(0)));
        let text = bad[0]["problem"].as_str().unwrap_or_default();
        assert!(text.contains(problem), "{expected} {event}");
        assert!(event["error"].is_null(), "the launch is the program's own");
    }
    // More with a second GPU, and if the GPU cannot access all memory of the process.
    assert!(wrong >= 3, "{trace}");
    let (_, trace) = traced(&["--color=never", "--check-pointers"], "pointers")?;
    let under = |line: &&str| line.starts_with("           pointer: parameter 0 = 0x");
    assert_eq!(trace.lines().filter(under).count(), wrong, "{trace}");
    assert_eq!(trace.lines().count(), expected.len() + wrong, "{trace}");
    let (_, summary) = traced(&["--summary", "--color=never", "--check-pointers"], "pointers")?;
    let line = format!("scale: {} pointers that it cannot use\n", wrong - 1);
    assert!(summary.contains(&line) && summary.contains("\nfill: 1 pointer that it cannot use\n"), "{summary}");
    // A program whose pointers are all wrong runs as it does without the option.
    let (_, unchecked) = traced(&["--json"], "pointers")?;
    assert!(lines(&unchecked)?.iter().all(|event| event["bad_pointers"].is_null()));
    Ok(())
}

fn a_program_without_cuda_runs_as_it_is() -> Outcome {
    let (printed, trace) = traced(&["--verify", "--summary"], "none")?;
    assert_eq!(printed, "");
    assert!(trace.contains("warning: 0 launches: no process of the program loaded the CUDA driver\n"), "{trace}");
    let output = tools::command(TRACER).args(["trace", "no-such-program-here"]).output()?;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-program-here: the program cannot be started: "));
    Ok(())
}

//! No false alarm: other suites run with the environment variable.

use super::kernels::Outcome;
use kernel_args_tests::{driver::trial, suites};
use libtest_mimic::Trial;

/// The suites, and a number of trials that each has at least.
const SUITES: [(&str, usize); 6] = [
    ("attributes", 20),
    ("contracts", 20),
    ("echo", 250),
    ("generated_structs", 5),
    ("globals", 20),
    ("sequences", 30),
];

pub(crate) fn trials() -> Vec<Trial> {
    let with_checks =
        SUITES.map(|(suite, least)| trial(format!("no_alarm_in/{suite}"), move || no_alarm(suite, least)));
    let mut trials = Vec::from(with_checks);
    trials.push(trial("the_environment_switches_the_checks_on", alarm));
    trials
}

fn no_alarm(suite: &str, least: usize) -> Outcome {
    let output = suites::command(suite).env("KERNEL_ARGS_CHECK_POINTERS", "1").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let passed = text.split(" passed").next().and_then(|text| text.rsplit(' ').next());
    let passed: usize = passed.ok_or("no result")?.parse()?;
    assert!(passed >= least, "{passed} trials of {suite}");
    println!("{suite}: {passed} trials passed with checked pointers");
    Ok(())
}

/// This way finds an alarm, in a trial that launches with a wrong address.
fn alarm() -> Outcome {
    let run = |value| {
        suites::command("launch")
            .arg("an_illegal_address_is_blamed_on_the_earlier_kernel")
            .env("KERNEL_ARGS_CHECK_POINTERS", value)
            .output()
    };
    let output = run("1")?;
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("`x` points to memory that is not allocated"), "{text}");
    let output = run("0")?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

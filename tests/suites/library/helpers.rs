//! The code that the suites share: which suites arguments select, and the comparison of an echo.

use kernel_args_tests::{
    suites::{Selection, Suite},
    tally::differences,
};
use std::process::ExitCode;

#[test]
fn a_wrong_echo_is_found() {
    assert_eq!(differences(&[1, 2, 3], &[1, 2, 3]).0, 0);
    assert_eq!(differences(&[1, 2, 3], &[1, 0, 3]).0, 1);
    assert_eq!(differences(&[1, 2], &[1, 2, 3]).0, 1);
    assert!(differences(&[1, 2], &[1, 3]).1.contains("from byte 1"));
}

const SUITES: &[Suite] = &[("echo", || ExitCode::SUCCESS), ("graphs", || ExitCode::SUCCESS)];

fn selection(arguments: &[&str]) -> (Vec<(&'static str, String)>, Vec<String>) {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned());
    let Selection { runs, options } = Selection::new(SUITES, arguments);
    let runs = runs.into_iter().map(|run| (run.suite, run.filter));
    (runs.collect(), options)
}

#[test]
fn arguments_that_name_suites_select_them() {
    let all = vec![("echo", String::new()), ("graphs", String::new())];
    assert_eq!(selection(&[]), (all.clone(), vec![]));
    // Name filters without a suite, and options, are for all suites.
    let options = ["capture", "--skip", "random", "other::trial"];
    let (runs, rest) = selection(&options);
    assert_eq!((runs, rest), (all, options.map(String::from).to_vec()));

    let (runs, rest) = selection(&["graphs::random/a", "--exact", "echo::", "graphs"]);
    let wanted = [("graphs", "random/a"), ("echo", ""), ("graphs", "")];
    let wanted = wanted.map(|(suite, filter)| (suite, filter.to_owned()));
    assert_eq!((runs, rest), (wanted.to_vec(), vec!["--exact".to_owned()]));
}

//! The configuration of the driver: from environment variables when it is loaded, and later from `control.rs`.

use crate::error::Status;
use std::process;

/// The version of the driver if no other is requested.
pub(crate) const DEFAULT_VERSION: u32 = 13000;

/// The current settings.
#[derive(Debug)]
pub(crate) struct Config {
    /// Compute capability, `10 * major + minor`.
    pub(crate) sm: u32,
    pub(crate) devices: u32,
    /// Whether devices can access each other's memory.
    pub(crate) peers: bool,
    /// The result of `cuDriverGetVersion`: `1000 * major + 10 * minor`.
    pub(crate) version: i32,
    /// What a launch does whose kernel has no effect here.
    /// `None`: a cubin has no effect, and a kernel in PTX that cannot be executed fails.
    pub(crate) not_executed: Option<NotExecuted>,
    /// Orders blocks and warps of kernels. 0: by their numbers.
    pub(crate) seed: u64,
    /// The most instructions of threads in a launch.
    pub(crate) budget: u64,
    /// Whether accesses of kernels are checked, and faults reported.
    pub(crate) memcheck: bool,
    absent: Vec<String>,
    failures: Vec<Failure>,
}

/// The most instructions of threads in a launch: some minutes.
const BUDGET: u64 = 50_000_000_000;

/// What a launch does whose kernel has no effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotExecuted {
    /// Nothing.
    Quiet,
    /// It writes a line, once for each kernel.
    Say,
    /// It fails with `CUDA_ERROR_NOT_SUPPORTED`.
    Fail,
}

/// A requested failure.
#[derive(Debug)]
struct Failure {
    name: String,
    status: Status,
    /// The number of successful calls before the first failure.
    spared: u64,
    /// The number of remaining failures; `None` means every call.
    left: Option<u64>,
}

/// A variable with the prefix, without it.
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// What it changes, and its value without the variable.
    pub(crate) meaning: &'static str,
    /// The values that it can have.
    values: &'static str,
    /// Takes a value. `None` if it can have no such value.
    set: fn(&mut Config, &str) -> Option<()>,
}

pub(crate) const PREFIX: &str = "KERNEL_ARGS_TEST_DRIVER_";

/// Every variable that the driver and its sessions read.
#[rustfmt::skip]
pub(crate) const VARIABLES: [Variable; 12] = [
    Variable { name: "SM", meaning: "the compute capability (90)", values: "75 to 121, or sm_75 to sm_121",
        set: |config, text| number(text.strip_prefix("sm_").unwrap_or(text), 75..=121).map(|sm| config.sm = sm as u32) },
    Variable { name: "DEVICES", meaning: "the number of GPUs (1)", values: "0 to 8",
        set: |config, text| number(text, 0..=Config::MAX_DEVICES.into()).map(|devices| config.devices = devices as u32) },
    Variable { name: "PEERS", meaning: "0: no GPU can access the memory of a different GPU (1)", values: "0 or 1",
        set: |config, text| number(text, 0..=1).map(|peers| config.peers = peers == 1) },
    Variable { name: "VERSION", meaning: "the CUDA version of the driver (13000)",
        values: "1000 times the major plus 10 times the minor version: 12040 for CUDA 12.4",
        set: |config, text| {
            let version = number(text, 10_000..=99_990).filter(|version| version % 10 == 0 && version % 1000 < 100);
            version.map(|version| config.version = version as i32)
        } },
    Variable { name: "ABSENT", meaning: "functions that the driver does not have", values: "names, separated by commas",
        set: |config, text| {
            config.absent = text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
            Some(())
        } },
    Variable { name: "FAIL", meaning: "every call of these functions returns this error, or the first N calls",
        values: "cuName=code or cuName=code:N, separated by commas",
        set: |config, text| {
            text.split(',').map(str::trim).filter(|order| !order.is_empty()).try_for_each(|order| config.order(order))
        } },
    Variable { name: "NOT_EXECUTED", meaning: "a launch whose kernel is not executed does nothing, with a line, or fails",
        values: "quiet, say or fail",
        set: |config, text| {
            let known = [("quiet", NotExecuted::Quiet), ("say", NotExecuted::Say), ("fail", NotExecuted::Fail)];
            known.into_iter().find(|(name, _)| *name == text).map(|(_, value)| config.not_executed = Some(value))
        } },
    Variable { name: "SEED", meaning: "another order of blocks and warps, the same for the same number (0)", values: "a number",
        set: |config, text| number(text, 0..=u64::MAX).map(|seed| config.seed = seed) },
    Variable { name: "BUDGET", meaning: "the most instructions of threads in a launch (50000000000)",
        values: "a number above 0",
        set: |config, text| number(text, 1..=u64::MAX).map(|budget| config.budget = budget) },
    Variable { name: "MEMCHECK", meaning: "1: accesses of kernels are checked, and faults reported (0)", values: "0 or 1",
        set: |config, text| number(text, 0..=1).map(|checks| config.memcheck = checks == 1) },
    Variable { name: "LIBRARY", meaning: "the path of the library of the test driver, for sessions", values: "a path",
        set: |_, _| Some(()) },
    Variable { name: "ACTIVE", meaning: "set by sessions in their processes", values: "1",
        set: |_, text| (text == "1").then_some(()) },
];

/// Returns a number in decimal digits.
fn number(text: &str, range: std::ops::RangeInclusive<u64>) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|value| is_digits && range.contains(value))
}

/// Returns the name that a reader meant: few letters differ.
fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &str| {
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, byte) in wrong.bytes().enumerate() {
            let mut corner = std::mem::replace(&mut row[0], i + 1);
            for (j, other) in name.bytes().enumerate() {
                let change = corner + usize::from(!byte.eq_ignore_ascii_case(&other));
                let value = change.min(row[j] + 1).min(row[j + 1] + 1);
                corner = std::mem::replace(&mut row[j + 1], value);
            }
        }
        row[name.len()]
    };
    names
        .map(|name| (distance(name), name))
        .min()
        .filter(|(far, name)| *far <= 1 + name.len() / 3)
        .map(|(_, name)| name)
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

/// Returns a line for each variable that a user sets.
pub(crate) fn help() -> String {
    let line = |variable: &Variable| {
        let Variable { name, values, meaning, .. } = variable;
        format!("  {PREFIX}{name}\n      {meaning}: {values}\n")
    };
    VARIABLES.iter().filter(|variable| variable.name != "ACTIVE").map(line).collect()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            sm: 90,
            devices: 1,
            peers: true,
            version: DEFAULT_VERSION.cast_signed(),
            absent: Vec::new(),
            failures: Vec::new(),
            not_executed: None,
            seed: 0,
            budget: BUDGET,
            memcheck: false,
        }
    }
}

impl Config {
    pub(crate) const MAX_DEVICES: u32 = 8;

    /// Reads the variables of the environment. `functions`: the names that the driver has; `None` is every name.
    ///
    /// # Errors
    /// A sentence about the first variable that is unknown or has a wrong value.
    pub(crate) fn read(functions: Option<&[&str]>) -> Result<Self, String> {
        let named = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.to_string_lossy().strip_prefix(PREFIX)?.to_owned(), value)));
        let mut pairs: Vec<(String, String)> =
            named.map(|(name, value)| (name, value.to_string_lossy().into_owned())).collect();
        pairs.sort();
        Self::of(&pairs, functions)
    }

    fn of(pairs: &[(String, String)], functions: Option<&[&str]>) -> Result<Self, String> {
        let mut config = Self::default();
        for (name, value) in pairs {
            let Some(variable) = VARIABLES.iter().find(|variable| variable.name == name) else {
                let nearest = nearest(name, VARIABLES.iter().map(|variable| variable.name));
                let hint = hint(nearest.map(|name| format!("{PREFIX}{name}")).as_deref());
                return Err(format!("the variable {PREFIX}{name} does not exist{hint}"));
            };
            if (variable.set)(&mut config, value.trim()).is_none() {
                return Err(format!("the variable {PREFIX}{name} is `{value}`, but it can be {}", variable.values));
            }
        }
        let failing = config.failures.iter().map(|failure| ("FAIL", &failure.name));
        for (variable, name) in failing.chain(config.absent.iter().map(|name| ("ABSENT", name))) {
            if let Some(functions) = functions.filter(|functions| !functions.contains(&name.as_str())) {
                let hint = hint(nearest(name, functions.iter().copied()));
                return Err(format!(
                    "the variable {PREFIX}{variable} names `{name}`, which is no function that this driver has{hint}"
                ));
            }
        }
        Ok(config)
    }

    /// Reads the variables. A wrong one ends the program: a setting without an effect would look like a success.
    pub(crate) fn from_environment(functions: &[&str]) -> Self {
        Self::read(Some(functions)).unwrap_or_else(|why| {
            eprintln!("kernel-args test driver: {why}");
            process::exit(2)
        })
    }

    /// Sets `sm` if it is supported: 75 to 121.
    pub(crate) fn set_sm(&mut self, sm: u32) -> bool {
        let known = (75..=121).contains(&sm);
        if known {
            self.sm = sm;
        } else {
            eprintln!("kernel-args test driver: sm_{sm} is not between sm_75 and sm_121; it stays sm_{}", self.sm);
        }
        known
    }

    pub(crate) fn is_absent(&self, name: &str) -> bool {
        self.absent.iter().any(|absent| absent == name)
    }

    /// Makes the next `times` calls of `name` fail, or every call if `times` is 0. Replaces the previous request.
    pub(crate) fn fail(&mut self, name: &str, status: Status, times: u64) {
        self.order_failure(name, status, 0, (times > 0).then_some(times));
    }

    /// Makes one call of `name` fail: the first one after `spared` successful calls.
    pub(crate) fn fail_after(&mut self, name: &str, status: Status, spared: u64) {
        self.order_failure(name, status, spared, Some(1));
    }

    fn order_failure(&mut self, name: &str, status: Status, spared: u64, left: Option<u64>) {
        self.failures.retain(|failure| failure.name != name);
        self.failures.push(Failure { name: name.to_owned(), status, spared, left });
    }

    pub(crate) fn clear_failures(&mut self) {
        self.failures.clear();
    }

    /// Returns the failure for a call of `name`. This counts the call.
    pub(crate) fn take_failure(&mut self, name: &str) -> Option<Status> {
        let index = self.failures.iter().position(|failure| failure.name == name)?;
        let failure = &mut self.failures[index];
        if failure.spared > 0 {
            failure.spared -= 1;
            return None;
        }
        let status = failure.status;
        if let Some(left) = &mut failure.left {
            *left -= 1;
            if *left == 0 {
                self.failures.remove(index);
            }
        }
        Some(status)
    }

    /// `cuName=code` or `cuName=code:times`.
    fn order(&mut self, order: &str) -> Option<()> {
        let (name, rest) = order.split_once('=')?;
        let (code, times) = rest.split_once(':').unwrap_or((rest, "0"));
        self.fail(name.trim(), Status(code.trim().parse().ok()?), times.trim().parse().ok()?);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config::default()
    }

    fn read(name: &str, value: &str) -> Result<Config, String> {
        Config::of(&[(name.to_owned(), value.to_owned())], Some(&["cuLaunchKernelEx", "cuMemAlloc_v2"]))
    }

    #[test]
    fn every_value_is_taken_or_refused() {
        for (name, right, wrong) in [
            (
                "SM",
                &["75", "sm_75", "121", " 90"][..],
                &["7.5", "abc", "", "74", "122", "sm_", "sm_7.5", "+90", "sm75"][..],
            ),
            ("DEVICES", &["0", "8"], &["x", "99", "9", "-1", "", "1.0"]),
            ("PEERS", &["0", "1"], &["2", "no", "", "true"]),
            ("VERSION", &["12040", "13000"], &["12.4", "13", "x", "", "-13000", "12045", "12900 1", "12950"]),
            ("ABSENT", &["", "cuMemAlloc_v2", "cuMemAlloc_v2, cuLaunchKernelEx"], &["cuMemAlloc", "x"]),
            (
                "FAIL",
                &["", "cuMemAlloc_v2=2", "cuMemAlloc_v2=2:1,cuLaunchKernelEx=700"],
                &["x", "cuMemAlloc_v2", "cuMemAlloc=2"],
            ),
            ("NOT_EXECUTED", &["quiet", "say", "fail"], &["loud", "", "Quiet"]),
            ("SEED", &["0", "18446744073709551615"], &["", "-1", "0x1", "18446744073709551616"]),
            ("BUDGET", &["1", "50000000000"], &["0", "1e9", "5_000", ""]),
            ("MEMCHECK", &["0", "1"], &["2", "yes", ""]),
            ("LIBRARY", &["/a/path"], &[]),
            ("ACTIVE", &["1"], &["yes"]),
        ] {
            for value in right {
                assert!(read(name, value).is_ok(), "{name}={value}");
            }
            for value in wrong {
                let why = read(name, value).expect_err(&format!("{name}={value}"));
                assert!(
                    why.starts_with(&format!("the variable {PREFIX}{name} "))
                        && why.contains(value.split('=').next().unwrap_or_default()),
                    "{why}"
                );
            }
        }
        assert_eq!(read("SM", "sm_80").map(|config| config.sm), Ok(80));
    }

    #[test]
    fn an_unknown_variable_is_refused_with_the_nearest_name() {
        for (wrong, right) in [("MEMCHEK", "MEMCHECK"), ("DEVICE", "DEVICES"), ("Seed", "SEED"), ("FAILS", "FAIL")] {
            let why = read(wrong, "1").expect_err(wrong);
            assert!(
                why.ends_with(&format!("{PREFIX}{wrong} does not exist: did you mean `{PREFIX}{right}`?")),
                "{why}"
            );
        }
        assert!(read("QUEENS_GAMBIT", "1").is_err_and(|why| why.ends_with("does not exist")));
        assert!(read("FAIL", "cuMemAlloc=2").is_err_and(|why| why.ends_with("did you mean `cuMemAlloc_v2`?")));
    }

    /// The documentation has a row for each variable that a user sets.
    #[test]
    fn the_documentation_lists_the_variables() {
        let documentation = include_str!("lib.rs");
        for variable in &VARIABLES {
            let is_listed = documentation.contains(&format!("//! | `{PREFIX}{}` |", variable.name));
            assert_eq!(is_listed, variable.name != "ACTIVE", "{}", variable.name);
        }
    }

    #[test]
    fn an_order_without_times_fails_every_call() {
        let mut config = config();
        assert!(config.order("cuLaunchKernel=700").is_some());
        for _ in 0..3 {
            assert_eq!(config.take_failure("cuLaunchKernel"), Some(Status(700)));
        }
        assert_eq!(config.take_failure("cuInit"), None);
    }

    #[test]
    fn an_order_with_times_is_used_up() {
        let mut config = config();
        assert!(config.order("cuMemAlloc_v2=2:2").is_some());
        let seen: Vec<_> = (0..3).map(|_| config.take_failure("cuMemAlloc_v2")).collect();
        assert_eq!(seen, [Some(Status(2)), Some(Status(2)), None]);
    }

    #[test]
    fn one_call_fails_after_those_that_are_spared() {
        let mut config = config();
        config.fail_after("cuMemAlloc_v2", Status(2), 1);
        let seen: Vec<_> = (0..3).map(|_| config.take_failure("cuMemAlloc_v2")).collect();
        assert_eq!(seen, [None, Some(Status(2)), None]);
    }

    #[test]
    fn an_sm_outside_the_rules_is_refused() {
        let mut config = config();
        assert!(config.set_sm(75) && config.set_sm(121));
        assert!(!config.set_sm(60) && !config.set_sm(122));
        assert_eq!(config.sm, 121);
    }
}

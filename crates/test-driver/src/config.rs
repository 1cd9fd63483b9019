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

impl Config {
    pub(crate) const MAX_DEVICES: u32 = 8;

    /// Reads the variables. `exists`: whether the driver has a function.
    pub(crate) fn from_environment(exists: fn(&str) -> bool) -> Self {
        let mut config = Self {
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
        };
        let long = |name: &str| match variable(name).map(|text| text.trim().parse::<u64>()) {
            None => None,
            Some(Ok(value)) => Some(value),
            Some(Err(_)) => refuse(&format!("{name} is not a number")),
        };
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
        if let Some(sm) = number("SM") {
            config.set_sm(sm);
        }
        if let Some(devices) = number("DEVICES") {
            config.devices = devices.min(Self::MAX_DEVICES);
        }
        config.peers = number("PEERS") != Some(0);
        if let Some(version) = number("VERSION") {
            config.version = version.cast_signed();
        }
        if let Some(names) = variable("ABSENT") {
            config.absent = names.split(',').map(|name| name.trim().to_owned()).collect();
        }
        config.not_executed = match variable("NOT_EXECUTED").as_deref() {
            None => None,
            Some("quiet") => Some(NotExecuted::Quiet),
            Some("say") => Some(NotExecuted::Say),
            Some("fail") => Some(NotExecuted::Fail),
            Some(other) => refuse(&format!("NOT_EXECUTED is `{other}`, not `quiet`, `say` or `fail`")),
        };
        config.seed = long("SEED").unwrap_or(0);
        config.budget = long("BUDGET").unwrap_or(BUDGET);
        config.memcheck = long("MEMCHECK").is_some_and(|value| value != 0);
        for order in variable("FAIL").iter().flat_map(|orders| orders.split(',')) {
            if !order.trim().is_empty() && config.order(order.trim()).is_none() {
                refuse(&format!("FAIL contains `{order}`, which is not `cuName=code` or `cuName=code:times`"));
            }
        }
        for Failure { name, .. } in &config.failures {
            if !exists(name) {
                refuse(&format!("FAIL names `{name}`, which is no function that this driver has"));
            }
        }
        config
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

    /// The failure for a call of `name`. This counts the call.
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

/// Ends the program: a setting without an effect would look like a success.
fn refuse(why: &str) -> ! {
    eprintln!("kernel-args test driver: the variable KERNEL_ARGS_TEST_DRIVER_{why}");
    process::exit(2);
}

fn variable(name: &str) -> Option<String> {
    std::env::var(format!("KERNEL_ARGS_TEST_DRIVER_{name}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config {
            sm: 90,
            devices: 1,
            peers: true,
            version: 13000,
            not_executed: None,
            seed: 0,
            budget: BUDGET,
            memcheck: false,
            absent: Vec::new(),
            failures: Vec::new(),
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

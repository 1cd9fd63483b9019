//! A context that is lost: one text for the error that a kernel has left, wherever it is noticed.

#[cfg(feature = "observe")]
use super::ContextFault;
use super::{
    fields::field_name,
    meaning::{Asked, SANITIZE, help, meaning},
};
use crate::driver::api::Status;
use std::fmt;
#[cfg(feature = "observe")]
use std::sync::OnceLock;

/// The flight recorder, once it was on: it returns what was running in the current context.
#[cfg(feature = "observe")]
pub(crate) static FLIGHT_RECORDER: OnceLock<fn(Status) -> Option<ContextFault>> = OnceLock::new();

/// The error that a kernel has left in its context. Every later call in the context returns it: [`Error::lost_context`](super::Error::lost_context).
pub struct LostContext {
    status: Status,
    near: Near,
    report: Option<String>,
    #[cfg(feature = "observe")]
    fault: OnceLock<Box<ContextFault>>,
}

/// The launch at which the error was noticed, if it is not in the error itself.
pub(crate) enum Near {
    Nothing,
    /// This kernel was launched, and may be the one that has failed.
    After(String),
    /// This launcher was called.
    Called(String),
    /// A run of a sequence was enqueued.
    #[cfg(feature = "graphs")]
    Enqueued,
    /// This kernel was not launched, or this launcher not called.
    Before(String),
}

impl LostContext {
    /// `None` if the status is not the error of a kernel. The context should be current.
    pub(crate) fn new(status: Status, near: Near) -> Option<Box<Self>> {
        status.is_fault().then(|| Self::noticed(status, near))
    }

    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "one word in each error")]
    fn noticed(status: Status, near: Near) -> Box<Self> {
        let lost = Self {
            status,
            near,
            report: status.report().map(with_fields),
            #[cfg(feature = "observe")]
            fault: OnceLock::new(),
        };
        #[cfg(feature = "observe")]
        lost.set_fault(FLIGHT_RECORDER.get().and_then(|recorder| recorder(status)));
        Box::new(lost)
    }

    #[cfg(feature = "observe")]
    pub(crate) fn set_fault(&self, fault: Option<ContextFault>) {
        if let Some(fault) = fault {
            let _ = self.fault.set(Box::new(fault));
        }
    }

    /// The error.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The kernel that has failed: of the driver's report, or the only launch that was running. `None` if neither is known.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        if let Some(kernel) = self.report().and_then(kernel_of) {
            return Some(kernel);
        }
        #[cfg(feature = "observe")]
        if let Some([only]) = self.fault().map(|fault| &*fault.running) {
            return only.grid.is_some().then_some(&only.kernel);
        }
        None
    }

    /// What the driver reports about the fault: the thread, the line and the memory. NVIDIA's driver reports nothing, the test driver
    /// (`kernel-args-test-driver`) always does.
    #[must_use]
    pub fn report(&self) -> Option<&str> {
        self.report.as_deref()
    }

    /// If the flight recorder is on: the launches that were running.
    #[cfg(feature = "observe")]
    #[must_use]
    pub fn fault(&self) -> Option<&ContextFault> {
        self.fault.get().map(|fault| &**fault)
    }

    /// Writes the error of a call or a launch, which has noticed it, as `noticed` describes it.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, noticed: fmt::Arguments<'_>) -> fmt::Result {
        let usual = meaning(self.status, Asked::Other);
        let what = usual.map_or("an EARLIER kernel failed", |usual| usual.what);
        let kernel = match (self.kernel(), &self.near) {
            (Some(kernel), Near::After(launched)) if kernel == launched => format!("kernel `{kernel}`"),
            (Some(kernel), _) => format!("the EARLIER kernel `{kernel}`"),
            (None, Near::After(launched)) => format!("kernel `{launched}` or an EARLIER kernel"),
            (None, _) => "an EARLIER kernel".into(),
        };
        write!(f, "{}\n  noticed: {noticed}", what.replacen("an EARLIER kernel", &kernel, 1))?;
        match &self.near {
            Near::Nothing => {}
            Near::After(kernel) => write!(f, ", after kernel `{kernel}` was launched")?,
            Near::Called(launcher) => write!(f, ", after launcher `{launcher}` was called")?,
            #[cfg(feature = "graphs")]
            Near::Enqueued => f.write_str(", after the run of a sequence was enqueued")?,
            Near::Before(kernel) => write!(f, "; `{kernel}` was not launched")?,
        }
        if let Some(report) = &self.report {
            write!(f, "\nthe driver reports: {report}")?;
        }
        #[cfg(feature = "observe")]
        if let Some(fault) = self.fault() {
            write!(f, "\nthe flight recorder: {fault}")?;
        }
        help(
            f,
            match usual.map_or("", |usual| usual.help) {
                SANITIZE if self.report.is_some() => "on a GPU, compute-sanitizer reports the same",
                usual => usual,
            },
        )
    }
}

display!(LostContext, |this, f| this.write(f, format_args!("{}", this.status)));

/// The first name in backquotes.
fn kernel_of(report: &str) -> Option<&str> {
    report.split('`').nth(1)
}

/// The report with the fields of the kernel's struct instead of numbers of parameters: "parameter 1 points to it", "parameter 0 (byte 8) is 0x20".
fn with_fields(report: &str) -> String {
    const PARAMETER: &str = "; parameter ";
    let named = || {
        let (before, rest) = report.split_once(PARAMETER)?;
        let (index, rest) = rest.split_once(' ')?;
        let (at, rest) = match rest.strip_prefix("(byte ") {
            Some(rest) => rest.split_once(") ")?,
            None => ("0", rest),
        };
        let field = field_name(kernel_of(report)?, index.parse().ok()?, at.parse().ok()?)?;
        Some(format!("{before}; `{field}` {rest}"))
    };
    named().unwrap_or_else(|| report.into())
}

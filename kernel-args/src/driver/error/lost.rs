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

/// The error that a kernel has left in its context. Every later call in the context returns it:
/// [`Error::lost_context`](super::Error::lost_context).
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

    /// Returns the error.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the kernel that has failed: of the driver's report, or the only launch that was running. `None` if
    /// neither is known.
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

    /// Returns what the driver reports about the fault: the thread, the line and the memory. NVIDIA's driver reports
    /// nothing, the test driver (`kernel-args-test-driver`) always does.
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

fn kernel_of(report: &str) -> Option<&str> {
    report.split('`').nth(1)
}

/// Returns the report with fields of the kernel's struct instead of numbers of parameters: "; parameter 1 points to
/// it". Of several that are almost the address, "; parameter 0 (byte 8) is 0x20", only the pointers.
fn with_fields(report: &str) -> String {
    const PARAMETER: &str = "; parameter ";
    let field = |part: &str| {
        let (index, rest) = part.split_once(' ')?;
        let (at, rest) = rest.strip_prefix("(byte ").and_then(|rest| rest.split_once(") ")).unwrap_or(("0", rest));
        let (name, is_pointer) = field_name(kernel_of(report)?, index.parse().ok()?, at.parse().ok()?)?;
        Some((format!("; `{name}` {rest}"), is_pointer))
    };
    let end = report.find('\n').unwrap_or(report.len());
    let mut parts = report[..end].split(PARAMETER);
    let mut text = String::from(parts.next().unwrap_or_default());
    let parts = parts.map(|part| field(part).unwrap_or_else(|| (format!("{PARAMETER}{part}"), false)));
    let parts: Vec<_> = parts.collect();
    let has_pointer = parts.iter().any(|(_, is_pointer)| *is_pointer);
    text.extend(parts.into_iter().filter(|part| part.1 || !has_pointer).map(|part| part.0));
    text + &report[end..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::error::register_fields;
    use kernel_args_abi::{Class, Parameter};

    fn lost(near: Near, report: Option<&str>) -> LostContext {
        LostContext {
            status: Status(700),
            near,
            report: report.map(with_fields),
            #[cfg(feature = "observe")]
            fault: OnceLock::new(),
        }
    }

    #[test]
    fn parameters_of_a_report_become_fields() {
        const FIELDS: &[Parameter<'static>] = &[
            Parameter { name: "n", ..Parameter::record(0, 8) },
            Parameter { name: "y", class: Class::Pointer, ..Parameter::record(8, 8) },
        ];
        register_fields("scale", FIELDS);
        for (report, expected) in [
            (
                "the kernel `scale` fails: x; parameter 1 points to it\n  at y",
                "the kernel `scale` fails: x; `y` points to it\n  at y",
            ),
            ("the kernel `scale` fails; parameter 1 is 0x20", "the kernel `scale` fails; `y` is 0x20"),
            (
                "the kernel `scale` fails; parameter 7 (byte 8) is 0x20",
                "the kernel `scale` fails; parameter 7 (byte 8) is 0x20",
            ),
            (
                "the kernel `other` fails; parameter 0 points to it",
                "the kernel `other` fails; parameter 0 points to it",
            ),
            (
                "the kernel `scale` fails; parameter 0 is 0x1; parameter 1 is 0x0\n  at y",
                "the kernel `scale` fails; `y` is 0x0\n  at y",
            ),
            ("the kernel `scale` fails; parameter 0 is 0x1", "the kernel `scale` fails; `n` is 0x1"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(with_fields(report), expected);
        }
    }

    #[test]
    fn the_first_line_names_the_kernel_as_far_as_it_is_known() {
        let report = Some("the kernel `scale` fails: it traps");
        for (near, report, first) in [
            (Near::Nothing, None, "an EARLIER kernel accessed"),
            (Near::Before("scale".into()), None, "an EARLIER kernel accessed"),
            (Near::Called("scale".into()), None, "an EARLIER kernel accessed"),
            (Near::After("scale".into()), None, "kernel `scale` or an EARLIER kernel accessed"),
            (Near::After("scale".into()), report, "kernel `scale` accessed"),
            (Near::After("next".into()), report, "the EARLIER kernel `scale` accessed"),
            (Near::Nothing, report, "the EARLIER kernel `scale` accessed"),
        ] {
            let text = lost(near, report).to_string();
            assert!(text.starts_with(first), "{text}");
            assert_eq!(
                text.contains("the driver reports: the kernel `scale` fails: it traps"),
                report.is_some(),
                "{text}"
            );
        }
    }
}

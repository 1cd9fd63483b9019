//! cargo of a nightly toolchain.

use crate::sanitizers::outcome::Outcome;
use kernel_args_test_generator::size;
use kernel_args_test_generator::tools::Tool;
use kernel_args_toolchain_tests::{folder, root, target, write};
use std::{
    env,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// Intentional leaks, by parts of the functions' names: a view that lives as long as the memory next to it; and what a
/// driver that refuses calls can still use, such as the memory of a graph that was not destroyed.
const INTENDED_LEAKS: &str = "leak:echo::pointers::view_mut_by_reference\nleak:driver::fault_injection::\n";

/// A nightly toolchain with Miri: the folder of the repository, in which it runs.
pub(crate) const MIRI: Tool = Tool::new("Miri", |_| Toolchain::with_miri().map(|_| root()));
/// A nightly toolchain, on a platform with AddressSanitizer.
pub(crate) const ADDRESS_SANITIZER: Tool =
    Tool::new("AddressSanitizer", |_| Toolchain::with_address_sanitizer().map(|_| root()));

/// A test program.
pub(crate) struct Program {
    pub(crate) package: &'static str,
    /// How cargo selects it.
    pub(crate) target: &'static [&'static str],
}

/// A nightly toolchain of rustup.
pub(crate) struct Toolchain {
    name: String,
    host: String,
}

/// A way to run tests with a toolchain.
pub(crate) struct Nightly {
    toolchain: Toolchain,
    command: &'static [&'static str],
    variables: Vec<(&'static str, String)>,
    target: PathBuf,
}

impl Toolchain {
    /// The toolchain, or the reason why it is not available.
    fn find() -> Result<Self, String> {
        let name = env::var("KERNEL_ARGS_NIGHTLY").unwrap_or_else(|_| "nightly".to_owned());
        let toolchain = Self { name, host: String::new() };
        let version = toolchain.output(&["-vV"])?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.ok_or("cargo does not name its host")?.to_owned();
        Ok(Self { host, ..toolchain })
    }

    /// The toolchain, or the reason why Miri cannot run.
    pub(crate) fn with_miri() -> Result<Self, String> {
        let toolchain = Self::find()?;
        toolchain.output(&["miri", "--version"])?;
        Ok(toolchain)
    }

    /// The toolchain, or the reason why AddressSanitizer cannot run.
    pub(crate) fn with_address_sanitizer() -> Result<Self, String> {
        let toolchain = Self::find()?;
        // rustc's list of platforms with AddressSanitizer.
        let supported = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
        if supported.contains(&toolchain.host.as_str()) {
            Ok(toolchain)
        } else {
            Err(format!("no AddressSanitizer for {}", toolchain.host))
        }
    }

    /// Runs the suites with Miri.
    pub(crate) fn miri(self, flags: &str) -> Result<Nightly, String> {
        Ok(Nightly {
            toolchain: self,
            command: &["miri", "test"],
            variables: vec![("MIRIFLAGS", flags.to_owned())],
            target: target()?.join("miri"),
        })
    }

    /// Runs the suites with AddressSanitizer instrumentation. The test driver uses the sanitizer's symbols from the
    /// program that loads it.
    pub(crate) fn address_sanitizer(self) -> Result<Nightly, String> {
        let leaks = folder("sanitizers")?.join("leaks.txt");
        write(&leaks, INTENDED_LEAKS)?;
        Ok(Nightly {
            toolchain: self,
            command: &["test", "--no-fail-fast"],
            variables: vec![
                ("RUSTFLAGS", "-Zsanitizer=address -Clink-arg=-rdynamic".to_owned()),
                ("LSAN_OPTIONS", format!("suppressions={}:print_suppressions=0", leaks.display())),
            ],
            target: target()?.join("address_sanitizer"),
        })
    }

    /// The toolchain's cargo, started through rustup, without the variables that cargo has set for this process.
    fn cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        command
            .arg(format!("+{}", self.name))
            // If the toolchain is missing, rustup would download it.
            .env("RUSTUP_AUTO_INSTALL", "0")
            .current_dir(root())
            .stdin(Stdio::null());
        for variable in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "LD_LIBRARY_PATH",
            "RUSTC",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTDOC",
            "RUSTUP_TOOLCHAIN",
        ] {
            command.env_remove(variable);
        }
        command
    }

    /// The output of cargo, or the reason why it cannot run.
    fn output(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.cargo().args(arguments).output();
        let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            return Err(error.lines().next().unwrap_or_default().to_owned());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Nightly {
    /// Runs a program. `filter` contains parts of test names; if it is empty, all tests run.
    pub(crate) fn test(&self, program: &Program, filter: &[&str]) -> Result<Outcome, String> {
        let mut cargo = self.toolchain.cargo();
        cargo.args(self.command).args(["-p", program.package]);
        cargo.args(program.target);
        cargo.args(["--target", &self.toolchain.host]);
        cargo.arg("--target-dir").arg(&self.target);
        cargo.arg("--").args(filter);
        cargo.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // All suites, without hundreds of random structs; and Miri takes seconds for a backtrace.
        cargo.env(size::FULL, "0").env("RUST_BACKTRACE", "0");
        let output = cargo.output();
        let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
        let outcome = Outcome::of(&String::from_utf8_lossy(&output.stdout));
        if output.status.success() && outcome.failed == 0 { Ok(outcome) } else { Err(text(&output)) }
    }
}

fn text(output: &Output) -> String {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    format!("{}\n{}\n{}", output.status, String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr))
}

//! The directives that a build script prints for cargo.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

/// For a successful build. After a failure cargo runs the script again.
#[derive(Default)]
pub(crate) struct Directives {
    pub(crate) files: BTreeSet<PathBuf>,
    pub(crate) variables: BTreeSet<&'static str>,
    /// Whether an image was not made, which the macros of `kernel_args` must know.
    pub(crate) is_absent: bool,
    pub(crate) warnings: Vec<String>,
    /// What the linker needs, each without `cargo::`.
    pub(crate) linked: Vec<String>,
}

impl Directives {
    pub(crate) fn add(&mut self, more: Self) {
        self.files.extend(more.files);
        self.variables.extend(more.variables);
        self.is_absent |= more.is_absent;
        self.warnings.extend(more.warnings);
        self.linked.extend(more.linked);
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for name in &self.variables {
            let _ = writeln!(text, "cargo::rerun-if-env-changed={name}");
        }
        for path in &self.files {
            // A value is one line, and cargo removes white space at its end.
            let path = path.to_str().filter(|path| !path.contains(['\n', '\r']) && path.trim_end() == *path);
            let path = path.unwrap_or(UNWATCHED);
            // A path of the form `\\?\…` has backslashes only.
            let is_plain = cfg!(windows) && !path.starts_with(r"\\");
            let path = if is_plain { path.replace('\\', "/") } else { path.to_owned() };
            let _ = writeln!(text, "cargo::rerun-if-changed={path}");
        }
        for line in &self.linked {
            let is_one_line = !line.contains(['\n', '\r']);
            let broken = "error=the path of a library has a line break, which cargo cannot read";
            let _ = writeln!(text, "cargo::{}", if is_one_line { line } else { broken });
        }
        if self.is_absent {
            text += "cargo::rustc-env=KERNEL_ARGS_OPTIONAL=1\n";
        }
        for warning in &self.warnings {
            for line in warning.lines().filter(|line| !line.trim().is_empty()) {
                // Names of files and the compiler's output can contain any characters.
                let line = line.replace(|c: char| c.is_control() && c != '\t', "\u{fffd}");
                let _ = writeln!(text, "cargo::warning={line}");
            }
        }
        text
    }
}

/// A path that does not exist: cargo runs the script each time.
const UNWATCHED: &str = "a path that cannot be written in a directive";

#[cfg(test)]
mod tests {
    use super::{Directives, UNWATCHED};

    #[test]
    fn each_line_is_a_directive_of_its_own() {
        let evil = "a\ncargo::rustc-env=EVIL=1\r\u{1b}[31m.cu";
        let directives = Directives {
            files: [evil, "b.cu ", "b c.h", "a.cu"].map(Into::into).into(),
            variables: ["NVCC"].into(),
            is_absent: true,
            warnings: vec![evil.into(), "a.cu(1): warning: x\n  y\n\n".into()],
            linked: vec!["rustc-link-lib=a".into(), format!("rustc-link-search=native=/{evil}")],
        };
        let expected = format!(
            "cargo::rerun-if-env-changed=NVCC\ncargo::rerun-if-changed={UNWATCHED}\ncargo::rerun-if-changed=a.cu\n\
             cargo::rerun-if-changed=b c.h\ncargo::rerun-if-changed={UNWATCHED}\ncargo::rustc-link-lib=a\n\
             cargo::error=the path of a library has a line break, which cargo cannot read\ncargo::rustc-env=KERNEL_ARGS_OPTIONAL=1\n\
             cargo::warning=a\ncargo::warning=cargo::rustc-env=EVIL=1\u{fffd}\u{fffd}[31m.cu\n\
             cargo::warning=a.cu(1): warning: x\ncargo::warning=  y\n"
        );
        assert_eq!(directives.text(), expected);
    }
}

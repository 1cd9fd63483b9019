//! The directives that a build script prints for cargo.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

/// Prints the directives after a successful build. After a failure they are not needed: cargo shows the output and runs the
/// script again.
#[derive(Default)]
pub(crate) struct Directives {
    pub(crate) files: BTreeSet<PathBuf>,
    pub(crate) variables: BTreeSet<&'static str>,
    pub(crate) warnings: Vec<String>,
}

impl Directives {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for name in &self.variables {
            let _ = writeln!(text, "cargo::rerun-if-env-changed={name}");
        }
        for path in &self.files {
            // A directive is one line, so a path with a line break cannot be written. Such paths are ignored.
            if let Some(path) = path.to_str().filter(|path| !path.contains('\n')) {
                let _ = writeln!(text, "cargo::rerun-if-changed={path}");
            }
        }
        for warning in &self.warnings {
            for line in warning.lines().filter(|line| !line.trim().is_empty()) {
                let _ = writeln!(text, "cargo::warning={line}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Directives;

    #[test]
    fn each_line_is_a_directive_of_its_own() {
        let directives = Directives {
            files: ["b c.h".into(), "a.cu".into()].into(),
            variables: ["NVCC"].into(),
            warnings: vec!["a.cu(1): warning: x\n  y\n\n".into()],
        };
        assert_eq!(
            directives.text(),
            "cargo::rerun-if-env-changed=NVCC\ncargo::rerun-if-changed=a.cu\ncargo::rerun-if-changed=b c.h\n\
             cargo::warning=a.cu(1): warning: x\ncargo::warning=  y\n"
        );
    }
}

//! What a build script tells cargo.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

/// What is printed when the build has succeeded. If it fails, cargo runs the script again anyway, and shows what it printed.
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
            // A line cannot hold other paths. They are rare enough.
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

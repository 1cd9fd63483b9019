//! Which kernels are asked for.

use crate::{check::quoted, error::Error, kernel::Kernel, read::Files};
use kernel_args_abi::{Sm, compiled::matches_pattern};

/// Which kernels are asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Select {
    /// Patterns of names: any of them.
    pub(crate) patterns: Vec<String>,
    /// GPU generations: any of them.
    pub(crate) gpus: Vec<Sm>,
}

impl Select {
    /// As a command line has it.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = String> {
        let patterns = self.patterns.iter().map(|pattern| quoted(pattern.into()));
        let patterns = patterns.map(|pattern| format!("--kernel {pattern}"));
        let gpus = self.gpus.iter().map(|sm| format!("--arch {sm}"));
        patterns.chain(gpus)
    }

    /// Leaves only the kernels that are asked for, and of each only the images for the GPUs that are.
    ///
    /// # Errors
    /// Where kernels were read, and none is asked for.
    pub(crate) fn apply(&self, files: &mut Files, name: &str) -> Result<(), Error> {
        let kernels = &mut files.read.kernels;
        if kernels.is_empty() {
            return Ok(());
        }
        if !self.gpus.is_empty() {
            let gpus = |kernels: &[Kernel]| {
                let images = kernels.iter().flat_map(|kernel| &kernel.images);
                let mut gpus: Vec<Sm> = images.filter_map(|image| image.place.sm).collect();
                gpus.sort_unstable();
                gpus.dedup();
                let gpus: Vec<String> = gpus.iter().map(Sm::to_string).collect();
                gpus.join(", ")
            };
            let all = gpus(kernels);
            let is_asked = |sm: Option<Sm>| sm.is_some_and(|sm| self.gpus.contains(&sm));
            for kernel in kernels.iter_mut() {
                kernel.images.retain(|image| is_asked(image.place.sm));
            }
            kernels.retain(|kernel| !kernel.images.is_empty());
            files.read.places.retain(|place| is_asked(place.sm));
            if kernels.is_empty() {
                let asked: Vec<String> = self.gpus.iter().map(Sm::to_string).collect();
                let what = format!(
                    "no kernels for {}: there are some for {all}",
                    asked.join(", ")
                );
                return Err(Error::new(name, what));
            }
        }
        if !self.patterns.is_empty() {
            let similar = nearest(kernels, &self.patterns);
            kernels.retain(|kernel| self.patterns.iter().any(|pattern| matches(pattern, kernel)));
            if kernels.is_empty() {
                let patterns = self.patterns.join("`, `");
                let help = similar.map_or_else(String::new, |name| {
                    format!("\nhelp: there is a kernel of a similar name: `{name}`")
                });
                return Err(Error::new(
                    name,
                    format!("no kernel matches `{patterns}`{help}"),
                ));
            }
        }
        Ok(())
    }
}

/// Whether one of a kernel's names is what `pattern` describes: those of `entries = "…"`, and the whole C++ name.
fn matches(pattern: &str, kernel: &Kernel) -> bool {
    names(kernel)
        .iter()
        .any(|name| matches_pattern(pattern, name))
}

/// The symbol, and of `void sim::step<float>(int)` this, `sim::step<float>`, `step<float>`, `sim::step` and `step`.
fn names(kernel: &Kernel) -> Vec<String> {
    let mut names = vec![kernel.symbol.clone()];
    if let Some(demangled) = &kernel.demangled {
        let name = demangled.name();
        let last = name.rsplit("::").next().unwrap_or(name);
        names.extend([demangled.text(), name, last].map(str::to_owned));
        if let Some(arguments) = demangled.template_arguments() {
            names.extend([name, last].map(|name| format!("{name}<{arguments}>")));
        }
    }
    names
}

/// The kernel's name that is most alike to a pattern, if one is.
fn nearest(kernels: &[Kernel], patterns: &[String]) -> Option<String> {
    /// More kernels are not looked at.
    const MOST: usize = 1000;
    let pattern = patterns.first()?.trim_matches('*');
    let alike = |kernel: &Kernel| {
        let names = names(kernel);
        let name = names.get(2).unwrap_or(&names[0]).clone();
        let last = name.rsplit("::").next().unwrap_or(&name).to_owned();
        let distance = distance(pattern.as_bytes(), last.as_bytes());
        (distance, name)
    };
    let (distance, name) = kernels.iter().take(MOST).map(alike).min()?;
    (distance * 3 <= pattern.len().max(3)).then_some(name)
}

/// How many bytes are to be added, removed or replaced.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A GPU generation as users write it: `sm_90`, `sm_90a`, `compute_90`, `90`.
pub(crate) fn gpu(text: &str) -> Result<Sm, String> {
    let number = text
        .strip_prefix("sm_")
        .or_else(|| text.strip_prefix("compute_"));
    let number = number.unwrap_or(text);
    let number = number
        .strip_suffix(|c: char| c.is_ascii_lowercase())
        .unwrap_or(number);
    let sm = number.parse().map(Sm);
    sm.map_err(|_| "a GPU generation is written `sm_90` or `90`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_written_in_several_ways() {
        for text in ["sm_90", "sm_90a", "compute_90", "90"] {
            assert_eq!(gpu(text), Ok(Sm(90)));
        }
        for text in ["", "sm_", "hopper", "sm_90aa", "-1", "70000"] {
            assert!(gpu(text).is_err(), "{text}");
        }
    }

    #[test]
    fn distances_count_edits() {
        for (a, b, edits) in [
            ("", "abc", 3),
            ("saxpy", "saxpy", 0),
            ("saxpy", "daxpy", 1),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), edits);
        }
    }
}

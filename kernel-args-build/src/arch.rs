//! GPU generations, as options of the compilers name them.

use std::fmt;

/// `sm_90a`, `compute_75`, or `75`, which is as `sm_75`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Arch {
    pub(crate) number: u32,
    /// `a` or `f` of features that later generations lack, or nothing.
    features: String,
    /// `compute_75`: PTX, and no machine code.
    is_virtual: bool,
}

impl Arch {
    /// `None` where it is no name of one.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (is_virtual, rest) = match name.strip_prefix("compute_") {
            Some(rest) => (true, rest),
            None => (false, name.strip_prefix("sm_").unwrap_or(name)),
        };
        // `8.9`, as `nvidia-smi --query-gpu=compute_cap` tells it.
        let rest = match rest.split_once('.') {
            Some((major, minor)) if !is_virtual && rest == name => format!("{major}{minor}"),
            Some(_) => return None,
            None => rest.to_owned(),
        };
        let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self {
            number: digits.parse().ok().filter(|_| is_number)?,
            features: match &rest[digits.len()..] {
                features @ ("" | "a" | "f") => features.to_owned(),
                _ => return None,
            },
            is_virtual,
        })
    }

    /// As a target of PTX: `compute_90a`.
    pub(crate) fn compute(&self) -> String {
        format!("compute_{}{}", self.number, self.features)
    }

    /// As a target of machine code: `sm_90a`.
    pub(crate) fn sm(&self) -> String {
        format!("sm_{}{}", self.number, self.features)
    }

    pub(crate) const fn is_virtual(&self) -> bool {
        self.is_virtual
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.is_virtual {
            self.compute()
        } else {
            self.sm()
        })
    }
}

/// The values of `nvcc`'s `-gencode` for a fat binary: machine code for each `sm_`, PTX for each `compute_`, and where there is
/// none of these, PTX of the newest `sm_`, so that later GPUs can run it.
pub(crate) fn gencode(archs: &[Arch]) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for arch in archs {
        codes.push(format!("arch={},code={arch}", arch.compute()));
    }
    if !archs.iter().any(Arch::is_virtual)
        && let Some(newest) = archs.iter().max_by_key(|arch| arch.number)
    {
        codes.push(format!("arch={0},code={0}", newest.compute()));
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::{Arch, gencode};

    #[test]
    fn names_are_those_of_the_compilers() {
        for (name, ptx, code) in [
            ("sm_75", "compute_75", "sm_75"),
            ("compute_75", "compute_75", "compute_75"),
            ("90a", "compute_90a", "sm_90a"),
            ("sm_120f", "compute_120f", "sm_120f"),
            ("8.9", "compute_89", "sm_89"),
        ] {
            let arch = Arch::parse(name).unwrap();
            assert_eq!(
                (arch.compute().as_str(), arch.to_string().as_str()),
                (ptx, code)
            );
        }
        for name in [
            "",
            "sm_",
            "native",
            "sm_9",
            "sm_90x",
            "lto_90",
            "compute_8.9",
            "sm_-5",
            "9.0.1",
        ] {
            assert_eq!(Arch::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_fat_binary_has_ptx_for_later_gpus() {
        let archs = |names: &[&str]| -> Vec<Arch> {
            names
                .iter()
                .map(|name| Arch::parse(name).unwrap())
                .collect()
        };
        assert_eq!(
            gencode(&archs(&["sm_90", "sm_80"])),
            [
                "arch=compute_90,code=sm_90",
                "arch=compute_80,code=sm_80",
                "arch=compute_90,code=compute_90"
            ]
        );
        assert_eq!(
            gencode(&archs(&["compute_75", "sm_90"])),
            [
                "arch=compute_75,code=compute_75",
                "arch=compute_90,code=sm_90"
            ]
        );
    }
}

//! GPU generations in the form of compiler options.

use kernel_args_image::Target;
use std::{borrow::Cow, fmt};

/// `sm_90a`, `compute_75`, or `75`, which means `sm_75`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arch {
    pub(crate) target: Target,
    /// `compute_75`: PTX without machine code.
    pub(crate) is_virtual: bool,
}

impl Arch {
    /// Returns `None` if this is not the name of a generation.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        // `8.9`, the format of `nvidia-smi --query-gpu=compute_cap`.
        let full = if name.starts_with(|c: char| c.is_ascii_digit()) {
            Cow::Owned(format!("sm_{}", name.replacen('.', "", 1)))
        } else {
            name.into()
        };
        Some(Self { target: Target::parse(&full)?, is_virtual: name.starts_with("compute_") })
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_virtual { f.write_str(&self.target.compute()) } else { self.target.fmt(f) }
    }
}

pub(super) fn newest(archs: &[Arch]) -> Option<&Arch> {
    archs.iter().max_by_key(|arch| arch.target.sm)
}

/// Returns `nvcc`'s options `-gencode`. Without a `compute_`, PTX of the newest `sm_` is added for later GPUs.
pub(crate) fn gencode(archs: &[Arch]) -> Vec<String> {
    let codes = archs.iter().map(|arch| format!("arch={},code={arch}", arch.target.compute()));
    let newest = newest(archs).filter(|_| !archs.iter().any(|arch| arch.is_virtual));
    let ptx = newest.map(|arch| format!("arch={0},code={0}", arch.target.compute()));
    codes.chain(ptx).flat_map(|code| ["-gencode".to_owned(), code]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Arch, gencode};

    #[test]
    fn names_have_the_form_of_compiler_options() {
        for (name, ptx, code) in [
            ("sm_75", "compute_75", "sm_75"),
            ("compute_75", "compute_75", "compute_75"),
            ("90a", "compute_90a", "sm_90a"),
            ("sm_120f", "compute_120f", "sm_120f"),
            ("8.9", "compute_89", "sm_89"),
        ] {
            let arch = Arch::parse(name).unwrap();
            assert_eq!((arch.target.compute().as_str(), arch.to_string().as_str()), (ptx, code));
        }
        for name in ["", "sm_", "native", "sm_9", "sm_90x", "lto_90", "compute_8.9", "sm_-5", "9.0.1"] {
            assert_eq!(Arch::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_fat_binary_has_ptx_for_later_gpus() {
        let archs = |names: &[&str]| -> Vec<Arch> { names.iter().map(|name| Arch::parse(name).unwrap()).collect() };
        assert_eq!(
            gencode(&archs(&["sm_90", "sm_80"])).join(" "),
            "-gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90"
        );
        assert_eq!(
            gencode(&archs(&["compute_75", "sm_90"])).join(" "),
            "-gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90"
        );
    }
}

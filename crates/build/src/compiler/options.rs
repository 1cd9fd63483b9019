//! The options for the compilers, and the input and output of one run.

use super::arch::{Arch, newest};
use crate::{kernels::Kernels, output::Output, sources::Source, texts};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The options of every source, with validated targets.
#[derive(Clone)]
pub(crate) struct Options<'a> {
    pub(crate) kernels: &'a Kernels,
    pub(crate) archs: Vec<Arch>,
    pub(crate) output: Output,
    /// Objects with host functions instead of images.
    pub(crate) makes_objects: bool,
}

/// Options that are removed from a debug build: it already has debug information.
const NOT_WITH_DEBUG: [&str; 4] = ["-G", "--device-debug", "-lineinfo", "--generate-line-info"];

/// Options of the assembler, which a debug build does not run. Their value is the next word, or follows after `=`.
const ASSEMBLER: [&str; 4] = ["-Xptxas", "--ptxas-options", "-maxrregcount", "--maxrregcount"];

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// An image for the program.
    Image,
    /// PTX with debug information.
    Description,
    /// PTX with the values of constants.
    Constants,
}

pub(crate) struct Job<'a> {
    pub(crate) source: &'a Source,
    pub(crate) options: &'a Options<'a>,
    pub(crate) purpose: Purpose,
    /// Text to compile after the source.
    pub(crate) appended: Option<String>,
    /// The folder of the package. Relative paths start here.
    pub(crate) root: &'a Path,
    /// The folder for temporary files of the compiler.
    pub(crate) scratch: &'a Path,
}

pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) messages: String,
    /// The source and its headers, if the compiler reports them.
    pub(crate) files: BTreeSet<PathBuf>,
}

impl Options<'_> {
    pub(crate) fn targets(names: &[String], output: Option<Output>) -> Result<(Vec<Arch>, Output), String> {
        let mut archs = Vec::new();
        for name in names {
            let arch = Arch::parse(name).ok_or_else(|| texts::no_arch(name))?;
            if !archs.contains(&arch) {
                archs.push(arch);
            }
        }
        let several = archs.len() > 1;
        let output = output.unwrap_or(if several { Output::Fatbin } else { Output::Ptx });
        if several && output != Output::Fatbin {
            return Err(texts::one_arch(output.extension(), names));
        }
        if output == Output::Cubin && archs.iter().any(|arch| arch.is_virtual) {
            return Err(texts::cubin_of_virtual(&archs[0], &archs[0].target));
        }
        Ok((archs, output))
    }

    /// Returns the architecture for a purpose, unless it is a fat binary, and the flags.
    pub(crate) fn of_purpose(&self, purpose: Purpose) -> (Option<String>, Vec<String>) {
        let compute = |arch: &Arch| arch.target.compute();
        if purpose != Purpose::Image {
            return (newest(&self.archs).map(compute), self.flags_with_debug().cloned().collect());
        }
        let arch = self.archs.first();
        let arch = match self.output {
            _ if self.makes_objects => None,
            Output::Ptx => arch.map(compute),
            Output::Cubin => arch.map(|arch| arch.target.to_string()),
            Output::Fatbin => None,
        };
        (arch, self.kernels.flags.clone())
    }

    /// Without flags that a debug build does not need, and which do not change the description.
    fn flags_with_debug(&self) -> impl Iterator<Item = &String> {
        let mut is_value = false;
        self.kernels.flags.iter().filter(move |flag| {
            let name = flag.split('=').next().unwrap_or_default();
            let is_assembler = ASSEMBLER.contains(&name);
            let is_removed = is_value || is_assembler || NOT_WITH_DEBUG.contains(&flag.as_str());
            is_value = !is_value && is_assembler && name.len() == flag.len();
            !is_removed
        })
    }

    pub(crate) fn definitions(&self) -> impl Iterator<Item = String> {
        self.kernels.defines.iter().map(|(name, value)| match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        })
    }

    /// Returns the options for a purpose, one per line, without the folder of the package.
    pub(crate) fn lines(&self, purpose: Purpose, root: &Path) -> Vec<String> {
        let (arch, flags) = self.of_purpose(purpose);
        let mut lines = Vec::new();
        if purpose == Purpose::Image {
            let output = match (self.makes_objects, self.kernels.relocatable) {
                (false, _) => self.output.extension(),
                (true, false) => "object",
                (true, true) => "relocatable object",
            };
            lines.push(format!("output {output}"));
            lines.extend(self.archs.iter().map(|arch| format!("arch {arch}")));
        } else {
            lines.extend(arch.map(|arch| format!("arch {arch}")));
        }
        lines.extend(self.kernels.std.iter().map(|std| format!("std {std}")));
        let relative = |text: &str| match root.to_str() {
            Some(root) if root.len() > 1 => text.replace(root, "."),
            _ => text.to_owned(),
        };
        let includes = self.kernels.includes.iter().map(|path| path.to_string_lossy());
        lines.extend(includes.map(|path| format!("include {}", relative(&path))));
        lines.extend(self.definitions().map(|definition| definition.replacen("-D", "define ", 1)));
        lines.extend(flags.iter().map(|flag| format!("flag {}", relative(flag))));
        lines.iter().map(|line| line.replace(['\n', '\r'], " ")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, Purpose};
    use crate::{kernels::Kernels, output::Output};
    use std::path::Path;

    impl Options<'static> {
        /// Options with these GPU generations and flags.
        pub(crate) fn of(names: &[&str], output: Option<Output>, flags: &[&str]) -> Self {
            let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
            let (archs, output) = Self::targets(&names, output).unwrap();
            let kernels = Kernels::new().include("/src/a dir").define("N", "1,2").define("F", None).std("c++17");
            let kernels = Box::leak(Box::new(kernels.flags(flags.iter().copied())));
            Self { kernels, archs, output, makes_objects: false }
        }
    }

    fn targets(names: &[&str], output: Option<Output>) -> Result<Output, String> {
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        Options::targets(&names, output).map(|(_, output)| output)
    }

    #[test]
    fn the_output_follows_from_the_generations() {
        assert_eq!(targets(&[], None), Ok(Output::Ptx));
        assert_eq!(targets(&["sm_75"], None), Ok(Output::Ptx));
        assert_eq!(targets(&["sm_75", "75"], None), Ok(Output::Ptx), "the same name twice");
        assert_eq!(targets(&["sm_75", "sm_90"], None), Ok(Output::Fatbin));
        assert_eq!(targets(&["sm_90"], Some(Output::Cubin)), Ok(Output::Cubin));
        let error = targets(&["sm_75", "sm_90"], Some(Output::Ptx)).unwrap_err();
        assert!(error.contains("help: ") && error.contains("Output::Fatbin"), "{error}");
        let error = targets(&["compute_90"], Some(Output::Cubin)).unwrap_err();
        assert!(error.contains("`.arch(\"sm_90\")`"), "{error}");
        let error = targets(&["native"], None).unwrap_err();
        assert!(error.contains("`native`") && error.contains("sm_75"), "{error}");
    }

    #[test]
    fn the_lines_do_not_name_the_folder_of_the_package() {
        let lines = Options::of(&[], None, &["-I/src/x", "-O3"]).lines(Purpose::Image, Path::new("/src"));
        assert_eq!(
            lines,
            ["output ptx", "std c++17", "include ./a dir", "define N=1,2", "define F", "flag -I./x", "flag -O3"]
        );
    }

    #[test]
    fn options_of_the_assembler_are_not_part_of_the_description() {
        let lines = |names: &[&str], flags: &[&str]| {
            let mut lines = Options::of(names, None, flags).lines(Purpose::Description, Path::new("/src"));
            lines.drain(1..5);
            lines
        };
        let with = [
            "-lineinfo",
            "-Xptxas",
            "-maxrregcount",
            "--use_fast_math",
            "--maxrregcount=64",
            "--ptxas-options=-v",
            "-maxrregcount",
            "64",
            "-I",
            "x",
        ];
        let expected = ["arch compute_90", "flag --use_fast_math", "flag -I", "flag x"];
        assert_eq!(lines(&["sm_75", "sm_90"], &with), expected);
        assert_eq!(lines(&["sm_90"], &["--use_fast_math", "-I", "x"]), expected);
        assert_ne!(lines(&["sm_86"], &["--use_fast_math", "-I", "x"]), expected);
    }
}

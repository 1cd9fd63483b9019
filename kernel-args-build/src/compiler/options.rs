//! The options for the compilers.

use super::arch::Arch;
use crate::{error::Error, output::Output, texts};
use std::path::{Path, PathBuf};

/// The validated options of every source.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, Option<String>)>,
    pub(crate) std: Option<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) archs: Vec<Arch>,
    pub(crate) output: Output,
}

/// Options that are removed from a debug build.
const NOT_WITH_DEBUG: [&str; 4] = ["-G", "--device-debug", "-lineinfo", "--generate-line-info"];

impl Options {
    /// The GPU generations: each name as the user wrote it, and the target that it names.
    pub(crate) fn targets(
        names: &[String],
        output: Option<Output>,
    ) -> Result<(Vec<Arch>, Output), Error> {
        let mut archs = Vec::new();
        for name in names {
            let arch = Arch::parse(name).ok_or_else(|| Error::new(texts::no_arch(name)))?;
            if !archs.contains(&arch) {
                archs.push(arch);
            }
        }
        let several = archs.len() > 1;
        let output = output.unwrap_or(if several { Output::Fatbin } else { Output::Ptx });
        if several && output != Output::Fatbin {
            return Err(Error::new(texts::one_arch(output.extension(), names)));
        }
        if output == Output::Cubin && archs.iter().any(|arch| arch.is_virtual) {
            return Err(Error::new(texts::cubin_of_virtual(
                &archs[0],
                &archs[0].target,
            )));
        }
        Ok((archs, output))
    }

    /// The generation whose kernels are described: the newest one.
    pub(crate) fn described(&self) -> Option<&Arch> {
        self.archs.iter().max_by_key(|arch| arch.target.sm)
    }

    /// The user's flags, without flags that contradict a debug build.
    pub(crate) fn flags_with_debug(&self) -> impl Iterator<Item = &String> {
        let contradicts = |flag: &str| NOT_WITH_DEBUG.contains(&flag);
        self.flags.iter().filter(move |flag| !contradicts(flag))
    }

    /// All options, one per line, without the folder of the package. Two builds with the same lines have the same options.
    pub(crate) fn lines(&self, root: &Path) -> Vec<String> {
        let mut lines = vec![format!("output {}", self.output.extension())];
        lines.extend(self.archs.iter().map(|arch| format!("arch {arch}")));
        lines.extend(self.std.iter().map(|std| format!("std {std}")));
        let relative = |text: &str| match root.to_str() {
            Some(root) if root.len() > 1 => text.replace(root, "."),
            _ => text.to_owned(),
        };
        let includes = self.includes.iter().map(|path| path.to_string_lossy());
        lines.extend(includes.map(|path| format!("include {}", relative(&path))));
        lines.extend(self.defines.iter().map(|(name, value)| match value {
            Some(value) => format!("define {name}={value}"),
            None => format!("define {name}"),
        }));
        lines.extend(
            self.flags
                .iter()
                .map(|flag| format!("flag {}", relative(flag))),
        );
        lines
            .iter()
            .map(|line| line.replace(['\n', '\r'], " "))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Options;
    use crate::output::Output;
    use std::path::Path;

    fn targets(names: &[&str], output: Option<Output>) -> Result<Output, String> {
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        let targets = Options::targets(&names, output);
        targets
            .map(|(_, output)| output)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_output_follows_from_the_generations() {
        assert_eq!(targets(&[], None), Ok(Output::Ptx));
        assert_eq!(targets(&["sm_75"], None), Ok(Output::Ptx));
        assert_eq!(
            targets(&["sm_75", "75"], None),
            Ok(Output::Ptx),
            "the same name twice"
        );
        assert_eq!(targets(&["sm_75", "sm_90"], None), Ok(Output::Fatbin));
        assert_eq!(targets(&["sm_90"], Some(Output::Cubin)), Ok(Output::Cubin));
        let error = targets(&["sm_75", "sm_90"], Some(Output::Ptx)).unwrap_err();
        assert!(
            error.contains("help: ") && error.contains("Output::Fatbin"),
            "{error}"
        );
        let error = targets(&["compute_90"], Some(Output::Cubin)).unwrap_err();
        assert!(error.contains("`.arch(\"sm_90\")`"), "{error}");
        let error = targets(&["native"], None).unwrap_err();
        assert!(
            error.contains("`native`") && error.contains("sm_75"),
            "{error}"
        );
    }

    #[test]
    fn the_lines_do_not_name_the_folder_of_the_package() {
        let options = Options {
            includes: vec!["include".into(), "/src/here/third party".into()],
            defines: vec![("N".into(), Some("4".into())), ("FAST".into(), None)],
            std: Some("c++17".into()),
            flags: vec!["-I/src/here/x".into(), "-O3".into()],
            archs: Vec::new(),
            output: Output::Ptx,
        };
        let lines = options.lines(Path::new("/src/here"));
        assert_eq!(
            lines,
            [
                "output ptx",
                "std c++17",
                "include include",
                "include ./third party",
                "define N=4",
                "define FAST",
                "flag -I./x",
                "flag -O3"
            ]
        );
    }
}

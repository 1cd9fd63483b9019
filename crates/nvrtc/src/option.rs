//! Options of NVRTC and nvcc that name folders, files and macros.

use std::path::PathBuf;

/// The folders, files and macros that options name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Named {
    /// Header folders: `-I`.
    pub folders: Vec<PathBuf>,
    /// Directives with the same effect: `#define N 4` for `-DN=4`, `#include "a.h"` for `--pre-include=a.h`.
    pub directives: String,
    /// Whether an option makes the compiler read or write files in a way that this module does not follow.
    pub is_incomplete: bool,
}

impl Named {
    /// Returns whether an option names files or folders.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.is_incomplete || !self.folders.is_empty() || self.directives.contains("#include")
    }
}

/// The kind of value that an option expects.
enum Value {
    /// nvcc takes a list with commas.
    Folder,
    File,
    Macro,
    Other,
}

/// NVRTC, "Supported Compile Options"; NVIDIA CUDA Compiler Driver NVCC, "NVCC Command Options".
fn value_of(name: &str) -> Option<Value> {
    Some(match name {
        "I" | "include-path" | "isystem" | "system-include" => Value::Folder,
        "include" | "pre-include" => Value::File,
        "D" | "define-macro" => Value::Macro,
        "pch" | "create-pch" | "use-pch" | "pch-dir" | "pch_dir" | "fdevice-time-trace" | "device-time-trace"
        | "options-file" | "optf"
        // Options of nvcc's front end, which can also include files.
        | "Xcudafe" | "cudafe-options" => Value::Other,
        _ => return None,
    })
}

/// Reads a list of options. The value of an option follows `=` or a space in the same text, or is the next text.
pub fn named<'o>(options: impl IntoIterator<Item = &'o str>) -> Named {
    let mut named = Named::default();
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        let Some(option) = option.strip_prefix('-') else {
            continue;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        let parts = option.split_once(['=', ' ']);
        let (name, value) = parts.map_or((option, None), |(name, value)| (name, Some(value)));
        let (kind, value) = match value_of(name) {
            Some(Value::Other) => (Value::Other, ""),
            Some(kind) => (kind, value.or_else(|| options.next()).unwrap_or_default()),
            // `-Iinclude`, `-DN=4`
            None if name.starts_with('I') => (Value::Folder, &option[1..]),
            None if name.starts_with('D') => (Value::Macro, &option[1..]),
            None => continue,
        };
        match kind {
            Value::Folder => {
                let list = value.split(',').filter(|_| value.contains(','));
                named.folders.extend(list.chain([value]).map(PathBuf::from));
            }
            Value::File => named.directives.extend(["#include \"", value, "\"\n"]),
            Value::Macro => named.directives += &definition(value),
            Value::Other => named.is_incomplete = true,
        }
    }
    named
}

/// Returns the directive that is equivalent to a macro option: `N=4`, or `N`, which defines it as 1.
#[must_use]
pub fn definition(option: &str) -> String {
    match option.split_once('=') {
        Some((name, value)) => format!("#define {name} {value}\n"),
        None => format!("#define {option} 1\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::named;
    use std::path::Path;

    #[test]
    fn options_that_name_files_are_recognized() {
        for options in [
            &["-I/usr/include"][..],
            &["-I /usr"],
            &["-I", "/usr"],
            &["--include-path=/usr"],
            &["--include-path", "/usr"],
            &["-isystem", "/usr"],
            &["--pre-include=a.h"],
            &["-include a.h"],
            &["--pch"],
            &["-pch-dir=x"],
            &["--use-pch=x"],
            &["-Xcudafe=--preinclude=a.h"],
        ] {
            assert!(named(options.iter().copied()).has_files(), "{options:?}");
        }
        for option in [
            "--use_fast_math",
            "-G",
            "--std=c++20",
            "--maxrregcount=1",
            "-DInclude=1",
            "--device-int128",
            "-default-device",
        ] {
            assert!(!named([option]).has_files(), "{option}");
        }
    }

    #[test]
    fn values_are_read_wherever_they_are() {
        let options = [
            "-Ia",
            "-I=b",
            "-I",
            "c d",
            "-Ie,f",
            "-DN=4",
            "-D",
            "M",
            "--define-macro=F(x)=x=1",
            "-include",
            "pre.h",
            "-O3",
            "ignored",
        ];
        let named = named(options);
        let folders = ["a", "b", "c d", "e", "f", "e,f"].map(Path::new);
        assert_eq!(named.folders, folders);
        assert_eq!(named.directives, "#define N 4\n#define M 1\n#define F(x) x=1\n#include \"pre.h\"\n");
        assert!(!named.is_incomplete);
    }
}

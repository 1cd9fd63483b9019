//! The cache returns the same result as a new compilation, for every way in which a source can include files.

use crate::images::{
    Outcome,
    cache::{Folder, compile},
};
use kernel_args::compile::{CacheUse, CompileOptions, CppStandard};
use kernel_args_test_generator::tools;
use kernel_args_tests::nvrtc::NVRTC;
use libtest_mimic::Trial;
use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// A source whose code depends on a file indirectly.
struct Case {
    what: &'static str,
    source: &'static str,
    options: fn(CompileOptions, &Path) -> CompileOptions,
    /// A file in the folder of headers, and its previous text; `None` if it does not exist.
    before: Option<&'static str>,
    after: Option<&'static str>,
}

const VALUE: &str = "\nextern \"C\" __global__ void k(int* out) { *out = VALUE; }\n";

/// The file that changes.
const FILE: &str = "sub/it.h";

const CASES: [Case; 12] = [
    Case {
        what: "a header next to the name of a header that is a text",
        source: "#include \"TEXT\"\n",
        options: |options, folder| {
            let name = folder.join("sub/text.h").display().to_string();
            options.header(name, "#include \"it.h\"\n")
        },
        before: Some("#define VALUE 1\n"),
        after: Some("#define VALUE 2\n"),
    },
    Case {
        what: "__has_include of a macro with arguments",
        source: "#define NAME(file) <sub/file>\n#if __has_include(NAME(it.h))\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n",
        options: |options, _| options,
        before: None,
        after: Some(""),
    },
    Case {
        what: "__has_include of a macro from an option",
        source: "#if __has_include(NAME)\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n",
        options: |options, _| options.define("NAME", "<sub/it.h>"),
        before: None,
        after: Some(""),
    },
    Case {
        what: "a macro around __has_include, and a macro as its argument",
        source: "#define HAS(file) __has_include(file)\n#define NAME <sub/it.h>\n#if HAS(NAME)\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n",
        options: |options, _| options,
        before: None,
        after: Some(""),
    },
    Case {
        what: "a macro of an option around __has_include",
        source: "#define IT sub/it.h\n#if HAS(<IT>)\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n",
        options: |options, _| options.define("HAS(x)", "__has_include(x)"),
        before: None,
        after: Some(""),
    },
    Case {
        what: "__has_include from two parts",
        source: "#define JOIN(a, b) a##b\n#define NAME <sub/it.h>\n#if JOIN(__has_, include)(NAME)\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n",
        options: |options, _| options,
        before: None,
        after: Some(""),
    },
    Case {
        what: "white space before include",
        source: "#\x0binclude NAME\n",
        options: |options, _| options.define("NAME", "<sub/it.h>"),
        before: Some("#define VALUE 1\n"),
        after: Some("#define VALUE 2\n"),
    },
    Case {
        what: "a form feed on each side of include",
        source: "\x0c#\x0cinclude\x0cNAME\n",
        options: |options, _| options.define("NAME", "<sub/it.h>"),
        before: Some("#define VALUE 1\n"),
        after: Some("#define VALUE 2\n"),
    },
    Case {
        what: "a line that a trigraph splits",
        source: "#inc??/\nlude <sub/it.h>\n",
        options: |options, _| options.standard(CppStandard::Cpp14),
        before: Some("#define VALUE 1\n"),
        after: Some("#define VALUE 2\n"),
    },
    Case {
        what: "the time from two parts",
        source: "#define JOIN(a, b) a##b\n#include <sub/it.h>\n#define VALUE JOIN(__TI, ME__)[7] * 0 + IT\n",
        options: |options, _| options,
        before: Some("#define IT 1\n"),
        after: Some("#define IT 2\n"),
    },
    Case {
        what: "a carriage return as white space",
        source: "#\rinclude NAME\n",
        options: |options, _| options.define("NAME", "<sub/it.h>"),
        before: Some("#define VALUE 1\n"),
        after: Some("#define VALUE 2\n"),
    },
    Case {
        what: "a removed header",
        source: "#include <sub/it.h>\n#ifndef VALUE\n#define VALUE 7\n#endif\n#if __has_include(<sub/it.h>)\n#endif\n",
        options: |options, folder| {
            fs::create_dir_all(folder.join("later/sub")).expect("a folder");
            fs::write(folder.join("later/sub/it.h"), "#define VALUE 9\n").expect("a file");
            options.include_path(folder.join("later"))
        },
        before: Some("#define VALUE 1\n"),
        after: None,
    },
];

impl Case {
    fn check(&self, folder: &Folder, index: usize) -> Outcome {
        let headers = folder.join(&format!("headers-{index}"));
        let file = headers.join(FILE);
        fs::create_dir_all(headers.join("sub"))?;
        let write = |text: Option<&str>| match text {
            Some(text) => fs::write(&file, text),
            None => fs::remove_file(&file),
        };
        if self.before.is_some() {
            write(self.before)?;
        }
        let text = headers.join("sub/text.h").display().to_string();
        let source = self.source.replace("TEXT", &text) + VALUE;
        let options = CompileOptions::new().include_path(&headers);
        let options = (self.options)(options, &headers);
        let cached = options.clone().cache(folder.join("cache"));
        let first = compile(&source, &cached)?;
        write(self.after)?;
        let second = compile(&source, &cached)?;
        let fresh = compile(&source, &options)?;
        assert_ne!(first.ptx(), fresh.ptx(), "{}: the file does not matter", self.what);
        assert!(second.ptx() == fresh.ptx(), "{}: {:?}, but it was changed", self.what, second.cache_use());
        Ok(())
    }
}

fn a_changed_file_is_never_a_hit() -> Outcome {
    let folder = Folder::new("cache-stale")?;
    let failed: Vec<String> = CASES
        .iter()
        .enumerate()
        .filter_map(|(index, case)| {
            let result = std::panic::catch_unwind(|| case.check(&folder, index).map_err(|error| error.to_string()));
            match result {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(format!("{}: {error}", case.what)),
                Err(_) => Some(case.what.to_owned()),
            }
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    Ok(())
}

/// A cached result always matches its key, even if a header changes between the computation of the key and the
/// compilation.
fn a_header_that_changes_meanwhile_is_not_kept() -> Outcome {
    // Few values, because each is compiled again below.
    const VALUES: u32 = 20;
    let folder = Folder::new("cache-meanwhile")?;
    let header = folder.join("it.h");
    // The file is replaced atomically: a compilation sees the old text or the new text.
    let write = |value: u32| {
        let new = folder.join("new");
        fs::write(&new, format!("#define VALUE {value}\n"))?;
        fs::rename(new, &header)
    };
    write(0)?;
    let options = CompileOptions::new().include_path(&folder.0);
    let cached = options.clone().cache(folder.join("cache"));
    let source = format!("#include <it.h>\n{VALUE}");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| -> Outcome {
        let writer = scope.spawn(|| -> io::Result<()> {
            for value in (0..VALUES).cycle() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                // Windows refuses to replace a file that is open, and to open a file that is being replaced: the next
                // one is tried.
                write(value).or_else(|error| if cfg!(windows) { Ok(()) } else { Err(error) })?;
                thread::sleep(Duration::from_millis(3));
            }
            Ok(())
        });
        let is_refused = |error: &str| cfg!(windows) && error.contains("it.h\": Permission denied");
        let (mut compiled, mut refused) = (0, 0);
        let failed = loop {
            match compile(&source, &cached) {
                Err(error) if refused < 300 && is_refused(&error.to_string()) => refused += 1,
                Err(error) => break Err(error),
                Ok(_) if compiled == 30 => break Ok(()),
                Ok(_) => compiled += 1,
            }
        };
        is_over.store(true, Ordering::SeqCst);
        writer.join().expect("it does not panic")?;
        failed
    })?;
    for value in 0..VALUES {
        write(value)?;
        let kept = compile(&source, &cached)?;
        if *kept.cache_use() == CacheUse::Hit {
            let fresh = compile(&source, &options)?;
            assert!(kept.ptx() == fresh.ptx(), "a hit of another text: {value}");
        }
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        tools::trial("a_changed_file_is_never_a_hit", &[NVRTC], a_changed_file_is_never_a_hit),
        tools::trial(
            "a_header_that_changes_meanwhile_is_not_kept",
            &[NVRTC],
            a_header_that_changes_meanwhile_is_not_kept,
        ),
    ]
}

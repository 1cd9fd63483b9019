//! The cache of compiled sources, in a folder that threads and processes share.

use crate::images::{Outcome, source::AXPY};
use kernel_args::compile::{CacheUse, CompileOptions, CompiledSource};
use kernel_args_test_generator::tools;
use kernel_args_tests::{driver::context, nvrtc::NVRTC};
use libtest_mimic::Trial;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode},
};

/// The variable with the folder, for a process that compiles into it.
const FOLDER: &str = "KERNEL_ARGS_CACHE_CHILD";

/// The folder of one test. Dropping it removes the folder.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> std::io::Result<Self> {
        let folder = env::temp_dir().join(format!("kernel-args-{name}-{}", process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn compile(source: &str, options: &CompileOptions) -> Result<CompiledSource, Box<dyn std::error::Error>> {
    Ok(options.compile(&context()?, source)?)
}

fn cached(folder: &Path) -> CompileOptions {
    CompileOptions::new().cache(folder).name_expression("axpy<float>")
}

fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn the_second_time_is_a_hit() -> Outcome {
    let folder = Folder::new("cache-hit")?;
    let cache = folder.join("made/by/the/cache");
    let first = compile(AXPY, &cached(&cache).debug_info(true))?;
    let second = compile(AXPY, &cached(&cache).debug_info(true))?;
    assert_eq!((first.cache_use(), second.cache_use()), (&CacheUse::Stored, &CacheUse::Hit));
    assert_eq!((first.image(), first.ptx(), first.log()), (second.image(), second.ptx(), second.log()));
    assert_eq!(first.symbol("axpy<float>"), second.symbol("axpy<float>"));
    assert_eq!(second.symbol("axpy<float>"), Some("_Z4axpyIfEvjT_PKS0_PS0_"));
    let other = compile(AXPY, &cached(&cache))?;
    assert_eq!(other.cache_use(), &CacheUse::Stored, "without debug information it is another entry");
    assert_eq!(compile(AXPY, &CompileOptions::new())?.cache_use(), &CacheUse::Off);
    assert_eq!(entries(&cache)?.len(), 2);
    Ok(())
}

/// The key contains the contents of each included file, for every way to include it.
fn a_changed_header_is_compiled_again() -> Outcome {
    let folder = Folder::new("cache-headers")?;
    let headers = folder.join("headers");
    fs::create_dir_all(headers.join("sub"))?;
    fs::write(headers.join("a.h"), "#include \"sub/b.h\"\n")?;
    fs::write(headers.join("sub/b.h"), "#define VALUE 1\n#if __has_include(<later.h>)\n#include <later.h>\n#endif\n")?;
    let source = "#include <a.h>\nextern \"C\" __global__ void k(int* out) { *out = VALUE; }";
    let options = CompileOptions::new().cache(folder.join("cache")).include_path(&headers);
    let run = || compile(source, &options);
    let first = run()?;
    assert_eq!(first.cache_use(), &CacheUse::Stored);
    assert_eq!(run()?.cache_use(), &CacheUse::Hit);
    fs::write(headers.join("sub/b.h"), "#define VALUE 2\n#if __has_include(<later.h>)\n#include <later.h>\n#endif\n")?;
    let changed = run()?;
    assert_eq!(changed.cache_use(), &CacheUse::Stored);
    assert_ne!(first.ptx(), changed.ptx());
    // A file that did not exist before.
    fs::write(headers.join("later.h"), "#undef VALUE\n#define VALUE 3\n")?;
    let later = run()?;
    assert_eq!(later.cache_use(), &CacheUse::Stored);
    assert_ne!(later.ptx(), changed.ptx());
    Ok(())
}

fn sources_with_unknown_files_are_compiled_each_time() -> Outcome {
    let folder = Folder::new("cache-untold")?;
    fs::write(folder.join("a.h"), "")?;
    let cache = folder.join("cache");
    let options = || {
        CompileOptions::new().cache(&cache).define("HEADER", "\"a.h\"").name(folder.join("k.cu").display().to_string())
    };
    for source in ["#include HEADER\n__global__ void k() {}", "__global__ void k(char* out) { *out = __TIME__[0]; }"] {
        for _ in 0..2 {
            let compiled = compile(source, &options())?;
            assert!(matches!(compiled.cache_use(), CacheUse::Unknown(_)), "{compiled:?}");
        }
        let vouched = || options().cache_key("version 1 of a.h");
        assert_eq!(compile(source, &vouched())?.cache_use(), &CacheUse::Stored);
        assert_eq!(compile(source, &vouched())?.cache_use(), &CacheUse::Hit);
        let other = options().cache_key("version 2 of a.h");
        assert_eq!(compile(source, &other)?.cache_use(), &CacheUse::Stored);
    }
    let named = CompileOptions::new().cache(&cache).option(format!("-I{}", folder.0.display()));
    assert!(matches!(compile("", &named)?.cache_use(), CacheUse::Unknown(_)));
    Ok(())
}

fn a_damaged_entry_is_compiled_again() -> Outcome {
    let folder = Folder::new("cache-damaged")?;
    let options = cached(&folder.0);
    let whole = compile(AXPY, &options)?;
    let entry = entries(&folder.0)?.pop().ok_or("no entry")?;
    let bytes = fs::read(&entry)?;
    for damage in 0..4 {
        let mut damaged = bytes.clone();
        match damage {
            0 => damaged.truncate(bytes.len() / 2),
            1 => damaged[bytes.len() / 2] ^= 1,
            2 => damaged.clear(),
            _ => damaged.extend(b"more"),
        }
        fs::write(&entry, damaged)?;
        let again = compile(AXPY, &options)?;
        assert_eq!((again.cache_use(), again.image()), (&CacheUse::Stored, whole.image()));
        assert_eq!(compile(AXPY, &options)?.cache_use(), &CacheUse::Hit);
    }
    Ok(())
}

fn a_folder_that_cannot_be_used_is_no_error() -> Outcome {
    let folder = Folder::new("cache-file")?;
    let file = folder.join("a file");
    fs::write(&file, "")?;
    let compiled = compile(AXPY, &cached(&file))?;
    assert!(matches!(compiled.cache_use(), CacheUse::Failed(why) if why.contains("a file")), "{compiled:?}");
    Ok(())
}

/// The part of a process that compiles into the test's folder: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    let folder = PathBuf::from(env::var_os(FOLDER)?);
    for i in 0..8 {
        let source = format!("{AXPY}\n// {}", i % 4);
        if let Err(error) = compile(&source, &cached(&folder)) {
            eprintln!("{error}");
            return Some(ExitCode::FAILURE);
        }
    }
    Some(ExitCode::SUCCESS)
}

fn processes_share_a_folder() -> Outcome {
    let folder = Folder::new("cache-processes")?;
    let children: Vec<_> =
        (0..4).map(|_| Command::new(env::current_exe()?).env(FOLDER, &folder.0).spawn()).collect::<Result<_, _>>()?;
    for mut child in children {
        assert!(child.wait()?.success());
    }
    assert_eq!(entries(&folder.0)?.len(), 4, "one entry for each source, and no scratch file");
    for i in 0..4 {
        let compiled = compile(&format!("{AXPY}\n// {i}"), &cached(&folder.0))?;
        assert_eq!(compiled.cache_use(), &CacheUse::Hit);
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |name, run: fn() -> Outcome| tools::trial(name, &[NVRTC], run);
    vec![
        trial("the_second_time_is_a_hit", the_second_time_is_a_hit),
        trial("a_changed_header_is_compiled_again", a_changed_header_is_compiled_again),
        trial("sources_with_unknown_files_are_compiled_each_time", sources_with_unknown_files_are_compiled_each_time),
        trial("a_damaged_entry_is_compiled_again", a_damaged_entry_is_compiled_again),
        trial("a_folder_that_cannot_be_used_is_no_error", a_folder_that_cannot_be_used_is_no_error),
        trial("processes_share_a_folder", processes_share_a_folder),
    ]
}

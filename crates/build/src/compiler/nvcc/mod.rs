//! The program `nvcc`.

mod depfile;

use super::{
    arch::{Arch, gencode},
    options::{Compiled, Job, Purpose},
};
use crate::{output::Output, texts};
use kernel_args_nvrtc::write_file;
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output as Finished, Stdio},
};

/// Links the device code of relocatable objects to one more object.
pub(crate) fn link(nvcc: &Path, archs: &[Arch], objects: &[PathBuf], output: &Path) -> Result<(), String> {
    let mut command = Command::new(nvcc);
    command.args(["-dlink", "-Xcompiler=-fPIC"]).args(gencode(archs)).arg("-o").arg(output).args(objects);
    finish(&mut command).map(drop)
}

pub(super) fn compile(nvcc: &Path, job: &Job<'_>) -> Result<Compiled, String> {
    let kind = match job.purpose {
        Purpose::Image => job.options.output.extension(),
        Purpose::Description if job.options.makes_objects => "debug.o",
        Purpose::Description => "debug.ptx",
        Purpose::Constants => "constants.ptx",
    };
    let [output, list, joined] =
        ["new", "d", "cu"].map(|extension| job.scratch.join(format!("{}.{kind}.{extension}", job.source.name)));
    let source = match &job.appended {
        None => &job.source.path,
        Some(appended) => {
            let path = texts::path(&job.root.join(&job.source.path));
            write_file(&joined, format!("#include \"{path}\"\n{appended}").as_bytes())
                .map_err(|error| texts::cannot_write(&joined, &error))?;
            &joined
        }
    };
    let result = run(nvcc, job, source, &output, &list);
    for file in [output, list, joined] {
        // The file exists if nvcc reached this stage.
        let _ = fs::remove_file(file);
    }
    result
}

fn run(nvcc: &Path, job: &Job<'_>, source: &Path, output: &Path, list: &Path) -> Result<Compiled, String> {
    let mut command = Command::new(nvcc);
    command.args(options(job)).args(["-MD", "-MF"]).arg(list).arg("-o").arg(output).arg(source);
    let finished = finish(command.current_dir(job.root))?;
    let read = |path: &Path| fs::read(path).map_err(|error| texts::not_written(path, &error));
    let mut files: BTreeSet<PathBuf> = depfile::parse(&read(list)?).into_iter().collect();
    files.insert(job.source.path.clone());
    Ok(Compiled { bytes: read(output)?, messages: text(&finished.stderr), files })
}

/// Returns the options of a job, without the files.
fn options(job: &Job<'_>) -> Vec<OsString> {
    let options = job.options;
    let is_image = job.purpose == Purpose::Image;
    let kind = match (options.makes_objects, options.kernels.relocatable) {
        (true, true) => "dc",
        (true, false) => "c",
        _ if is_image => options.output.extension(),
        _ => "ptx",
    };
    let mut list = vec![format!("-{kind}")];
    if options.makes_objects {
        list.push("-Xcompiler=-fPIC".to_owned());
    }
    if job.purpose == Purpose::Description {
        // The description of host functions needs only the debug information of the host.
        list.push(if options.makes_objects { "-g" } else { "-G" }.to_owned());
    }
    if is_image && (options.output == Output::Fatbin || options.makes_objects) {
        list.extend(gencode(&options.archs));
    }
    let (arch, flags) = options.of_purpose(job.purpose);
    list.extend(arch.map(|arch| format!("-arch={arch}")));
    list.extend(flags);
    list.extend(options.kernels.std.iter().map(|std| format!("-std={std}")));
    // A comma would start another definition.
    list.extend(options.definitions().map(|definition| definition.replace(',', "\\,")));
    let includes = options.kernels.includes.iter().flat_map(|include| ["-I".into(), include.into()]);
    list.into_iter().map(OsString::from).chain(includes).collect()
}

/// The error is nvcc's output, with a hint if the cause is not the kernel.
fn finish(command: &mut Command) -> Result<Finished, String> {
    const SIGNS: [&str; 6] = [
        "Failed to preprocess host compiler properties",
        "Cannot find compiler",
        "unsupported GNU version",
        "unsupported clang version",
        "unsupported Microsoft Visual Studio version",
        "No supported gcc/g++ host compiler",
    ];
    let finished = command.stdin(Stdio::null()).output();
    let finished = finished.map_err(|error| texts::cannot_run(Path::new(command.get_program()), &error))?;
    if finished.status.success() {
        return Ok(finished);
    }
    // Microsoft's compiler writes errors to the standard output.
    let mut said = text(&finished.stdout);
    if !said.is_empty() {
        said.push('\n');
    }
    said += &text(&finished.stderr);
    if said.trim().is_empty() {
        said = texts::silent(&finished.status);
    }
    if SIGNS.iter().any(|sign| said.contains(sign)) {
        said += texts::NO_HOST_COMPILER;
    }
    Err(said)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::options;
    use crate::{
        compiler::options::{Job, Options, Purpose},
        output::Output,
        sources::Source,
    };
    use std::path::Path;

    fn options_of(purpose: Purpose, archs: &[&str], output: Option<Output>) -> String {
        let options_ = Options::of(archs, output, &["-lineinfo", "-O3"]);
        let source = Source { path: "k.cu".into(), name: "k".into(), module: "k".into() };
        let job = Job {
            source: &source,
            options: &options_,
            purpose,
            appended: None,
            root: Path::new("."),
            scratch: Path::new("."),
        };
        let options: Vec<String> = options(&job).into_iter().map(|word| word.into_string().unwrap()).collect();
        options.join("|")
    }

    #[test]
    fn each_purpose_has_its_options() {
        const REST: &str = "|-O3|-std=c++17|-DN=1\\,2|-DF|-I|/src/a dir";
        for (archs, output, image) in [
            (&[][..], None, "-ptx|-lineinfo"),
            (&["sm_75"], None, "-ptx|-arch=compute_75|-lineinfo"),
            (&["90a"], Some(Output::Cubin), "-cubin|-arch=sm_90a|-lineinfo"),
            (
                &["compute_75", "sm_90"],
                None,
                "-fatbin|-gencode|arch=compute_75,code=compute_75|-gencode|arch=compute_90,code=sm_90|-lineinfo",
            ),
        ] {
            assert_eq!(options_of(Purpose::Image, archs, output), image.to_owned() + REST);
        }
        assert_eq!(
            options_of(Purpose::Description, &["sm_75", "sm_90"], None),
            "-ptx|-G|-arch=compute_90".to_owned() + REST
        );
        assert_eq!(
            options_of(Purpose::Constants, &["sm_75", "sm_90"], None),
            "-ptx|-arch=compute_90".to_owned() + REST
        );
        assert_eq!(options_of(Purpose::Description, &[], None), "-ptx|-G".to_owned() + REST);
    }
}

//! Libraries, programs and archives that a compiler and binutils make. The tests are ignored without these tools.

#[allow(dead_code, reason = "standard input is another suite's")]
#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports, reason = "a shell reads the words of `shell`")]
#[path = "../../src/escape.rs"]
mod escape;
mod launchers;

use common::{Folder, bytes, data, run};
use kernel_args_test_generator::tools::{self as tools, AR, GCC, OBJCOPY, Tool};
use libtest_mimic::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let with_binutils: [(&str, fn()); 5] = [
        ("a_library_is_read", a_library_is_read),
        ("a_program_is_read", a_program_is_read),
        ("an_archive_is_read", an_archive_is_read),
        ("images_in_data_are_read", images_in_data_are_read),
        ("relocatable_device_code_is_read", relocatable_device_code_is_read),
    ];
    let mut trials = launchers::trials();
    trials.extend(with_binutils.map(|(name, test)| tools::trial(name, &[GCC, AR, OBJCOPY], test)));
    trials.push(tools::trial("a_program_of_rust_is_read", &[], a_program_of_rust_is_read));
    trials.push(tools::trial("a_shell_reads_the_word", &[BASH], a_shell_reads_the_word));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Words in commands that are printed for the user.
fn a_shell_reads_the_word() {
    for odd in escape::ODD.into_iter().filter(|odd| !odd.contains('\0')) {
        let command = format!("printf %s {}", escape::shell(odd.into()));
        let read = tools::command(BASH).args(["-c", &command]).output();
        let read = read.expect("bash runs");
        assert_eq!(String::from_utf8_lossy(&read.stdout), odd, "{command}");
    }
}

const BASH: Tool = Tool::program("bash");

fn run_tool(tool: Tool, arguments: &[&str]) {
    let status = tools::command(tool).args(arguments).status().expect("it is there");
    assert!(status.success(), "{tool:?} {arguments:?}");
}

/// A gcc object file with a section that contains the file.
fn object(folder: &Folder, name: &str, section: &str, content: &str) -> String {
    let source = folder.write(&format!("{name}.c"), "int main(void) { return 0; }\n");
    let object = folder.path(name).to_str().unwrap().to_owned();
    run_tool(GCC, &["-c", &source, "-o", &object]);
    let add = format!("{section}={content}");
    let flags = format!("{section}=alloc,readonly,data");
    run_tool(OBJCOPY, &["--add-section", &add, "--set-section-flags", &flags, &object]);
    object
}

/// The parameters are equal to the parameters of the fat binary.
fn agrees(file: &str, shown_in: &str, fatbin: &str) {
    let list = |file: &str| {
        let ran = run(&["show", "--list", file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
        ran.stdout
    };
    assert_eq!(list(file), list(fatbin));
    let shown = run(&["show", file]).stdout;
    assert!(shown.contains(shown_in), "{shown}");
}

fn a_library_is_read() {
    let (folder, fatbin) = (Folder::new(), data("one.size.fatbin"));
    let object = object(&folder, "kernels.o", ".nv_fatbin", &fatbin);
    let library = folder.path("libkernels.so").to_str().unwrap().to_owned();
    run_tool(GCC, &["-shared", "-o", &library, &object]);
    agrees(&library, "libkernels.so: sm_75, PTX sm_75", &fatbin);
    // Two object files with several containers each, which the linker joins.
    let two = folder.write("two.fatbin", [bytes(&fatbin), bytes(&data("one.speed.fatbin"))].concat());
    let second = self::object(&folder, "second.o", ".nv_fatbin", &two);
    run_tool(OBJCOPY, &["--strip-symbol", "main", &second]);
    run_tool(GCC, &["-shared", "-o", &library, &object, &second]);
    let ran = run(&["show", "--summary", &library]);
    assert!(ran.stdout.ends_with("1 kernel in 6 images of 1 file\n"), "{}", ran.stdout);
}

fn a_program_is_read() {
    let (folder, fatbin) = (Folder::new(), data("one.speed.fatbin"));
    let object = object(&folder, "main.o", ".nv_fatbin", &fatbin);
    let program = folder.path("program").to_str().unwrap().to_owned();
    run_tool(GCC, &["-o", &program, &object]);
    agrees(&program, "program: sm_75, PTX sm_75", &fatbin);
    run_tool(OBJCOPY, &["--strip-all", &program]);
    agrees(&program, "program: sm_75, PTX sm_75", &fatbin);
    // A file without device code.
    run_tool(OBJCOPY, &["--remove-section", ".nv_fatbin", &program]);
    let ran = run(&["show", &program]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no kernels: it is an ELF file without device code"), "{}", ran.stderr);
}

fn an_archive_is_read() {
    let (folder, fatbin) = (Folder::new(), data("one.none.fatbin"));
    let object = object(&folder, "an_object_file_with_a_long_name.o", ".nv_fatbin", &fatbin);
    let source = folder.write("host.c", "int host(void) { return 0; }\n");
    let host = folder.path("host.o").to_str().unwrap().to_owned();
    run_tool(GCC, &["-c", &source, "-o", &host]);
    let archive = folder.path("libkernels.a").to_str().unwrap().to_owned();
    run_tool(AR, &["rcs", &archive, &host, &object]);
    agrees(&archive, "libkernels.a(an_object_file_with_a_long_name.o): sm_75, PTX sm_75", &fatbin);
    run_tool(AR, &["d", &archive, "an_object_file_with_a_long_name.o"]);
    assert!(run(&["show", &archive]).stderr.contains("no kernels: it is an archive without device code"));
}

/// The output of `.incbin` and `bin2c`: images between other data, and texts without a NUL.
fn images_in_data_are_read() {
    let folder = Folder::new();
    let files =
        ["../../ptx/saxpy.ptx".to_owned(), data("debug.ptx"), data("kernels.sm_75.cubin"), data("one.size.fatbin")];
    let include = |(index, file): (usize, &String)| {
        let path = std::fs::canonicalize(file).unwrap();
        let path = path.display();
        // A program also contains fragments of PTX that it prints.
        format!(
            ".byte {index}\n.incbin \"{path}\"\n.ascii \"called `unwrap` }} .entry\"\n\
             .ascii \".version 9.0\\n.target sm_90\\n.address_size 64\\n.visible .entry \"\n\
             .ascii \".version 9.0\\n.target sm_90\\n\"\n"
        )
    };
    let included: Vec<String> = files.iter().enumerate().map(include).collect();
    let text = format!(".section .rodata\n{}\n.section .note.GNU-stack\n", included.concat());
    let source = folder.write("data.s", text);
    let main = folder.write("main.c", "int main(void) { return 0; }\n");
    let program = folder.path("program").to_str().unwrap().to_owned();
    run_tool(GCC, &["-o", &program, &main, &source]);
    let listed = |files: &[&str]| {
        let ran = run(&[&["show", "--list"], files].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{files:?}");
        ran.stdout
    };
    let each: Vec<&str> = files.iter().map(String::as_str).collect();
    // Images of one file complete each other: `saxpy` of the cubin has the types from the PTX.
    let names = |list: &str| {
        let mut names: Vec<_> = list.lines().skip(1).map(|line| line.split('(').next().unwrap().to_owned()).collect();
        names.dedup();
        names
    };
    assert_eq!(names(&listed(&[&program])), names(&listed(&each)));
    let ran = run(&["show", "--summary", &program]);
    assert!(ran.stdout.contains("5 images of 1 file") || ran.stdout.contains("6 images of 1 file"), "{}", ran.stdout);
}

/// This program, which contains a text through `include_str!`.
fn a_program_of_rust_is_read() {
    let included = std::hint::black_box(include_str!("../../../../ptx/saxpy.ptx"));
    let program = std::env::current_exe().unwrap();
    let ran = run(&["show", "--list", program.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let folder = Folder::new();
    let expected = run(&["show", "--list", &folder.write("saxpy.ptx", included)]);
    assert_eq!(ran.stdout, expected.stdout);
}

fn relocatable_device_code_is_read() {
    let (folder, fatbin) = (Folder::new(), data("one.none.fatbin"));
    let object = object(&folder, "device.o", "__nv_relfatbin", &fatbin);
    agrees(&object, "device.o: sm_75, PTX sm_75", &fatbin);
}

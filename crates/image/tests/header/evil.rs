//! Names that contain the syntax of C++: they appear only in comments.

use crate::parameters::{f32, structure, u32};
use kernel_args_abi::Parameter;
use kernel_args_image::header::{Header, Item};
use kernel_args_test_generator::tools::{self as tools, GXX};
use proptest::{prelude::*, test_runner::TestRunner};
use std::process::Stdio;

/// A header with a plain kernel, and one whose names are `evil`.
fn header(evil: &str) -> String {
    let plain = [f32("x")];
    let light = structure("light", "Light", &[u32("n")]);
    let params = [Parameter { name: evil, ..light }, Parameter { name: "class", ..f32("") }];
    let items = [Item::kernel("plain", &plain), Item::kernel("k", &params), Item::kernel(evil, &plain)];
    let header = Header::new().items(&items).leave_out_kernels();
    header.write().expect("kernels that cannot be declared are left out")
}

/// The lines of code.
fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//")).collect()
}

fn evil() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "\n",
        "\r",
        "\u{b}",
        "\u{c}",
        "\u{2028}",
        "\\",
        "??/",
        "\"",
        "//",
        "/*",
        "*/",
        "#error x",
        "{",
        "}",
        ";",
        "int evil;",
        "\u{1b}[31m",
        "\u{202e}",
        "x",
        "größe",
        "::",
        "<",
        " ",
        "\t",
    ]);
    proptest::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

/// A regression test: a carriage return ended the comment about a kernel that cannot be declared.
#[test]
fn a_name_stays_in_its_comment() {
    for name in ["x\rint evil;", "x\nint evil;", "x\\", "x\\ ", "x\\ \u{a0}", "x??/", "x\u{1b}[31m"] {
        let text = header(name);
        assert_eq!(code(&text), code(&header("no name")), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.lines().all(|line| !line.trim_end().ends_with(['\\', '/'])), "{text}");
    }
}

/// What a compiler reads: the tokens without comments.
fn tokens(text: &str, standard: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut gcc = tools::command(GXX);
    let options = ["-x", "c++", "-E", "-P", "-D__CUDACC__", "-D__CUDACC_RTC__", "-"];
    let gcc = gcc.arg(standard).args(options).stdin(Stdio::piped());
    let mut gcc = gcc.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("g++ starts");
    gcc.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("g++ reads");
    let read = gcc.wait_with_output().expect("g++ ends");
    assert!(read.status.success(), "{}\n{text}", String::from_utf8_lossy(&read.stderr));
    read.stdout
}

/// A trial of the suite `compilers`.
pub(crate) fn a_compiler_reads_the_same_code() {
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&evil(), |name| {
        // A path of only these words is a valid name: `::x` is the `x` of the global namespace.
        let path = name.strip_prefix("::").unwrap_or(&name);
        prop_assume!(!path.split("::").all(|part| !part.is_empty() && part.chars().all(|c| c == 'x')));
        let (text, plain) = (header(&name), header("no name"));
        prop_assert_eq!(code(&text), code(&plain));
        for standard in ["-std=c++11", "-std=c++20"] {
            prop_assert_eq!(tokens(&text, standard), tokens(&plain, standard));
        }
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

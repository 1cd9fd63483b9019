//! PTX texts: the reader accepts what ptxas 13.0 accepts, and rejects what it rejects, with a position and a reason.

use super::parsing::{HEADER, only, refused, with_header};
use kernel_args_abi::{Alignment, Class, CppType};
use kernel_args_image::{
    Target,
    mangled::Demangled,
    ptx::{Header, Module},
};
use std::fmt::Write as _;

#[test]
fn what_nvcc_writes_is_read() {
    let text = include_str!("../data/kernels.ptx");
    let header = Header::read(text.as_bytes()).unwrap();
    assert_eq!((header.version, header.target.gpu, header.target.text), ((9, 0), Target::parse("sm_75"), "sm_75"));
    assert_eq!(header.address_size, Some(64));
    let module = Module::read(text.as_bytes()).unwrap();
    let entry = module.entry("_Z5saxpyifPKfPf").unwrap();
    let demangled = Demangled::new(entry.name);
    let parameters = entry.signature_parameters(demangled.as_ref());
    let seen: Vec<_> = parameters.iter().map(|p| (p.name, p.spelling, p.size, p.class, p.cpp.to_string())).collect();
    assert_eq!(
        seen,
        [
            ("_Z5saxpyifPKfPf_param_0", ".param .u32 _Z5saxpyifPKfPf_param_0", 4, Class::Integer, "int".into()),
            ("_Z5saxpyifPKfPf_param_1", ".param .f32 _Z5saxpyifPKfPf_param_1", 4, Class::Float, "float".into()),
            (
                "_Z5saxpyifPKfPf_param_2",
                ".param .u64 _Z5saxpyifPKfPf_param_2",
                8,
                Class::Integer,
                "float const*".into()
            ),
            ("_Z5saxpyifPKfPf_param_3", ".param .u64 _Z5saxpyifPKfPf_param_3", 8, Class::Integer, "float*".into()),
        ]
    );
    assert!(parameters.iter().all(|p| p.offset.is_none() && p.align.map(Alignment::bytes) == Some(p.size)));
}

#[test]
fn types_are_dropped_if_the_name_has_another_count() {
    only(".entry _Z1kif(.param .u32 a){ret;}", |entry| {
        let demangled = Demangled::new(entry.name);
        assert!(demangled.is_some());
        assert_eq!(entry.signature_parameters(demangled.as_ref())[0].cpp, CppType::UNKNOWN);
    });
}

#[test]
fn directives_are_read() {
    only(
        ".entry k() .maxntid 0x20,2 .minnctapersm 3 .pragma \"a;{\", \"b\"; .maxnreg 64 .blocksareclusters \
         .maxclusterrank 8 .newer 3, k, \"x\" {ret;}",
        |entry| {
            let d = entry.directives;
            assert_eq!(d.max_threads, Some([32, 2, 1]));
            assert_eq!((d.min_blocks, d.max_registers, d.max_cluster_rank), (Some(3), Some(64), Some(8)));
            assert!(d.blocks_are_clusters);
            assert_eq!((d.required_threads, d.required_cluster), (None, None));
        },
    );
    only(".entry k() .reqntid 4,5,6 .reqnctapercluster 2,1,1 {ret;}", |entry| {
        let d = entry.directives;
        assert_eq!((d.required_threads, d.required_cluster), (Some([4, 5, 6]), Some([2, 1, 1])));
        assert!(!d.blocks_are_clusters);
    });
    only(".entry k() .maxntid 3,2,2 .maxntid 4 {ret;}", |entry| {
        assert_eq!(entry.directives.max_threads, Some([4, 1, 1]));
    });
    for rest in [".maxntid 0", ".maxntid -3", ".maxntid 5000000000", ".maxntid", ".maxntid 2+2"] {
        refused(&format!(".entry k() {rest} {{ret;}}"));
    }
}

#[test]
fn kernels_are_found_wherever_ptxas_finds_them() {
    for rest in [
        ".entry k{ret;}",
        ".visible.entry k(){ret;}",
        ".weak .entry k(){ret;}",
        ".entry k;",
        ".extern .entry k(.param .u32 a);",
        ".entry k; .entry k(){ret;}",
        ".entry /* x */ k /* y */ ( ) // {\n /* { */ {ret;}",
        ".file 1 \"a//b .entry fake(\"\n.entry k(){ret;}",
        ".file 1 \"a/*b\"\n.entry k(){ret;}",
        ".file 1 \"back\\\"\n.entry k(){ret;}",
        ".file 1 \"two\nlines\"\n.entry k(){ret;}",
        "/* /* */ .entry k(){ret;} /* .entry j(){} */",
        "// it's \" one\n.entry k(){ret;}",
        "# 3 \"x{\"\n.entry k(){ret;}",
        ".entry\u{c}\r\tk(){ret;}",
        ".entry k(){ret;} // x\r.entry j(){ret;}",
        ".global .align 4 .b8 x[4]={1,2,3,4};.entry k(){ret;}",
        ".func (.param .b32 r) f(.param .b32 a){ret;} .entry k(){ret;}",
        ".entry k(){ { .pragma \"}\"; /* } */ // }\n } entry: ret; }",
        ".entry k(){ret;}\n.section .debug_str { info: .b8 1,2 }",
        ".entry k(){ret;}\0.entry j(",
    ] {
        only(rest, |entry| assert_eq!(entry.name, "k", "{rest}"));
    }
    let text = with_header(".entry a(){ret;} .func f(){} .visible .entry %b(){ret;}.entry $c(){ret;}");
    let module = Module::read(text.as_bytes()).unwrap();
    let names: Vec<_> = module.entries().iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a", "%b", "$c"]);
    assert!(Module::read(HEADER.as_bytes()).unwrap().entries().is_empty());
}

#[test]
fn a_definition_wins_over_its_declaration() {
    for rest in [
        ".extern .entry k(.param .u32 a);\n.entry k(.param .u32 b) .maxntid 4 {ret;}",
        ".entry k(.param .u32 b) .maxntid 4 {ret;}\n.entry k(.param .u32 a);",
    ] {
        only(rest, |entry| {
            assert!(entry.is_defined);
            assert_eq!((entry.parameters[0].name, entry.directives.max_threads), ("b", Some([4, 1, 1])));
        });
    }
    let message = refused(".entry k(){ret;}\n.entry k(){ret;}");
    assert_eq!(message, "line 5, column 7: expected one definition of each kernel, found `k`");
}

#[test]
fn texts_that_do_not_end_are_refused() {
    for (rest, reason) in [
        (".entry k(){ret;", "line 4, column 11: expected `}`, the end of this block, found the end of the text"),
        (".entry k(){ret;} /* abc", "`*/`, the end of this comment"),
        (".file 1 \"abc\n.entry k(){ret;}", "`\"`, the end of this string"),
        (".entry k(){\"}", "end of this string"),
        (".entry k(){/*}", "end of this comment"),
        (".entry k(.param .u32 p", "expected `,` or `)` after a parameter, found the end of the text"),
        (".entry k()", "found the end of the text"),
        (".entry", "expected the kernel's name after `.entry`, found the end of the text"),
        (".entry 1k(){ret;}", "expected the kernel's name after `.entry`, found `1k`"),
        (".entry k(){ret;} }", "expected `{` before `}`"),
        (".entry k() ] {}", "found `]`"),
        (".entry k\u{e9}(){}", "line 4, column 9: "),
    ] {
        let message = refused(rest);
        assert!(message.contains(reason), "{rest}: {message}");
    }
}

#[test]
fn what_is_not_ptx_is_refused() {
    for (text, reason) in [
        ("", "line 1, column 1: expected PTX, which begins with `.version`, found the end of the text"),
        ("hello", "found `hello`"),
        ("\u{7f}ELF", "expected PTX"),
        ("// only a comment", "expected PTX"),
        (".version 9\n.target sm_90", "expected a version such as `9.0` after `.version`, found `9`"),
        (".version 9.x\n.target sm_90", "found `9.x`"),
        (".version 9.0\n.entry k(){}", "line 2, column 1: expected `.target` after `.version`, found `.entry`"),
        (".version 9.0\n.target 90", "expected a name such as `sm_90` in `.target`, found `90`"),
        (".version 9.0\n.target sm_90\n.address_size 48", "expected 32 or 64 after `.address_size`, found `48`"),
        (".version 1.3\n.target sm_13\n.entry k{ .param .u32 a; ret;}", "PTX 1.4 or newer"),
    ] {
        let message = Module::read(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(reason), "{text}: {message}");
    }
}

#[test]
fn targets_are_read() {
    for (target, name, text) in [
        ("sm_90", Some("sm_90"), "sm_90"),
        ("sm_90a", Some("sm_90a"), "sm_90a"),
        ("sm_100f", Some("sm_100f"), "sm_100f"),
        ("compute_75", Some("sm_75"), "compute_75"),
        ("sm_75 , texmode_independent", Some("sm_75"), "sm_75 , texmode_independent"),
        ("debug, sm_75", Some("sm_75"), "debug, sm_75"),
        ("gfx9", None, "gfx9"),
    ] {
        let source = format!("// c\n.version 8.10 .target {target}\n.address_size 0x20");
        Module::read(source.as_bytes()).unwrap();
        let header = Header::read(source.as_bytes()).unwrap();
        let gpu = header.target.gpu.map(|gpu| gpu.to_string());
        assert_eq!((gpu.as_deref(), header.target.text), (name, text));
        assert_eq!((header.version, header.address_size), ((8, 10), Some(32)));
    }
}

#[test]
fn bytes_need_not_be_utf8_in_comments_and_strings() {
    let mut bytes = with_header(".file 1 \"").into_bytes();
    bytes.extend(b"\xe9\"\n// \xff\n.entry k(.param .u32 /*\xe9*/ a){ret; // \xfe\n}\0\xff");
    let module = Module::read(&bytes).unwrap();
    assert_eq!(module.entries()[0].parameters[0].declaration, ".param .u32 a");
}

/// A text of about `bytes` bytes, like nvcc's output: many kernels with long bodies.
fn large(bytes: usize) -> String {
    let mut text = String::from(HEADER);
    let body = include_str!("../data/kernels.ptx");
    let body = &body[body.find("ld.param").unwrap()..];
    let body = &body[..body.find("\n}").unwrap()];
    for i in 0.. {
        if text.len() >= bytes {
            break;
        }
        write!(text, ".visible .entry k{i}(\n.param .u32 k{i}_param_0,\n.param .u64 k{i}_param_1\n)\n{{\n").unwrap();
        for _ in 0..8 {
            text.push_str(body);
        }
        text.push_str("\n}\n");
    }
    text
}

#[test]
fn a_megabyte_is_read_in_linear_time() {
    let text = large(1 << 20);
    let started = std::time::Instant::now();
    let module = Module::read(text.as_bytes()).unwrap();
    let took = started.elapsed();
    println!("{} bytes, {} kernels: {took:?}", text.len(), module.entries().len());
    assert!(module.entries().len() > 50);
    // The limit suffices for a debug build on a busy machine; a quadratic reader would take minutes.
    assert!(took.as_secs() < 2, "{took:?}");
}

//! The reader with valid, unusual and invalid PTX.

use super::*;

const HEADER: &str = ".version 8.1\n.target sm_75\n.address_size 64\n";

fn image(text: &str) -> Image {
    compile(format!("{HEADER}{text}").as_bytes(), 90).unwrap_or_else(|refusal| panic!("{}", refusal.log))
}

fn refusal(text: &str) -> Refusal {
    compile(text.as_bytes(), 90).expect_err("this PTX is wrong")
}

fn places(kernel: &Kernel) -> Vec<(usize, usize)> {
    kernel.parameters.iter().map(|parameter| (parameter.offset, parameter.size)).collect()
}

#[test]
fn parameters_of_every_spelling_are_placed() {
    let image = image(
        ".visible .entry k(.param .u64 .ptr .global .align 1 p, .param .align 16 .b8 s[0x14],
           .param .b16 .align 8 h, .param .align 1 .u32 w, .param .b128 q) { ret; }",
    );
    assert_eq!(places(&image.kernels[0]), [(0, 8), (16, 20), (40, 2), (44, 4), (48, 16)]);
}

#[test]
fn comments_strings_and_declarations_contain_no_kernels() {
    let image = image(
        ".file 1 \"a//b .entry fake(\"\n/* .entry fake2() {} */\n.extern .entry elsewhere();\n
         .func (.param .b32 r) f(.param .b32 a) { ret; }\n.entry bare { ret; }\0 .entry behind() {}",
    );
    let names: Vec<&str> = image.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["bare"]);
}

#[test]
fn directives_and_memory_reach_the_kernel() {
    let image = image(
        ".shared .align 4 .b8 outer[100]; .shared .b32 other; .extern .shared .align 16 .b8 dynamic[];
         .entry k() .maxntid 128, 2 .minnctapersm 2 .pragma \"nounroll\"; .maxnreg 20 {
           .shared .align 8 .b8 inner[64]; .local .b32 spill[2]; .reg .b32 %r<3>; .reg .pred %p<2>;
           .loc 1 2 3
         $L: @!%p1 bra $L; mov.u32 %r1, outer; ret; }",
    );
    let kernel = &image.kernels[0];
    assert_eq!((kernel.max_threads, kernel.static_shared, kernel.local, kernel.registers), (256, 176, 8, 20));
    assert_eq!((kernel.ptx_version, kernel.binary_version), (75, 90));
}

#[test]
fn variables_have_their_initial_bytes() {
    let image = image(
        ".global .align 4 .b8 table[6] = {1, 0x2, 03};\n.const .f32 one = 0f3F800000;\n.global .s32 minus = -1;
         .visible .global .align 8 .u64 pair[2];",
    );
    let bytes: Vec<&[u8]> = image.variables.iter().map(|variable| variable.bytes.as_slice()).collect();
    assert_eq!(bytes, [&[1u8, 2, 3, 0, 0, 0][..], &1f32.to_le_bytes(), &[255; 4], &[0; 16]]);
}

#[test]
fn errors_are_reported_with_their_line() {
    for (text, line, part) in [
        (".version 8.1\n.address_size 64", 2, ".target"),
        (".version 8.1\n.target sm_75\n\n.entry k(.param .u32 a { ret; }", 4, "{"),
        (".version 8.1\n.target sm_75\n.entry k() {\nfrobnicate.u32 %r1;\n}", 4, "frobnicate"),
        (".version 8.1\n.target sm_75\n.entry k() {\nret\n}", 5, "}"),
        (".version 8.1\n.target sm_75\n.entry k() { ret; }\n.entry k() { ret; }", 4, "Duplicate"),
        (".version 8.1\n.target sm_75\nhello", 3, "hello"),
        (".version 8.1\n.target sm_75\n.entry k(.param .pred p) { ret; }", 3, ".pred"),
        (".version 8.1\n.target sm_75\n.entry k() { ret;", 3, "end of text"),
        (".version 8.1\n.target sm_75\n.entry k(.reg .u32 a) { ret; }", 3, ".reg"),
        (".version 8.1\n.target sm_75\n.entry k(.param .b8 a[]) { ret; }", 3, "]"),
        (".version 8.1\n.target sm_75\n.global .align 3 .b8 a;", 3, "3"),
        (".version 8.1\n.target sm_75\n.func f() { .reg .b32 %r<; }", 3, ";"),
    ] {
        let refusal = refusal(text);
        assert_eq!(refusal.status, Status::INVALID_PTX, "{text}");
        assert!(
            refusal.log.contains(&format!("line {line};")) && refusal.log.contains(part),
            "{text}: {}",
            refusal.log
        );
    }
}

#[test]
fn what_does_not_begin_as_ptx_is_no_image() {
    for text in ["", "hello", ".target sm_90", ".entry k() { ret; }", "\u{fffd}"] {
        assert_eq!(refusal(text).status, Status::INVALID_IMAGE, "{text}");
    }
}

#[test]
fn what_the_device_cannot_take_is_refused() {
    let for_target = |target: &str| compile(format!(".version 9.0\n.target {target}\n").as_bytes(), 90);
    assert!(for_target("sm_90a").is_ok() && for_target("sm_80").is_ok());
    for target in ["sm_100", "sm_80a", "sm_100f"] {
        assert_eq!(for_target(target).expect_err(target).status, Status::INVALID_PTX);
    }
    assert_eq!(refusal(".version 9.1\n.target sm_90").status, Status::UNSUPPORTED_PTX_VERSION);
}

#[test]
fn parameters_above_the_limit_are_refused() {
    let with = |version: &str, size: usize| {
        let text = format!(".version {version}\n.target sm_75\n.entry k(.param .b8 a[{size}]) {{ ret; }}");
        compile(text.as_bytes(), 90)
    };
    assert!(with("8.1", 32764).is_ok() && with("8.0", 4096).is_ok());
    assert!(with("8.1", 32765).expect_err("one too many").log.contains("32764"));
    assert!(with("8.0", 4097).expect_err("one too many").log.contains("4096"));
}

/// Statements that ptxas refuses, and its texts.
const WRONG: &[(&str, &str)] = &[
    ("add.u32 %f1, %r2, %r3;", "Arguments mismatch for instruction 'add'"),
    ("add.u32 %r1, %rd2, %r3;", "Arguments mismatch for instruction 'add'"),
    ("add.f32 %f1, %f2, 1;", "Arguments mismatch for instruction 'add'"),
    ("add.u32 %r1, %r2;", "Arguments mismatch for instruction 'add'"),
    ("add.sat.u32 %r1, %r2, %r3;", "Modifier '.sat' does not apply to '.u32' type"),
    ("add.ftz.f64 %fd1, %fd2, %fd3;", "Illegal modifier '.ftz' for instruction 'add'"),
    ("add.frobnicate.u32 %r1, %r2, %r3;", "Unknown modifier '.frobnicate'"),
    ("add.sync.u32 %r1, %r2, %r3;", "Illegal modifier '.sync' for instruction 'add'"),
    ("add.rn.rz.f32 %f1, %f2, %f3;", "Multiple rounding modifiers specified"),
    ("addd.u32 %r1, %r2, %r3;", "Not a name of any known instruction: 'addd'"),
    ("mul.u32 %r1, %r2, %r3;", "Unexpected instruction types specified for 'mul'"),
    ("mul.wide.u32 %r1, %r2, %r3;", "Arguments mismatch for instruction 'mul.wide'"),
    ("fma.f32 %f1, %f2, %f3, %f4;", "Rounding modifier required for instruction 'fma'"),
    ("div.f32 %f1, %f2, %f3;", "Rounding modifier or '.approx' modifier required for instruction 'div'"),
    ("div.f64 %fd1, %fd2, %fd3;", "Rounding modifier required for instruction 'div'"),
    ("sin.f32 %f1, %f2;", ".approx modifier required for instruction 'sin'"),
    ("cvt.f32.s32 %f1, %r1;", "Rounding modifier required for instruction 'cvt'"),
    ("cvt.rn.u32.u16 %r1, %h1;", "Illegal rounding modifier for instruction 'cvt'"),
    ("cvt.u32.u16 %h1, %h2;", "Arguments mismatch for instruction 'cvt'"),
    ("shl.b32 %r1, %r2, %rd3;", "Arguments mismatch for instruction 'shl'"),
    ("shl.u32 %r1, %r2, 3;", "Unexpected instruction types specified for 'shl'"),
    ("and.u32 %r1, %r2, %r3;", "Unexpected instruction types specified for 'and'"),
    ("setp.u32 %p1, %r1, %r2;", "Comparison modifier required for instruction 'setp'"),
    ("setp.eq.u32 %r1, %r2, %r3;", "Arguments mismatch for instruction 'setp'"),
    ("selp.u32 %r1, %r2, %r3, %r4;", "Arguments mismatch for instruction 'selp'"),
    ("mov.u32 %r1, %rd1;", "Arguments mismatch for instruction 'mov'"),
    ("mov.u32 1, %r1;", "Result register required for instruction 'mov'"),
    ("ld.global.u32 %f1, [%rd1];", "Arguments mismatch for instruction 'ld'"),
    ("ld.global.u64 %r1, [%rd1];", "Arguments mismatch for instruction 'ld'"),
    ("ld.shared.u32 %r1, [gl];", "State space mismatch between instruction and address in instruction 'ld'"),
    ("ld.global.f16 %h1, [%rd1];", "Unexpected instruction types specified for 'ld'"),
    ("st.global.f32 [%rd1], 5;", "Arguments mismatch for instruction 'st'"),
    ("bar.sync 16;", "Barrier number '16' out of range, expected to be in range [0..15]"),
    ("@%r1 bra L;", "Predicate expression expected"),
    ("bra M;", "Unknown symbol 'M'"),
];

#[test]
fn wrong_statements_are_refused_with_the_text_of_ptxas() {
    let with = |statements: &str| {
        format!(
            ".version 9.0\n.target sm_90\n.global .b32 gl;\n.entry k() {{ .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
             .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<4>;\n{statements}\nL: ret; }}"
        )
    };
    for (statement, text) in WRONG {
        let log = refusal(&with(statement)).log;
        assert!(
            log.starts_with(&format!("ptxas application ptx input, line 6; error   : {text}\n")),
            "{statement}: {log}"
        );
    }
    // One line for each of several mistakes.
    let statements: Vec<_> = WRONG.iter().map(|(statement, _)| *statement).collect();
    let log = refusal(&with(&statements.join("\n"))).log;
    for (number, (_, text)) in WRONG.iter().enumerate() {
        assert!(log.contains(&format!("line {}; error   : {text}\n", 6 + number)), "{text}: {log}");
    }
}

#[test]
fn labels_are_unique_in_their_scope() {
    let with = |body: &str| format!(".version 9.0\n.target sm_90\n.entry k() {{\n{body}\nret; }}");
    let log = refusal(&with("L: bra L;\nL: bra L;")).log;
    assert!(
        log.starts_with("ptxas application ptx input, line 5; error   : Duplicate definition of label 'L'\n"),
        "{log}"
    );
    assert!(compile(with("{ L: bra L; }\n{ L: bra L; }").as_bytes(), 90).is_ok());
}

#[test]
fn unusual_statements_that_ptxas_accepts_are_accepted() {
    let image = image(
        ".global .b32 gl; .func (.param .b32 r) f(.param .b32 a) { ret; }
         .entry k(.param .u64 p) {
           .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .u32 %u<4>; .reg .f32 %f<9>; .reg .pred %p<4>;
           .reg .v4 .b32 %v; .shared .b32 s[4]; .param .b32 a; .param .b32 back;
           add.f32.rn %r1, %f1, %r2; mad.lo.s32 %u1, %r1, %u2, -1; setp.s32.lt %p1|_, %r1, 5; prmt .b32 %r1, %r2, %r3, 0;
           fma.rn.sat.sat.f32 %f1, %f2, 0d3FF0000000000000, 1.0; ld.shared.u8 %rd1, [%r1]; st.global.b8 [gl], %f1;
           ld.global.v2.b32 {%r1, _}, [%rd1+-4]; mov.b64 {%r1, %p1}, %rd1; mov.b32 %r1, 0f3F800000; mov.u64 %rd1, f;
           mov.b32 %r1, %v.x; mov.u32 %r1, s+4; cvta.global.u64 %rd1, gl; cvt.u16.u32 %h1, %tid.x; st.param.b32 [a], 1;
           call.uni (back), f, (a); selp.f32 %f1, 1.0, %f2, !%p1; bar.red.popc.u32 %r1, 0, 1; atom.global.add.u32 _, [gl], 1;
           { .reg .f64 %r1; add.f64 %r1, %r1, 1.0; bra L; } L: vote.sync.any.pred %p1, 1, -1; ret; }",
    );
    assert_eq!(image.kernels.len(), 1);
}

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

//! The alignment that kernels need of the memory behind their pointers.

use kernel_args_abi::Sm;
use kernel_args_image::{
    Image,
    ptx::{Bodies, Module},
};

/// The parameter, the offset in it and the alignment, for each pointer that needs more than a byte.
fn alignments(text: &str, symbol: &str) -> Vec<(usize, usize, usize)> {
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, symbol);
    let body = body.expect("the kernel is analysed");
    let needed = body.accesses().iter();
    let aligned = needed.filter(|needed| needed.align.bytes() > 1);
    aligned.map(|needed| (needed.parameter, needed.offset, needed.align.bytes())).collect()
}

#[test]
fn every_access_of_a_compiled_kernel_counts() {
    let text = include_str!("../../../../ptx/alignments.ptx");
    for (symbol, expected) in [
        ("vectors", &[(0, 0, 16)][..]),
        ("vectors_and_rest", &[(0, 0, 4), (1, 0, 16)]),
        ("tests_the_address", &[(0, 0, 4), (1, 0, 4)]),
        ("takes_a_flag", &[(0, 0, 4), (1, 0, 4)]),
        ("rounds_the_address", &[(1, 0, 4)]),
        ("after_a_header", &[(0, 0, 4), (1, 0, 4)]),
        ("rows", &[(1, 0, 4)]),
        ("in_a_struct", &[(0, 8, 16), (1, 0, 4)]),
        ("one_of_two", &[(2, 0, 4)]),
    ] {
        assert_eq!(alignments(text, symbol), expected, "{symbol}");
    }
}

/// A kernel with a pointer in `%rd1`.
fn kernel(instructions: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n{instructions}\nret;\n}}\n"
    )
}

#[test]
fn an_instruction_needs_the_alignment_of_its_width() {
    for (instructions, expected) in [
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", 16),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+32];", 16),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+8];", 8),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-4];", 4),
        ("ld.global.nc.v2.u64 {%rd5, %rd6}, [%rd1];", 16),
        ("ld.global.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];", 32),
        ("st.global.v2.u16 [%rd1], {%rs1, 7};", 4),
        ("ld.f64 %fd1, [%rd1];", 8),
        ("ld.global.u8 %rs1, [%rd1];", 1),
        ("atom.global.add.u64 %rd5, [%rd1], 1;", 8),
        ("@%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", 16),
        ("mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.v4.u32 [%rd6], {%r1, %r1, %r1, %r1};", 16),
        ("mul.wide.u32 %rd5, %r1, 24;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.v4.u32 [%rd6], {%r1, %r1, %r1, %r1};", 8),
        // Nothing is known of these.
        ("cp.async.cg.shared.global [%r1], [%rd1], 16;", 1),
        ("add.s64 %rd6, %rd1, %rd2;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];\nld.global.f32 %f1, [%rd2];", 1),
        ("and.b64 %rd6, %rd1, -16;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];", 1),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nst.global.u64 [%rd2], %rd1;", 1),
        (
            "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n{ .param .b64 param0;\nst.param.b64 [param0], %rd1;\ncall.uni unknown, (param0); }",
            1,
        ),
        ("prefetch.global.L2 [%rd1];", 1),
    ] {
        let text = kernel(instructions);
        let found = alignments(&text, "k");
        let own = found.iter().find(|(parameter, ..)| *parameter == 0);
        assert_eq!(own.map_or(1, |own| own.2), expected, "{instructions}");
    }
}

/// Whether the kernel accesses memory at the pointer in `%rd1` or after it, and whether every launch accesses memory
/// through it.
fn at_start_and_always(instructions: &str) -> (bool, bool) {
    let text = kernel(instructions);
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, "k").expect("the kernel is analysed");
    let own = body.accesses().iter().find(|needed| needed.parameter == 0);
    own.map_or((false, false), |own| (own.is_at_start, own.is_always))
}

#[test]
fn an_access_at_the_start_is_no_end_and_what_every_launch_accesses_is_not_null() {
    for (instructions, expected) in [
        ("ld.global.f32 %f1, [%rd1];", (true, true)),
        ("cvta.to.global.u64 %rd5, %rd1;\nst.global.f32 [%rd5+12], %f1;", (true, true)),
        ("atom.global.add.u32 %r1, [%rd1+4], 1;", (true, true)),
        ("again:\nld.global.f32 %f1, [%rd1];\n@%p1 bra again;", (true, true)),
        ("bar.sync 0;\nld.global.f32 %f1, [%rd1];", (true, true)),
        // Before the start, or nowhere in particular: the pointer can be the end of memory.
        ("ld.global.f32 %f1, [%rd1+-4];", (false, true)),
        ("add.s64 %rd5, %rd1, -8;\nld.global.f32 %f1, [%rd5+4];", (false, true)),
        ("mul.wide.u32 %rd5, %r1, 4;\nsub.s64 %rd6, %rd1, %rd5;\nld.global.f32 %f1, [%rd6];", (false, false)),
        (
            "add.s64 %rd5, %rd1, -4;\nagain:\nld.global.f32 %f1, [%rd5];\nadd.s64 %rd5, %rd5, -4;\n@%p1 bra again;",
            (false, false),
        ),
        ("selp.b64 %rd5, %rd1, %rd2, %p1;\nld.global.f32 %f1, [%rd5];", (false, false)),
        // One of several accesses is enough.
        ("ld.global.f32 %f1, [%rd1+-4];\n@%p1 ld.global.f32 %f2, [%rd1];", (true, true)),
        // Only if the threads get there.
        ("@%p1 ld.global.f32 %f1, [%rd1];", (true, false)),
        ("@%p1 bra end;\nld.global.f32 %f1, [%rd1];\nend:", (true, false)),
        ("@%p1 exit;\nld.global.f32 %f1, [%rd1];", (true, false)),
        ("bra.uni next;\nnext:\nld.global.f32 %f1, [%rd1];", (true, false)),
        ("call.uni unknown;\nld.global.f32 %f1, [%rd1];", (true, false)),
        ("future.instruction;\nld.global.f32 %f1, [%rd1];", (true, false)),
        // A copy of 0 bytes accesses nothing.
        ("cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;", (false, false)),
        ("prefetch.global.L2 [%rd1];", (false, false)),
    ] {
        assert_eq!(at_start_and_always(instructions), expected, "{instructions}");
    }
}

#[test]
fn what_ptx_declares_is_known_without_a_body() {
    let text = ".version 8.7\n.target sm_90\n.address_size 64\n\
                .visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 b)\n{\nret;\n}\n";
    let image = Image::read(text.as_bytes()).unwrap();
    let kernels = image.kernels().unwrap();
    let needed = kernels.accesses("k", Sm(90));
    assert_eq!(needed.len(), 1);
    assert_eq!((needed[0].parameter, needed[0].align.bytes()), (0, 16));
    assert!(kernels.accesses("missing", Sm(90)).is_empty());
}

#[test]
fn an_analysed_image_has_both() {
    let text = include_str!("../../../../ptx/alignments.ptx");
    let image = Image::read(text.as_bytes()).unwrap();
    let mut kernels = image.kernels().unwrap();
    assert!(kernels.accesses("vectors", Sm(90)).is_empty());
    image.add_bodies(&mut kernels, |name| name == "vectors").unwrap();
    let needed = kernels.accesses("vectors", Sm(90));
    assert_eq!(needed.len(), 1);
    assert_eq!((needed[0].parameter, needed[0].align.bytes()), (0, 16));
    assert!(kernels.accesses("rows", Sm(90)).is_empty());
    assert_eq!(kernels.clone().into_owned().accesses("vectors", Sm(90)), needed);
}

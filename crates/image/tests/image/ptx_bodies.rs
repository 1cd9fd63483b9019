//! What the bodies of kernels show about their parameters.

use kernel_args_abi::{
    CppBase,
    check::contradicts,
    signature::{Body, Certainty, ElementClass, Slot, SlotKind},
};
use kernel_args_image::{
    Image,
    ptx::{Bodies, Module},
};

use std::fmt::Write as _;

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// The slots of the first four parameters of kernel `k`, each at its first 8 bytes.
fn slots(text: &str) -> [Option<Slot<'_>>; 4] {
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, "k");
    let body = body.expect("the kernel is analysed");
    [0, 1, 2, 3].map(|index| body.parameter(index).at(0).map(|slot| copied(&slot)))
}

/// The slot without texts that borrow from the body.
fn copied(slot: &Slot<'_>) -> Slot<'static> {
    Slot {
        offset: slot.offset,
        kind: slot.kind,
        read: slot.read,
        written: slot.written,
        is_atomic: slot.is_atomic,
        escapes: slot.escapes,
        elements: slot.elements,
        ..Slot::default()
    }
}

/// A kernel with four 64-bit parameters in `%rd1` to `%rd4`, as global addresses in `%rd11` to `%rd14`.
fn kernel(instructions: &str) -> String {
    let mut text =
        format!("{HEADER}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n");
    for (number, name) in [(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')] {
        let _ = writeln!(text, "ld.param.u64 %rd{number}, [{name}];");
    }
    text + "mov.u32 %r1, %tid.x;\n" + instructions + "\nret;\n}\n"
}

fn slot(instructions: &str) -> Slot<'static> {
    let text = kernel(instructions);
    slots(&text)[0].map(|slot| copied(&slot)).expect("it is loaded")
}

#[test]
fn the_example_is_read_and_written() {
    let text = include_str!("../../../../ptx/saxpy.ptx");
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, "saxpy").unwrap();
    let [n, alpha, x, y] = [0, 1, 2, 3].map(|index| body.parameter(index).at(0).unwrap());
    assert_eq!((n.kind, alpha.kind), (SlotKind::Unknown, SlotKind::Unknown));
    assert!(x.is_only_read() && !y.is_only_read());
    assert_eq!((y.read, y.written), (Certainty::Certain, Certainty::Certain));
    assert_eq!(y.write.unwrap().opcode, "st.global.f32");
    for pointer in [x, y] {
        assert_eq!(pointer.kind, SlotKind::Pointer);
        let elements = pointer.elements.unwrap();
        assert_eq!((elements.class, elements.size, elements.step), (ElementClass::F32, 4, 4));
    }
}

#[test]
fn a_pointer_without_a_conversion_is_found() {
    let found = slot("add.s64 %rd5, %rd1, 8;\nst.u32 [%rd5], %r1;");
    assert_eq!((found.kind, found.written), (SlotKind::Pointer, Certainty::Certain));
    // `p + n`: only what is known of one of them shows which is the address.
    let sum = "add.s64 %rd5, %rd1, %rd2;\nst.u32 [%rd5], %r1;";
    assert_eq!(slot(sum).written, Certainty::Possible);
    for (evidence, expected) in [
        ("cvta.to.global.u64 %rd1, %rd1;", Certainty::Certain),
        ("ld.u32 %r2, [%rd1];", Certainty::Certain),
        // Kernels also compute with addresses.
        ("shl.b64 %rd6, %rd2, 2;", Certainty::Possible),
    ] {
        assert_eq!(slot(&format!("{evidence}\n{sum}")).written, expected, "{evidence}");
    }
    // The second pointer's address from the first one.
    let difference = "sub.s64 %rd5, %rd2, %rd1;\nadd.s64 %rd6, %rd5, %rd1;\nst.global.u32 [%rd6], %r1;";
    let text = kernel(difference);
    let [a, b, ..] = slots(&text);
    assert_eq!((a.unwrap().written, b.unwrap().written), (Certainty::Never, Certainty::Certain));
}

#[test]
fn an_offset_is_no_pointer() {
    let table = HEADER.to_owned() + ".global .align 4 .b8 table[64];\n";
    for offset in [
        // In a variable, in local memory, in shared memory, behind another pointer and behind one that is loaded.
        "mov.u64 %rd5, table;\nadd.s64 %rd6, %rd5, %rd1;\nst.global.u8 [%rd6], %rs1;",
        "cvta.global.u64 %rd5, table;\nadd.s64 %rd6, %rd5, %rd1;\nst.u8 [%rd6], %rs1;",
        "{\n.local .b8 own[64];\nmov.u64 %rd5, own;\nadd.s64 %rd6, %rd5, %rd1;\nst.local.u8 [%rd6], %rs1;\n}",
        "mov.u64 %rd5, dynamic;\nadd.s64 %rd6, %rd5, %rd1;\ncvta.shared.u64 %rd7, %rd6;\nst.u8 [%rd7], %rs1;",
        "cvta.shared.u64 %rd7, %rd1;\nst.u8 [%rd7], %rs1;",
        "cvta.to.global.u64 %rd5, %rd2;\nadd.s64 %rd6, %rd5, %rd1;\nst.global.u8 [%rd6], %rs1;",
        "ld.global.u64 %rd5, [%rd2];\nadd.s64 %rd6, %rd5, %rd1;\nst.global.u8 [%rd6], %rs1;",
        "add.s64 %rd6, %rd2, %rd1;\nst.global.u8 [%rd6], %rs1;",
    ] {
        let text = kernel(offset).replace(HEADER, &table);
        let found = slots(&text)[0].unwrap();
        assert!(found.kind != SlotKind::Pointer && !found.written.is_certain(), "{offset}: {found:?}");
    }
}

#[test]
fn one_of_two_pointers_is_not_certain() {
    let text = kernel("selp.b64 %rd5, %rd1, %rd2, %p1;\nld.global.f32 %f1, [%rd5];\nst.global.f32 [%rd3], %f1;");
    let [a, b, c, _] = slots(&text);
    for pointer in [a, b] {
        let pointer = pointer.unwrap();
        assert_eq!((pointer.read, pointer.written), (Certainty::Possible, Certainty::Never));
    }
    assert_eq!(c.unwrap().written, Certainty::Certain);
}

#[test]
fn what_is_not_known_ends_claims() {
    for escape in [
        "future.instruction.b64 %rd9, %rd1;",
        "st.global.u64 [%rd2], %rd1;",
        "shr.u64 %rd5, %rd1, 4;\nst.global.u64 [%rd2], %rd5;",
        "mov.b64 {%r2, %r3}, %rd1;\nmov.b64 %rd5, {%r2, %r3};\nst.global.u64 [%rd2], %rd5;",
        "{\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\ncall.uni external, (param0);\n}",
        "{\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\ncall.uni (), %rd7, (param0), p;\n}",
        "atom.global.exch.b64 %rd5, [%rd2], %rd1;",
        "discard.global.L2 [%rd1], 128;",
    ] {
        let found = slot(&format!("ld.global.u32 %r9, [%rd1];\n{escape}"));
        assert!(found.escapes && !found.is_only_read(), "{escape}: {found:?}");
    }
    // A store through bits of the address, and through bits of two addresses.
    let found = slot("ld.global.u32 %r9, [%rd1];\nxor.b64 %rd5, %rd1, 4;\nst.u32 [%rd5], %r1;");
    assert_eq!((found.is_only_read(), found.written), (false, Certainty::Certain));
    let found = slot("ld.global.u32 %r9, [%rd1];\nxor.b64 %rd5, %rd1, %rd2;\nst.u32 [%rd5], %r1;");
    assert_eq!((found.is_only_read(), found.written), (false, Certainty::Possible));
}

#[test]
fn integers_are_found_only_by_arithmetic() {
    for (arithmetic, is_integer) in [
        ("mul.lo.s64 %rd5, %rd1, 12;", true),
        ("mad.lo.s64 %rd5, %rd2, %rd1, %rd3;", true),
        ("shl.b64 %rd5, %rd1, 2;", true),
        ("rem.u64 %rd5, %rd1, %rd2;", true),
        ("cvt.rn.f32.s64 %f1, %rd1;", true),
        // What is done with addresses, too.
        ("setp.lt.u64 %p1, %rd1, %rd2;", false),
        ("and.b64 %rd5, %rd1, 15;", false),
        ("cvt.u32.u64 %r5, %rd1;", false),
        ("shl.b64 %rd5, %rd1, 2;\nld.global.u32 %r5, [%rd1];", false),
        ("shl.b64 %rd5, %rd1, 2;\ncvta.to.global.u64 %rd6, %rd1;", false),
    ] {
        let found = slot(arithmetic);
        assert_eq!(found.kind == SlotKind::Integer, is_integer, "{arithmetic}: {found:?}");
    }
}

/// Whether a pointer to `float`, `double`, `__half`, `int`, `long long`, `short` is excluded.
fn excluded(access: &str) -> [bool; 6] {
    let integer = |bits| CppBase::Integer { signed: true, bits };
    let float = |bits| CppBase::Float { bits };
    let elements = slot(&format!("mul.wide.u32 %rd5, %r1, 4;\nmul.wide.u32 %rd7, %r1, 8;\nmul.wide.u32 %rd9, %r1, 2;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd8, %rd1, %rd7;\nadd.s64 %rd10, %rd1, %rd9;\n{access}")).elements;
    let types = [float(32), float(64), CppBase::Named("__half"), integer(32), integer(64), integer(16)];
    types.map(|ty| elements.is_some_and(|elements| contradicts(elements, ty)))
}

#[test]
fn elements_are_what_all_accesses_agree_on() {
    const F32: [bool; 6] = [false, true, true, true, true, true];
    const NONE: [bool; 6] = [false; 6];
    for (access, expected) in [
        ("ld.global.f32 %f1, [%rd6];", F32),
        ("ld.global.b32 %r2, [%rd6];\nmov.b32 %f1, %r2;\nadd.f32 %f2, %f1, %f1;", F32),
        ("atom.global.add.f32 %f1, [%rd6], %f2;", F32),
        ("ld.global.b16 %rs1, [%rd10];\ncvt.f32.f16 %f1, %rs1;", [true, true, false, true, true, true]),
        ("ld.global.u32 %r2, [%rd6];\nmul.lo.s32 %r3, %r2, 5;", [true, true, true, false, true, false]),
        ("ld.global.u32 %r2, [%rd6];\nadd.s32 %r3, %r2, 5;", [false, true, false, false, true, false]),
        // A constant is an integer 0 and a float 0.
        (
            "mov.b32 %r8, 0;\nadd.f32 %f1, %f2, %r8;\nmov.b32 %r9, %r8;\nadd.s32 %r9, %r9, %r1;\nst.global.b32 [%rd6], %r9;",
            [false, true, false, false, true, false],
        ),
        // A vector is only a copy.
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];", NONE),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];\nadd.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;", F32),
        // A half of a 64-bit element.
        ("ld.global.u32 %r2, [%rd8+4];", NONE),
        // Floats at half of their distance.
        ("ld.global.f32 %f1, [%rd10];", NONE),
        // Accesses of two kinds.
        ("ld.global.f32 %f1, [%rd6];\nld.global.u64 %rd11, [%rd8];", NONE),
        // A float that is multiplied as an integer.
        ("ld.global.u32 %r2, [%rd6];\nmul.lo.s32 %r3, %r2, 5;\nmov.b32 %f1, %r2;\nadd.f32 %f2, %f1, %f1;", NONE),
        ("ld.global.u8 %rs1, [%rd6];", [true; 6]),
    ] {
        assert_eq!(excluded(access), expected, "{access}");
    }
}

#[test]
fn members_of_structs_are_told_apart() {
    let text = format!(
        "{HEADER}.entry k(.param .align 8 .b8 s[40])\n{{\nmov.b64 %rd1, s;\nld.param.v2.u64 {{%rd2, %rd3}}, [s+8];\n\
         ld.param.u64 %rd4, [%rd1+24];\nshl.b64 %rd5, %rd4, 2;\nadd.s64 %rd6, %rd2, %rd5;\nld.global.f32 %f1, [%rd6];\n\
         st.global.f32 [%rd3], %f1;\nld.param.u32 %r1, [s+32];\nret;\n}}\n"
    );
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, "k").unwrap();
    let body: Body<'_> = body.parameter(0);
    let found: Vec<_> = body.slots().map(|slot| (slot.offset, slot.kind)).collect();
    let expected = [(8, SlotKind::Pointer), (16, SlotKind::Pointer), (24, SlotKind::Integer), (32, SlotKind::Unknown)];
    assert_eq!(found, expected);
    assert!(body.at(8).unwrap().is_only_read());
    assert_eq!(body.at(16).unwrap().written, Certainty::Certain);
    assert_eq!(body.at(0), None);
}

#[test]
fn functions_of_the_same_text_are_followed() {
    const CALLS: &str = include_str!("../../../../tests/fuzz/seeds/bodies/calls.ptx");
    const LINES: &str = include_str!("../../../../tests/fuzz/seeds/bodies/lines.ptx");
    for text in [CALLS, LINES] {
        let module = Module::read(text.as_bytes()).unwrap();
        let body = Bodies::new(text.as_bytes()).kernel(&module, "k").unwrap();
        let data = body.parameter(0).at(0).unwrap();
        let (x, y) = (body.parameter(1).at(0).unwrap(), body.parameter(2).at(0).unwrap());
        assert!(x.is_only_read(), "{x:?}");
        assert!(data.written.is_possible() && !data.is_only_read(), "{data:?}");
        assert!(y.written.is_possible() && !y.is_only_read(), "{y:?}");
        let evidence = x.access.unwrap();
        assert!(evidence.opcode.starts_with("ld") && evidence.line > 0, "{evidence:?}");
        assert!(evidence.file.ends_with("seed.cu"), "{evidence:?}");
    }
}

#[test]
fn inner_blocks_hide_names() {
    let inner = "{\n.reg .b64 %rd1, %rd2;\n.reg .b64 t;\nmov.b64 %rd1, %rd2;\nmov.b64 t, %rd4;\nst.global.u32 [t], %r1;\n}\n\
                 ld.global.u32 %r2, [%rd1];";
    let text = kernel(inner);
    let [a, b, _, d] = slots(&text);
    assert!(a.unwrap().is_only_read());
    assert_eq!(b.unwrap().read, Certainty::Never);
    assert_eq!(d.unwrap().written, Certainty::Certain);
    // No compiler declares a range in an inner block.
    let text = kernel("{\n.reg .b64 %rd<3>;\n}\n");
    let module = Module::read(text.as_bytes()).unwrap();
    assert!(Bodies::new(text.as_bytes()).kernel(&module, "k").is_none());
}

#[test]
fn what_is_not_loaded_is_unused() {
    let text = format!("{HEADER}.entry k(.param .u64 a, .param .u32 b)\n{{\nld.param.u32 %r1, [b];\nret;\n}}\n");
    let module = Module::read(text.as_bytes()).unwrap();
    let body = Bodies::new(text.as_bytes()).kernel(&module, "k").unwrap();
    assert!(body.parameter(0).is_unused() && !body.parameter(1).is_unused());
    assert!(!body.parameter(2).is_known());
}

#[test]
fn a_load_without_a_type_shows_nothing() {
    for place in ["a", "a+8", "a-8"] {
        let slot = slot(&format!("ld.param %rd9, [{place}];"));
        assert_eq!((slot.kind, slot.read), (SlotKind::Unknown, Certainty::Never), "{place}");
    }
}

#[test]
fn other_texts_and_declarations_are_not_analysed() {
    let text = kernel("");
    let module = Module::read(text.as_bytes()).unwrap();
    assert!(Bodies::new(&text.as_bytes()[1..]).kernel(&module, "k").is_none());
    assert!(Bodies::new(text.as_bytes()).kernel(&module, "other").is_none());
    let declared = format!("{HEADER}.extern .entry k(.param .u64 a);\n");
    let module = Module::read(declared.as_bytes()).unwrap();
    assert!(Bodies::new(declared.as_bytes()).kernel(&module, "k").is_none());
}

#[test]
fn only_wanted_kernels_of_an_image_are_analysed() {
    let bytes = include_bytes!("../../../../ptx/vector_add.ptx");
    let image = Image::read(bytes).unwrap();
    let mut kernels = image.kernels().unwrap();
    let symbol = kernels.symbols().next().unwrap().to_owned();
    let is_known = |kernels: &kernel_args_image::Kernels<'_>| {
        let kernel = kernels.kernel(&symbol, None).unwrap();
        kernel.parameters().iter().all(|parameter| parameter.body.is_known())
    };
    assert!(!is_known(&kernels));
    image.add_bodies(&mut kernels, |_| false).unwrap();
    assert!(!is_known(&kernels));
    image.add_bodies(&mut kernels, |name| name == symbol).unwrap();
    assert!(is_known(&kernels));
}

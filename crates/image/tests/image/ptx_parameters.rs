//! PTX parameters: the reader accepts what ptxas 13.0 accepts, with the same result, and rejects what it rejects.

use super::parsing::{only, refused};
use kernel_args_abi::{Alignment, Class};
use kernel_args_image::ptx::{Parameter, Pointee, Space};

fn parameter<R>(declaration: &str, look: impl FnOnce(&Parameter<'_>) -> R) -> R {
    only(&format!(".entry k({declaration}){{ret;}}"), |entry| {
        assert_eq!(entry.parameters.len(), 1, "{declaration}");
        look(&entry.parameters[0])
    })
}

/// Sizes and alignments are the same as in ptxas's parameter records.
#[test]
fn declarations_that_ptxas_accepts_are_read() {
    use Class::{Bits, Bytes, Float, Integer, Pointer, Unknown};
    let table = [
        (".param .b8 p", Bits, 1, 1),
        (".param .b16 p", Bits, 2, 2),
        (".param .b128 p", Bits, 16, 16),
        (".param .s64 p", Integer, 8, 8),
        (".param .u8 p", Integer, 1, 1),
        (".param .f16 p", Float, 2, 2),
        (".param .f64 p", Float, 8, 8),
        (".param .b32 p[3]", Bytes, 12, 4),
        (".param .b8 p[0x10U]", Bytes, 16, 1),
        (".param .b8 p[0X10]", Bytes, 16, 1),
        (".param .b8 p[010]", Bytes, 8, 1),
        (".param .b8 p[0b101]", Bytes, 5, 1),
        (".param .b8 p[0B11U]", Bytes, 3, 1),
        (".param .b8 p[WARP_SZ]", Bytes, 32, 1),
        (".param .align 16 .b8 p[16]", Bytes, 16, 16),
        (".align 8 .param .b8 p[3]", Bytes, 3, 8),
        (".param .align 1 .u32 p", Integer, 4, 4),
        (".param .align 8U .u32 p", Integer, 4, 8),
        (".param .align 16 .align 8 .u32 p", Integer, 4, 16),
        (".param .align 4 .align 16 .u32 p", Integer, 4, 16),
        // After the type it is the pointee's alignment, even without `.ptr`.
        (".param .u32 .align 16 p", Integer, 4, 4),
        (".param .align 4 .b8 .align 16 p[4]", Bytes, 4, 4),
        (".param .u64 .ptr p", Pointer, 8, 8),
        (".param .align 16 .u64 .ptr .global .align 4 p", Pointer, 8, 16),
        (".param .u32 .ptr .shared p", Pointer, 4, 4),
        (".param .f32 .ptr p", Float, 4, 4),
        (".param .b64 .ptr .global .align 1 p[2]", Bytes, 16, 8),
        (".param .u32 %p", Integer, 4, 4),
        (".param .u32 $p", Integer, 4, 4),
        (".param .u32 _", Integer, 4, 4),
        (".param .u32 entry", Integer, 4, 4),
        (".param.u32 p", Integer, 4, 4),
        (".param .texref p", Unknown, 0, 1),
        (".param .b8 p[32764]", Bytes, 32764, 1),
    ];
    for (declaration, class, size, align) in table {
        parameter(declaration, |p| {
            let layout = (p.class, p.layout.size(), p.layout.align().bytes());
            assert_eq!(layout, (class, size, align), "{declaration}");
            assert_eq!(p.declaration, declaration);
        });
    }
}

#[test]
fn pointees_are_read() {
    let align = |bytes| Alignment::new(bytes);
    for (declaration, space, align) in [
        (".param .u64 .ptr p", Space::Generic, None),
        (".param .u64 .ptr .align 16 p", Space::Generic, align(16)),
        (".param .u64 .ptr .global .align 4 p", Space::Global, align(4)),
        (".param .u64 .ptr .const p", Space::Const, None),
        (".param .u64 .ptr .local p", Space::Local, None),
        (".param .u64 .ptr .shared .align 1 p", Space::Shared, align(1)),
    ] {
        parameter(declaration, |p| {
            assert_eq!(p.pointee, Some(Pointee { space, align }));
        });
    }
    parameter(".param .u64 p", |p| assert_eq!(p.pointee, None));
}

#[test]
fn declarations_that_ptxas_refuses_are_refused() {
    for (declaration, reason) in [
        (".param .u128 p", "expected a type such as `.u32`, `.f32` or `.b8`, found `u128`"),
        (".param .pred p", "found `pred`"),
        (".param .v4 .f32 p", "found `v4`"),
        (".param .bf16 p", "found `bf16`"),
        (".param .u32", "expected the parameter's name, found `)`"),
        (".param .u32 1p", "expected the parameter's name, found `1p`"),
        (".param .u32 p.q", "expected `,` or `)` after a parameter, found `.q`"),
        (".param .u32 p,", "expected `.param`, the space of a kernel's parameter, found `)`"),
        (".param .u32 p;", "found `;`"),
        (".param .u32 p = 3", "found `=`"),
        (".param .u32 .u32 p", "expected the parameter's name, found `.u32`"),
        (".param .u64 .global p", "expected the parameter's name, found `.global`"),
        (".param .u64 .ptr .align 16 .global p", "found `.global`"),
        (".param .u32 a .param .u32 b", "expected `,` or `)` after a parameter, found `.param`"),
        (".reg .u32 p", "expected `.param`"),
        (".u32 .param p", "expected `.param`"),
        (". param .u32 p", "expected `.param`"),
        (".param .const .u32 p", "found `const`"),
        (".param .b8 p[]", "expected the number of elements, at least 1, found `]`"),
        (".param .b8 p[0]", "expected the number of elements, at least 1, found `0`"),
        (".param .b8 p[-1]", "found `-`"),
        (".param .b8 p[2+2]", "expected `]`, found `+`"),
        (".param .b8 p[2][3]", "found `[`"),
        (".param .b8 p[4u]", "found `4u`"),
        (".param .b8 p[08]", "found `08`"),
        (".param .b8 p[1e1]", "found `1e1`"),
        (".param .b8 p[0x]", "found `0x`"),
        (".param .b8 p[0377777777777777777777777]", "at least 1"),
        (".param .b128 p[0xffffffffffffffff]", "expected a parameter that fits in memory"),
        (".param .align 3 .b8 p[4]", "expected a power of two after `.align`, found `3`"),
        (".param .align 0 .b8 p[4]", "found `0`"),
        (".param.align 4.u32 p", "found `4.u32`"),
    ] {
        let message = refused(&format!(".entry k({declaration}){{ret;}}"));
        assert!(message.contains(reason), "{declaration}: {message}");
        assert!(message.starts_with("line 4, column "), "{declaration}: {message}");
    }
}

#[test]
fn declarations_are_quoted_on_one_line() {
    for (declaration, quoted) in [
        (".param .u32 p", ".param .u32 p"),
        (".param\n\t.align 4  .b8 // four\n p [ 4 ]", ".param .align 4 .b8 p[4]"),
        (".param .u32 /* n */ p", ".param .u32 p"),
        (".param.u32 p", ".param.u32 p"),
    ] {
        parameter(declaration, |p| assert_eq!(p.declaration, quoted));
    }
}

//! Debug information is consistent or an error. The input is a cubin, PTX, or sections: the lengths of `.debug_abbrev`
//! and `.debug_str` in two bytes each, these two sections, then `.debug_info`.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_abi::Members;
use kernel_args_image::dwarf::DebugInfo;
use libfuzzer_sys::fuzz_target;
use std::fmt::Write as _;

const KERNELS: [&str; 9] = [
    "k",
    "plain",
    "scaled",
    "by_value",
    "unnamed",
    "nothing",
    "_Z4axpyIdEviT_PKS0_PS0_",
    "_Z4axpyIfEviT_PKS0_PS0_",
    "_ZN3sim4stepENS_6ParamsENS_5ColorENS_6EitherEP6float4PKS0_",
];

fuzz_target!(|bytes: &[u8]| {
    let info = if bytes.starts_with(b"\x7fELF") {
        DebugInfo::of_cubin(bytes, KERNELS)
    } else if bytes.starts_with(b".version") {
        DebugInfo::of_ptx(bytes, KERNELS)
    } else {
        DebugInfo::of_ptx(text(bytes).as_bytes(), KERNELS)
    };
    match info {
        Ok(info) => {
            for symbol in info.symbols() {
                let parameters = info.parameters(symbol).expect("a kernel of this symbol");
                assert!(parameters.iter().map(|p| p.size).sum::<usize>() <= 32_764);
                for parameter in parameters.iter() {
                    check(parameter.members, parameter.size, 1);
                }
            }
            for error in info.errors() {
                assert!(!error.to_string().is_empty());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// Members are inside their struct, in order, without infinite nesting.
fn check(members: Members<'_>, size: usize, depth: usize) {
    assert!(depth <= 40);
    let mut end = 0;
    for member in members.iter() {
        let offset = member.offset.expect("a member has an offset");
        assert!(offset >= end && member.size > 0 && offset + member.size <= size);
        end = offset + member.size;
        let elements = member.cpp.elements();
        assert!(elements > 0 && member.size.is_multiple_of(elements));
        check(member.members, member.size / elements, depth + 1);
    }
}

/// The sections as PTX.
fn text(bytes: &[u8]) -> String {
    let mut text = String::from(".version 9.0\n.target sm_90\n");
    let (lengths, mut rest) = bytes.split_at(bytes.len().min(4));
    let length = |at: usize| {
        let bytes = [at, at + 1].map(|at| lengths.get(at).copied().unwrap_or(0));
        usize::from(u16::from_le_bytes(bytes))
    };
    for (name, length) in [("abbrev", length(0)), ("str", length(2)), ("info", usize::MAX)] {
        let (section, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        let _ = write!(text, ".section .debug_{name} {{");
        for byte in section {
            let _ = write!(text, "\n.b8 {byte}");
        }
        text.push_str("\n}\n");
    }
    text
}

#[cfg(not(fuzzing))]
fn main() {}

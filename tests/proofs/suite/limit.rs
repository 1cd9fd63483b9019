//! The size limit of a parameter block.

use kernel_args::{
    __private::param_layout,
    abi::{Class, CppType, Layout, Parameter},
};
use kernel_args_abi::param_layout::LIMIT;
use std::panic;

fn bytes(size: usize, align: usize) -> Parameter<'static> {
    let layout = Layout::from_size_align(size, align).expect("far below the address space");
    Parameter::field("bytes", "[u8; N]", 0, layout, Class::Bytes, CppType::UNKNOWN)
}

/// A panic has no value for Kani, so this is only a test; it covers every size up to the limit and beyond.
#[test]
fn the_size_limit_is_exact() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let accepts = |parameters: &[Parameter<'static>]| {
        panic::catch_unwind(|| param_layout("Args", parameters)).map(kernel_args_abi::ParamLayout::size)
    };
    let mut wrong = Vec::new();
    let mut check = |parameters: &[Parameter<'static>], size: usize| {
        let accepted = accepts(parameters).ok();
        if accepted != (size <= LIMIT).then_some(size) {
            wrong.push((size, accepted));
        }
    };
    for size in 1..=LIMIT + 600 {
        check(&[bytes(size, 1)], size);
    }
    // Padding counts, except after the last parameter.
    for align in [2, 4, 8, 16, 32, 64, 128] {
        for first in LIMIT - 200..=LIMIT {
            for last in [1, align] {
                let size = first.next_multiple_of(align) + last;
                check(&[bytes(first, 1), bytes(last, align)], size);
            }
        }
    }
    panic::set_hook(hook);
    assert_eq!(wrong, []);
}

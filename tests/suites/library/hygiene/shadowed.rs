//! A scope in which the names of primitive types, crates and the prelude are user-defined.
#![allow(
    dead_code,
    non_camel_case_types,
    reason = "the names of what they shadow; what matters is that nothing refers to them"
)]

/// Functions that the expansion could call by mistake.
mod own {
    pub(super) mod core {}
    pub(super) mod std {}
    pub(super) mod alloc {}
    pub(super) mod kernel_args {}
    pub(super) mod u32 {}
    pub(super) mod u8 {}
    pub(super) mod usize {}
    pub(super) mod bool {}
    pub(super) mod str {}

    pub(super) struct Option;
    pub(super) struct Some;
    pub(super) struct None;
    pub(super) struct Result;
    pub(super) struct MaybeUninit;
    pub(super) trait Copy {}
    pub(super) trait Sized {}
    pub(super) trait FnOnce {}
    pub(super) trait Default {}
    pub(super) fn drop() {}
}

mod arguments {
    #[allow(clippy::wildcard_imports, reason = "all of these names at once")]
    #[allow(unused_imports, reason = "that nobody uses them is the point")]
    use super::own::*;

    #[derive(Clone, ::core::marker::Copy, ::kernel_args::DeviceType)]
    #[repr(C)]
    pub(super) struct Pair {
        pub(super) small: ::core::primitive::u8,
        pub(super) large: ::core::primitive::u32,
    }

    #[derive(Clone, ::core::marker::Copy, ::kernel_args::DeviceType)]
    #[repr(u8)]
    pub(super) enum Flag {
        Set = 1,
    }

    #[derive(::kernel_args::KernelArgs)]
    pub(super) struct Args {
        pub(super) pair: Pair,
        pub(super) flag: Flag,
        pub(super) yes: ::core::primitive::bool,
    }

    #[derive(::kernel_args::KernelArgs)]
    pub(super) struct Open<T: ::kernel_args::DeviceType> {
        pub(super) value: T,
        pub(super) flag: Flag,
    }

    macro_rules! compile_error {
        ($($token:tt)*) => {};
    }
    macro_rules! include_bytes {
        ($($token:tt)*) => {
            b""
        };
    }
    macro_rules! panic {
        ($($token:tt)*) => {};
    }
    compile_error!();
    panic!();

    #[derive(::kernel_args::KernelArgs)]
    #[kernel_args(ptx = "../ptx/hungry.ptx")]
    pub(super) struct Hungry {
        pub(super) out: ::kernel_args::DevicePointerMut<::core::primitive::f32>,
    }

    pub(super) const EMPTY: &[::core::primitive::u8] = include_bytes!();
}

#[test]
fn shadowed_names_are_not_looked_up() {
    use ::kernel_args::KernelArgs as _;
    use arguments::{Args, Flag, Hungry, Open, Pair};

    let pair = Pair { small: 1, large: 2 };
    let args = Args { pair, flag: Flag::Set, yes: true };
    args.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 2, 0, 0, 0, 1, 1]));
    let open = Open { value: pair, flag: Flag::Set };
    open.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 2, 0, 0, 0, 1]));
    let source = Hungry::SOURCE.expect("it names its kernel");
    assert_ne!(source.image, arguments::EMPTY);
}

//! Named, tuple and unit structs, large structs, and structs in unusual places.

use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
struct Unit;

#[derive(KernelArgs)]
struct Empty {}

#[derive(KernelArgs)]
struct NoneOfTheKernels(#[kernel_args(skip)] String);

#[derive(KernelArgs)]
struct Tuple(u8, #[kernel_args(skip)] Vec<u8>, u32, [u16; 1]);

mod inner {
    use kernel_args::{DeviceType, KernelArgs};

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(crate) struct InCrate(pub(crate) u8);

    /// Private, but part of a private field of a public struct.
    #[derive(Clone, Copy, Default, DeviceType)]
    #[repr(C)]
    struct Private(u16);

    #[allow(unreachable_pub, reason = "`pub` is what is tried here")]
    #[derive(KernelArgs)]
    pub struct Public {
        pub(crate) in_crate: InCrate,
        private: Private,
    }

    impl Public {
        pub(crate) fn new(in_crate: InCrate) -> Self {
            Self { in_crate, private: Private(5) }
        }
    }
}

// 512 parameters of 4 bytes: the build script writes `counts!`.
macro_rules! counts {
    (FiveHundredTwelve: $($a:ident $b:ident)*) => {
        #[derive(KernelArgs)]
        struct FiveHundredTwelve {
            $($a: u32, $b: u32,)*
        }

        impl FiveHundredTwelve {
            fn new(mut next: impl FnMut() -> u32) -> Self {
                Self { $($a: next(), $b: next(),)* }
            }
        }
    };
    ($($other:tt)*) => {};
}
include!(concat!(env!("OUT_DIR"), "/counts.rs"));

#[test]
fn structs_without_parameters_marshal_to_nothing() {
    Unit.with_packed(|buffer| assert!(buffer.is_empty()));
    Unit.with_kernel_params(|params| assert!(params.is_empty()));
    Empty {}.with_packed(|buffer| assert!(buffer.is_empty()));
    let skipped = NoneOfTheKernels(String::from("kept"));
    assert!(!skipped.0.is_empty());
    skipped.with_packed(|buffer| assert!(buffer.is_empty()));
}

#[test]
fn tuple_structs_marshal_in_order() {
    let tuple = Tuple(1, vec![9], 2, [3]);
    assert_eq!(tuple.1, [9]);
    tuple.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0]));
    assert_eq!(Tuple::PARAMETERS[1].name, "2");
}

#[test]
fn visibility_does_not_matter() {
    let public = inner::Public::new(inner::InCrate(1));
    assert_eq!(public.in_crate.0, 1);
    public.with_packed(|buffer| assert_eq!(buffer, [1, 0, 5, 0]));
}

#[test]
fn a_struct_inside_of_a_function_is_like_any_other() {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C, align(8))]
    struct Local {
        n: u8,
    }

    #[derive(KernelArgs)]
    struct Args {
        local: Local,
    }

    let args = Args { local: Local { n: 1 } };
    args.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 0, 0, 0, 0]));

    let closure = || {
        #[derive(KernelArgs)]
        struct Args(u16);
        Args(7).with_packed(<[u8]>::to_vec)
    };
    assert_eq!(closure(), [7, 0]);
}

#[test]
fn hundreds_of_fields_marshal_in_order() {
    let mut count = 0;
    let args = FiveHundredTwelve::new(|| {
        count += 1;
        count
    });
    args.with_packed(|buffer| {
        let (words, rest) = buffer.as_chunks();
        assert!(rest.is_empty());
        let numbers: Vec<u32> = words.iter().copied().map(u32::from_ne_bytes).collect();
        assert_eq!(numbers, (1..=512).collect::<Vec<u32>>());
    });
}

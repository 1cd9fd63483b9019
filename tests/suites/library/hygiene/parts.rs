//! Structs that spread and flatten fields: lints that a user may deny, names that shadow the prelude, macros, generics.
#![deny(
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop,
    non_snake_case,
    non_upper_case_globals,
    private_bounds,
    private_interfaces,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unsafe_code,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    clippy::pedantic,
    clippy::nursery
)]

use cudarc::driver::CudaSlice;
use kernel_args::{
    Kernel, KernelArg, KernelArgs,
    args::{OwnedArgs, offset_of},
};

/// Without a prelude, with names of its own.
mod hostile {
    #![no_implicit_prelude]
    #![allow(
        dead_code,
        non_camel_case_types,
        reason = "the names of what they shadow; what matters is that nothing refers to them"
    )]

    pub(super) mod core {}
    pub(super) mod kernel_args {}
    pub(super) mod usize {}
    pub(super) struct Option;
    pub(super) struct Some;
    pub(super) trait FnOnce {}
    pub(super) const fn drop() {}
    pub(super) const I: u8 = 0;

    #[derive(::kernel_args::KernelArgs)]
    pub(super) struct Inner<T: ::kernel_args::DeviceType, const N: ::core::primitive::usize> {
        #[kernel_args(spread)]
        pub(super) values: [T; N],
        pub(super) last: ::core::primitive::u8,
    }

    #[derive(::kernel_args::KernelArgs)]
    pub(super) struct Outer(
        pub(super) ::core::primitive::u16,
        #[kernel_args(flatten)] pub(super) Inner<::core::primitive::u8, 3>,
        #[kernel_args(spread, name = "n{}")] pub(super) [::core::primitive::u32; I as ::core::primitive::usize + 2],
    );
}

#[test]
fn shadowed_names_are_not_looked_up() {
    use hostile::{Inner, Outer};
    let inner = Inner { values: [1, 2, 3], last: 4 };
    let outer = || Outer(0x0505, inner, [6, 7]);
    let expected = [5, 5, 1, 2, 3, 4, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0];
    let outer = outer();
    let names: Vec<&str> = Outer::PARAMETERS.iter().map(|p| p.name).collect();
    let all = ["0", "1.values[0]", "1.values[1]", "1.values[2]", "1.last", "2[0]", "2[1]"];
    assert_eq!(names, all);
    outer.with_packed(|bytes| assert_eq!(bytes, expected));
}

/// This path as the re-export of a different crate.
mod reexported {
    pub(super) use kernel_args as renamed;
}

/// Fields, types and attributes from a macro, at the span of the macro or of its caller.
macro_rules! fields {
    ($name:ident<$life:lifetime> { $($(#[$attr:meta])* $field:ident: $ty:ty),* $(,)? } with $length:expr) => {
        #[derive(KernelArgs)]
        #[kernel_args(crate = reexported::renamed)]
        struct $name<$life> {
            #[kernel_args(spread)]
            hidden: [u8; $length],
            $($(#[$attr])* $field: $ty,)*
            #[kernel_args(flatten)]
            exclusive: &$life mut Pair,
        }
    };
}

#[derive(KernelArgs)]
struct Pair {
    first: u64,
    second: u64,
}

fields!(OfMacro<'life> {
    #[kernel_args(spread)] slices: [Option<&'life CudaSlice<f32>>; 2],
    r#in: i8,
} with 1 + 1);

#[test]
fn fields_of_macros_are_spread() {
    let mut pair = Pair { first: 8, second: 9 };
    let args = OfMacro { hidden: [1, 2], slices: [None, None], r#in: -1, exclusive: &mut pair };
    let text = args.with_arguments(|arguments| arguments.to_string());
    let values = ["= 1 ", "= 2 ", "= null ", "= null ", "= -1 ", "= 8 ", "= 9 "];
    for (line, value) in text.lines().zip(values) {
        assert!(line.contains(value), "{text}");
    }
    assert_eq!(text.lines().count(), values.len());
    assert_eq!(offset_of::<OfMacro<'_>>("exclusive.second"), 40);
    assert_eq!(offset_of::<OfMacro<'_>>("slices[1]"), 16);
}

type Lengths<const N: usize> = [usize; N];

/// Lifetimes, arguments of any type, lengths, and an alias of an array. A flattened struct with all of these.
#[derive(KernelArgs)]
struct Generic<'a, 'b, P, const N: usize>
where
    P: KernelArg,
    'b: 'a,
{
    #[kernel_args(spread)]
    pointers: [P; N],
    #[kernel_args(spread)]
    lengths: Lengths<N>,
    #[kernel_args(spread)]
    none: [f64; 0],
    a: Option<&'a CudaSlice<f32>>,
    b: Option<&'b CudaSlice<f64>>,
}

#[derive(KernelArgs)]
struct Outer<'a, P: KernelArg, const N: usize> {
    before: u8,
    #[kernel_args(flatten)]
    generic: Generic<'a, 'a, P, N>,
    #[kernel_args(flatten)]
    nothing: Nothing,
    after: u8,
}

#[derive(KernelArgs)]
struct Nothing;

#[derive(KernelArgs)]
struct OnlyNothing {
    #[kernel_args(spread)]
    none: [u8; 0],
    #[kernel_args(flatten)]
    nothing: Nothing,
}

#[test]
fn generic_structs_are_flattened() {
    let args = Outer {
        before: 1,
        generic: Generic { pointers: [2_u16, 3, 4], lengths: [5, 6, 7], none: [], a: None, b: None },
        nothing: Nothing,
        after: 8,
    };
    let sizes: Vec<usize> = Outer::<u16, 3>::PARAMETERS.iter().map(|p| p.size).collect();
    assert_eq!(sizes, [1, 2, 2, 2, 8, 8, 8, 8, 8, 1]);
    assert_eq!(Outer::<u16, 0>::PARAMETERS.len(), 4);
    args.with_packed(|bytes| {
        assert_eq!(bytes[..16], [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((bytes.len(), bytes[48]), (49, 8));
    });
    let nothing = OnlyNothing { none: [], nothing: Nothing };
    assert_eq!(OnlyNothing::LAYOUT.size(), 0);
    nothing.with_kernel_params(|params| assert_eq!(params.len(), 0));
}

/// A struct without lifetimes is owned, even if it spreads and flattens; a kernel of any lifetime is one type.
#[test]
fn lifetimes_are_erased() {
    const fn is_owned<A: OwnedArgs>() {}
    const fn erased<A: KernelArgs<Erased = Outer<'static, u16, 2>>>(_: Option<&Kernel<A::Erased>>) {}
    is_owned::<OnlyNothing>();
    erased::<Outer<'_, u16, 2>>(None);
}

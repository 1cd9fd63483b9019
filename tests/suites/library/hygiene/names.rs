//! User-defined items with the names of items in the library and in the expansion, and raw identifiers.

#![allow(
    dead_code,
    non_camel_case_types,
    reason = "that nobody uses most of these is the point; keywords are not in upper camel case"
)]

use kernel_args::{DeviceType, KernelArgs};

/// Traits with the methods that the expansion could call by mistake, for every type.
mod traits {
    pub(super) trait Form {
        fn lower(&mut self) -> usize {
            panic!("the user's method")
        }
        fn put(&mut self) -> usize {
            panic!("the user's method")
        }
        fn store(&self) -> usize {
            panic!("the user's method")
        }
        fn in_place(&self) -> usize {
            panic!("the user's method")
        }
    }
    impl<T> Form for T {}

    pub(super) trait Arg {
        const KIND: usize = 0;
        const LAYOUT: usize = 0;
        const FIELDS: usize = 0;
        const PARAMETERS: usize = 0;
    }
    impl<T> Arg for T {}
}
#[allow(unused_imports, reason = "that nobody calls their methods is the point")]
use traits::{Arg as _, Form as _};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Image {
    image: u8,
    pointers: u16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Slot<LaunchStream> {
    to: LaunchStream,
    layout: u8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Parameter {
    LaunchStream = 3,
}

type Form = u32;
type Erased = u8;

#[allow(non_upper_case_globals, reason = "names of the expansion's locals")]
mod constants {
    pub(super) const image: usize = 1;
    pub(super) const scope: usize = 1;
    pub(super) const pointers: usize = 1;
    pub(super) const launch: usize = 1;
    pub(super) const guard0: usize = 1;
    pub(super) const layout: usize = 1;
    pub(super) const to: usize = 1;
}
#[allow(unused_imports, reason = "a local that became a pattern would be an error")]
use constants::{guard0, image, launch, layout, pointers, scope, to};

#[derive(KernelArgs)]
struct Args<Image2> {
    image: Image,
    scope: Slot<Form>,
    pointers: Parameter,
    launch: [Erased; image],
    guard0: Image2,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct r#struct {
    r#type: u8,
    r#fn: u16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum r#enum {
    r#match = 9,
}

#[derive(KernelArgs)]
struct r#mod<'r#loop> {
    r#self_: r#struct,
    r#type: r#enum,
    r#for: Option<&'r#loop cudarc::driver::CudaSlice<r#struct>>,
}

#[test]
fn the_users_names_are_the_users() {
    let args = Args {
        image: Image { image: 1, pointers: 2 },
        scope: Slot { to: 3, layout: 4 },
        pointers: Parameter::LaunchStream,
        launch: [5],
        guard0: 6_u16,
    };
    args.with_packed(|buffer| {
        let expected = [1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 3, 5, 6, 0];
        assert_eq!(buffer, expected);
    });
}

#[test]
fn raw_identifiers_are_named_without_their_mark() {
    let args = || r#mod { r#self_: r#struct { r#type: 1, r#fn: 2 }, r#type: r#enum::r#match, r#for: None };
    args().with_packed(|buffer| {
        let expected = [1, 0, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(buffer, expected);
    });
    assert_eq!(r#mod::NAME, "mod");
    let names: Vec<&str> = <r#mod<'_> as KernelArgs>::PARAMETERS.iter().map(|parameter| parameter.name).collect();
    assert_eq!(names, ["self_", "type", "for"]);
    assert_eq!(<r#struct as DeviceType>::CPP.base, kernel_args::abi::CppBase::Named("struct"));
}

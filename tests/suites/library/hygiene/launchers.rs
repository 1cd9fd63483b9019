//! Structs that name launchers: without a prelude, with shadowed names, from macros, with raw identifiers, in code that
//! forbids `unsafe`.

/// The functions.
mod c {
    use core::ffi::c_void;

    pub(super) unsafe extern "C" fn run(_: *mut f32, _: u32, _: *mut c_void) -> u32 {
        0
    }

    pub(super) unsafe extern "C" fn r#move(_: u32) {}
}

mod without_a_prelude {
    #![no_implicit_prelude]
    #![deny(missing_docs, unused_qualifications, unused_unsafe, unsafe_op_in_unsafe_fn)]
    #![allow(non_camel_case_types, dead_code, reason = "names that the expansion could use by mistake")]

    use super::c;

    mod core {}
    mod kernel_args {}
    struct u32;
    struct i32;
    pub(super) struct __Name;

    #[derive(::kernel_args::KernelArgs)]
    #[kernel_args(launcher = c::run)]
    pub(super) struct Run<'a, T: ::kernel_args::DeviceType + ::kernel_args::args::Pointee> {
        #[kernel_args(opaque)]
        pub(super) out: &'a mut ::cudarc::driver::CudaSlice<T>,
        pub(super) n: ::core::primitive::u32,
        #[kernel_args(skip)]
        pub(super) name: __Name,
    }

    pub(super) fn launch(
        run: Run<'_, f64>,
        stream: &::cudarc::driver::CudaStream,
    ) -> ::core::result::Result<(), ::kernel_args::Error> {
        // SAFETY: the functions do nothing.
        unsafe { ::kernel_args::launch!(c::run, run, stream = stream) }?;
        // SAFETY: the same.
        unsafe { ::kernel_args::launch!(c::r#move, super::from_macros::Move { n: 1 }, default_stream = true) }
    }
}

mod from_macros {
    #![forbid(unsafe_code)]

    macro_rules! of {
        ($name:ident($field:ident: $ty:ty) = $path:path) => {
            #[derive(kernel_args::KernelArgs)]
            #[kernel_args(launcher = $path, stream = none)]
            pub(super) struct $name {
                pub(super) $field: $ty,
            }
        };
    }

    macro_rules! outer {
        ($name:ident, $($path:tt)*) => {
            of!($name(n: u32) = $($path)*);
        };
    }

    outer!(Move, super::c::r#move);
}

#[test]
fn the_call_of_a_launcher_compiles_anywhere() {
    use kernel_args::args::LauncherArgs;

    fn facts<A: LauncherArgs>() -> (&'static str, bool, usize) {
        (A::LAUNCHER, A::TAKES_STREAM, A::PARAMETERS.len())
    }

    let _ = without_a_prelude::launch;
    assert_eq!(facts::<without_a_prelude::Run<'_, f32>>(), ("run", true, 2));
    assert_eq!(facts::<&mut from_macros::Move>(), ("move", false, 1));
}

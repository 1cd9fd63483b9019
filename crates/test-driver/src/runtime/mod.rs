//! The CUDA runtime: its functions, as calls of the driver.
//!
//! The files `libcudart` of a session need this library. NVIDIA's own runtime needs tables of its driver that are not
//! documented.
//!
//! | matter | module |
//! |---|---|
//! | the context of a call, its error, errors by name | `call` |
//! | kernels and variables that a program registers, and launches | `registered` |
//! | devices and their properties | `device` |
//! | memory and copies | `memory` |
//! | streams, events, graphs, pools | `work` |
//! | functions that are not simulated | `not_simulated` |

/// Exports functions of the runtime. Each body runs with a current context, and its error is the last error of the
/// thread.
macro_rules! runtime_functions {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => {$(
        $(#[$attribute])*
        #[cfg_attr(not(test), unsafe(no_mangle))]
        extern "C" fn $name($($argument: $type),*) -> $crate::error::Status {
            $crate::runtime::call::finish($crate::runtime::call::start().and_then(|()| -> $crate::error::Outcome { $body }))
        }
    )*};
}

/// Exports functions of the runtime that are a call of the driver.
macro_rules! forwarded {
    ($($name:ident($($argument:ident: $type:ty),*) => $call:expr;)*) => {
        runtime_functions! {$(
            fn $name($($argument: $type),*) {
                $crate::runtime::call::ok($call)
            }
        )*}
    };
}

mod call;
mod device;
mod memory;
mod not_simulated;
mod registered;
mod work;

//! Launches whose instructions are counted.

use crate::{
    callgrind::{Call, measured},
    launch::{Case, Device, Example, PTX, SlicesCase},
    launchers::LaunchersCase,
    shapes::{P8, P64, P512},
};
use core::{error::Error, ffi::c_void, hint::black_box};
use kernel_args::{ArgList, Function, Module, args::Form, launch};
use std::sync::Arc;

/// The kernels and arguments of all counted launches.
pub struct Launches {
    device: Device,
    p8: Case<P8>,
    p64: Case<P64>,
    p512: Case<P512>,
    slices: SlicesCase,
    launchers: LaunchersCase,
    module: Arc<Module>,
    function: Function,
}

impl Launches {
    /// Prepares everything on the first device.
    ///
    /// # Errors
    /// If it is not available.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let device = Device::first()?;
        let module = Module::load(&device.context, PTX)?;
        Ok(Self {
            p8: Case::new(&device)?,
            p64: Case::new(&device)?,
            p512: Case::new(&device)?,
            slices: SlicesCase::new(&device)?,
            launchers: LaunchersCase::new(&device)?,
            function: module.function(P8::ENTRY)?,
            module,
            device,
        })
    }
}

impl Launches {
    /// A program that gets the kernel from the module at every launch.
    fn look_up(&self) {
        let kernel = self.module.kernel::<P8>(black_box(P8::ENTRY));
        assert!(black_box(kernel).is_ok());
    }

    /// Makes and launches a list of eight arguments.
    fn list(&self) {
        let mut arguments = ArgList::new();
        for i in 0..8_u64 {
            arguments.push(i);
        }
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch!(self.function, 1, 32, &mut arguments) };
        assert!(launched.is_ok());
    }
}

/// A way to launch a kernel.
pub struct Launched {
    /// The case.
    pub case: &'static str,
    /// The way.
    pub variant: &'static str,
    /// Whether a second stream exists, which makes cudarc track memory with events.
    streams: bool,
    launch: Call,
}

impl Launched {
    /// Launches once to resolve symbols, and a second time, which callgrind counts. Returns the result of `around` for
    /// the second launch.
    pub fn run<R>(&self, launches: &mut Launches, around: impl FnOnce(&mut dyn FnMut()) -> R) -> R {
        let other = self.streams.then(|| launches.device.context.new_stream());
        let argument = core::ptr::from_mut(launches).cast();
        // SAFETY: `launched!` makes calls that take a reference to the launches.
        unsafe { (self.launch)(argument) };
        // SAFETY: `launched!` makes calls that take a reference to the launches.
        let result = around(&mut || unsafe { measured(self.launch, argument) });
        drop(other);
        result
    }
}

macro_rules! launched {
    ($($case:literal, $variant:literal, $streams:literal, |$launches:ident| $launch:expr;)*) => {
        /// All ways to launch.
        pub const LAUNCHED: &[Launched] = &[$(Launched {
            case: $case,
            variant: $variant,
            streams: $streams,
            launch: {
                unsafe extern "C" fn launch(launches: *mut c_void) {
                    // SAFETY: `Launched::run` passes a reference to the launches.
                    let $launches = unsafe { &mut *launches.cast::<Launches>() };
                    $launch;
                }
                launch
            },
        }),*];
    };
}

launched! {
    "8 scalars", "bare", false, |all| all.p8.bare_params();
    "8 scalars", "ours", false, |all| all.p8.ours();
    "8 scalars", "cudarc", false, |all| all.p8.cudarc();
    "8 scalars", "ours, cudarc's function", false, |all| all.p8.ours_function();
    "8 scalars", "ours, a list", false, |all| all.list();
    "kernel looked up in the module: cache hit", "ours", false, |all| all.look_up();
    "64 scalars", "bare", false, |all| all.p64.bare_packed();
    "64 scalars", "ours", false, |all| all.p64.ours();
    "64 scalars", "cudarc", false, |all| all.p64.cudarc();
    "512 scalars", "bare", false, |all| all.p512.bare_packed();
    "512 scalars", "ours", false, |all| all.p512.ours();
    "512 scalars", "ours, kernelParams", false, |all| all.p512.ours_as(Form::KernelParams);
    "512 scalars", "ours, cudarc's function", false, |all| all.p512.ours_function();
    "512 scalars", "cudarc", false, |all| all.p512.cudarc();
    "3 slices, 5 scalars", "ours", false, |all| all.slices.ours();
    "3 slices, 5 scalars", "cudarc", false, |all| all.slices.cudarc();
    "the same, a second stream", "ours", true, |all| all.slices.ours();
    "the same, a second stream", "cudarc", true, |all| all.slices.cudarc();
    "launcher, 8 scalars", "bare", false, |all| all.launchers.bare_words();
    "launcher, 8 scalars", "ours", false, |all| all.launchers.words();
    "launcher, 3 slices, 5 scalars", "bare, tracked", false, |all| all.launchers.bare_slices();
    "launcher, 3 slices, 5 scalars", "ours", false, |all| all.launchers.slices();
    "launcher, the same, a second stream", "bare, tracked", true, |all| all.launchers.bare_slices();
    "launcher, the same, a second stream", "ours", true, |all| all.launchers.slices();
}

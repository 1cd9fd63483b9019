//! Events as ranges of NVTX.
//!
//! Release 1.3 of the crate `nvtx` contains the headers of NVTX 3 and compiles them with a C compiler. Release 2 also
//! needs libclang. cudarc's `nvtx` opens the library `libnvToolsExt` of NVTX 2, and panics without it.

use super::{Event, Observer};
use crate::driver::error::Error;

/// An observer that makes each event a range of the NVIDIA Tools Extension, which Nsight Systems shows:
/// `nsys profile ./program`.
///
/// The range of a launch has the name of the kernel, demangled if its symbol is a C++ name, or of the launcher. The
/// other ranges are `graph launch`, `sequence of 12 steps`, and `load` and `compile` with a name. A range begins before
/// the driver's call and ends after it, on the same thread: it is the time of the host.
///
/// It exists on Linux. NVTX is compiled with the C compiler of the build.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nvtx;

impl Observer for Nvtx {
    fn before(&self, event: &Event<'_>) {
        // NVTX takes texts that end with NUL; the crate panics at a NUL in a text.
        let name = name(event);
        nvtx::range_push!("{}", name.split('\0').next().unwrap_or_default());
    }

    fn after(&self, _: &Event<'_>, _: Result<(), &Error>) {
        nvtx::range_pop!();
    }
}

fn name(event: &Event<'_>) -> String {
    match event {
        Event::KernelLaunch(launch) => launch.demangled().unwrap_or_else(|| launch.name()),
        Event::LauncherCall(launcher) => launcher.name(),
        Event::GraphLaunch(_) => "graph launch".into(),
        Event::SequenceRun(run) => format!("sequence of {} steps", run.steps),
        Event::ModuleLoad(load) => format!("load {}", load.name.unwrap_or("an image")),
        Event::Compilation(compile) => format!("compile {}", compile.name),
    }
}

//! The library that `kernel-args trace` loads into a program: it reports the program's launches to `kernel-args`.
//!
//! The CUDA driver loads the library that the variable `CUDA_INJECTION64_PATH` names, and calls
//! [`InitializeInjection`]. CUPTI then calls [`callback`] for each launch and each load.
//!
//! It uses the standard library only: the build script of `kernel-args-cli` compiles it with one call of rustc.

// It uses what only Linux has. Tests of other systems compile an empty library.
#![cfg(target_os = "linux")]

mod cupti;
mod driver;
mod loader;
mod parameters;
#[allow(dead_code, reason = "`kernel-args` reads what this library writes")]
mod protocol;
mod record;
mod report;

use cupti::{ApiCall, CallbackData, LaunchCall, ModuleData, ResourceData};
use protocol::{Event, Handle};
use report::Report;
use std::{
    cell::RefCell,
    env,
    ffi::{c_int, c_void},
    panic::catch_unwind,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

struct Tracer {
    driver: driver::Driver,
    report: Report,
    recorder: Option<record::Recorder>,
    checks_pointers: bool,
}

thread_local! {
    /// What was known about the pointers of the launch that this thread is in.
    static MEMORY: RefCell<Option<protocol::Memory>> = const { RefCell::new(None) };
}

/// `CUDA_ERROR_INVALID_HANDLE`
const INVALID_HANDLE: u32 = 400;

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Called by the driver. Returns 1, success: without a trace the program runs too.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjection() -> c_int {
    let _ = catch_unwind(|| {
        let Some(report) = Report::connect() else {
            return;
        };
        if let Err(why) = start(&report) {
            report.send(&Event::Failed(why));
        }
    });
    1
}

fn start(report: &Report) -> Result<(), String> {
    let tracer = Tracer {
        driver: driver::Driver::of(driver::library()?),
        report: report.clone(),
        recorder: record::Recorder::new(),
        checks_pointers: env::var_os(protocol::POINTERS).is_some(),
    };
    if TRACER.set(tracer).is_ok() {
        cupti::subscribe(callback)?;
    }
    Ok(())
}

extern "C" fn callback(_: *mut c_void, domain: u32, id: u32, data: *const c_void) {
    let _ = catch_unwind(|| {
        let Some(tracer) = TRACER.get() else { return };
        match domain {
            cupti::DRIVER_API => {
                // SAFETY: for this domain, `data` is a `CUpti_CallbackData` that is valid during the callback (CUPTI
                // documentation, `CUpti_CallbackFunc`).
                let data = unsafe { &*data.cast::<CallbackData>() };
                tracer.call(id, data);
            }
            cupti::RESOURCE if id == cupti::MODULE_LOADED => {
                // SAFETY: for this domain, `data` is a `CUpti_ResourceData`.
                let data = unsafe { &*data.cast::<ResourceData>() };
                // SAFETY: for a module, the descriptor is a `CUpti_ModuleResourceData`, or null.
                let module = unsafe { data.descriptor.cast::<ModuleData>().as_ref() };
                // The driver uses the handles of unloaded functions again.
                tracer.driver.forget();
                if let Some(image) = module.and_then(ModuleData::image) {
                    tracer.report.image(image);
                }
            }
            _ => {}
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Since 1970: programs that start each other have the same clock.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

impl Tracer {
    fn call(&self, id: u32, data: &CallbackData) {
        let Some(call) = ApiCall::of(id) else { return };
        if data.site == cupti::ENTER {
            // SAFETY: `id` is the function whose parameters these are.
            if let cupti::Call::Launch(launch) = unsafe { call.read(data.parameters) } {
                if let Some(recorder) = &self.recorder {
                    recorder.before(&launch, &data.symbol(), &self.driver, &self.report);
                }
                if self.checks_pointers {
                    let memory = self.memory(&launch, data);
                    let _ = MEMORY.try_with(|known| known.replace(memory));
                }
            }
            // SAFETY: CUPTI keeps this word from the callback before a call to the one after it.
            unsafe { data.correlation.write(now()) };
            return;
        }
        // SAFETY: as before; the callback before this call has written it.
        let start = unsafe { data.correlation.read() };
        let duration = now().saturating_sub(start);
        // SAFETY: every function of the driver that is traced returns a `CUresult`, and this is the callback after the
        // call.
        let status = unsafe { data.result.cast::<u32>().read() };
        if self.recorder.is_some() {
            record::Recorder::after(status, &self.driver, &self.report);
        }
        // SAFETY: `id` is the function whose parameters these are.
        match unsafe { call.read(data.parameters) } {
            cupti::Call::Launch(launch) => self.launch(&launch, data, start, duration, status),
            cupti::Call::Load(image) if status == 0 => {
                // SAFETY: `status` is the result of the load.
                if let Some(ptx) = unsafe { cupti::ptx(image) } {
                    self.report.image(ptx);
                }
            }
            cupti::Call::Load(_) => {}
            cupti::Call::Graph { graph, stream } => self.report.send(&Event::Graph(protocol::GraphLaunch {
                thread: report::thread(),
                start,
                duration,
                stream: Handle(stream as u64),
                graph: Handle(graph as u64),
                result: self.driver.status(status),
            })),
        }
    }

    fn memory(&self, launch: &LaunchCall, data: &CallbackData) -> Option<protocol::Memory> {
        // CUPTI names the kernel of a valid handle only.
        if data.symbol().is_empty() {
            return None;
        }
        let recorded = self.driver.parameters(launch.function)?;
        // SAFETY: the driver has not accepted them, so they are read as memory that may not exist.
        let values = unsafe { parameters::bytes(launch, Some(&recorded), false) };
        parameters::memory(&self.driver, &values?)
    }

    fn launch(&self, launch: &LaunchCall, data: &CallbackData, start: u64, duration: u64, status: u32) {
        // The driver has refused the function itself: nothing can be asked about it.
        let recorded = if status == INVALID_HANDLE { None } else { self.driver.parameters(launch.function) };
        // SAFETY: an accepted launch has the parameters of its function.
        let values = unsafe { parameters::bytes(launch, recorded.as_deref(), status == 0) };
        self.report.send(&Event::Launch(protocol::Launch {
            thread: report::thread(),
            start,
            duration,
            stream: Handle(launch.config.stream as u64),
            symbol: data.symbol(),
            grid: launch.config.grid,
            block: launch.config.block,
            shared: launch.config.shared,
            form: launch.form().into(),
            result: self.driver.status(status),
            values,
            memory: MEMORY.try_with(RefCell::take).ok().flatten(),
        }));
    }
}

//! One launch with the memory behind its pointers: what `kernel-args trace --record` writes to a recording.

use crate::{
    cupti::Launch,
    driver::{self, Driver},
    loader::Library,
    parameters,
    protocol::{self, Event, Recorded, Unrecorded},
    report::Report,
};
use std::{
    cell::RefCell,
    env,
    ffi::{c_char, c_int, c_void},
    io::{self, Write as _},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

/// Functions of the driver, with their types in the CUDA driver API's documentation.
struct Memory {
    synchronize: unsafe extern "C" fn() -> u32,
    is_capturing: unsafe extern "C" fn(usize, *mut c_int) -> u32,
    copy: unsafe extern "C" fn(*mut c_void, u64, usize) -> u32,
    device: unsafe extern "C" fn(*mut c_int) -> u32,
    device_name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> u32,
    device_attribute: unsafe extern "C" fn(*mut c_int, u32, c_int) -> u32,
    version: unsafe extern "C" fn(*mut c_int) -> u32,
}

/// Which launch is recorded.
pub(crate) struct Recorder {
    memory: Memory,
    nth: u64,
    launches: AtomicU64,
    is_done: AtomicBool,
}

thread_local! {
    /// A launch whose memory before it is in files.
    static BEGUN: RefCell<Option<Recorded>> = const { RefCell::new(None) };
}

impl Recorder {
    /// `None` if no launch is wanted, or the driver lacks a function.
    pub(crate) fn new(library: Library) -> Option<Self> {
        let nth = env::var(protocol::RECORD).ok()?.parse().ok()?;
        let memory = Memory {
            // SAFETY: the type in the documentation.
            synchronize: unsafe { library.function(c"cuCtxSynchronize") }?,
            // SAFETY: the type in the documentation.
            is_capturing: unsafe { library.function(c"cuStreamIsCapturing") }?,
            // SAFETY: the type in the documentation.
            copy: unsafe { library.function(c"cuMemcpyDtoH_v2") }?,
            // SAFETY: the type in the documentation.
            device: unsafe { library.function(c"cuCtxGetDevice") }?,
            // SAFETY: the type in the documentation.
            device_name: unsafe { library.function(c"cuDeviceGetName") }?,
            // SAFETY: the type in the documentation.
            device_attribute: unsafe { library.function(c"cuDeviceGetAttribute") }?,
            // SAFETY: the type in the documentation.
            version: unsafe { library.function(c"cuDriverGetVersion") }?,
        };
        Some(Self { memory, nth, launches: AtomicU64::new(0), is_done: AtomicBool::new(false) })
    }

    /// Before a launch. Copies the memory if it is the wanted launch.
    pub(crate) fn before(&self, launch: &Launch, symbol: &str, driver: &Driver, report: &Report) {
        if self.is_done.load(Relaxed) || !report.wants(symbol) || self.memory.captures(launch.stream) {
            return;
        }
        if self.launches.fetch_add(1, Relaxed) != self.nth {
            return;
        }
        self.is_done.store(true, Relaxed);
        match self.begin(launch, symbol, driver, report) {
            Ok(begun) => BEGUN.set(Some(begun)),
            Err(why) => report.send(&Event::Unrecorded(Unrecorded { symbol: symbol.into(), why })),
        }
    }

    fn begin(&self, launch: &Launch, symbol: &str, driver: &Driver, report: &Report) -> Result<Recorded, String> {
        self.memory.synchronize()?;
        let recorded = driver.parameters(launch.function);
        let recorded = recorded.ok_or("the driver does not report the parameters of the kernel")?;
        // SAFETY: the driver has not accepted the launch yet, and this is passed.
        let values = unsafe { parameters::bytes(launch, Some(&recorded), false) };
        let values = values.ok_or("the parameters cannot be read")?;
        let (mut allocations, mut pointers) = (Vec::new(), Vec::new());
        for (index, passed) in values.iter().enumerate() {
            for (at, address) in parameters::words(passed) {
                let known = driver.memory(address);
                let is_on_device = |known: &driver::Allocation| {
                    known.kind != 0 && known.kind != driver::Allocation::HOST && known.size > 0
                };
                let Some(found) = known.filter(is_on_device) else {
                    continue;
                };
                let known = allocations.iter().position(|one: &[u64; 2]| one[0] == found.start);
                let memory = known.unwrap_or_else(|| {
                    allocations.push([found.start, found.size]);
                    allocations.len() - 1
                });
                pointers.push([index as u64, at as u64, memory as u64, address - found.start]);
            }
        }
        self.memory.save(&allocations, report, "before")?;
        let [gpu, sm, driver] = self.memory.machine();
        Ok(Recorded {
            symbol: symbol.into(),
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            attributes: launch.attributes(),
            values: Some(values),
            pointers,
            allocations,
            gpu,
            sm,
            driver,
            status: 0,
        })
    }

    /// After a launch, which the driver has answered with `status`.
    pub(crate) fn after(&self, status: u32, report: &Report) {
        let Some(mut recorded) = BEGUN.take() else { return };
        recorded.status = match status {
            0 => self.memory.synchronize_status(),
            refused => refused,
        };
        report.send(&match recorded.status {
            0 => match self.memory.save(&recorded.allocations, report, "after") {
                Ok(()) => Event::Recorded(recorded),
                Err(why) => Event::Unrecorded(Unrecorded { symbol: recorded.symbol, why }),
            },
            _ => Event::Recorded(recorded),
        });
    }
}

impl Memory {
    fn synchronize_status(&self) -> u32 {
        // SAFETY: a callback of CUPTI may synchronize the context, which is current for a launch.
        unsafe { (self.synchronize)() }
    }

    fn synchronize(&self) -> Result<(), String> {
        match self.synchronize_status() {
            0 => Ok(()),
            error => Err(format!("an earlier kernel has failed: error {error}")),
        }
    }

    /// Whether the launch is captured into a graph: it does not run then.
    fn captures(&self, stream: usize) -> bool {
        let mut status = 0;
        // SAFETY: the stream of a launch that runs now; the pointer is valid.
        let result = unsafe { (self.is_capturing)(stream, &raw mut status) };
        result != 0 || status != 0
    }

    /// Copies each allocation to a file in the folder of the trace.
    fn save(&self, allocations: &[[u64; 2]], report: &Report, moment: &str) -> Result<(), String> {
        const PIECE: u64 = 4 << 20;
        for (index, &[start, size]) in allocations.iter().enumerate() {
            let file = report.create(&protocol::memory_file(index, moment));
            let mut file = file.map_err(|error| error.to_string())?;
            let mut piece = vec![0_u8; usize::try_from(size.min(PIECE)).unwrap_or(0)];
            let mut at = 0;
            while at < size {
                let length = usize::try_from((size - at).min(PIECE)).unwrap_or(0);
                // SAFETY: the bytes are in an allocation of the GPU, and the driver refuses the copy if it is freed; `piece` has this length.
                let status = unsafe { (self.copy)(piece.as_mut_ptr().cast(), start + at, length) };
                if status != 0 {
                    return Err(format!("the memory cannot be copied: error {status}"));
                }
                file.write_all(&piece[..length]).map_err(|error: io::Error| error.to_string())?;
                at += length as u64;
            }
        }
        Ok(())
    }

    /// The GPU, its architecture, and the driver's version, as far as they are known.
    fn machine(&self) -> [String; 3] {
        /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
        const MAJOR_MINOR: [u32; 2] = [75, 76];
        let (mut device, mut version, mut name) = (0, 0, [0_u8; 256]);
        // SAFETY: the pointer is valid.
        unsafe { (self.device)(&raw mut device) };
        // SAFETY: the pointer is valid.
        unsafe { (self.version)(&raw mut version) };
        // SAFETY: room for 256 bytes, of which the last stays 0.
        unsafe { (self.device_name)(name.as_mut_ptr().cast(), 255, device) };
        let [major, minor] = MAJOR_MINOR.map(|attribute| {
            let mut value = 0;
            // SAFETY: the pointer is valid.
            unsafe { (self.device_attribute)(&raw mut value, attribute, device) };
            value
        });
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
        [
            String::from_utf8_lossy(&name[..end]).into_owned(),
            format!("sm_{major}{minor}"),
            format!("{}.{}", version / 1000, version % 1000 / 10),
        ]
    }
}

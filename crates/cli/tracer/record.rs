//! One launch with the memory behind its pointers: `kernel-args trace --record`.

use crate::{
    cupti::LaunchCall,
    driver::{self, Driver},
    parameters,
    protocol::{self, Event, Recorded, Unrecorded},
    report::Report,
};
use std::{
    cell::RefCell,
    env,
    io::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

pub(crate) struct Recorder {
    nth: u64,
    launches: AtomicU64,
}

thread_local! {
    /// A launch whose memory before it is in files.
    static BEGUN: RefCell<Option<Recorded>> = const { RefCell::new(None) };
}

impl Recorder {
    pub(crate) fn new() -> Option<Self> {
        let nth = env::var(protocol::RECORD).ok()?.parse().ok()?;
        Some(Self { nth, launches: AtomicU64::new(0) })
    }

    /// Copies the memory if it is the wanted launch.
    pub(crate) fn before(&self, launch: &LaunchCall, symbol: &str, driver: &Driver, report: &Report) {
        let is_done = self.launches.load(Relaxed) > self.nth;
        if is_done || !report.wants(symbol) || driver.captures(launch.config.stream) {
            return;
        }
        if self.launches.fetch_add(1, Relaxed) != self.nth {
            return;
        }
        match begin(launch, symbol, driver, report) {
            Ok(begun) => BEGUN.set(Some(begun)),
            Err(why) => report.send(&Event::Unrecorded(Unrecorded { symbol: symbol.into(), why })),
        }
    }

    /// The driver has answered the launch with `status`.
    pub(crate) fn after(status: u32, driver: &Driver, report: &Report) {
        let Some(mut recorded) = BEGUN.take() else { return };
        recorded.status = match status {
            0 => driver.synchronize(),
            refused => refused,
        };
        let allocations = if recorded.status == 0 { &recorded.allocations[..] } else { &[] };
        report.send(&match save(driver, allocations, report, "after") {
            Ok(()) => Event::Recorded(recorded),
            Err(why) => Event::Unrecorded(Unrecorded { symbol: recorded.symbol, why }),
        });
    }
}

fn begin(launch: &LaunchCall, symbol: &str, driver: &Driver, report: &Report) -> Result<Recorded, String> {
    match driver.synchronize() {
        0 => {}
        error => return Err(format!("an earlier kernel has failed: error {error}")),
    }
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
    save(driver, &allocations, report, "before")?;
    let [gpu, sm, driver] = driver.machine();
    Ok(Recorded {
        symbol: symbol.into(),
        grid: launch.config.grid,
        block: launch.config.block,
        shared: launch.config.shared,
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

fn save(driver: &Driver, allocations: &[[u64; 2]], report: &Report, moment: &str) -> Result<(), String> {
    const PIECE: u64 = 4 << 20;
    for (index, &[start, size]) in allocations.iter().enumerate() {
        let file = report.create(&protocol::memory_file(index, moment));
        let mut file = file.map_err(|error| error.to_string())?;
        let mut piece = vec![0_u8; usize::try_from(size.min(PIECE)).unwrap_or(0)];
        let mut at = 0;
        while at < size {
            let length = usize::try_from((size - at).min(PIECE)).unwrap_or(0);
            driver.copy(&mut piece[..length], start + at)?;
            file.write_all(&piece[..length]).map_err(|error: io::Error| error.to_string())?;
            at += length as u64;
        }
    }
    Ok(())
}

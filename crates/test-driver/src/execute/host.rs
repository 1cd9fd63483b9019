//! The functions that the driver has for kernels: `printf`, `assert`, `malloc`, `free` and conditions of graphs.

use std::sync::PoisonError;

use super::{
    Kind,
    access::failed,
    checks::What,
    code::{Call, Host, Space},
    print,
    step::{Step, Stop, each, fault},
    types::low,
};

/// The longest string that a kernel passes to the host.
const LONGEST: usize = 1 << 16;

impl Step<'_, '_> {
    pub(super) fn host(&mut self, host: Host, call: &Call) -> Result<(), Stop> {
        for lane in each(self.mask) {
            match host {
                Host::Print => {
                    let (format, arguments) = (self.argument(call, 0, lane), self.argument(call, 1, lane));
                    let format = self.text(format, lane)?;
                    let step = std::cell::RefCell::new(&mut *self);
                    let word = |offset: usize, size: u32| {
                        let address = arguments + offset as u64;
                        step.borrow_mut().word(address, size, lane)
                    };
                    let text = print::format(&format, word, |address| step.borrow_mut().text(address, lane))?;
                    let length = text.len() as u64;
                    let mut effects = self.worker.launch.effects.lock().unwrap_or_else(PoisonError::into_inner);
                    // Like the driver's buffer, it is limited.
                    if effects.printed.len() < self.worker.launch.settings.printed {
                        effects.printed.extend(text);
                    }
                    drop(effects);
                    self.result(call, lane, length & low(32));
                }
                Host::Assert => {
                    let [message, file, line, function] = [0, 1, 2, 3].map(|index| self.argument(call, index, lane));
                    let mut part =
                        |address| Ok::<_, Stop>(String::from_utf8_lossy(&self.text(address, lane)?).into_owned());
                    let (message, file, function) = (part(message)?, part(file)?, part(function)?);
                    let ([bx, by, bz], [tx, ty, tz]) = (self.block().index, self.thread(lane));
                    let mut failed = fault(Kind::Assert, lane);
                    failed.text = format!(
                        "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed."
                    );
                    return Err(failed);
                }
                Host::Allocate => {
                    let size = self.argument(call, 0, lane);
                    let mut heap = self.worker.launch.heap.lock().unwrap_or_else(PoisonError::into_inner);
                    let address = heap.allocate(size);
                    drop(heap);
                    self.result(call, lane, address);
                }
                Host::Free => {
                    let address = self.argument(call, 0, lane);
                    let mut heap = self.worker.launch.heap.lock().unwrap_or_else(PoisonError::into_inner);
                    if !heap.free(address) {
                        drop(heap);
                        return Err(fault(Kind::Trap, lane));
                    }
                }
                Host::SetParameter => {
                    let [node, offset, value, size] = [0, 1, 2, 3].map(|index| self.argument(call, index, lane));
                    let bytes = (0..size.min(LONGEST as u64)).map(|at| Ok(self.word(value + at, 1, lane)? as u8));
                    let bytes = bytes.collect::<Result<Vec<u8>, Stop>>()?;
                    let mut effects = self.worker.launch.effects.lock().unwrap_or_else(PoisonError::into_inner);
                    if effects.updates.len() < 1 << 10 {
                        effects.updates.push((node, offset, bytes));
                    }
                    drop(effects);
                    self.result(call, lane, 0);
                }
                Host::SetCondition => {
                    let (handle, value) = (self.argument(call, 0, lane), self.argument(call, 1, lane) as u32);
                    let mut effects = self.worker.launch.effects.lock().unwrap_or_else(PoisonError::into_inner);
                    effects.conditions.push((handle, value));
                    // The last value counts, so earlier ones need no space.
                    if effects.conditions.len() > 1 << 16 {
                        effects.conditions.drain(..1 << 15);
                    }
                }
            }
        }
        Ok(())
    }

    /// An argument of a call, in the caller's frame.
    fn argument(&self, call: &Call, index: usize, lane: usize) -> u64 {
        let Some((offset, size)) = call.arguments.get(index) else { return 0 };
        let at = (self.group.frame + offset) as usize;
        let bytes = self.warp.local.get(lane).and_then(|memory| memory.get(at..at + (*size).min(8) as usize));
        bytes.unwrap_or_default().iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn result(&mut self, call: &Call, lane: usize, value: u64) {
        let Some((offset, size)) = call.results.first() else { return };
        let at = (self.group.frame + offset) as usize;
        let size = (*size).min(8) as usize;
        if let Some(to) = self.warp.local.get_mut(lane).and_then(|memory| memory.get_mut(at..at + size)) {
            to.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    fn word(&mut self, address: u64, size: u32, lane: usize) -> Result<u64, Stop> {
        self.read(Space::Generic, address, size, lane)
            .map_err(|problem| failed(problem, lane, (Space::Generic, address, size, What::Load)))
    }

    /// The string at an address, without its NUL.
    fn text(&mut self, address: u64, lane: usize) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < LONGEST {
            match self.word(address + text.len() as u64, 1, lane)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

//! The functions that the driver has for kernels: `printf`, `assert`, `malloc`, `free` and conditions of graphs.

use crate::lock::lock;

use super::{
    Host, Kind,
    code::{Call, Space},
    print,
    step::{Step, Stop, fault},
    types::{LANES, low},
};

/// The longest string that a kernel passes to the host.
const LONGEST: usize = 1 << 16;

pub(super) fn function(name: &str) -> Option<Host> {
    Some(match name {
        "vprintf" => |step, call, lane| step.print(call, lane),
        "__assertfail" => |step, call, lane| step.assert(call, lane),
        "malloc" => |step, call, lane| step.allocate(call, lane),
        "free" => |step, call, lane| step.free(call, lane),
        "cudaGraphSetConditional" => |step, call, lane| step.set_condition(call, lane),
        "cudaGraphKernelNodeSetParam" => |step, call, lane| step.set_parameter(call, lane),
        _ => return None,
    })
}

impl Step<'_, '_> {
    fn print(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let (format, arguments) = (self.argument(call, 0, lane), self.argument(call, 1, lane));
        let format = self.text(format, lane)?;
        let step = std::cell::RefCell::new(&mut *self);
        let word =
            |offset: usize, size: u32| step.borrow_mut().read(Space::Generic, arguments + offset as u64, size, lane);
        let text = print::format(&format, word, |address| step.borrow_mut().text(address, lane))?;
        let length = text.len() as u64;
        self.worker.spent += (length / LANES as u64).cast_signed();
        let mut effects = lock(&self.worker.launch.effects);
        // Like the driver's buffer, it is limited.
        if effects.printed.len() < self.worker.launch.settings.printed {
            effects.printed.extend(text);
        }
        drop(effects);
        self.result(call, lane, length & low(32));
        Ok(())
    }

    fn assert(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let [message, file, line, function] = [0, 1, 2, 3].map(|index| self.argument(call, index, lane));
        let mut part = |address| Ok::<_, Stop>(String::from_utf8_lossy(&self.text(address, lane)?).into_owned());
        let (message, file, function) = (part(message)?, part(file)?, part(function)?);
        let ([bx, by, bz], [tx, ty, tz]) = (self.block().index, self.thread(lane));
        let mut failed = fault(Kind::Assert, lane);
        failed.text = format!(
            "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed."
        );
        Err(failed)
    }

    fn allocate(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let address = lock(&self.worker.launch.heap).allocate(self.argument(call, 0, lane));
        self.result(call, lane, address);
        Ok(())
    }

    fn free(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let is_known = lock(&self.worker.launch.heap).free(self.argument(call, 0, lane));
        if is_known { Ok(()) } else { Err(fault(Kind::Trap, lane)) }
    }

    fn set_parameter(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let [node, offset, value, size] = [0, 1, 2, 3].map(|index| self.argument(call, index, lane));
        let byte = |at| Ok(self.read(Space::Generic, value + at, 1, lane)? as u8);
        let bytes = (0..size.min(LONGEST as u64)).map(byte).collect::<Result<Vec<u8>, Stop>>()?;
        let mut effects = lock(&self.worker.launch.effects);
        if effects.updates.len() < 1 << 10 {
            effects.updates.push((node, offset, bytes));
        }
        drop(effects);
        self.result(call, lane, 0);
        Ok(())
    }

    fn set_condition(&mut self, call: &Call, lane: usize) -> Result<(), Stop> {
        let (handle, value) = (self.argument(call, 0, lane), self.argument(call, 1, lane) as u32);
        let mut effects = lock(&self.worker.launch.effects);
        effects.conditions.push((handle, value));
        // The last value counts, so earlier ones need no space.
        if effects.conditions.len() > 1 << 16 {
            effects.conditions.drain(..1 << 15);
        }
        Ok(())
    }

    /// Returns an argument of a call, in the caller's frame.
    fn argument(&self, call: &Call, index: usize, lane: usize) -> u64 {
        let Some((offset, size)) = call.arguments.get(index) else { return 0 };
        let at = (self.group.at.local + offset) as usize;
        let bytes = self.warp.local.get(lane).and_then(|memory| memory.get(at..at + (*size).min(8) as usize));
        bytes.unwrap_or_default().iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn result(&mut self, call: &Call, lane: usize, value: u64) {
        let Some((offset, size)) = call.results.first() else { return };
        let at = (self.group.at.local + offset) as usize;
        let size = (*size).min(8) as usize;
        if let Some(to) = self.warp.local.get_mut(lane).and_then(|memory| memory.get_mut(at..at + size)) {
            to.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    /// Returns the string at an address, without its NUL.
    fn text(&mut self, address: u64, lane: usize) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < LONGEST {
            match self.read(Space::Generic, address + text.len() as u64, 1, lane)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

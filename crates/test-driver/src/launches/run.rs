//! Runs the kernel of a launch: what it can access, what it leaves in its context, and what is reported about it.

use std::{io::Write, num::NonZero, thread};

use crate::{
    config::NotExecuted,
    error::{Outcome, Status},
    execute::{Effects, Executable, Fault, Geometry, Heap, Kind, Request, Settings, Space},
    handle::Handle,
    launches::launch::{KernelCall, Recorded, Via},
    memory::Kind as MemoryKind,
    state::Driver,
    streams::stream::Target,
};

/// The calls after which a program sees what kernels have printed.
const SHOWING: [&str; 14] = [
    "cuCtxSynchronize",
    "cuCtxSynchronize_v2",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuLibraryUnload",
    "cuCtxDestroy_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset_v2",
];

/// The limits of a context: `CU_LIMIT_STACK_SIZE`, `CU_LIMIT_PRINTF_FIFO_SIZE`, `CU_LIMIT_MALLOC_HEAP_SIZE`.
const STACK_LIMIT: u32 = 0;
const PRINTF_LIMIT: u32 = 1;
const HEAP_LIMIT: u32 = 2;

/// The bytes of memory for the barriers of a cooperative grid: its size, and the barrier.
const WORKSPACE: usize = 64;

/// The fewest threads of a launch for which more than one thread of this machine is started.
const FEW: u64 = 1 << 14;

impl KernelCall {
    /// Returns the offsets of the parameters.
    fn offsets(&self) -> Vec<u32> {
        self.kernel.parameters.iter().map(|parameter| parameter.offset as u32).collect()
    }

    /// Returns whether it can start before the kernel before it ends:
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
    fn is_programmatic(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute.id == 6 && attribute.value[0] != 0)
    }

    fn threads(&self) -> u64 {
        let blocks = self.kernel.blocks(self.geometry.grid);
        let all = blocks.iter().chain(&self.geometry.block);
        all.fold(1, |product, extent| product.saturating_mul(u64::from(*extent)))
    }
}

impl Driver {
    /// Runs a checked launch. As on a GPU, an error of the kernel is stored in its context, and the launch succeeds.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for a kernel that cannot be executed, unless a setting allows it.
    pub(crate) fn run_kernel(&mut self, target: Target, call: &KernelCall, via: Via) -> Outcome {
        let name = &call.kernel.name;
        let executable = call.kernel.program.as_ref().map(|program| program.kernel(name, &call.offsets()));
        if let Some(Err(why)) = &executable
            && self.config.not_executed.is_none()
        {
            eprintln!("kernel-args test driver: `{name}` cannot be executed: {why}");
            return Err(Status::NOT_SUPPORTED);
        }
        self.launches += 1;
        self.last_launch = Some(Recorded { call: call.clone(), stream: target.stream, via });
        match executable {
            Some(Ok(executable)) => self.interpret(target, call, &executable),
            Some(Err(why)) => self.not_executed(name, &format!("{why}: ")),
            None => self.not_executed(name, ""),
        }
    }

    fn interpret(&mut self, target: Target, call: &KernelCall, executable: &Executable) -> Outcome {
        let Target { stream, context, .. } = target;
        let device = self.context(context)?.device;
        let variables = self.variables_of(call, context);
        let mut heap = self.heaps.remove(&context).filter(|heap| self.memory.holds(heap.start, 1)).unwrap_or_default();
        if heap.length == 0 && executable.allocates {
            let size = self.context(context)?.limit(HEAP_LIMIT).max(16);
            heap = Heap::new(self.memory.allocate(size, MemoryKind::Variable, context, device)?, size as u64);
        }
        let geometry = call.geometry;
        let mut workspace = 0;
        if geometry.cooperative {
            workspace = self.memory.allocate(WORKSPACE, MemoryKind::Variable, context, device)?;
            self.memory.set(workspace, &(WORKSPACE as u32).to_le_bytes(), 1)?;
            self.memory.set(workspace + 4, &[0; 4], 1)?;
        }
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let settings = Settings {
            seed: self.config.seed,
            budget: self.config.budget,
            memcheck: self.config.memcheck,
            stack: self.context(context)?.limit(STACK_LIMIT),
            printed: self.context(context)?.limit(PRINTF_LIMIT),
            workers: if call.threads() < FEW { 1 } else { cores },
        };
        let before = self.releasing.replace((stream, executable.releases_grids));
        let is_early = before == Some((stream, true)) && call.is_programmatic() && !executable.awaits_grids;
        if settings.memcheck && is_early {
            let name = &call.kernel.name;
            eprintln!(
                "kernel-args test driver: remark: `{name}` can start before the kernel before it ends (programmatic launch), and does not wait for its results: `cudaGridDependencySynchronize()`"
            );
        }
        let mut written = std::mem::take(&mut self.memory.written);
        let request = Request {
            executable,
            bank: &call.bank.bytes,
            geometry: Geometry { grid: call.kernel.blocks(geometry.grid), ..geometry },
            variables: &variables,
            regions: self.memory.regions(context, device),
            heap: &mut heap,
            textures: &self.texel_objects(),
            workspace,
            written: &mut written,
            settings,
        };
        let effects = request.run();
        self.memory.written = written;
        if workspace != 0 {
            self.memory.free(workspace, &[MemoryKind::Variable])?;
        }
        self.heaps.insert(context, heap);
        self.leave(context, call, effects)
    }

    /// What a kernel leaves behind.
    fn leave(&mut self, context: Handle, call: &KernelCall, effects: Effects) -> Outcome {
        self.printed.extend(effects.printed);
        self.instructions += effects.instructions;
        for (condition, value) in effects.conditions {
            self.conditions.set(condition, value);
        }
        self.node_updates.extend(effects.updates);
        // Of nodes that never run.
        let surplus = self.node_updates.len().saturating_sub(1 << 12);
        self.node_updates.drain(..surplus);
        let Some(fault) = effects.fault else { return Ok(()) };
        let (status, report) = (fault.kind.status(), self.report(call, &fault));
        let context = self.contexts.get_mut(context)?;
        (context.sticky, context.described) = (Some(status), status.described(&report));
        match fault.kind {
            Kind::Assert => eprintln!("{}", fault.text),
            Kind::Budget => eprintln!("kernel-args test driver: {report}"),
            _ if self.config.memcheck => eprintln!("kernel-args test driver: {report}"),
            _ => {}
        }
        self.last_fault = Some(report);
        Ok(())
    }

    /// Returns what a fault was, where it was, and the memory next to it.
    fn report(&self, call: &KernelCall, fault: &Fault) -> String {
        let kernel = &call.kernel.name;
        if fault.kind == Kind::Budget {
            return format!("the kernel `{kernel}` does not end: {}", fault.text);
        }
        let mut text = match (fault.kind, &fault.access) {
            (_, None) => match fault.kind {
                Kind::Trap if fault.text.is_empty() => "it traps".into(),
                Kind::Trap => format!("it traps: {}", fault.text),
                Kind::Assert | Kind::Check => fault.text.clone(),
                Kind::Jump => "it calls or jumps to an address that is no function".into(),
                Kind::Stack => "its calls need more stack than there is".into(),
                _ => "an instruction is invalid".into(),
            },
            (kind, Some(access)) => {
                let verb = if access.is_store { "writes" } else { "reads" };
                let space = match access.space {
                    Space::Shared => "shared",
                    Space::Local => "local",
                    Space::Bank => "parameter",
                    _ => "global",
                };
                let what = format!("{} bytes of {space} memory at {:#x}", access.size, access.address);
                match kind {
                    Kind::Check => format!("it {} ({what})", fault.text),
                    Kind::Misaligned => format!("it {verb} {what}, which is not a multiple of the size"),
                    _ => format!("it {verb} {what}, where it has no memory"),
                }
            }
        };
        if let Some(access) = fault.access.filter(|access| !matches!(access.space, Space::Shared | Space::Local)) {
            text += &self.neighbour(call, access.address);
        }
        format!("the kernel `{kernel}` fails: {text}\n  at {}", fault.place())
    }

    /// Returns the allocation next to an address, and the parameter that points to it; far from any, the parameters
    /// that are almost this address.
    fn neighbour(&self, call: &KernelCall, address: u64) -> String {
        const NEAR: u64 = 1 << 20;
        let words = call.kernel.parameters.iter().enumerate().flat_map(|(index, parameter)| {
            let bytes = call.bank.bytes.get(parameter.offset..parameter.offset + parameter.size).unwrap_or_default();
            let words = bytes.as_chunks::<8>().0.iter().enumerate();
            words.map(move |(at, word)| (index, at * 8, u64::from_le_bytes(*word)))
        });
        let named = |index: usize, at: usize| match at {
            0 => format!("; parameter {index}"),
            at => format!("; parameter {index} (byte {at})"),
        };
        let nearest = self.memory.nearest(address);
        let is_near = |(start, length, ..): &(u64, u64, u64, bool)| {
            (start.saturating_sub(NEAR)..start.saturating_add(*length).saturating_add(NEAR)).contains(&address)
        };
        let Some((start, length, id, is_freed)) = nearest.filter(is_near) else {
            let near = words.filter(|(.., value)| (*value..value.saturating_add(NEAR)).contains(&address));
            let text = |text: String, (index, at, value)| text + &format!("{} is {value:#x}", named(index, at));
            return near.fold(String::new(), text);
        };
        let end = start + length;
        let distance = if address < start {
            format!("{} bytes before", start - address)
        } else if address >= end {
            format!("{} bytes behind the end of", address - end)
        } else {
            format!("byte {} of", address - start)
        };
        let freed = if is_freed { ", which is freed" } else { "" };
        let parameter = words.into_iter().find(|(.., value)| (start..=end).contains(value));
        let parameter =
            parameter.map(|(index, at, _)| format!("{} points to it", named(index, at))).unwrap_or_default();
        format!(": {distance} allocation {id}, {length} bytes at {start:#x}{freed}{parameter}")
    }

    /// Notes a kernel that is launched without an effect.
    fn not_executed(&mut self, kernel: &str, why: &str) -> Outcome {
        let is_new = self.not_executed.insert(kernel.to_owned());
        match self.config.not_executed {
            None | Some(NotExecuted::Quiet) => Ok(()),
            Some(NotExecuted::Fail) => Err(Status::NOT_SUPPORTED),
            Some(NotExecuted::Say) => {
                if is_new {
                    eprintln!(
                        "kernel-args test driver: {why}`{kernel}` was launched, not executed: there are no results"
                    );
                }
                Ok(())
            }
        }
    }

    /// Writes what kernels have printed, if `call` is one after which a program sees it.
    pub(crate) fn show_printed(&mut self, call: &str) {
        if !self.printed.is_empty() && SHOWING.contains(&call) {
            let text = std::mem::take(&mut self.printed);
            let mut out = std::io::stdout().lock();
            // A closed output is no error of the program.
            let _ = out.write_all(&text).and_then(|()| out.flush());
        }
    }
}

//! The controls that the library exports in addition to CUDA's entry points: C functions with the prefix
//! `kernel_args_test_driver_`. Each returns a `CUresult`. They work before `cuInit`, are not counted, and cannot be
//! made to fail. Rust tests use them through [`Control`](crate::Control).

use std::ffi::{c_char, c_int, c_uint};

use crate::{
    config::Config,
    entry::{Out, Text},
    error::Status,
    execute::Geometry,
    handle::Handle,
    launches::{attribute::Attribute, bank::Form, launch::Via},
    state::Driver,
};

pub(crate) const PREFIX: &str = "kernel_args_test_driver_";

/// The last launch, in C: `kernel_args_test_driver_last_launch`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct LastLaunch {
    /// 0: no parameters; 1: `kernelParams`; 2: `extra`.
    pub(crate) form: c_uint,
    /// 0: launched on a stream; 1: a node of a launched graph.
    pub(crate) via: c_uint,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    /// Dynamic shared memory, in bytes.
    pub(crate) shared: c_uint,
    pub(crate) cooperative: c_uint,
    /// Zeros if the launch has no clusters.
    pub(crate) cluster: [c_uint; 3],
    pub(crate) stream: Handle,
    pub(crate) function: Handle,
    pub(crate) bank_length: usize,
    pub(crate) attribute_count: usize,
}

/// The numbers of live objects, in C: `kernel_args_test_driver_live`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LiveObjects {
    /// Allocations of device memory.
    pub allocations: u64,
    /// The total size of the allocations in bytes.
    pub bytes: u64,
    /// Contexts.
    pub contexts: u64,
    /// Streams, not counting default streams.
    pub streams: u64,
    /// Events.
    pub events: u64,
    /// Modules.
    pub modules: u64,
    /// Active links.
    pub links: u64,
    /// Graphs, including instantiated graphs. A graph inside of a graph is not counted.
    pub graphs: u64,
    /// User objects.
    pub user_objects: u64,
    /// Green contexts.
    pub green_contexts: u64,
    /// Arrays.
    pub arrays: u64,
    /// Texture objects.
    pub textures: u64,
    /// Surface objects.
    pub surfaces: u64,
}

impl Driver {
    fn last_launch(&self) -> Option<LastLaunch> {
        let recorded = self.last_launch.as_ref()?;
        let call = &recorded.call;
        let Geometry { grid, block, shared, cluster, cooperative } = call.geometry;
        Some(LastLaunch {
            form: match call.bank.form {
                Form::None => 0,
                Form::KernelParams => 1,
                Form::Extra => 2,
            },
            via: c_uint::from(recorded.via == Via::Graph),
            grid,
            block,
            shared,
            cooperative: c_uint::from(cooperative),
            cluster: cluster.unwrap_or_default(),
            stream: recorded.stream,
            function: call.function,
            bank_length: call.bank.bytes.len(),
            attribute_count: call.attributes.len(),
        })
    }

    fn live(&self) -> LiveObjects {
        let (allocations, bytes) = self.memory.live();
        let inside: usize = self.nodes.iter().map(|(_, node)| node.inside.len()).sum();
        LiveObjects {
            allocations,
            bytes,
            contexts: self.contexts.len() as u64,
            streams: self
                .streams
                .iter()
                .filter(|(stream, _)| !self.per_thread.values().any(|own| own == stream))
                .count() as u64,
            events: self.events.len() as u64,
            modules: self.modules.len() as u64,
            links: self.links.len() as u64,
            graphs: (self.graphs.len() + self.execs.len() - inside) as u64,
            user_objects: self.user_objects.len() as u64,
            green_contexts: self.greens.len() as u64,
            arrays: self.arrays.len() as u64,
            textures: self.textures.len() as u64,
            surfaces: self.surfaces.len() as u64,
        }
    }
}

entry_points! {
    /// The number of calls of the entry point `name`, by its exact exported name.
    fn kernel_args_test_driver_calls(driver, name: Text, count: Out<u64>) {
        count.set(driver.calls.get(name.get()?.as_str()).copied().unwrap_or(0))
    }

    /// Every called entry point with the number of calls, one per line, NUL-terminated, truncated to `capacity` bytes.
    fn kernel_args_test_driver_called(driver, text: Out<c_char>, capacity: usize) {
        let lines: Vec<_> = driver.calls.iter().map(|(name, count)| format!("{name} {count}")).collect();
        text.set_text(&lines.join("\n"), capacity).map(drop)
    }

    /// The kernels that were launched without an effect, one per line, NUL-terminated, truncated to `capacity` bytes.
    fn kernel_args_test_driver_not_executed(driver, text: Out<c_char>, capacity: usize) {
        let names: Vec<_> = driver.not_executed.iter().map(String::as_str).collect();
        text.set_text(&names.join("\n"), capacity).map(drop)
    }

    /// The report of the last fault of a kernel, NUL-terminated, truncated to `capacity` bytes.
    fn kernel_args_test_driver_last_fault(driver, text: Out<c_char>, capacity: usize) {
        let report = driver.last_fault.as_deref().ok_or(Status::NOT_FOUND)?;
        text.set_text(report, capacity).map(drop)
    }

    /// Whether accesses of kernels are checked from now on, and faults reported.
    fn kernel_args_test_driver_memcheck(driver, is_checked: c_uint) {
        driver.config.memcheck = is_checked != 0;
        driver.memory.track(is_checked != 0);
        Ok(())
    }

    /// `bytes` at the address are a slice in a block of `room` bytes, as if the block were an allocation of its own.
    fn kernel_args_test_driver_slice(driver, address: u64, bytes: usize, room: usize) {
        driver.memory.declare_slice(address, bytes, room);
        Ok(())
    }

    fn kernel_args_test_driver_reset_calls(driver) {
        driver.calls.clear();
        Ok(())
    }

    /// Sets the compute capability `sm` of every device, for modules that are loaded later.
    fn kernel_args_test_driver_set_sm(driver, sm: c_uint) {
        if driver.config.set_sm(sm) { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    fn kernel_args_test_driver_set_version(driver, version: c_int) {
        driver.config.version = version;
        Ok(())
    }

    /// Replaces the devices. Fails if a context exists.
    fn kernel_args_test_driver_set_devices(driver, count: c_uint) {
        if count > Config::MAX_DEVICES {
            return Err(Status::INVALID_VALUE);
        }
        if driver.contexts.len() > 0 {
            return Err(Status::CONTEXT_ALREADY_IN_USE);
        }
        driver.config.devices = count;
        driver.make_devices();
        Ok(())
    }

    /// Makes the next `times` calls of `name` return `code` without any effect; 0 means every call.
    fn kernel_args_test_driver_fail(driver, name: Text, code: c_uint, times: u64) {
        driver.config.fail(&name.get()?, Status(code), times);
        Ok(())
    }

    /// Makes one call of `name` return `code` without any effect: the first one after `spared` successful calls.
    fn kernel_args_test_driver_fail_after(driver, name: Text, code: c_uint, spared: u64) {
        driver.config.fail_after(&name.get()?, Status(code), spared);
        Ok(())
    }

    /// Leaves an error in the current context, as a kernel that fails does. There is no report.
    fn kernel_args_test_driver_lose_context(driver, code: c_uint) {
        let context = driver.current()?;
        driver.contexts.get_mut(context)?.sticky = Some(Status(code));
        Ok(())
    }

    fn kernel_args_test_driver_clear_failures(driver) {
        driver.config.clear_failures();
        Ok(())
    }

    /// 1: destructors of user objects wait from now on, as if launches were running; 0: all of them run.
    fn kernel_args_test_driver_hold_destructors(driver, hold: c_uint) {
        driver.holds_destructors = hold != 0;
        Ok(())
    }

    /// How many kernels ran.
    fn kernel_args_test_driver_launches(driver, count: Out<u64>) {
        count.set(driver.launches)
    }

    /// How many instructions of threads kernels have executed. Each instruction of a warp counts as 32.
    fn kernel_args_test_driver_instructions(driver, count: Out<u64>) {
        count.set(driver.instructions)
    }

    /// The last kernel that ran; `CUDA_ERROR_NOT_FOUND` before the first.
    fn kernel_args_test_driver_last_launch(driver, launch: Out<LastLaunch>) {
        launch.set(driver.last_launch().ok_or(Status::NOT_FOUND)?)
    }

    /// The parameter bank of the last kernel that ran, truncated to `capacity` bytes.
    fn kernel_args_test_driver_last_bank(driver, bytes: Out<u8>, capacity: usize) {
        let recorded = driver.last_launch.as_ref().ok_or(Status::NOT_FOUND)?;
        bytes.fill(&recorded.call.bank.bytes, capacity)
    }

    /// The launch attributes of the last kernel that ran, truncated to `capacity`: `CUlaunchAttribute`.
    fn kernel_args_test_driver_last_attributes(driver, attributes: Out<Attribute>, capacity: usize) {
        let recorded = driver.last_launch.as_ref().ok_or(Status::NOT_FOUND)?;
        attributes.fill(&recorded.call.attributes, capacity)
    }

    /// The NUL-terminated name of the last kernel that ran, truncated to `capacity` bytes.
    fn kernel_args_test_driver_last_name(driver, name: Out<c_char>, capacity: usize) {
        let recorded = driver.last_launch.as_ref().ok_or(Status::NOT_FOUND)?;
        name.set_text(&recorded.call.kernel.name, capacity).map(drop)
    }

    /// Replaces an entry point in the dynamic symbol table if a session removes it.
    fn kernel_args_test_driver_absent(_driver) {
        Err(Status::NOT_FOUND)
    }

    /// The numbers of live objects.
    fn kernel_args_test_driver_live(driver, objects: Out<LiveObjects>) {
        objects.set(driver.live())
    }
}

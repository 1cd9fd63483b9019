//! What a program uses in addition to CUDA: a process on the test driver, settings, controls, the names of functions.
//!
//! This file has the controls for Rust tests. They must reach the library that `libcuda.so` resolves to in the process,
//! not this crate's own copy of the code.

pub(crate) mod control;
pub(crate) mod exports;
pub(crate) mod install;
pub(crate) mod not_simulated;
pub(crate) mod proc_address;
#[cfg(not(windows))]
mod runtime_library;
pub(crate) mod settings;

use std::{
    collections::BTreeMap,
    ffi::{CString, c_char},
};

use libloading::Library;

use crate::{
    client::{
        control::{LastLaunch, LiveObjects, PREFIX},
        install::DRIVERS,
    },
    error::{Outcome, Status},
    launches::attribute::Attribute,
};

/// The test driver that this process uses as `libcuda`.
#[derive(Debug)]
pub struct Control {
    library: Library,
}

/// Returns the kernels that this process has launched and that were not executed: whatever a program compares with
/// their results is unknown. Empty on a GPU.
#[must_use]
pub fn not_executed() -> Vec<String> {
    Control::attach().map_or_else(Vec::new, |control| control.not_executed())
}

/// The form in which a launch passed its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchForm {
    /// No form: the kernel has no parameters.
    None,
    /// An array of pointers.
    KernelParams,
    /// One packed buffer.
    Extra,
}

/// A kernel that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel's symbol.
    pub name: String,
    /// The form of its parameters.
    pub form: LaunchForm,
    /// Whether it ran as a node of a graph.
    pub in_graph: bool,
    /// The grid, in blocks.
    pub grid: [u32; 3],
    /// The block, in threads.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub shared: u32,
    /// Whether it was launched cooperatively.
    pub cooperative: bool,
    /// The cluster in blocks, if it has clusters.
    pub cluster: Option<[u32; 3]>,
    /// Its launch attributes in order: each number (`CUlaunchAttributeID`) and value.
    pub attributes: Vec<(u32, [u8; 64])>,
    /// The stream's handle; 0 is the default stream.
    pub stream: usize,
    /// The function's handle.
    pub function: usize,
    /// The parameter bank: every parameter at the offset where the kernel reads it.
    pub bank: Vec<u8>,
}

impl Control {
    /// Returns the controls of the `libcuda` that this process loads; `None` if it is not the test driver.
    #[must_use]
    pub fn attach() -> Option<Self> {
        // SAFETY: loading a CUDA driver, real or stand-in, has no preconditions.
        let library = unsafe { Library::new(DRIVERS[0]) }.ok()?;
        let control = Self { library };
        control.symbol::<unsafe extern "C" fn() -> Status>("reset_calls").is_some().then_some(control)
    }

    fn symbol<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: callers pass the type `F` from the declaration in `control.rs`; the pointer is used while `self`
        // lives.
        unsafe { self.library.get::<F>(format!("{PREFIX}{name}").as_bytes()) }.ok().map(|symbol| *symbol)
    }

    /// Returns the control `name`.
    ///
    /// # Panics
    /// If the loaded library has a different version than this crate and lacks it.
    fn function<F: Copy>(&self, name: &str) -> F {
        self.symbol(name).unwrap_or_else(|| panic!("the loaded test driver has no {PREFIX}{name}: rebuild it"))
    }

    fn number(&self, name: &str) -> u64 {
        let mut value = 0;
        let function = self.function::<unsafe extern "C" fn(*mut u64) -> Status>(name);
        // SAFETY: the pointer is to a local of the right type.
        expect(unsafe { function(&raw mut value) });
        value
    }

    /// Returns the number of calls of the entry point with this exported name (`cuMemAlloc_v2`), including failed
    /// calls.
    #[must_use]
    pub fn calls(&self, name: &str) -> u64 {
        let (name, mut value) = (c_string(name), 0);
        let function = self.function::<unsafe extern "C" fn(*const c_char, *mut u64) -> Status>("calls");
        // SAFETY: a NUL-terminated string, and a local of the right type.
        expect(unsafe { function(name.as_ptr(), &raw mut value) });
        value
    }

    /// Returns every called entry point by its exported name, with the number of calls, including failed calls.
    #[must_use]
    pub fn called(&self) -> BTreeMap<String, u64> {
        let text = self.text("called");
        text.lines()
            .filter_map(|line| {
                let (name, count) = line.split_once(' ')?;
                Some((name.to_owned(), count.parse().ok()?))
            })
            .collect()
    }

    /// Returns the symbols of the kernels that were launched and have no effect on this driver: nothing has computed
    /// their results.
    #[must_use]
    pub fn not_executed(&self) -> Vec<String> {
        self.text("not_executed").lines().map(str::to_owned).collect()
    }

    /// Returns the report of the last fault of a kernel: what it did, where it was, and the memory next to it. `None`
    /// if no kernel has failed.
    #[must_use]
    pub fn last_fault(&self) -> Option<String> {
        let mut text = vec![0u8; 4096];
        let function = self.function::<unsafe extern "C" fn(*mut u8, usize) -> Status>("last_fault");
        // SAFETY: the buffer has the size of the second argument.
        if unsafe { function(text.as_mut_ptr(), text.len()) } != Status::SUCCESS {
            return None;
        }
        let end = text.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&text[..end]).into_owned())
    }

    /// Whether accesses of kernels are checked from now on: reads of memory that nothing has written, and races on
    /// shared memory. A kernel that fails a check is stopped, and leaves `CUDA_ERROR_LAUNCH_FAILED`. Memory that exists
    /// already counts as written.
    pub fn memcheck(&self, is_checked: bool) {
        let function = self.function::<unsafe extern "C" fn(u32) -> Status>("memcheck");
        // SAFETY: it takes a number.
        expect(unsafe { function(u32::from(is_checked)) });
    }

    /// Returns a control that writes a NUL-terminated text.
    fn text(&self, name: &str) -> String {
        let mut text = vec![0u8; 64 * 1024];
        let function = self.function::<unsafe extern "C" fn(*mut u8, usize) -> Status>(name);
        // SAFETY: the buffer has the size of the second argument.
        expect(unsafe { function(text.as_mut_ptr(), text.len()) });
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        String::from_utf8_lossy(&text[..end]).into_owned()
    }

    /// Resets the counts of calls.
    pub fn reset_calls(&self) {
        let function = self.function::<unsafe extern "C" fn() -> Status>("reset_calls");
        // SAFETY: it takes nothing.
        expect(unsafe { function() });
    }

    /// Changes the compute capability for modules that are loaded later. Returns whether the driver supports it (75 to
    /// 121).
    #[must_use]
    pub fn set_sm(&self, sm: u32) -> bool {
        let function = self.function::<unsafe extern "C" fn(u32) -> Status>("set_sm");
        // SAFETY: it takes a number.
        unsafe { function(sm) == Status::SUCCESS }
    }

    /// Changes the result of `cuDriverGetVersion`: `1000 * major + 10 * minor`. Newer launch attributes are rejected.
    pub fn set_version(&self, version: i32) {
        let function = self.function::<unsafe extern "C" fn(i32) -> Status>("set_version");
        // SAFETY: it takes a number.
        expect(unsafe { function(version) });
    }

    /// Makes every call of the entry point fail with this `CUresult`.
    pub fn fail(&self, name: &str, code: u32) {
        self.fail_times(name, code, 0);
    }

    /// Makes the next call of the entry point fail with this `CUresult`.
    pub fn fail_once(&self, name: &str, code: u32) {
        self.fail_times(name, code, 1);
    }

    /// Makes one call of the entry point fail with this `CUresult`: the first one after `spared` successful calls.
    pub fn fail_after(&self, name: &str, code: u32, spared: u64) {
        let name = c_string(name);
        let function = self.function::<unsafe extern "C" fn(*const c_char, u32, u64) -> Status>("fail_after");
        // SAFETY: a NUL-terminated string, and numbers.
        expect(unsafe { function(name.as_ptr(), code, spared) });
    }

    fn fail_times(&self, name: &str, code: u32, times: u64) {
        let name = c_string(name);
        let function = self.function::<unsafe extern "C" fn(*const c_char, u32, u64) -> Status>("fail");
        // SAFETY: a NUL-terminated string, and numbers.
        expect(unsafe { function(name.as_ptr(), code, times) });
    }

    /// Leaves this `CUresult` in the thread's current context, as a kernel that fails does: every later call in it
    /// returns the error.
    pub fn lose_context(&self, code: u32) {
        let function = self.function::<unsafe extern "C" fn(u32) -> Status>("lose_context");
        // SAFETY: it takes a number.
        expect(unsafe { function(code) });
    }

    /// Cancels all requested failures.
    pub fn clear_failures(&self) {
        let function = self.function::<unsafe extern "C" fn() -> Status>("clear_failures");
        // SAFETY: it takes nothing.
        expect(unsafe { function() });
    }

    /// Whether destructors of user objects wait, as if launches were running that use their objects.
    pub fn hold_destructors(&self, hold: bool) {
        let function = self.function::<unsafe extern "C" fn(u32) -> Status>("hold_destructors");
        // SAFETY: it takes a number.
        expect(unsafe { function(u32::from(hold)) });
    }

    /// Returns how many kernels ran in this process.
    #[must_use]
    pub fn launches(&self) -> u64 {
        self.number("launches")
    }

    /// Returns how many instructions all threads of kernels have executed in this process. Each instruction of a warp
    /// counts as 32.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.number("instructions")
    }

    /// Returns the number and total size of the live allocations.
    #[must_use]
    pub fn live_allocations(&self) -> (u64, u64) {
        let live = self.live();
        (live.allocations, live.bytes)
    }

    /// Returns the number of live events.
    #[must_use]
    pub fn live_events(&self) -> u64 {
        self.live().events
    }

    /// Returns the number of live modules.
    #[must_use]
    pub fn live_modules(&self) -> u64 {
        self.live().modules
    }

    /// Returns the number of live graphs, including instantiated graphs.
    #[must_use]
    pub fn live_graphs(&self) -> u64 {
        self.live().graphs
    }

    /// Returns the number of live objects of each kind.
    #[must_use]
    pub fn live(&self) -> LiveObjects {
        let mut live = LiveObjects::default();
        let function = self.function::<unsafe extern "C" fn(*mut LiveObjects) -> Status>("live");
        // SAFETY: the pointer is to a local of the right type.
        expect(unsafe { function(&raw mut live) });
        live
    }

    /// Returns the last kernel that ran. If other threads launch at the same time, the fields may belong to different
    /// launches.
    #[must_use]
    pub fn last_launch(&self) -> Option<Launch> {
        let mut last = LastLaunch::default();
        let function = self.function::<unsafe extern "C" fn(*mut LastLaunch) -> Status>("last_launch");
        // SAFETY: the pointer is to a local of the right type.
        if unsafe { function(&raw mut last) } != Status::SUCCESS {
            return None;
        }
        let mut bank = vec![0; last.bank_length];
        let function = self.function::<unsafe extern "C" fn(*mut u8, usize) -> Status>("last_bank");
        // SAFETY: the buffer has the size of the second argument.
        expect(unsafe { function(bank.as_mut_ptr(), bank.len()) });
        let mut attributes = vec![Attribute::default(); last.attribute_count];
        let function = self.function::<unsafe extern "C" fn(*mut Attribute, usize) -> Status>("last_attributes");
        // SAFETY: the buffer has space for the number of attributes in the second argument.
        expect(unsafe { function(attributes.as_mut_ptr(), attributes.len()) });
        let name = self.text("last_name");
        Some(Launch {
            name,
            form: match last.form {
                1 => LaunchForm::KernelParams,
                2 => LaunchForm::Extra,
                _ => LaunchForm::None,
            },
            in_graph: last.via == 1,
            grid: last.grid,
            block: last.block,
            shared: last.shared,
            cooperative: last.cooperative != 0,
            cluster: (last.cluster != [0; 3]).then_some(last.cluster),
            attributes: attributes.into_iter().map(|attribute| (attribute.id, attribute.value)).collect(),
            stream: last.stream.0,
            function: last.function.0,
            bank,
        })
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| panic!("`{}` holds a NUL", text.escape_debug()))
}

/// The controls that are called here accept all values that this file passes.
fn expect(status: Status) {
    let outcome: Outcome = if status == Status::SUCCESS { Ok(()) } else { Err(status) };
    outcome.unwrap_or_else(|status| panic!("the test driver refused a control: {status:?}"));
}

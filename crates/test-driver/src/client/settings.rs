//! The settings of a session's driver.

use crate::config::{DEFAULT_VERSION, PREFIX};

/// The entry points that CUDA 13.0 lacks, and the first version that has them.
pub(crate) const NEWER: [(&str, u32); 1] = [("cuFuncGetParamCount", 13020)];

/// Settings for a [`Session`](crate::Session). The default is one H100 with a driver for CUDA 13.0.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    sm: Option<u32>,
    devices: Option<usize>,
    version: Option<u32>,
    without_peers: bool,
    seed: Option<u64>,
    budget: Option<u64>,
    memcheck: bool,
    not_executed: bool,
    absent: Vec<String>,
    failures: Vec<String>,
}

impl Settings {
    /// Creates one H100 with a driver for CUDA 13.0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the compute capability, 75 to 121.
    #[must_use]
    pub fn sm(mut self, sm: u32) -> Self {
        self.sm = Some(sm);
        self
    }

    /// Sets the number of devices, 0 to 8. With 0, `cuInit` returns `CUDA_ERROR_NO_DEVICE`.
    #[must_use]
    pub fn devices(mut self, devices: usize) -> Self {
        self.devices = Some(devices);
        self
    }

    /// Devices that cannot access each other's memory.
    #[must_use]
    pub fn without_peers(mut self) -> Self {
        self.without_peers = true;
        self
    }

    /// Runs the blocks and warps of a kernel in another order, the same for the same seed: what depends on the order
    /// changes. 0 is the order of their numbers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the most instructions of threads that a launch executes. A kernel that needs more is stopped, and leaves
    /// `CUDA_ERROR_LAUNCH_TIMEOUT`.
    #[must_use]
    pub fn budget(mut self, instructions: u64) -> Self {
        self.budget = Some(instructions);
        self
    }

    /// Checks the accesses of kernels, and reports each fault on stderr: see
    /// [`Control::memcheck`](crate::Control::memcheck).
    #[must_use]
    pub fn memcheck(mut self) -> Self {
        self.memcheck = true;
        self
    }

    /// Kernels that cannot be executed are launched without an effect. Otherwise their launch fails with
    /// `CUDA_ERROR_NOT_SUPPORTED`.
    #[must_use]
    pub fn launch_what_is_not_executed(mut self) -> Self {
        self.not_executed = true;
        self
    }

    /// Starts a driver that cannot return a function's parameters, like drivers before 12.4. It still has the version
    /// of CUDA 13.0, because the tests contain PTX of that version.
    #[must_use]
    pub fn old(self) -> Self {
        self.without("cuFuncGetParamInfo").without("cuKernelGetParamInfo")
    }

    /// Sets the result of `cuDriverGetVersion`: `1000 * major + 10 * minor`.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.version = Some(version);
        self
    }

    /// Sets a driver without this entry point: neither `dlsym` nor `cuGetProcAddress` finds it.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.absent.push(name.to_owned());
        self
    }

    /// Sets every call of this entry point returns this `CUresult`.
    #[must_use]
    pub fn fail(mut self, name: &str, code: u32) -> Self {
        self.failures.push(format!("{name}={code}"));
        self
    }

    /// Sets the first `times` calls of this entry point return this `CUresult`.
    #[must_use]
    pub fn fail_times(mut self, name: &str, code: u32, times: u64) -> Self {
        self.failures.push(format!("{name}={code}:{times}"));
        self
    }

    /// Returns the entry points that the driver lacks: because of its version, and as requested.
    pub(crate) fn absent(&self) -> Vec<String> {
        let version = self.version.unwrap_or(DEFAULT_VERSION);
        let newer = NEWER.iter().filter(|(_, since)| version < *since);
        newer.map(|(name, _)| (*name).to_owned()).chain(self.absent.iter().cloned()).collect()
    }

    /// Returns the environment variables with these settings.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
        [
            ("SM", self.sm.map(|sm| sm.to_string())),
            ("DEVICES", self.devices.map(|devices| devices.to_string())),
            ("PEERS", self.without_peers.then(|| "0".to_owned())),
            ("SEED", self.seed.map(|seed| seed.to_string())),
            ("BUDGET", self.budget.map(|budget| budget.to_string())),
            ("MEMCHECK", self.memcheck.then(|| "1".to_owned())),
            ("NOT_EXECUTED", self.not_executed.then(|| "quiet".to_owned())),
            ("VERSION", self.version.map(|version| version.to_string())),
            ("ABSENT", list(&self.absent())),
            ("FAIL", list(&self.failures)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((format!("{PREFIX}{name}"), value?)))
        .collect()
    }
}

//! The state of the driver and the operations on it, behind one lock, and the steps around every call.

pub(crate) mod cupti;
mod operation;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashMap},
    panic::AssertUnwindSafe,
    sync::{
        LazyLock, Mutex, MutexGuard, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    client::{control, proc_address::names},
    config::Config,
    contexts::{
        context::{Context, Remains},
        device::Device,
        exit,
        green::{Description, Green},
    },
    entry::HostCall,
    error::{Outcome, Status},
    execute::Heap,
    graphs::{
        exec::{Exec, Rest},
        graph::{Graph, Node},
        inside::Conditions,
        user_object::{self, UserObject},
    },
    handle::{Handle, Handles},
    images::{function::Function, library::Library, link::Link, module::Module},
    launches::launch::Recorded,
    memory::{
        Memory,
        pool::Pool,
        texture::{Array, Object},
    },
    streams::{capture::Capture, event::Event, stream::Stream},
};

pub(crate) use operation::Operation;

/// The state of the driver.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) initialised: bool,
    pub(crate) config: Config,
    /// The number of calls of each entry point, including failed calls.
    pub(crate) calls: BTreeMap<&'static str, u64>,
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: Handles<Context>,
    /// The destroyed contexts.
    pub(crate) destroyed: HashMap<Handle, Weak<Remains>>,
    pub(crate) streams: Handles<Stream>,
    /// The default streams of threads that have captured, by thread and context.
    pub(crate) per_thread: HashMap<(u64, Handle), Handle>,
    pub(crate) captures: Handles<Capture>,
    pub(crate) events: Handles<Event>,
    pub(crate) modules: Handles<Module>,
    pub(crate) functions: Handles<Function>,
    pub(crate) libraries: Handles<Library>,
    pub(crate) links: Handles<Link>,
    /// Whether a load has failed because the version of the PTX is not supported.
    pub(crate) has_refused_a_version: bool,
    pub(crate) graphs: Handles<Graph>,
    pub(crate) nodes: Handles<Node>,
    pub(crate) execs: Handles<Exec>,
    pub(crate) pools: Handles<Pool>,
    pub(crate) user_objects: Handles<UserObject>,
    pub(crate) greens: Handles<Green>,
    pub(crate) descriptions: Handles<Description>,
    pub(crate) arrays: Handles<Array>,
    pub(crate) textures: Handles<Object>,
    pub(crate) surfaces: Handles<Object>,
    /// The number of contexts created so far: the id of the last one.
    pub(crate) context_ids: u64,
    pub(crate) memory: Memory,
    pub(crate) launches: u64,
    /// Instructions of threads that kernels have executed.
    pub(crate) instructions: u64,
    /// The kernels that were launched without an effect.
    pub(crate) not_executed: BTreeSet<String>,
    /// The cubins of modules that were loaded, for CUPTI's callback.
    pub(crate) loaded: Vec<Vec<u8>>,
    pub(crate) last_launch: Option<Recorded>,
    /// The stream of the last kernel, and whether it lets the next one start early.
    pub(crate) releasing: Option<(Handle, bool)>,
    /// The report of the last fault of a kernel.
    pub(crate) last_fault: Option<String>,
    /// What kernels have written to parameters of nodes that have not run since: the node, the offset, the bytes.
    pub(crate) node_updates: Vec<(u64, u64, Vec<u8>)>,
    /// What kernels have printed, and the program has not seen.
    pub(crate) printed: Vec<u8>,
    /// The memory from which the kernels of a context allocate.
    pub(crate) heaps: HashMap<Handle, Heap>,
    /// Callbacks that the active call requested.
    pub(crate) host_calls: Vec<HostCall>,
    /// What the active call does after these callbacks.
    pub(crate) rest: Option<Rest>,
    pub(crate) conditions: Conditions,
    /// Destructors of user objects whose last reference was released.
    pub(crate) destructors: Vec<HostCall>,
    /// Destructors wait, as if a launch that uses their objects were running.
    pub(crate) holds_destructors: bool,
}

impl Driver {
    fn new(config: Config) -> Self {
        let mut driver = Self {
            initialised: false,
            devices: Vec::new(),
            config,
            calls: BTreeMap::new(),
            contexts: Handles::new(1),
            destroyed: HashMap::new(),
            streams: Handles::new(2),
            per_thread: HashMap::new(),
            captures: Handles::identifiers(3),
            events: Handles::new(4),
            modules: Handles::new(5),
            functions: Handles::new(6),
            libraries: Handles::new(7),
            links: Handles::new(8),
            has_refused_a_version: false,
            graphs: Handles::new(9),
            nodes: Handles::new(10),
            execs: Handles::new(11),
            pools: Handles::new(12),
            user_objects: Handles::new(13),
            greens: Handles::new(14),
            descriptions: Handles::new(15),
            arrays: Handles::new(16),
            textures: Handles::new(17),
            surfaces: Handles::new(18),
            context_ids: 0,
            memory: Memory::default(),
            launches: 0,
            instructions: 0,
            not_executed: BTreeSet::new(),
            loaded: Vec::new(),
            last_launch: None,
            releasing: None,
            last_fault: None,
            node_updates: Vec::new(),
            printed: Vec::new(),
            heaps: HashMap::new(),
            host_calls: Vec::new(),
            rest: None,
            conditions: Conditions::default(),
            destructors: Vec::new(),
            holds_destructors: false,
        };
        driver.memory.tracks = driver.config.memcheck;
        driver.make_devices();
        driver
    }
}

/// A number of this thread. On Windows, `std::thread::current` panics in destructors of thread-locals.
pub(crate) fn this_thread() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static OWN: Cell<u64> = const { Cell::new(0) };
    }
    if OWN.get() == 0 {
        OWN.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
    }
    OWN.get()
}

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(|| Mutex::new(Driver::new(Config::from_environment(&names()))));

/// Returns the driver's state, for the duration of the guard.
pub(crate) fn lock() -> MutexGuard<'static, Driver> {
    // A panic in a body is reported as CUDA_ERROR_UNKNOWN. The state remains in use.
    crate::lock::lock(&DRIVER)
}

/// The entry points that work before `cuInit`.
const BEFORE_INIT: [&str; 6] =
    ["cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuGetProcAddress_v2"];

/// Returns one call: counts it, returns a requested failure, or runs the body under the lock. Callbacks run after the
/// lock is released, because a callback may own objects whose release calls the driver. The body is not a type
/// parameter: this is compiled once, not for each entry point.
pub(crate) fn call(name: &'static str, body: &mut dyn FnMut(&mut Driver) -> Outcome) -> Status {
    let mut driver = lock();
    if !name.starts_with(control::PREFIX) {
        if let Err(status) = exit::check() {
            return status;
        }
        *driver.calls.entry(name).or_default() += 1;
        if let Some(status) = driver.config.take_failure(name) {
            return status;
        }
        if driver.config.is_absent(name) {
            return Status::NOT_FOUND;
        }
        if user_object::in_callback() {
            return Status::NOT_PERMITTED;
        }
        if !driver.initialised && !BEFORE_INIT.contains(&name) {
            return Status::NOT_INITIALIZED;
        }
    }
    let mut outcome = std::panic::catch_unwind(AssertUnwindSafe(|| body(&mut driver)));
    while !driver.host_calls.is_empty() {
        let (host_calls, rest) = (std::mem::take(&mut driver.host_calls), driver.rest.take());
        drop(driver);
        for host_call in host_calls {
            user_object::call_back(host_call);
        }
        driver = lock();
        if let Some(rest) = rest {
            outcome = outcome.map(|outcome| outcome.and(driver.run_steps(rest)));
        }
    }
    driver.show_printed(name);
    let destructors = if driver.holds_destructors { Vec::new() } else { std::mem::take(&mut driver.destructors) };
    drop(driver);
    for destructor in destructors {
        user_object::call_back(destructor);
    }
    match outcome {
        Ok(Ok(())) => Status::SUCCESS,
        Ok(Err(status)) => status,
        Err(_) => Status::UNKNOWN,
    }
}

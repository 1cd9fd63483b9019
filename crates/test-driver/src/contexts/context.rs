//! Contexts: primary contexts, created contexts, the stack of current contexts of each thread, sticky errors, limits.
//!
//! Destroyed contexts behave as seen on driver 580: a stack keeps its entries; for such an entry `cuCtxGetDevice` still
//! returns the device, and other calls return `CUDA_ERROR_CONTEXT_IS_DESTROYED`. A context that no stack keeps is freed
//! memory: the real driver uses it and crashes later; this driver ends the process at once, until a new context has got
//! the handle. The handle of a primary context is never freed.

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{CStr, c_int, c_uint, c_void},
    mem::ManuallyDrop,
    process,
    sync::{Arc, Weak},
};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
};

/// A destroyed context that is still on a stack: `Driver::destroyed`.
#[derive(Debug)]
pub(crate) struct Remains {
    handle: Handle,
    device: c_int,
}

/// A live context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) device: c_int,
    remains: Arc<Remains>,
    /// Unique in the process: `cuCtxGetId`.
    id: u64,
    primary: bool,
    flags: u32,
    /// The error that a kernel caused. Only destroying the context clears it.
    pub(crate) sticky: Option<Status>,
    /// The description of this error, with the report of the fault.
    pub(crate) described: Option<&'static CStr>,
    limits: HashMap<c_uint, usize>,
    cache_config: c_uint,
}

/// The current context, and those below it.
type Stack = (Option<Arc<Remains>>, Vec<Arc<Remains>>);

thread_local! {
    /// It is not dropped: destructors of other thread-locals call the driver. So one context takes no memory of the
    /// heap.
    static STACK: ManuallyDrop<RefCell<Stack>> = const { ManuallyDrop::new(RefCell::new((None, Vec::new()))) };
}

fn top() -> Handle {
    STACK.with(|stack| stack.borrow().0.as_ref().map_or(Handle::NULL, |top| top.handle))
}

fn push(context: Arc<Remains>) {
    STACK.with(|stack| {
        let (top, below) = &mut *stack.borrow_mut();
        below.extend(top.replace(context));
    });
}

fn pop() -> Option<Arc<Remains>> {
    STACK.with(|stack| {
        let (top, below) = &mut *stack.borrow_mut();
        let popped = std::mem::replace(top, below.pop());
        if below.is_empty() {
            *below = Vec::new();
        }
        popped
    })
}

/// `CU_LIMIT_*` with the values of an H100: stack size, printf buffer, malloc heap, device runtime, L2 fetch.
const LIMITS: [(c_uint, usize); 7] = [(0, 1024), (1, 7 << 20), (2, 8 << 20), (3, 2), (4, 2048), (5, 128), (6, 0)];

impl Context {
    fn new(remains: Arc<Remains>, id: u64, primary: bool, flags: u32) -> Self {
        Self {
            device: remains.device,
            remains,
            id,
            primary,
            flags,
            sticky: None,
            described: None,
            limits: LIMITS.into(),
            cache_config: 0,
        }
    }
}

impl Context {
    /// Returns a limit, or 0.
    pub(crate) fn limit(&self, limit: c_uint) -> usize {
        self.limits.get(&limit).copied().unwrap_or(0)
    }
}

impl Driver {
    /// Returns the thread's current context, in any state.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CONTEXT` if the thread has no current context, `CUDA_ERROR_CONTEXT_IS_DESTROYED` if it was
    /// destroyed.
    pub(crate) fn current(&self) -> Outcome<Handle> {
        let context = top();
        if context.is_null() {
            return Err(Status::INVALID_CONTEXT);
        }
        if !self.contexts.contains(context) {
            return Err(Status::CONTEXT_IS_DESTROYED);
        }
        Ok(context)
    }

    /// Returns the current context, if none of its kernels has failed.
    ///
    /// # Errors
    /// The errors of [`Self::current`], and the context's sticky error.
    pub(crate) fn healthy(&self) -> Outcome<Handle> {
        let context = self.current()?;
        self.check(context)?;
        Ok(context)
    }

    /// The sticky error of `context`, as an error.
    pub(crate) fn check(&self, context: Handle) -> Outcome {
        match self.context(context)?.sticky {
            Some(status) => Err(status),
            None => Ok(()),
        }
    }

    /// Returns the description of the fault with this error: of the current context, otherwise of any context.
    pub(crate) fn faulted(&self, error: Status) -> Option<&'static CStr> {
        let is_lost = |context: &&Context| context.sticky == Some(error);
        let current = self.context(top()).ok().filter(is_lost);
        let lost = current.or_else(|| self.contexts.iter().map(|(_, context)| context).find(is_lost));
        lost?.described
    }

    pub(crate) fn context(&self, context: Handle) -> Outcome<&Context> {
        self.contexts.get(context).map_err(|_| Status::INVALID_CONTEXT)
    }

    /// Returns the live context that a call names, or the current context if the call names none.
    fn named_or_current(&self, context: Handle) -> Outcome<Handle> {
        if context.is_null() {
            self.current()
        } else if self.destroyed.contains_key(&context) {
            Err(Status::CONTEXT_IS_DESTROYED)
        } else {
            self.context(context).map(|_| context)
        }
    }

    /// Returns the stack entry of a context that is made current.
    fn to_stack(&self, context: Handle) -> Outcome<Arc<Remains>> {
        match self.destroyed.get(&context) {
            None => self.context(context).map(|live| live.remains.clone()),
            Some(destroyed) => Ok(destroyed.upgrade().unwrap_or_else(|| {
                eprintln!("a destroyed context that is on no stack is made current: driver 580 uses freed memory");
                process::abort()
            })),
        }
    }

    fn new_context(&mut self, device: c_int, flags: u32) -> Outcome<Handle> {
        self.device(device)?;
        // A context on a stack is not freed.
        let freed = |(handle, remains): (&Handle, &Weak<Remains>)| (remains.strong_count() == 0).then_some(*handle);
        let freed = self.destroyed.iter().filter_map(freed).min();
        let handle = freed.unwrap_or_else(|| self.contexts.reserve());
        let id = self.next_id();
        let context = Context::new(Arc::new(Remains { handle, device }), id, false, flags);
        push(context.remains.clone());
        self.destroyed.remove(&handle);
        self.contexts.insert_at(handle, context);
        Ok(handle)
    }

    /// Destroys a context and its objects.
    fn destroy_context(&mut self, context: Handle) -> Outcome {
        let removed = self.contexts.take(context);
        let removed = removed.map_err(|_| Status::INVALID_CONTEXT)?;
        let remains = Arc::downgrade(&removed.remains);
        self.destroyed.insert(context, remains);
        self.streams.retain(|stream| stream.context != context);
        self.events.retain(|event| event.context != context);
        self.modules.retain(|module| module.context != context);
        self.functions.retain(|function| function.context != Some(context));
        self.arrays.retain(|array| array.context != context);
        self.textures.retain(|texture| texture.context != context);
        self.surfaces.retain(|surface| surface.context != context);
        self.memory.free_context(context);
        Ok(())
    }

    fn next_id(&mut self) -> u64 {
        self.context_ids += 1;
        self.context_ids
    }

    /// Retains the primary context of a device, and creates it if it does not exist.
    pub(crate) fn retain_primary(&mut self, device: c_int) -> Outcome<Handle> {
        let entry = self.device(device)?;
        entry.retained += 1;
        let (primary, flags) = (entry.primary, entry.primary_flags);
        // Its handle is valid for the whole process.
        let remains = entry.remains.get_or_insert_with(|| Arc::new(Remains { handle: primary, device })).clone();
        if !self.contexts.contains(primary) {
            let id = self.next_id();
            let context = Context::new(remains, id, true, flags);
            self.destroyed.remove(&primary);
            self.contexts.insert_at(primary, context);
        }
        Ok(primary)
    }

    pub(crate) fn release_primary(&mut self, device: c_int) -> Outcome {
        let entry = self.device(device)?;
        if entry.retained == 0 {
            return Err(Status::INVALID_CONTEXT);
        }
        entry.retained -= 1;
        let (primary, last) = (entry.primary, entry.retained == 0);
        if last && self.contexts.contains(primary) { self.destroy_context(primary) } else { Ok(()) }
    }
}

entry_points! {
    fn cuDevicePrimaryCtxRetain(driver, context: Out<Handle>, device: c_int) {
        context.set(driver.device(device)?.primary)?;
        driver.retain_primary(device).map(drop)
    }

    fn cuDevicePrimaryCtxGetState(driver, device: c_int, flags: Out<c_uint>, active: Out<c_int>) {
        let entry = driver.device(device)?;
        let (primary, set) = (entry.primary, entry.primary_flags);
        flags.set(set)?;
        active.set(c_int::from(driver.contexts.contains(primary)))
    }

    fn cuDevicePrimaryCtxSetFlags_v2(driver, device: c_int, flags: c_uint) {
        driver.device(device)?.primary_flags = flags;
        Ok(())
    }

    fn cuDevicePrimaryCtxRelease_v2(driver, device: c_int) {
        driver.release_primary(device)
    }

    fn cuDevicePrimaryCtxReset_v2(driver, device: c_int) {
        let primary = driver.device(device)?.primary;
        // Current holders get CUDA_ERROR_CONTEXT_IS_DESTROYED until it is retained again.
        if driver.contexts.contains(primary) { driver.destroy_context(primary) } else { Ok(()) }
    }

    fn cuCtxCreate_v2(driver, context: Out<Handle>, flags: c_uint, device: c_int) {
        context.set(Handle::NULL)?;
        context.set(driver.new_context(device, flags)?)
    }

    fn cuCtxCreate_v3(
        driver, context: Out<Handle>, _affinity: In<c_void>, affinities: c_int, flags: c_uint, device: c_int,
    ) {
        if affinities != 0 {
            return Err(Status::UNSUPPORTED_LIMIT);
        }
        context.set(Handle::NULL)?;
        context.set(driver.new_context(device, flags)?)
    }

    fn cuCtxCreate_v4(driver, context: Out<Handle>, parameters: In<c_void>, flags: c_uint, device: c_int) {
        // Execution affinity and graphics sharing need a real device.
        if !parameters.is_null() {
            return Err(Status::NOT_SUPPORTED);
        }
        context.set(Handle::NULL)?;
        context.set(driver.new_context(device, flags)?)
    }

    fn cuCtxDestroy_v2(driver, context: Handle) {
        if driver.destroyed.contains_key(&context) {
            return Err(Status::CONTEXT_IS_DESTROYED);
        }
        if driver.context(context)?.primary {
            return Err(Status::INVALID_CONTEXT);
        }
        driver.destroy_context(context)?;
        if top() == context {
            pop();
        }
        Ok(())
    }

    fn cuCtxPushCurrent_v2(driver, context: Handle) {
        push(driver.to_stack(context)?);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(_driver, context: Out<Handle>) {
        let popped = pop().ok_or(Status::INVALID_CONTEXT)?;
        context.set_if_wanted(popped.handle);
        Ok(())
    }

    fn cuCtxGetId(driver, context: Handle, id: Out<u64>) {
        let context = driver.named_or_current(context)?;
        id.set(driver.context(context)?.id)
    }

    fn cuCtxGetFlags(driver, flags: Out<c_uint>) {
        let context = driver.current()?;
        flags.set(driver.context(context)?.flags)
    }

    fn cuCtxGetCurrent(_driver, context: Out<Handle>) {
        context.set(top())
    }

    fn cuCtxGetDevice(_driver, device: Out<c_int>) {
        let of_top = STACK.with(|stack| stack.borrow().0.as_ref().map(|top| top.device));
        device.set(of_top.ok_or(Status::INVALID_CONTEXT)?)
    }

    fn cuCtxSetCurrent(driver, context: Handle) {
        let context = if context.is_null() { None } else { Some(driver.to_stack(context)?) };
        pop();
        context.into_iter().for_each(push);
        Ok(())
    }

    fn cuCtxSetFlags(driver, flags: c_uint) {
        let context = driver.current()?;
        driver.contexts.get_mut(context)?.flags = flags;
        Ok(())
    }

    fn cuCtxSynchronize(driver) {
        let context = driver.healthy()?;
        driver.refuse_while_capturing(context)
    }

    fn cuCtxSynchronize_v2(driver, context: Handle) {
        let context = driver.named_or_current(context)?;
        driver.check(context)?;
        driver.refuse_while_capturing(context)
    }

    fn cuCtxGetLimit(driver, value: Out<usize>, limit: c_uint) {
        let context = driver.current()?;
        let held = driver.context(context)?.limits.get(&limit).copied();
        value.set(held.ok_or(Status::UNSUPPORTED_LIMIT)?)
    }

    fn cuCtxSetLimit(driver, limit: c_uint, value: usize) {
        let context = driver.healthy()?;
        let held = driver.contexts.get_mut(context)?.limits.get_mut(&limit);
        *held.ok_or(Status::UNSUPPORTED_LIMIT)? = value;
        Ok(())
    }

    fn cuCtxGetCacheConfig(driver, config: Out<c_uint>) {
        let context = driver.current()?;
        config.set(driver.context(context)?.cache_config)
    }

    fn cuCtxSetCacheConfig(driver, config: c_uint) {
        let context = driver.current()?;
        driver.contexts.get_mut(context)?.cache_config = config;
        Ok(())
    }

    fn cuCtxGetStreamPriorityRange(driver, least: Out<c_int>, greatest: Out<c_int>) {
        driver.current()?;
        least.set_if_wanted(0);
        greatest.set_if_wanted(-5);
        Ok(())
    }
}

//! Kernels and variables of fat binaries that a program registers when it starts, and launches of them.

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{c_char, c_int, c_uint, c_void},
    sync::Mutex,
};

use super::call::{
    INVALID_CONFIGURATION, INVALID_FUNCTION, INVALID_SYMBOL, MISSING_CONFIGURATION, finish, get, ok, reset, start,
};
use crate::{
    contexts::context::cuCtxGetCurrent,
    entry::{In, Out, Text, in_at, out_at, out_to},
    error::{Outcome, Status},
    handle::Handle,
    images::{
        function::{cuFuncGetAttribute, cuFuncGetName, cuFuncGetParamInfo, cuFuncSetAttribute},
        library::{cuKernelGetFunction, cuLibraryGetKernel, cuLibraryLoadData, cuLibraryUnload},
        module::{cuModuleGetFunction, cuModuleGetGlobal_v2, cuModuleLoadData},
    },
    launches::{
        launch::{LaunchConfig, cuLaunchCooperativeKernel, cuLaunchKernel, cuLaunchKernelEx},
        occupancy::{
            cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyMaxActiveBlocksPerMultiprocessor,
            cuOccupancyMaxActiveClusters, cuOccupancyMaxPotentialClusterSize,
        },
    },
    lock::lock,
    state,
};

/// `dim3`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Dim3 {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

/// `__fatBinC_Wrapper_t`
#[derive(Clone, Copy)]
#[repr(C)]
struct Wrapper {
    magic: c_int,
    version: c_int,
    image: usize,
    more: usize,
}

/// A configuration between `<<<` and `>>>`.
type Configuration = (Dim3, Dim3, usize, Handle);

/// What the program has registered. A fat binary is the number of its image, from 1.
#[derive(Default)]
struct Registered {
    images: Vec<usize>,
    /// By context and image.
    modules: HashMap<(Handle, usize), Handle>,
    /// By the address of the stub: the image, and the name.
    kernels: HashMap<usize, (usize, Vec<u8>)>,
    functions: HashMap<(Handle, usize), Handle>,
    /// By the address on the host: the image, and the name.
    variables: HashMap<usize, (usize, Vec<u8>)>,
    /// Where the program has the addresses of managed variables, by their names.
    managed: Vec<(usize, usize, Vec<u8>)>,
}

static REGISTERED: Mutex<Option<Registered>> = Mutex::new(None);

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

fn registered<T>(work: impl FnOnce(&mut Registered) -> T) -> T {
    work(lock(&REGISTERED).get_or_insert_default())
}

/// Returns the module of an image in the current context.
fn module(image: usize) -> Outcome<Handle> {
    let context = get(|out| cuCtxGetCurrent(out))?;
    let (known, address) =
        registered(|all| (all.modules.get(&(context, image)).copied(), all.images.get(image - 1).copied()));
    if let Some(module) = known {
        return Ok(module);
    }
    let address = address.ok_or(INVALID_FUNCTION)?;
    let module = get(|out| cuModuleLoadData(out, in_at(address)))?;
    registered(|all| all.modules.insert((context, image), module));
    Ok(module)
}

/// Returns the function of a registered kernel, or of a `cudaFunction_t` or `cudaKernel_t`.
pub(super) fn function(host: usize) -> Outcome<Handle> {
    let context = get(|out| cuCtxGetCurrent(out))?;
    let (known, kernel) =
        registered(|all| (all.functions.get(&(context, host)).copied(), all.kernels.get(&host).cloned()));
    if let Some(function) = known {
        return Ok(function);
    }
    let Some((image, name)) = kernel else {
        if let Ok(function) = get(|out| cuKernelGetFunction(out, Handle(host))) {
            return Ok(function);
        }
        let is_function = state::lock().functions.get(Handle(host)).is_ok();
        return if is_function { Ok(Handle(host)) } else { Err(INVALID_FUNCTION) };
    };
    let module = module(image)?;
    let function = get(|out| cuModuleGetFunction(out, module, Text::of(&name)));
    let function = function.map_err(|status| if status == Status::NOT_FOUND { INVALID_FUNCTION } else { status })?;
    registered(|all| all.functions.insert((context, host), function));
    Ok(function)
}

/// Returns the address and the size of a variable.
pub(super) fn variable(host: usize) -> Outcome<(u64, usize)> {
    let (image, name) = registered(|all| all.variables.get(&host).cloned()).ok_or(INVALID_SYMBOL)?;
    named(image, &name)
}

fn named(image: usize, name: &[u8]) -> Outcome<(u64, usize)> {
    let (module, mut size) = (module(image)?, 0);
    let address = get(|out| cuModuleGetGlobal_v2(out, out_to(&mut size), module, Text::of(name)))?;
    Ok((address, size))
}

/// Text with its NUL, of a name that the program keeps.
fn owned(name: Text) -> Vec<u8> {
    let mut bytes = name.get().unwrap_or_default().into_bytes();
    bytes.push(0);
    bytes
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaRegisterFatBinary(wrapper: In<Wrapper>) -> usize {
    let image = wrapper.get().map_or(0, |wrapper| wrapper.image);
    registered(|all| {
        all.images.push(image);
        all.images.len()
    })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaRegisterFatBinaryEnd(_binary: usize) {}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaUnregisterFatBinary(_binary: usize) {}

/// The program is about to use a managed variable.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaInitModule(binary: usize) -> c_char {
    let managed = registered(|all| all.managed.clone());
    for (_, at, name) in managed.iter().filter(|(image, ..)| *image == binary) {
        let address = start().and_then(|()| named(binary, name)).map_or(0, |(address, _)| address as usize);
        let _ = out_at::<usize>(*at).set(address);
    }
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaRegisterFunction(binary: usize, host: usize, _stub: usize, name: Text) {
    let name = owned(name);
    registered(|all| all.kernels.insert(host, (binary, name)));
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaRegisterVar(binary: usize, host: usize, _address: usize, name: Text) {
    let name = owned(name);
    registered(|all| all.variables.insert(host, (binary, name)));
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaRegisterManagedVar(binary: usize, host: usize, _address: usize, name: Text) {
    let name = owned(name);
    registered(|all| {
        all.managed.push((binary, host, name.clone()));
        all.variables.insert(host, (binary, name));
    });
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Handle) -> c_uint {
    CONFIGURATIONS.with_borrow_mut(|all| all.push((grid, block, shared, stream)));
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaPopCallConfiguration(
    grid: Out<Dim3>,
    block: Out<Dim3>,
    shared: Out<usize>,
    stream: Out<Handle>,
) -> Status {
    let top = CONFIGURATIONS.with_borrow_mut(Vec::pop);
    finish(top.ok_or(MISSING_CONFIGURATION).and_then(|top| {
        grid.set(top.0)?;
        block.set(top.1)?;
        shared.set(top.2)?;
        stream.set(top.3)
    }))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn __cudaGetKernel(kernel: Out<usize>, host: usize) -> Status {
    finish(kernel.set(host))
}

/// The launch of a kernel. A wrong configuration has its own code.
fn launch(
    host: usize,
    [grid, block]: [Dim3; 2],
    arguments: In<usize>,
    shared: usize,
    stream: Handle,
    is_cooperative: bool,
) -> Outcome {
    let function = function(host)?;
    let shared = c_uint::try_from(shared).map_err(|_| Status::INVALID_VALUE)?;
    let (Dim3 { x: gx, y: gy, z: gz }, Dim3 { x: bx, y: by, z: bz }) = (grid, block);
    let status = if is_cooperative {
        cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments)
    } else {
        cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, in_at(0))
    };
    let threads = [bx, by, bz].iter().fold(1, |all, part| u64::from(*part) * all);
    let most = get(|out| cuFuncGetAttribute(out, 0, function)).unwrap_or(0);
    let is_wrong = threads > u64::from(most.cast_unsigned())
        || [gx, gy, gz, bx, by, bz].contains(&0)
        || gx >= 1 << 31
        || gy.max(gz) > 65535
        || bz > 64;
    ok(status)
        .map_err(|status| if status == Status::INVALID_VALUE && is_wrong { INVALID_CONFIGURATION } else { status })
}

/// Returns the default stream of code that is compiled for one of each thread.
fn per_thread(stream: Handle) -> Handle {
    if stream.is_null() { Handle(2) } else { stream }
}

/// `cudaFuncAttributes`
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Attributes {
    sizes: [usize; 3],
    /// Threads, registers, versions of PTX and binary, cache mode, dynamic shared memory, carveout; of clusters: must
    /// be set, width, height, depth, scheduling policy, size that is not portable.
    numbers: [c_int; 13],
    reserved: [c_int; 16],
}

runtime_functions! {
    fn cudaLaunchCooperativeKernel_ptsz(
        host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle,
    ) {
        launch(host, [grid, block], arguments, shared, per_thread(stream), true)
    }

    fn cudaLaunchKernelExC_ptsz(config: In<LaunchConfig>, host: usize, arguments: In<usize>) {
        let mut config = config.get()?;
        config.stream = per_thread(config.stream);
        ok(cuLaunchKernelEx(In::of(&config), function(host)?, arguments, in_at(0)))
    }

    fn cudaLaunchKernel(host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle) {
        launch(host, [grid, block], arguments, shared, stream, false)
    }

    fn cudaLaunchKernel_ptsz(host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle) {
        launch(host, [grid, block], arguments, shared, per_thread(stream), false)
    }

    fn __cudaLaunchKernel(host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle) {
        launch(host, [grid, block], arguments, shared, stream, false)
    }

    fn __cudaLaunchKernel_ptsz(host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle) {
        launch(host, [grid, block], arguments, shared, per_thread(stream), false)
    }

    fn cudaLaunchCooperativeKernel(host: usize, grid: Dim3, block: Dim3, arguments: In<usize>, shared: usize, stream: Handle) {
        launch(host, [grid, block], arguments, shared, stream, true)
    }

    /// `cudaLaunchConfig_t` has the layout of `CUlaunchConfig`.
    fn cudaLaunchKernelExC(config: In<LaunchConfig>, host: usize, arguments: In<usize>) {
        ok(cuLaunchKernelEx(config, function(host)?, arguments, in_at(0)))
    }

    fn cudaFuncGetAttributes(attributes: Out<Attributes>, host: usize) {
        let function = function(host)?;
        let number = |attribute| get(|out| cuFuncGetAttribute(out, attribute, function)).unwrap_or(0);
        let sizes = [1, 2, 3].map(|attribute| usize::try_from(number(attribute)).unwrap_or(0));
        let numbers = [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14].map(number);
        attributes.set(Attributes { sizes, numbers, reserved: [0; 16] })
    }

    fn cudaFuncSetCacheConfig(host: usize, _config: c_uint) {
        function(host).map(drop)
    }

    fn cudaGetFuncBySymbol(out: Out<Handle>, host: usize) {
        out.set(function(host)?)
    }

    fn cudaGetKernel(out: Out<Handle>, host: usize) {
        out.set(function(host)?)
    }

    fn cudaGetSymbolAddress(address: Out<u64>, host: usize) {
        address.set(variable(host)?.0)
    }

    fn cudaGetSymbolSize(size: Out<usize>, host: usize) {
        size.set(variable(host)?.1)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<c_int>, host: usize, block: c_int, shared: usize, _flags: c_uint,
    ) {
        ok(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function(host)?, block, shared))
    }

    fn cudaLibraryLoadData(
        library: Out<Handle>, code: In<c_void>, options: In<c_uint>, values: Out<usize>, count: c_uint,
        library_options: In<c_uint>, library_values: In<usize>, library_count: c_uint,
    ) {
        ok(cuLibraryLoadData(library, code, options, values, count, library_options, library_values, library_count))
    }

    fn cudaDeviceReset() {
        let context = get(|out| cuCtxGetCurrent(out))?;
        registered(|all| {
            all.modules.retain(|(of, _), _| *of != context);
            all.functions.retain(|(of, _), _| *of != context);
        });
        reset()
    }
}

forwarded! {
    cudaFuncSetAttribute(host: usize, attribute: c_uint, value: c_int)
        => cuFuncSetAttribute(function(host)?, attribute, value);
    cudaFuncGetName(name: Out<*const c_char>, host: usize) => cuFuncGetName(name, function(host)?);
    cudaFuncGetParamInfo(host: usize, index: usize, offset: Out<usize>, size: Out<usize>)
        => cuFuncGetParamInfo(function(host)?, index, offset, size);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, host: usize, block: c_int, shared: usize)
        => cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function(host)?, block, shared);
    cudaOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, host: usize, blocks: c_int, block: c_int)
        => cuOccupancyAvailableDynamicSMemPerBlock(bytes, function(host)?, blocks, block);
    cudaOccupancyMaxActiveClusters(clusters: Out<c_int>, host: usize, config: In<LaunchConfig>)
        => cuOccupancyMaxActiveClusters(clusters, function(host)?, config);
    cudaOccupancyMaxPotentialClusterSize(size: Out<c_int>, host: usize, config: In<LaunchConfig>)
        => cuOccupancyMaxPotentialClusterSize(size, function(host)?, config);
    cudaLibraryGetKernel(kernel: Out<Handle>, library: Handle, name: Text)
        => cuLibraryGetKernel(kernel, library, name);
    cudaLibraryUnload(library: Handle) => cuLibraryUnload(library);
}

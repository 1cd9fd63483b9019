//! Launches: the driver's checks, the entry points, and the record of the last launch.

use std::{ffi::c_uint, sync::Arc};

use crate::{
    contexts::device::{MAX_BLOCK, MAX_GRID, MAX_THREADS, MULTIPROCESSORS},
    entry::{In, Out, in_at, out_at},
    error::{Outcome, Status},
    execute::Geometry,
    handle::Handle,
    images::{image::Kernel, module::Variables},
    launches::{
        attribute::{self, Attribute},
        bank::Bank,
    },
    state::{Driver, Operation},
};

/// A checked launch.
#[derive(Clone, Debug)]
pub(crate) struct KernelCall {
    pub(crate) function: Handle,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) geometry: Geometry,
    pub(crate) bank: Bank,
    /// The variables of its module. `None` if the module of a library's kernel is not loaded yet.
    pub(crate) variables: Option<Arc<Variables>>,
    /// All attributes of the launch, including those that are part of the geometry.
    pub(crate) attributes: Vec<Attribute>,
}

/// Why a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    Stream,
    Graph,
}

/// A launch that ran.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) call: KernelCall,
    pub(crate) stream: Handle,
    pub(crate) via: Via,
}

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    pub(crate) stream: Handle,
    attributes: usize,
    count: u32,
}

impl LaunchConfig {
    pub(crate) fn attributes(&self) -> Outcome<Vec<Attribute>> {
        in_at::<Attribute>(self.attributes).take(self.count as usize)
    }

    /// Returns the address of attribute `index` in the caller's memory. The driver writes a handle there.
    pub(crate) fn attribute_place(&self, index: usize) -> Out<Attribute> {
        out_at::<Attribute>(self.attributes).at(index)
    }

    /// Returns the geometry, including attributes that affect it.
    pub(crate) fn geometry(&self) -> Outcome<Geometry> {
        let mut geometry = Geometry { grid: self.grid, block: self.block, shared: self.shared, ..Geometry::default() };
        for attribute in self.attributes()? {
            geometry.take(&attribute);
        }
        Ok(geometry)
    }
}

impl Geometry {
    /// Applies an attribute that affects the geometry.
    pub(crate) fn take(&mut self, attribute: &Attribute) {
        match attribute.id {
            attribute::COOPERATIVE => self.cooperative = attribute.words()[0] != 0,
            attribute::CLUSTER => {
                let [x, y, z, ..] = attribute.words();
                self.cluster = Some([x, y, z]);
            }
            _ => {}
        }
    }
}

impl Driver {
    /// Checks a launch of `function` in `context` and reads its parameters.
    pub(crate) fn prepare(
        &self,
        function: Handle,
        context: Handle,
        geometry: Geometry,
        kernel_params: In<usize>,
        extra: In<usize>,
    ) -> Outcome<KernelCall> {
        let held = self.functions.get(function)?;
        if held.context.is_some_and(|own| own != context) {
            return Err(Status::INVALID_HANDLE);
        }
        let geometry = self.check_geometry(function, geometry)?;
        let bank = Bank::read(&held.kernel, kernel_params, extra)?;
        Ok(KernelCall {
            function,
            kernel: Arc::clone(&held.kernel),
            geometry,
            bank,
            variables: self.modules.get(held.owner).ok().map(|module| module.variables.clone()),
            attributes: Vec::new(),
        })
    }

    /// Returns the geometry, with the cluster that the kernel requires.
    pub(crate) fn check_geometry(&self, function: Handle, mut geometry: Geometry) -> Outcome<Geometry> {
        let held = self.functions.get(function)?;
        let kernel = &held.kernel;
        let within = |extents: [u32; 3], limits: [u32; 3]| {
            extents.iter().zip(limits).all(|(extent, limit)| (1..=limit).contains(extent))
        };
        if !within(kernel.blocks(geometry.grid), MAX_GRID) || !within(geometry.block, MAX_BLOCK) {
            return Err(Status::INVALID_VALUE);
        }
        // Seen on an H200 with driver 580: such a kernel launches with a block of 1 as with the block that it requires.
        if let Some(required) =
            kernel.required_threads.filter(|_| kernel.blocks_are_clusters && geometry.block == [1; 3])
        {
            geometry.block = required;
        }
        let threads: u32 = geometry.block.iter().product();
        let fits = threads <= MAX_THREADS.min(kernel.max_threads);
        if !fits
            || kernel.required_threads.is_some_and(|required| required != geometry.block)
                && !(kernel.is_tile && threads == 1)
        {
            return Err(Status::INVALID_VALUE);
        }
        if geometry.shared > held.dynamic_shared {
            return Err(Status::INVALID_VALUE);
        }
        if let (Some(required), Some(asked)) = (kernel.cluster, geometry.cluster)
            && required != asked
        {
            return Err(Status::INVALID_CLUSTER_SIZE);
        }
        geometry.cluster = geometry.cluster.or(kernel.cluster);
        if let Some(cluster) = geometry.cluster {
            // Seen on an H200 with driver 580.
            let otherwise = kernel.cluster.map_or(Status::INVALID_VALUE, |_| Status::INVALID_CLUSTER_SIZE);
            self.check_cluster(cluster, kernel.blocks(geometry.grid), held.non_portable_cluster, otherwise)?;
        }
        if geometry.cooperative {
            let each = held.blocks_per_sm(threads, geometry.shared, self.figures());
            let blocks: u64 = kernel.blocks(geometry.grid).iter().map(|&extent| u64::from(extent)).product();
            if blocks > u64::from(each * MULTIPROCESSORS) {
                return Err(Status::COOPERATIVE_LAUNCH_TOO_LARGE);
            }
        }
        Ok(geometry)
    }

    /// `otherwise` is the error of a grid that is no multiple of the cluster.
    fn check_cluster(&self, cluster: [u32; 3], grid: [u32; 3], non_portable: bool, otherwise: Status) -> Outcome {
        let most = if non_portable { 16 } else { 8 };
        let blocks = cluster.iter().try_fold(1u32, |product, extent| product.checked_mul(*extent));
        if self.config.sm < 90 || blocks == Some(0) {
            return Err(Status::INVALID_VALUE);
        }
        if blocks.is_none_or(|blocks| blocks > most) {
            return Err(Status::INVALID_CLUSTER_SIZE);
        }
        let divides = grid.iter().zip(cluster).all(|(extent, part)| extent % part == 0);
        if divides { Ok(()) } else { Err(otherwise) }
    }

    fn launch(
        &mut self,
        function: Handle,
        geometry: Geometry,
        attributes: Vec<Attribute>,
        stream: Handle,
        kernel_params: In<usize>,
        extra: In<usize>,
    ) -> Outcome {
        self.healthy()?;
        let target = self.stream_target(stream)?;
        // Seen with driver 580.
        let is_refused = geometry.cooperative && target.capture.is_some() && !extra.is_null();
        let prepared = if is_refused { Err(Status::INVALID_VALUE) } else { self.check_attributes(&attributes, target) };
        let prepared = prepared.and_then(|()| self.prepare(function, target.context, geometry, kernel_params, extra));
        let call = match prepared {
            Ok(call) => KernelCall { attributes, ..call },
            Err(status) => {
                // A failed launch invalidates the capture of its stream (seen on driver 580).
                return Err(target.capture.map_or(status, |capture| self.break_capture(capture, status)));
            }
        };
        self.submit(stream, Operation::Kernel(Box::new(call)))
    }

    /// The additional effects of a launch: it records events, and returns the handle of its node.
    fn after_launch(&mut self, config: &LaunchConfig) -> Outcome {
        for (index, attribute) in config.attributes()?.into_iter().enumerate() {
            match attribute.id {
                attribute::PROGRAMMATIC_EVENT | attribute::LAUNCH_COMPLETION_EVENT => {
                    self.record_event(attribute.handle(), config.stream)?;
                }
                attribute::DEVICE_UPDATABLE_KERNEL_NODE => {
                    let capture = self.stream_target(config.stream)?.capture;
                    let capture = capture.ok_or(Status::INVALID_VALUE)?;
                    let node = self.frontier(capture, config.stream)?.pop().unwrap_or_default();
                    let mut written = attribute;
                    written.value[8..16].copy_from_slice(&node.0.to_ne_bytes());
                    config.attribute_place(index).set(written)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the variables that a launch can name.
    pub(crate) fn variables_of(&mut self, call: &KernelCall, context: Handle) -> Arc<Variables> {
        if let Some(variables) = &call.variables {
            return variables.clone();
        }
        let owner = self.functions.get(call.function).map(|function| function.owner);
        let module = owner.and_then(|library| self.library_module(library, context));
        module.and_then(|module| Ok(self.modules.get(module)?.variables.clone())).unwrap_or_default()
    }
}

entry_points! {
    fn cuLaunchKernel(
        driver, function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Handle, kernel_params: In<usize>, extra: In<usize>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let geometry = Geometry { grid, block, shared, ..Geometry::default() };
        driver.launch(function, geometry, Vec::new(), stream, kernel_params, extra)
    }

    fn cuLaunchKernelEx(
        driver, config: In<LaunchConfig>, function: Handle, kernel_params: In<usize>, extra: In<usize>,
    ) {
        let config = config.get()?;
        let (geometry, attributes) = (config.geometry()?, config.attributes()?);
        driver.launch(function, geometry, attributes, config.stream, kernel_params, extra)?;
        driver.after_launch(&config)
    }

    fn cuLaunchCooperativeKernel(
        driver, function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Handle, kernel_params: In<usize>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let geometry = Geometry { grid, block, shared, cluster: None, cooperative: true };
        driver.launch(function, geometry, Vec::new(), stream, kernel_params, in_at(0))
    }
}

//! `Launch`: the grid, the block and the options of a launch.

use super::{
    AccessPolicyWindow, AsStream, Attributes, ClusterSchedulingPolicy, DeviceNode, Form, IntoDim, MemorySyncDomain,
    MemorySyncDomainMap, PortableClusterMode, ProgrammaticEvent, SharedMemoryMode, attribute_table::attribute_table,
};
#[cfg(feature = "graphs")]
use crate::driver::run::RunRecord;
use crate::{
    device::vector::Dim3,
    driver::api::{LaunchConfig, StreamHandle},
};
use cudarc::driver::{CudaEvent, CudaStream};

/// Grid, block and options of one launch. The options of [`launch!`](crate::launch!) are its methods.
///
/// ```no_run
/// use kernel_args::Launch;
///
/// let launch = Launch::new((4, 2), 256).shared(1024).cluster(2); // 4 × 2 blocks of 256 threads
/// ```
///
/// # Launch attributes
/// The methods from [`cluster`](Self::cluster) on set launch attributes (CUDA Driver API, `CUlaunchAttributeID`):
/// [`launches`](crate::guide::launches#attributes) lists what each needs.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Launch<'a> {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared: u32,
    /// Whether `shared` was set: then 0 requests no shared memory.
    pub(crate) shared_given: bool,
    pub(crate) stream: Option<&'a CudaStream>,
    /// For a launch in a sequence, whose stream is `stream`.
    #[cfg(feature = "graphs")]
    pub(crate) recording: Option<&'a RunRecord>,
    pub(crate) form: Option<Form>,
    /// `None` while no attribute is set, and then its fields are not written.
    pub(crate) attributes: Option<Attributes<'a>>,
}

impl<'a> Launch<'a> {
    /// Creates a launch of `grid` blocks of `block` threads on the default stream: cudarc's `grid_dim` and `block_dim`.
    #[inline(always)]
    pub fn new(grid: impl IntoDim, block: impl IntoDim) -> Self {
        Self {
            grid: grid.into_dim(),
            block: block.into_dim(),
            shared: 0,
            shared_given: false,
            stream: None,
            #[cfg(feature = "graphs")]
            recording: None,
            form: None,
            attributes: None,
        }
    }

    /// Sets the stream to launch on, or the [`Recorder`](crate::sequence::Recorder) of a sequence.
    #[inline(always)]
    pub fn stream(mut self, stream: &'a (impl AsStream + ?Sized)) -> Self {
        let target = stream.target();
        self.stream = Some(target.stream);
        #[cfg(feature = "graphs")]
        {
            self.recording = target.recording;
        }
        self
    }

    /// Dynamic shared memory per block, in bytes. Above 48 KiB the kernel is opted in automatically.
    ///
    /// If the PTX of a kernel shows that it uses dynamic shared memory (`extern __shared__`), a launch without this
    /// option is rejected; 0 explicitly requests none.
    #[inline(always)]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self.shared_given = true;
        self
    }

    /// cudarc's name for [`shared`](Self::shared).
    #[inline(always)]
    pub fn shared_mem_bytes(self, bytes: u32) -> Self {
        self.shared(bytes)
    }

    /// Sets the form in which to pass the parameters; the default is the faster form, [`Form::of`]. A struct with an
    /// alignment above 16 bytes is always passed as `kernelParams`.
    #[inline(always)]
    pub fn form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }

    /// Returns the configuration without attributes.
    #[inline(always)]
    pub(crate) fn config<'s>(&self, stream: StreamHandle<'s>) -> LaunchConfig<'s> {
        let Self { grid, block, shared, .. } = *self;
        LaunchConfig::new([grid.x, grid.y, grid.z], [block.x, block.y, block.z], shared, stream)
    }

    #[inline(always)]
    fn with(mut self, set: impl FnOnce(&mut Attributes<'a>)) -> Self {
        set(self.attributes.get_or_insert_default());
        self
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($given:ident: $from:ty) -> $ty:ty = $value:expr, $id:literal, $cuda:literal,
        $major:literal . $minor:literal $(, sm $sm:literal)? $(, nodes $nodes:literal)? $(, address $address:literal)?;)*) => {
        /// # Launch attributes
        impl<'a> Launch<'a> {$(
            $(#[$doc])*
            ///
            #[doc = concat!(
                "`CU_LAUNCH_ATTRIBUTE_", $cuda, "`. Needs CUDA ", $major, ".", $minor, $(" and sm_", $sm,)? "."
            )]
            #[inline(always)]
            pub fn $name(self, $given: $from) -> Self {
                self.with(|attributes| attributes.$name = $value)
            }
        )*}
    };
}
attribute_table!(methods);

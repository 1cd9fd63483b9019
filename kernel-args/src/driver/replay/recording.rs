use super::{
    Replay, ReplayOptions,
    run::{ReplayRun, opened, unread},
};
use crate::driver::{api::ReplayPromise, error::Error};
use cudarc::driver::CudaContext;
use kernel_args_image::recording::{Manifest, Reader};
use std::{path::PathBuf, sync::Arc};

/// A recording of one launch: a file that [`record_to_file`](crate::observe::record_to_file) or
/// `kernel-args trace --record` wrote. [`observe`](crate::guide::observe#one-launch-in-a-file) launches one.
///
/// ```no_run
/// use kernel_args::replay::Recording;
///
/// # fn main() -> Result<(), kernel_args::Error> {
/// let recording = Recording::open("saxpy.launch")?;
/// println!("{:?}", recording.manifest());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    file: PathBuf,
    manifest: Manifest,
}

impl Recording {
    /// Reads what the recording contains, except the image and the memory.
    ///
    /// # Errors
    /// [`Error::Recording`] if the file cannot be read, or is not a recording.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, Error> {
        let file = file.into();
        let read = || Ok(Reader::new(opened(&file)?).entries()?.manifest().clone());
        let manifest = read().map_err(|error| unread(&file, error))?;
        Ok(Self { file, manifest })
    }

    /// Returns the kernel, its geometry, arguments and pointers, and the machine. It comes from the file, so a name can
    /// contain any characters.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Launches the recording in `ctx`: with its own memory, whose addresses replace the recorded pointers. Compares
    /// the memory afterwards with the recorded memory.
    ///
    /// # Errors
    /// [`Error::Recording`] for a damaged file, an image without the recorded kernel's parameters, or no image;
    /// otherwise the errors of [`Module::load`](crate::Module::load) and of a launch.
    pub fn replay(
        &self,
        ctx: &Arc<CudaContext>,
        options: &ReplayOptions<'_>,
        promise: ReplayPromise,
    ) -> Result<Replay, Error> {
        let file = opened(&self.file).map_err(|error| unread(&self.file, error))?;
        ReplayRun::new(ctx, &self.file, options, promise)?.run(&mut Reader::new(file))
    }
}

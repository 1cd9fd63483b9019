//! Textures and surfaces: their life, what they wait for, mistakes, and what kernels sample, compared with a model of
//! the sampling rules of the CUDA C++ programming guide.

mod life;
mod mistakes;
mod model;
mod ordered;
mod sampled;
mod surfaces;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{
    Kernel, KernelArgs, Module, launch,
    texture::{Surface, Texture},
};
use kernel_args_tests::driver::{Driver, context, suite};
use libtest_mimic::Trial;
use std::{fmt::Debug, process::ExitCode, sync::Arc};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const PTX: &str = include_str!("../../../../ptx/textures.ptx");

pub(crate) fn main() -> ExitCode {
    suite("textures", trials, |_| {})
}

fn trials(_: &Driver) -> Vec<Trial> {
    let mut trials = sampled::trials();
    trials.extend(surfaces::trials());
    trials.extend(ordered::trials());
    trials.extend(life::trials());
    trials.extend(mistakes::trials());
    trials
}

/// Compares a result of kernels.
fn compare<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len(), "{what}: the number of elements");
    let wrong: Vec<_> = (0..found.len()).filter(|&i| found[i] != expected[i]).collect();
    if let Some(&first) = wrong.first() {
        let (found, expected) = (&found[first], &expected[first]);
        panic!("{what}: {} elements are wrong; element {first} is {found:?} instead of {expected:?}", wrong.len());
    }
}

/// `__global__ void brighten(cudaSurfaceObject_t image, int width, int height)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/textures.ptx", entry = "brighten")]
struct Brighten<'a> {
    image: &'a Surface,
    width: i32,
    height: i32,
}

/// `__global__ void copy_texels(cudaTextureObject_t image, float* out, int width, int height)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/textures.ptx", entry = "copy_texels")]
struct CopyTexels<'a> {
    image: &'a Texture,
    out: &'a mut CudaSlice<f32>,
    width: i32,
    height: i32,
}

const WIDTH: usize = 64;
const HEIGHT: usize = 32;

/// Two streams, and kernels for images of `WIDTH` * `HEIGHT` floats.
struct World {
    ctx: Arc<CudaContext>,
    first: Arc<CudaStream>,
    second: Arc<CudaStream>,
    brighten: Kernel<Brighten<'static>>,
    copy: Kernel<CopyTexels<'static>>,
}

impl World {
    fn new() -> Outcome<Self> {
        let ctx = context()?;
        let module = Module::load(&ctx, PTX)?;
        Ok(Self {
            first: ctx.new_stream()?,
            second: ctx.new_stream()?,
            brighten: module.kernel("brighten")?,
            copy: module.kernel("copy_texels")?,
            ctx,
        })
    }

    fn brighten(&self, stream: &Arc<CudaStream>, image: &Surface) -> Result<(), kernel_args::Error> {
        let args = Brighten { image, width: WIDTH as i32, height: HEIGHT as i32 };
        // SAFETY: the kernel accesses only texels of the surface.
        unsafe { launch!(self.brighten, (4, 2), (16, 16), args, stream = stream) }
    }

    fn copy(
        &self,
        stream: &Arc<CudaStream>,
        image: &Texture,
        out: &mut CudaSlice<f32>,
    ) -> Result<(), kernel_args::Error> {
        let args = CopyTexels { image, out, width: WIDTH as i32, height: HEIGHT as i32 };
        // SAFETY: `out` has `WIDTH * HEIGHT` elements.
        unsafe { launch!(self.copy, (4, 2), (16, 16), args, stream = stream) }
    }
}

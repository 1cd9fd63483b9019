//! NVIDIA's libraries in a sequence, on a GPU: cuBLAS, cuBLASLt, cuRAND and NCCL. `external.rs` has a small library
//! instead, which needs no GPU.

#![allow(clippy::many_single_char_names, reason = "the names of cuBLAS")]

use crate::sequences::world::{Outcome, World, external, new_sequence, trial_unless};
use cudarc::{
    cublas::{
        CudaBlas, Gemm, GemmConfig, Gemv, GemvConfig, StridedBatchedConfig,
        sys::{cublasOperation_t::CUBLAS_OP_N, cublasSetWorkspace_v2},
    },
    cublaslt::{CudaBlasLT, Matmul, MatmulConfig},
    curand::CudaRng,
    driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut},
    nccl::{Comm, Id, ReduceOp},
};
use kernel_args::sequence::{Handle, Run, RunMode, Sequence, Value};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::sync::Arc;

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let without = |is_present: unsafe fn() -> bool, reason| {
        if !driver.is_real() {
            return Some("NVIDIA's libraries need a GPU");
        }
        // SAFETY: the library's initializers have no precondition.
        (!unsafe { is_present() }).then_some(reason)
    };
    let blas = without(cudarc::cublas::sys::is_culib_present, "there is no cuBLAS on this machine");
    let lt = without(cudarc::cublaslt::sys::is_culib_present, "there is no cuBLASLt on this machine");
    let rand = without(cudarc::curand::sys::is_culib_present, "there is no cuRAND on this machine");
    let nccl = without(cudarc::nccl::sys::is_culib_present, "there is no NCCL on this machine");
    vec![
        trial_unless(blas, "products_of_cublas", || products(|stream| Blas::new(stream, true))),
        trial_unless(blas, "products_of_cublas_without_a_workspace", without_workspace),
        trial_unless(lt, "products_of_cublaslt", || products(Lt::new)),
        trial_unless(rand, "random_numbers_of_curand", random_numbers),
        trial_unless(nccl, "a_sum_of_nccl_on_one_gpu", sum),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Product,
    /// The product with one column.
    Column,
    /// Three products of matrices one after another.
    Batched,
}

/// `c = a * b`, of matrices with `m * k`, `k * n` and `m * n` elements, by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    operation: Operation,
    m: usize,
    n: usize,
    k: usize,
}

/// The most rows and columns.
const LARGEST: usize = 70;
const BATCHES: usize = 3;

impl Shape {
    fn random(rng: &mut Rng) -> Self {
        let operation = [Operation::Product, Operation::Column, Operation::Batched][rng.below(3)];
        let mut size = || 1 + rng.below(LARGEST);
        let (m, n, k) = (size(), size(), size());
        Self { operation, m, n: if operation == Operation::Column { 1 } else { n }, k }
    }

    fn batches(self) -> usize {
        if self.operation == Operation::Batched { BATCHES } else { 1 }
    }

    /// The sums are small whole numbers, so each way to compute them is exact.
    fn expected(self, a: &[f32], b: &[f32]) -> Vec<f32> {
        let Self { m, n, k, .. } = self;
        let element = |batch: usize, row: usize, column: usize| {
            let (a, b) = (&a[batch * m * k..], &b[batch * k * n + column * k..]);
            (0..k).map(|i| a[i * m + row] * b[i]).sum()
        };
        let all = (0..self.batches()).flat_map(|batch| (0..n).map(move |column| (batch, column)));
        all.flat_map(|(batch, column)| (0..m).map(move |row| element(batch, row, column))).collect()
    }
}

/// A library of products.
trait Products: Send + Sync + 'static {
    /// # Safety
    /// The memory has the elements of the shape.
    unsafe fn product<M: DevicePtr<f32>>(&self, shape: Shape, a: &M, b: &M, c: &mut impl DevicePtrMut<f32>) -> Outcome;
}

struct Blas {
    handle: CudaBlas,
    _workspace: Option<CudaSlice<u8>>,
}

impl Blas {
    fn new(stream: &Arc<CudaStream>, has_workspace: bool) -> Outcome<Handle<Self>> {
        const WORKSPACE: usize = 32 << 20;
        let handle = CudaBlas::new(stream.clone())?;
        let workspace = has_workspace.then(|| stream.alloc_zeros::<u8>(WORKSPACE)).transpose()?;
        if let Some(workspace) = &workspace {
            let address = workspace.device_ptr(stream).0 as *mut _;
            // SAFETY: the workspace lives as long as the handle.
            unsafe { cublasSetWorkspace_v2(*handle.handle(), address, WORKSPACE) }.result()?;
        }
        // SAFETY: it owns its workspace.
        Ok(unsafe { Handle::new(Self { handle, _workspace: workspace }) })
    }
}

impl Products for Blas {
    unsafe fn product<M: DevicePtr<f32>>(&self, shape: Shape, a: &M, b: &M, c: &mut impl DevicePtrMut<f32>) -> Outcome {
        let Shape { m, n, k, operation } = shape;
        let [m, n, k] = [i32::try_from(m)?, i32::try_from(n)?, i32::try_from(k)?];
        let (trans, alpha, beta) = (CUBLAS_OP_N, 1.0, 0.0);
        let gemm = GemmConfig { transa: trans, transb: trans, m, n, k, alpha, lda: m, ldb: k, beta, ldc: m };
        match operation {
            // SAFETY: the caller guarantees the elements.
            Operation::Product => unsafe { self.handle.gemm(gemm, a, b, c) }?,
            Operation::Column => {
                let column = GemvConfig { trans, m, n: k, alpha, lda: m, incx: 1, beta, incy: 1 };
                // SAFETY: the caller guarantees the elements.
                unsafe { self.handle.gemv(column, a, b, c) }?;
            }
            Operation::Batched => {
                let [stride_a, stride_b, stride_c] = [m * k, k * n, m * n].map(i64::from);
                let batch_size = i32::try_from(BATCHES)?;
                let batched = StridedBatchedConfig { gemm, batch_size, stride_a, stride_b, stride_c };
                // SAFETY: the caller guarantees the elements.
                unsafe { self.handle.gemm_strided_batched(batched, a, b, c) }?;
            }
        }
        Ok(())
    }
}

/// cudarc's handle owns its workspace.
struct Lt(CudaBlasLT);

impl Lt {
    fn new(stream: &Arc<CudaStream>) -> Outcome<Handle<Self>> {
        let context = stream.context();
        // Each product would record an event of the workspace, also while it is captured.
        // SAFETY: only this handle uses its workspace, on one stream.
        unsafe { context.disable_event_tracking() };
        let handle = CudaBlasLT::new(stream.clone());
        // SAFETY: the same.
        unsafe { context.enable_event_tracking() };
        // SAFETY: it owns its workspace.
        Ok(unsafe { Handle::new(Self(handle?)) })
    }
}

impl Products for Lt {
    unsafe fn product<M: DevicePtr<f32>>(&self, shape: Shape, a: &M, b: &M, c: &mut impl DevicePtrMut<f32>) -> Outcome {
        let [m, n, k] = [i64::try_from(shape.m)?, i64::try_from(shape.n)?, i64::try_from(shape.k)?];
        let batched = |stride| (shape.operation == Operation::Batched).then_some(stride);
        let config = MatmulConfig {
            transa: false,
            transb: false,
            transc: false,
            m: shape.m as u64,
            n: shape.n as u64,
            k: shape.k as u64,
            alpha: 1.0,
            lda: m,
            ldb: k,
            beta: 0.0,
            ldc: m,
            stride_a: batched(m * k),
            stride_b: batched(k * n),
            stride_c: batched(m * n),
            stride_bias: None,
            batch_size: (shape.operation == Operation::Batched).then(|| i32::try_from(BATCHES)).transpose()?,
        };
        // SAFETY: the caller guarantees the elements.
        Ok(unsafe { self.0.matmul(config, a, b, c, None, None) }?)
    }
}

/// Matrices with small whole numbers.
struct Matrices {
    values: [Vec<f32>; 2],
    slices: [Arc<CudaSlice<f32>>; 2],
}

impl Matrices {
    fn new(world: &World) -> Outcome<Self> {
        let mut rng = Rng::new(3, 1);
        let mut values = || -> Vec<_> { (0..BATCHES * LARGEST * LARGEST).map(|_| rng.below(7) as f32 - 3.0).collect() };
        let values = [values(), values()];
        let [a, b] = values.each_ref().map(|values| world.stream.clone_htod(values));
        Ok(Self { values, slices: [Arc::new(a?), Arc::new(b?)] })
    }

    /// Products in a run, each with the next of the handles. Returns how the run was enqueued; the results are right.
    fn run<L: Products>(&self, sequence: &mut Sequence, handles: &[Handle<L>], shapes: &[Shape]) -> Outcome<RunMode> {
        let [a, b] = &self.slices;
        let run = sequence.begin()?;
        run.keep((a.clone(), b.clone()))?;
        let mut results = Vec::new();
        for (&shape, handle) in shapes.iter().zip(handles.iter().cycle()) {
            let Shape { m, n, k, .. } = shape;
            let batches = shape.batches();
            let mut c = run.alloc_zeros::<f32>(batches * m * n)?;
            let args = (handle, Value(shape), a.slice(..batches * m * k), b.slice(..batches * k * n), &mut *c);
            external(&run, args, |_, (library, shape, a, b, mut c)| -> Outcome {
                // SAFETY: they have the elements of the shape.
                unsafe { library.product(shape, &a, &b, &mut c) }
            })?;
            results.push(run.clone_dtoh(&c)?);
        }
        let mode = run.finish()?;
        for (shape, result) in shapes.iter().zip(results) {
            assert_eq!(result.wait()?, shape.expected(&self.values[0], &self.values[1]), "{shape:?}");
        }
        Ok(mode)
    }
}

fn products<L: Products>(new: impl Fn(&Arc<CudaStream>) -> Outcome<Handle<L>>) -> Outcome {
    let world = World::new()?;
    let (matrices, handles) = (Matrices::new(&world)?, [new(&world.stream)?, new(&world.stream)?]);
    // SAFETY: the libraries use only the memory of the arguments and of their handles.
    let parallel = unsafe { new_sequence(&world.stream).parallel() };
    for mut sequence in [new_sequence(&world.stream), parallel] {
        let mut rng = Rng::new(11, 5);
        let mut shapes: Vec<_> = (0..8).map(|_| Shape::random(&mut rng)).collect();
        for _ in 0..30 {
            matrices.run(&mut sequence, &handles, &shapes)?;
            let captures = sequence.counts().captures;
            let mode = matrices.run(&mut sequence, &handles, &shapes)?;
            assert_eq!((mode, sequence.counts().captures), (RunMode::Updated(0), captures));
            let at = rng.below(shapes.len());
            shapes[at] = Shape::random(&mut rng);
        }
    }
    Ok(world.ctx.check_err()?)
}

/// The result is right, or the error says how to give cuBLAS a workspace.
fn without_workspace() -> Outcome {
    let world = World::new()?;
    let (matrices, handles) = (Matrices::new(&world)?, [Blas::new(&world.stream, false)?]);
    let mut sequence = new_sequence(&world.stream);
    for seed in 0..20 {
        let shape = Shape::random(&mut Rng::new(seed, 9));
        if let Err(error) = matrices.run(&mut sequence, &handles, &[shape]) {
            let error = error.to_string();
            assert!(error.contains("cublasSetWorkspace"), "{error}");
        }
    }
    Ok(())
}

/// Each run has the next numbers.
fn random_numbers() -> Outcome {
    const COUNT: usize = 1000;
    let world = World::new()?;
    let generator = || CudaRng::new(42, world.stream.clone());
    let (plain, recorded) = (generator()?, generator()?);
    // The first call prepares the generator.
    let mut numbers = world.stream.alloc_zeros::<f32>(COUNT)?;
    plain.fill_with_uniform(&mut numbers)?;
    recorded.fill_with_uniform(&mut numbers)?;
    let (mut sequence, mut seen) = (new_sequence(&world.stream), Vec::new());
    for _ in 0..10 {
        let run = sequence.begin()?;
        let mut y = run.alloc_zeros::<f32>(COUNT)?;
        // SAFETY: the generator, which has the rest of the memory, outlives the sequence.
        unsafe {
            run.external_always((&mut *y,), |_, (mut y,)| -> Outcome { Ok(recorded.fill_with_uniform(&mut y)?) })?;
        }
        run.finish()?;
        plain.fill_with_uniform(&mut numbers)?;
        let found = world.stream.clone_dtoh(&*y)?;
        assert_eq!(found, world.stream.clone_dtoh(&numbers)?);
        assert!(!seen.contains(&found));
        seen.push(found);
    }
    assert_eq!(sequence.counts().captures, 10);
    Ok(())
}

/// The sum over one GPU is a copy.
fn sum() -> Outcome {
    let world = World::new()?;
    let failed = |error| format!("NCCL: {error:?}");
    let id = Id::new().map_err(failed)?;
    let comm = Comm::from_rank(world.stream.clone(), 0, 1, id).map_err(failed)?;
    let add = |run: &Run, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>| -> Outcome {
        // SAFETY: the communicator outlives the sequence, and its work depends on the arguments only.
        unsafe {
            run.external_with((x, y), |_, (x, mut y)| -> Outcome {
                comm.all_reduce::<_, _, f32>(&x, &mut y, &ReduceOp::Sum).map_err(failed)?;
                Ok(())
            })
        }
    };
    let x = Arc::new(world.slice(3.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..4 {
        let run = sequence.begin()?;
        run.keep(x.clone())?;
        let mut y = run.alloc_zeros::<f32>(x.len())?;
        add(&run, &x, &mut y)?;
        let result = run.clone_dtoh(&y)?;
        run.finish()?;
        assert_eq!(result.wait()?, vec![3.0; x.len()]);
    }
    assert_eq!((sequence.counts().captures, sequence.mode()), (1, &RunMode::Updated(0)));
    Ok(())
}

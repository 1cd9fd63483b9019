//! Both forms of `cuLaunchKernel`, and every error that the driver reports.

use std::ptr::null_mut;

use crate::raw::*;
use cudarc::driver::{CudaContext, DevicePtr, sys};
use kernel_args_test_driver::{LaunchForm, Settings, within};

#[test]
fn kernel_params_are_read_by_the_kernels_sizes() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u8, .align 16 .b8 [16], .u32");
        let (byte, block, word) = ([7u8], [9u8; 16], 0x0403_0201u32.to_le_bytes());
        let values: [&[u8]; 4] = [&echo.address.to_le_bytes(), &byte, &block, &word];
        assert_eq!(launch(echo.function, ([3, 2, 1], [32, 2, 1], 100), &values), Ok(()));
        assert_eq!(echo.echoed(21), [&byte[..], &block, &word].concat());

        let last = driver.last_launch().expect("it ran");
        assert_eq!((last.name.as_str(), last.form, last.in_graph), ("echo", LaunchForm::KernelParams, false));
        assert_eq!((last.grid, last.block, last.shared, last.stream), ([3, 2, 1], [32, 2, 1], 100, 0));
        let mut bank = vec![0; 36];
        bank[..8].copy_from_slice(values[0]);
        bank[8] = 7;
        bank[16..32].copy_from_slice(&block);
        bank[32..].copy_from_slice(&word);
        assert_eq!(last.bank, bank);
    });
}

#[test]
fn a_packed_buffer_is_copied_verbatim() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u8, .u32");
        let mut buffer = echo.address.to_le_bytes().to_vec();
        buffer.extend([1, 0xee, 0xee, 0xee, 2, 3, 4, 5]);
        assert_eq!(launch_packed(echo.function, &buffer, 16), Ok(()));
        assert_eq!(echo.echoed(5), [1, 2, 3, 4, 5]);
        let last = driver.last_launch().expect("it ran");
        assert_eq!((last.form, last.bank), (LaunchForm::Extra, buffer));
    });
}

#[test]
fn a_packed_buffer_of_the_wrong_size_is_701_or_read_as_zero() {
    within(&Settings::new(), |_| {
        // The struct has 24 bytes with its tail padding; the parameters end at 17.
        let echo = Echo::new(".u64, .u8");
        let mut buffer = vec![0xff; 24];
        buffer[..8].copy_from_slice(&echo.address.to_le_bytes());
        assert_eq!(launch_packed(echo.function, &buffer, 24), OUT_OF_RESOURCES);
        assert_eq!(launch_packed(echo.function, &buffer, 18), OUT_OF_RESOURCES);
        assert_eq!(launch_packed(echo.function, &buffer, 17), Ok(()));
        assert_eq!(echo.echoed(9), [0xff; 9]);
        assert_eq!(launch_packed(echo.function, &buffer, 12), Ok(()));
        assert_eq!(echo.echoed(9), [255, 255, 255, 255, 0, 0, 0, 0, 0]);
        // The failed launches had no effect.
        assert_eq!(synchronize(), Ok(()));
    });
}

#[test]
fn exactly_one_form_is_taken() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u32");
        let value = echo.address.to_le_bytes();
        let (buffer, mut size) = ([0u8; 12], 12);
        let mut params = pointers(&[&value, &[1, 2, 3, 4]]);
        let mut packed = extra(&buffer, &mut size);
        let both = launch_on(null_mut(), echo.function, ONE, Some(&mut params), Some(&mut packed));
        assert_eq!(both, INVALID_VALUE);
        assert_eq!(launch_on(null_mut(), echo.function, ONE, None, None), INVALID_VALUE);
        let mut null_entry = [params[0], null_mut()];
        assert_eq!(launch_on(null_mut(), echo.function, ONE, Some(&mut null_entry), None), INVALID_VALUE);
        let mut unknown_tag = [std::ptr::without_provenance_mut(9), null_mut()];
        assert_eq!(launch_on(null_mut(), echo.function, ONE, None, Some(&mut unknown_tag)), INVALID_VALUE);
        assert_eq!(driver.launches(), 0);

        let module = load(&ptx(&[("nothing", "")])).expect("the PTX is right");
        let nothing = function(module, "nothing").expect("it has this entry");
        assert_eq!(launch_on(null_mut(), nothing, ONE, None, None), Ok(()));
        assert_eq!(launch(nothing, ONE, &[]), Ok(()));
        assert_eq!(launch_packed(nothing, &[0], 0), Ok(()));
        assert_eq!(launch_packed(nothing, &[0], 1), OUT_OF_RESOURCES);
        assert_eq!(driver.launches(), 3);
        // Without parameters both forms are accepted; a list without a buffer is ignored.
        let (mut none, mut empty) = ([null_mut(); 1], [null_mut(); 1]);
        size = 0;
        let mut packed = extra(&buffer, &mut size);
        assert_eq!(launch_on(null_mut(), nothing, ONE, Some(&mut none), Some(&mut packed)), Ok(()));
        let mut params = pointers(&[&value, &[1, 2, 3, 4]]);
        assert_eq!(launch_on(null_mut(), echo.function, ONE, Some(&mut params), Some(&mut empty)), Ok(()));
        assert_eq!(launch_on(null_mut(), echo.function, ONE, None, Some(&mut empty)), INVALID_VALUE);
    });
}

#[test]
fn geometry_beyond_the_device_or_the_kernel_is_refused() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let text = ".version 8.1\n.target sm_75\n.entry k() { ret; }\n.entry small() .maxntid 64 { ret; }
            .entry exact() .reqntid 8, 4 { ret; }";
        let module = load(text).expect("the PTX is right");
        let [k, small, exact] = ["k", "small", "exact"].map(|name| function(module, name).expect(name));
        for (grid, block) in [
            ([0, 1, 1], [1, 1, 1]),
            ([1, 1, 0], [1, 1, 1]),
            ([1, 1, 1], [1, 0, 1]),
            ([0x8000_0000, 1, 1], [1, 1, 1]),
            ([1, 65536, 1], [1, 1, 1]),
            ([1, 1, 65536], [1, 1, 1]),
            ([1, 1, 1], [1025, 1, 1]),
            ([1, 1, 1], [1, 1, 65]),
            ([1, 1, 1], [1024, 2, 1]),
        ] {
            assert_eq!(launch(k, (grid, block, 0), &[]), INVALID_VALUE, "{grid:?} {block:?}");
        }
        assert_eq!(launch(k, ([0x7fff_ffff, 65535, 65535], [16, 1, 64], 0), &[]), Ok(()));
        assert_eq!(launch(small, ([1, 1, 1], [64, 1, 1], 0), &[]), Ok(()));
        assert_eq!(launch(small, ([1, 1, 1], [65, 1, 1], 0), &[]), INVALID_VALUE);
        assert_eq!(launch(exact, ([1, 1, 1], [8, 4, 1], 0), &[]), Ok(()));
        assert_eq!(launch(exact, ([1, 1, 1], [8, 2, 1], 0), &[]), INVALID_VALUE);
        let max_threads = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        assert_eq!([k, small, exact].map(|f| attribute(f, max_threads)), [Ok(1024), Ok(64), Ok(32)]);
    });
}

#[test]
fn dynamic_shared_memory_needs_an_opt_in() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let module = load(".version 8.1\n.target sm_75\n.entry k() { .shared .b8 s[1024]; ret; }").expect("right");
        let k = function(module, "k").expect("it has this entry");
        let dynamic = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let opt_in = |bytes: i32| call!(sys::cuFuncSetAttribute(k, dynamic, bytes));
        let with = |shared: u32| launch(k, ([1, 1, 1], [1, 1, 1], shared), &[]);
        assert_eq!(attribute(k, dynamic), Ok(47 * 1024));
        assert_eq!((with(47 * 1024), with(47 * 1024 + 1)), (Ok(()), INVALID_VALUE));
        assert_eq!(opt_in(226 * 1024), Ok(()));
        assert_eq!((with(226 * 1024), with(226 * 1024 + 1)), (Ok(()), INVALID_VALUE));
        assert_eq!(opt_in(226 * 1024 + 1), INVALID_VALUE);
    });
}

#[test]
fn a_context_must_be_current_and_the_functions_own() {
    within(&Settings::new().devices(2), |_| {
        let echo = Echo::new(".u8");
        let value = echo.address.to_le_bytes();
        let values: [&[u8]; 2] = [&value, &[1]];
        let _other = CudaContext::new(1).expect("a second device");
        assert_eq!(launch(echo.function, ONE, &values), INVALID_HANDLE);
        assert_eq!(call!(sys::cuCtxSetCurrent(null_mut())), Ok(()));
        assert_eq!(launch(echo.function, ONE, &values), INVALID_CONTEXT);
        echo.context.bind_to_thread().expect("it is alive");
        assert_eq!(launch(echo.function, ONE, &values), Ok(()));
        assert_eq!(launch(null_mut(), ONE, &values), INVALID_HANDLE);
    });
}

#[test]
fn a_bad_address_fails_every_later_call_of_its_context() {
    within(&Settings::new().devices(2), |_| {
        let echo = Echo::new(".u64");
        let last_byte = (echo.address + 256 - 7).to_le_bytes();
        assert_eq!(launch(echo.function, ONE, &[&last_byte, &[5; 8]]), Ok(()), "the launch itself succeeds");
        assert_eq!(synchronize(), ILLEGAL_ADDRESS);
        assert_eq!(launch(echo.function, ONE, &[&last_byte, &[5; 8]]), ILLEGAL_ADDRESS);
        assert!(echo.context.default_stream().alloc_zeros::<u8>(1).is_err());
        // A different context is not affected; a new primary context has no error.
        let other = CudaContext::new(1).expect("a second device");
        assert!(other.synchronize().is_ok());
        assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(0)), Ok(()));
        assert_eq!(call!(sys::cuCtxSetCurrent(other.cu_ctx())), Ok(()));
        assert!(CudaContext::new(0).expect("reset").synchronize().is_ok());
    });
}

#[test]
fn launch_attributes_reach_the_launch() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let module = load(&ptx(&[("k", "")])).expect("right");
        let k = function(module, "k").expect("it has this entry");
        let launch_ex = |grid: u32, cluster: u32| {
            // SAFETY: all fields are integers, pointers or unions of them.
            let mut attribute: sys::CUlaunchAttribute = unsafe { std::mem::zeroed() };
            attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: cluster, y: 1, z: 1 };
            let config = sys::CUlaunchConfig {
                gridDimX: grid,
                gridDimY: 1,
                gridDimZ: 1,
                blockDimX: 32,
                blockDimY: 1,
                blockDimZ: 1,
                sharedMemBytes: 64,
                hStream: null_mut(),
                attrs: &raw mut attribute,
                numAttrs: 1,
            };
            call!(sys::cuLaunchKernelEx(&raw const config, k, null_mut(), null_mut()))
        };
        assert_eq!(launch_ex(8, 4), Ok(()));
        let last = driver.last_launch().expect("it ran");
        assert_eq!((last.cluster, last.grid, last.shared), (Some([4, 1, 1]), [8, 1, 1], 64));
        assert_eq!(launch_ex(9, 4), INVALID_VALUE, "the grid is not a multiple of the cluster");
        assert_eq!(launch_ex(16, 16), Err(912));
        assert_eq!(launch_ex(16, 0), INVALID_VALUE);

        // 132 SMs with two such blocks each.
        let cooperative =
            |grid: u32| call!(sys::cuLaunchCooperativeKernel(k, grid, 1, 1, 1024, 1, 1, 0, null_mut(), null_mut()));
        assert_eq!((cooperative(264), cooperative(265)), (Ok(()), Err(720)));
        assert!(driver.last_launch().expect("it ran").cooperative);
    });
}

/// `.blocksareclusters`, which is `__block_size__`: the grid of a launch counts clusters, and the kernel sees blocks.
/// A block of 1 is the block that the kernel requires.
#[test]
fn a_grid_of_clusters_has_all_their_blocks() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        let mut memory = context.default_stream().alloc_zeros::<u32>(6).expect("memory");
        let address = memory.device_ptr(&context.default_stream()).0;
        let text = ".version 9.0\n.target sm_90\n.address_size 64
            .visible .entry k(.param .u64 a) .blocksareclusters .reqntid 32, 1, 1 .reqnctapercluster 2, 3, 1
            { .reg .b64 %a; .reg .b32 %r<9>; .reg .pred %p; ld.param.u64 %a, [a]; red.global.add.u32 [%a], 1;
              mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; st.global.v2.u32 [%a+8], {%r1, %r2};
              mov.u32 %r1, %nclusterid.x; mov.pred %p, %is_explicit_cluster; selp.u32 %r2, 1, 0, %p;
              st.global.v2.u32 [%a+16], {%r1, %r2}; ret; }";
        let function = function(load(text).expect("right"), "k").expect("it has this entry");
        for (grid, block) in [([1, 1, 1], 32), ([3, 2, 1], 32), ([3, 2, 1], 1)] {
            assert_eq!(launch(function, (grid, [block, 1, 1], 0), &[&address.to_le_bytes()]), Ok(()));
            let [x, y] = [2 * grid[0], 3 * grid[1]];
            let seen = context.default_stream().clone_dtoh(&memory).expect("it ran");
            assert_eq!(seen, [32 * x * y, 0, x, y, grid[0], 1]);
            assert_eq!(driver.last_launch().map(|last| last.grid), Some(grid));
            context.default_stream().memset_zeros(&mut memory).expect("it is written");
        }
    });
}

#[test]
fn the_kernels_of_the_examples_compute() {
    within(&Settings::new(), |_| {
        use cudarc::driver::{LaunchConfig, PushKernelArg};
        let context = CudaContext::new(0).expect("a device");
        let load = |text: &str| context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect("right");
        let stream = context.default_stream();
        let x = stream.clone_htod(&[1.0f32, 2.0, 3.0, 4.0]).expect("memory");
        let mut y = stream.clone_htod(&[10.0f32, 20.0, 30.0, 40.0]).expect("memory");
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (3, 1, 1), shared_mem_bytes: 0 };
        let saxpy = load(include_str!("../../../../ptx/saxpy.ptx")).load_function("saxpy").expect("saxpy");
        // SAFETY: the arguments match the kernel.
        unsafe { stream.launch_builder(&saxpy).arg(&4i32).arg(&2.0f32).arg(&x).arg(&mut y).launch(config) }
            .expect("it runs");
        // Three threads process three elements.
        assert_eq!(stream.clone_dtoh(&y).expect("memory"), [12.0, 24.0, 36.0, 40.0]);

        let mut sum = stream.clone_htod(&[0.5f32]).expect("memory");
        let reduce = load(include_str!("../../../../ptx/reduce.ptx")).load_function("reduce_sum").expect("reduce_sum");
        let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 256 };
        // SAFETY: the arguments match the kernel.
        unsafe { stream.launch_builder(&reduce).arg(&y).arg(&mut sum).arg(&4u32).launch(config) }.expect("it runs");
        assert_eq!(stream.clone_dtoh(&sum).expect("memory"), [112.5]);

        let mut both = stream.alloc_zeros::<f32>(4).expect("memory");
        let add = load(include_str!("../../../../ptx/vector_add.ptx")).load_function("vector_add").expect("vector_add");
        let config = LaunchConfig::for_num_elems(4);
        // SAFETY: the arguments match the kernel.
        unsafe { stream.launch_builder(&add).arg(&x).arg(&y).arg(&mut both).arg(&4i32).launch(config) }
            .expect("it runs");
        assert_eq!(stream.clone_dtoh(&both).expect("memory"), [13.0, 26.0, 39.0, 44.0]);
    });
}

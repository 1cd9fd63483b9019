//! No path copies the padding of host values to the device. Padding is whatever was in the memory before: here, `0xaa`.

use core::{
    mem::{MaybeUninit, offset_of},
    ptr, slice,
};
use cudarc::driver::{CudaStream, DevicePtr};
use kernel_args::{
    ArgList, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Launch,
    args::Form,
    graph::{Graph, HostBuffer},
    launch,
};
use kernel_args_stand_in::{Control, Settings, within};
use std::sync::Arc;

/// 3 bytes of padding after the first field, and 2 bytes after the last.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    byte: u8,
    number: u32,
    half: u16,
}

/// A struct with padding inside an array inside a struct with padding.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Nested {
    first: u16,
    inner: [Padded; 2],
    last: u8,
}

#[derive(KernelArgs)]
struct Args {
    value: Padded,
    after: u64,
}

const PTX: &str = "\
.version 8.1
.target sm_75
.address_size 64
.visible .entry padded(.param .align 4 .b8 padded_param_0[12], .param .u64 padded_param_1)
{
    ret;
}
";

/// The bytes of each type: fields, and padding as `0xaa`.
const PADDED: [u8; 12] = [0x11, 0xaa, 0xaa, 0xaa, 0x22, 0x22, 0x22, 0x22, 0x33, 0x33, 0xaa, 0xaa];

fn nested() -> Vec<u8> {
    let [first, last] = [[0x44, 0x44, 0xaa, 0xaa], [0x55, 0xaa, 0xaa, 0xaa]];
    [&first[..], &PADDED, &PADDED, &last].concat()
}

/// The bytes on the device.
fn clean(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| if *byte == 0xaa { 0 } else { *byte }).collect()
}

/// A value in memory with these bytes.
fn dirty<T>(bytes: &[u8]) -> MaybeUninit<T> {
    assert_eq!(bytes.len(), size_of::<T>());
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: both are this many bytes.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), value.as_mut_ptr().cast(), bytes.len()) };
    value
}

fn args() -> Args {
    let mut bytes = [0xaa; size_of::<Args>()];
    bytes[offset_of!(Args, value)..][..PADDED.len()].copy_from_slice(&PADDED);
    bytes[offset_of!(Args, after)..][..8].fill(0xff);
    // SAFETY: the bytes contain a value of each field.
    unsafe { dirty(&bytes).assume_init() }
}

/// Elements whose padding is `0xaa`.
struct Dirty<T>(Box<[MaybeUninit<T>]>);

impl<T> AsRef<[T]> for Dirty<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: the bytes contain a value of each field of each element.
        unsafe { slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

struct Shared(Arc<Vec<u32>>);

impl AsRef<[u32]> for Shared {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}

/// The parameters of the last launch.
fn check_bank(driver: &Control, path: &str) {
    let bank = driver.last_launch().expect("a launch").bank;
    let expected = [clean(&PADDED), vec![0; 4], vec![0xff; 8]].concat();
    assert_eq!(bank, expected, "{path}");
}

#[test]
fn parameters_have_no_padding_of_the_host() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let stream = ctx.new_stream().expect("a stream");
        let kernel = Kernel::<Args>::from_image(&ctx, PTX, "padded").expect("it fits");
        for form in [Form::KernelParams, Form::Packed] {
            let path = |path: &str| format!("{path}, {form:?}");
            // SAFETY: the kernel accesses no memory, here and below.
            unsafe { launch!(kernel, 1, 1, args(), stream = &stream, form = form) }.expect("a launch");
            check_bank(driver, &path("a struct"));
            let mut list = ArgList::new();
            list.push(args().value).push(u64::MAX);
            let function = kernel.as_function();
            // SAFETY: as above.
            unsafe { launch!(function, 1, 1, list, stream = &stream, form = form) }.expect("a launch");
            check_bank(driver, &path("a list"));

            let mut graph = Graph::new(&ctx).expect("a graph");
            let options = Launch::new(1, 1).form(form);
            let node = graph.add_kernel_launch(&kernel, options, args(), &[]);
            let mut exec = graph.instantiate().expect("an instance");
            // SAFETY: as above.
            unsafe { exec.launch(&stream) }.expect("a launch");
            check_bank(driver, &path("a node"));
            exec.update_launch(&node.expect("a node"), options, args()).expect("an update");
            // SAFETY: as above.
            unsafe { exec.launch(&stream) }.expect("a launch");
            check_bank(driver, &path("an update"));

            let captured = Graph::capture(&stream, || -> Result<(), Error> {
                // SAFETY: as above.
                unsafe { launch!(kernel, 1, 1, args(), node, stream = &stream, form = form) }.map(drop)
            });
            let mut exec = captured.expect("a graph").instantiate().expect("an instance");
            // SAFETY: as above.
            unsafe { exec.launch(&stream) }.expect("a launch");
            check_bank(driver, &path("a captured launch"));
        }
        Graph::wait_until_released();
    });
}

/// The bytes in device memory after a graph has copied `count` elements of `from` to it.
fn copied<T: DeviceType>(stream: &Arc<CudaStream>, from: impl AsRef<[T]> + Send + 'static, count: usize) -> Vec<u8> {
    let memory = stream.alloc_zeros::<u8>(count * size_of::<T>()).expect("memory");
    let address = memory.device_ptr(stream).0;
    let mut graph = Graph::new(stream.context()).expect("a graph");
    graph.add_memcpy_htod(DevicePointerMut::<T>::from_raw(address), from, &[]).expect("a node");
    let mut exec = graph.instantiate().expect("an instance");
    for _ in 0..2 {
        // SAFETY: the memory has the size of the elements.
        unsafe { exec.launch(stream) }.expect("a launch");
    }
    stream.clone_dtoh(&memory).expect("the bytes")
}

#[test]
fn a_copy_of_a_graph_has_no_padding_of_the_host() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let stream = ctx.new_stream().expect("a stream");
        let elements = (0..128).map(|_| dirty(&PADDED)).collect();
        let bytes = copied::<Padded>(&stream, Dirty(elements), 128);
        assert_eq!(bytes, clean(&PADDED).repeat(128));
        let elements = (0..2).map(|_| dirty(&nested())).collect();
        let bytes = copied::<Nested>(&stream, Dirty(elements), 2);
        assert_eq!(bytes, clean(&nested()).repeat(2));

        // An array, whose elements are in the box.
        let array = [[1_u8, 2], [3, 4]];
        assert_eq!(copied::<[u8; 2]>(&stream, array, 2), [1, 2, 3, 4]);
        Graph::wait_until_released();
    });
}

/// The memory of elements without padding is read at each launch.
#[test]
fn elements_without_padding_are_not_copied_on_the_host() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let stream = ctx.new_stream().expect("a stream");
        let sums = Arc::new(vec![7_u32; 4]);
        let mut graph = Graph::new(&ctx).expect("a graph");
        let memory = stream.alloc_zeros::<u32>(4).expect("memory");
        let (to, after) = (memory.device_ptr(&stream).0, HostBuffer::from(vec![0_u32; 4]));
        let first =
            graph.add_memcpy_htod(DevicePointerMut::<u32>::from_raw(to), Shared(sums.clone()), &[]).expect("a node");
        let back = kernel_args::DevicePointer::from_raw(to);
        graph.add_memcpy_dtoh(&after, back, &[first]).expect("a node");
        let mut exec = graph.instantiate().expect("an instance");
        assert_eq!(Arc::strong_count(&sums), 2, "the graph retains the elements");
        // SAFETY: the memory has four elements.
        unsafe { exec.launch(&stream) }.expect("a launch");
        // SAFETY: the launch has finished.
        assert_eq!(unsafe { after.to_vec() }, [7; 4]);
    });
}

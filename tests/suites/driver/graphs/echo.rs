//! Echo kernels in nodes that are updated: every byte must be echoed, in both forms.

use crate::{
    echo::counts::{Block, COUNTS, Drawn, Eight, FiveHundredTwelve, One, SixtyFour},
    graphs::saxpy::Outcome,
};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut};
use kernel_args::{
    DevicePointerMut, Kernel, Launch, Module,
    args::Form,
    args::OwnedArgs,
    graph::{Graph, Node},
    launch,
};
use kernel_args_stand_in::{Control, LaunchForm};
use kernel_args_tests::{
    driver::{Driver, context, trial},
    tally,
};
use libtest_mimic::Trial;
use std::sync::Arc;

const ROUNDS: u64 = 6;

/// The memory that the kernels write.
struct Out {
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
    address: DevicePointerMut<u8>,
}

impl Out {
    fn new(stream: &Arc<CudaStream>, len: usize) -> Outcome<Self> {
        let mut memory = stream.clone_htod(&vec![0xa5_u8; len])?;
        let address = {
            let (address, _guard) = memory.device_ptr_mut(stream);
            DevicePointerMut::from_raw(address)
        };
        Ok(Self { stream: stream.clone(), memory, address })
    }

    fn compare(&mut self, entry: &str, way: &str, passed: &[u8]) -> Outcome {
        let echo = self.stream.clone_dtoh(&self.memory)?;
        tally::compare(entry, way, &echo[..passed.len()], passed)?;
        self.stream.memcpy_htod(&vec![0xa5_u8; echo.len()], &mut self.memory)?;
        Ok(())
    }
}

/// Creates a node explicitly and one by capture, and updates both repeatedly.
fn echo<A: Drawn + OwnedArgs + Send + 'static>(entry: &str) -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, COUNTS)?;
    let kernel: Kernel<A> = module.kernel(entry)?.require_verified()?;
    let stream = ctx.new_stream()?;
    let mut out = Out::new(&stream, A::draw(0, DevicePointerMut::NULL).1.len())?;
    ctx.synchronize()?;
    let launch = Launch::new(1, 1);
    let first = 1000;

    let mut made = Graph::new(&ctx)?;
    let node = made.add_kernel_launch(&kernel, launch, A::draw(first, out.address).0, &[])?;
    let mut captured_node = None;
    let captured = Graph::capture(&stream, || -> Outcome {
        let args = A::draw(first, out.address).0;
        // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
        captured_node = Some(unsafe { launch!(kernel, 1, 1, args, node, stream = &stream) }?);
        Ok(())
    })?;
    let captured_node: Node<A> = captured_node.ok_or("nothing was captured")?;

    for (way, graph, node) in [("made", made, node), ("captured", captured, captured_node)] {
        let mut exec = graph.instantiate()?;
        exec.upload(&stream)?;
        // SAFETY: `out` has space for the echo; only this stream uses it.
        unsafe { exec.launch(&stream) }?;
        out.compare(entry, way, &A::draw(first, DevicePointerMut::NULL).1)?;
        for seed in 0..ROUNDS {
            for form in [None, Some(Form::KernelParams), Some(Form::Packed)] {
                let (args, passed) = A::draw(seed, out.address);
                match form {
                    None => exec.update(&node, 1, 1, args)?,
                    Some(form) => exec.update_launch(&node, launch.form(form), args)?,
                }
                // SAFETY: `out` has space for the echo; only this stream uses it.
                unsafe { exec.launch(&stream) }?;
                out.compare(entry, &format!("{way}, {form:?}"), &passed)?;
            }
        }
    }
    Ok(())
}

/// Many nodes in one call, and the form for each number of parameters.
fn updated_all(driver: &Driver) -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, COUNTS)?;
    let (eight, many): (Kernel<Eight>, Kernel<SixtyFour>) = (module.kernel("echo_8")?, module.kernel("echo_64")?);
    let stream = ctx.new_stream()?;
    let launch = Launch::new(1, 1);
    let mut outs = (0..20).map(|_| Out::new(&stream, 512)).collect::<Outcome<Vec<_>>>()?;
    ctx.synchronize()?;
    let mut graph = Graph::new(&ctx)?;
    let mut nodes = Vec::new();
    for out in &outs {
        let after: Vec<_> = nodes.last().map(Node::any).into_iter().collect();
        let args = Eight::draw(0, out.address).0;
        nodes.push(graph.add_kernel_launch(&eight, launch, args, &after)?);
    }
    let last = graph.add_kernel_launch(&many, launch, SixtyFour::draw(0, outs[0].address).0, &[nodes[19].any()])?;
    let mut exec = graph.instantiate()?;
    exec.set_enabled(&last, false)?;
    for round in 1..=ROUNDS {
        let args = |i: usize| Eight::draw(100 * round + i as u64, outs[i].address).0;
        exec.update_all(nodes.iter().enumerate().map(|(i, node)| (node, launch, args(i))))?;
        // SAFETY: each kernel writes its own memory, on one stream.
        unsafe { exec.launch(&stream) }?;
        ctx.synchronize()?;
        if !driver.is_real() {
            let launched = Control::attach().and_then(|control| control.last_launch());
            let form = launched.map(|launched| launched.form);
            assert_eq!(form, Some(LaunchForm::Extra));
        }
        for (i, out) in outs.iter_mut().enumerate() {
            let passed = Eight::draw(100 * round + i as u64, DevicePointerMut::NULL).1;
            out.compare("echo_8", "20 nodes in one call", &passed)?;
        }
    }
    exec.set_enabled(&last, true)?;
    exec.update(&last, 1, 1, SixtyFour::draw(7, outs[0].address).0)?;
    // SAFETY: as above.
    unsafe { exec.launch(&stream) }?;
    ctx.synchronize()?;
    if !driver.is_real() {
        let launched = Control::attach().and_then(|control| control.last_launch());
        assert_eq!(launched.map(|launched| launched.form), Some(LaunchForm::Extra));
    }
    outs[0].compare("echo_64", "enabled again", &SixtyFour::draw(7, DevicePointerMut::NULL).1)
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let driver = driver.clone();
    vec![
        trial("echo_1", || echo::<One>("echo_1")),
        trial("echo_8", || echo::<Eight>("echo_8")),
        trial("echo_64", || echo::<SixtyFour>("echo_64")),
        trial("echo_512", || echo::<FiveHundredTwelve>("echo_512")),
        trial("a_block_of_4096_bytes", || echo::<Block<{ 4096 - 8 }>>("echo_bytes_4096")),
        trial("a_block_of_32764_bytes", || echo::<Block<{ 32_764 - 8 }>>("echo_bytes_32764")),
        trial("many_nodes_in_one_call", move || updated_all(&driver)),
    ]
}

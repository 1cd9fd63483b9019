//! Random graphs with allocations, removed nodes and updates, compared with the same operations in sequence.
//!
//! The graphs work on `BUFFERS` buffers: some are slices, some are memory of the graph. A node copies a buffer to a
//! second buffer, sets a buffer, or adds a multiple of one buffer to a second buffer (`saxpy`). It depends on the nodes
//! before it that use its buffers.

use crate::graphs::saxpy::{LAUNCH, N, Outcome, Owned, SAXPY};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{
    DevicePointer, DevicePointerMut, Kernel, Retained,
    graph::{AnyNode, Graph, GraphMemory, HostBuffer, Node},
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::{
    driver::{context, trial},
    tally,
};
use libtest_mimic::Trial;
use std::sync::Arc;

const BUFFERS: usize = 5;
#[derive(Clone, Copy, Debug)]
enum Operation {
    Copy { to: usize, from: usize },
    Zero { to: usize },
    Add { to: usize, from: usize, alpha: u8 },
}

impl Operation {
    fn random(random: &mut Rng) -> Self {
        let to = random.below(BUFFERS);
        let from = (to + (1 + random.below(BUFFERS - 1))) % BUFFERS;
        match random.below(6) {
            0 => Self::Copy { to, from },
            1 => Self::Zero { to },
            _ => Self::Add { to, from, alpha: 1 + random.below(3) as u8 },
        }
    }

    fn buffers(self) -> [usize; 2] {
        match self {
            Self::Copy { to, from } | Self::Add { to, from, .. } => [to, from],
            Self::Zero { to } => [to, to],
        }
    }

    /// The operation with a new factor.
    fn again(self, random: &mut Rng) -> Self {
        match self {
            Self::Add { to, from, .. } => Self::Add { to, from, alpha: 1 + random.below(3) as u8 },
            other => other,
        }
    }

    fn run(self, buffers: &mut [[f32; N]; BUFFERS]) {
        match self {
            Self::Copy { to, from } => buffers[to] = buffers[from],
            Self::Zero { to } => buffers[to] = [0.0; N],
            Self::Add { to, from, alpha } => {
                let from = buffers[from];
                let pairs = buffers[to].iter_mut().zip(from);
                pairs.for_each(|(to, from)| *to = f32::from(alpha).mul_add(from, *to));
            }
        }
    }
}

/// A slice, or memory of the graph.
enum Buffer {
    Slice(Arc<CudaSlice<f32>>),
    Graph(GraphMemory<f32>),
}

impl Buffer {
    fn read(&self) -> Retained<DevicePointer<f32>> {
        match self {
            Self::Slice(slice) => Retained::read(slice),
            Self::Graph(memory) => memory.read(),
        }
    }

    fn write(&self) -> Retained<DevicePointerMut<f32>> {
        match self {
            Self::Slice(slice) => Retained::write(slice),
            Self::Graph(memory) => memory.write(),
        }
    }
}

/// What a node of the program is, and how it is updated.
enum Added {
    Kernel(Node<Owned>),
    Other(AnyNode),
}

impl Added {
    fn any(&self) -> AnyNode {
        match self {
            Self::Kernel(node) => node.any(),
            Self::Other(node) => *node,
        }
    }
}

struct Program {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    kernel: Kernel<Owned>,
    random: Rng,
}

/// A graph under construction, with its buffers and its nodes in the order of their operations.
struct Built {
    graph: Graph,
    buffers: Vec<Buffer>,
    inputs: Vec<AnyNode>,
    nodes: Vec<(Operation, Added)>,
    results: Vec<HostBuffer<f32>>,
}

fn initial(buffer: usize) -> [f32; N] {
    std::array::from_fn(|index| f32::from((buffer * 7 + index) as u16 % 16))
}

impl Program {
    fn args(buffers: &[Buffer], to: usize, from: usize, alpha: u8) -> Owned {
        Owned { n: N as u32, alpha: f32::from(alpha), x: buffers[from].read(), y: buffers[to].write() }
    }

    /// The first node of each buffer gives it its initial values.
    fn begin(&mut self, with_memory: bool) -> Outcome<Built> {
        let mut graph = Graph::new(&self.ctx)?;
        let mut buffers = Vec::new();
        for buffer in 0..BUFFERS {
            buffers.push(if with_memory && buffer % 2 == 1 {
                Buffer::Graph(graph.add_alloc(N, &[])?)
            } else {
                Buffer::Slice(Arc::new(self.stream.alloc_zeros(N)?))
            });
        }
        self.ctx.synchronize()?;
        let mut inputs = Vec::new();
        for (index, buffer) in buffers.iter().enumerate() {
            inputs.push(graph.add_memcpy_htod(buffer.write().pointer(), initial(index), &[])?);
        }
        Ok(Built { graph, buffers, inputs, nodes: Vec::new(), results: Vec::new() })
    }

    fn add(&self, built: &mut Built, operation: Operation) -> Outcome {
        let [one, two] = operation.buffers();
        let mut after = vec![built.inputs[one]];
        if two != one {
            after.push(built.inputs[two]);
        }
        let conflicts = built.nodes.iter().filter(|(other, _)| {
            let others = other.buffers();
            others.contains(&one) || others.contains(&two)
        });
        after.extend(conflicts.map(|(_, node)| node.any()));
        let (graph, buffers) = (&mut built.graph, &built.buffers);
        let node = match operation {
            Operation::Copy { to, from } => {
                let (to, from) = (buffers[to].write().pointer(), buffers[from].read().pointer());
                Added::Other(graph.add_memcpy(to, from, N, &after)?)
            }
            Operation::Zero { to } => Added::Other(graph.add_memset(buffers[to].write().pointer(), 0, N, &after)?),
            Operation::Add { to, from, alpha } => {
                let args = Self::args(buffers, to, from, alpha);
                Added::Kernel(graph.add_kernel_launch(&self.kernel, LAUNCH(), args, &after)?)
            }
        };
        built.nodes.push((operation, node));
        Ok(())
    }

    /// Copies each buffer to the host at the end, and frees the memory of the graph.
    fn end(built: &mut Built) -> Outcome {
        for (index, buffer) in built.buffers.iter().enumerate() {
            let mut after = vec![built.inputs[index]];
            let users = built.nodes.iter().filter(|(other, _)| other.buffers().contains(&index));
            after.extend(users.map(|(_, node)| node.any()));
            let result = HostBuffer::from(vec![-1.0_f32; N]);
            let from = buffer.read().pointer();
            built.graph.add_memcpy_dtoh(&result, from, &after)?;
            built.results.push(result);
        }
        for buffer in &built.buffers {
            if let Buffer::Graph(memory) = buffer {
                built.graph.add_free(memory, &[])?;
            }
        }
        Ok(())
    }

    fn expected(operations: impl Iterator<Item = Operation>) -> [[f32; N]; BUFFERS] {
        let mut buffers = std::array::from_fn(initial);
        operations.for_each(|operation| operation.run(&mut buffers));
        buffers
    }

    fn compare(&self, results: &[HostBuffer<f32>], expected: &[[f32; N]; BUFFERS], what: &str) -> Outcome {
        self.stream.synchronize()?;
        for (result, expected) in results.iter().zip(expected) {
            // SAFETY: the launch has completed, and has copied floats.
            let result = unsafe { result.to_vec() };
            let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<_>>();
            tally::compare("saxpy", what, &bytes(&result), &bytes(expected))?;
        }
        Ok(())
    }

    /// One program: with memory of the graph and updates of nodes, or with removed nodes and updates of the whole
    /// graph.
    fn run(&mut self, with_memory: bool) -> Outcome {
        let mut built = self.begin(with_memory)?;
        let count = 4 + self.random.below(8);
        let mut removed = Vec::new();
        for _ in 0..count {
            let operation = Operation::random(&mut self.random);
            self.add(&mut built, operation)?;
            if !with_memory && self.random.chance(33) {
                // No node runs after it, so the remaining nodes keep their order.
                let (_, node) = built.nodes.pop().ok_or("it was just added")?;
                match &node {
                    Added::Kernel(typed) => built.graph.remove(typed)?,
                    Added::Other(any) => built.graph.remove(any)?,
                }
                removed.push(node);
            }
        }
        Self::end(&mut built)?;
        for node in &removed {
            assert!(built.graph.kind(node.any()).is_err(), "a removed node is accepted");
        }
        let Built { graph, buffers, nodes, results, .. } = built;
        let mut operations: Vec<Operation> = nodes.iter().map(|(operation, _)| *operation).collect();
        let mut exec = graph.instantiate()?;
        for _ in 0..3 {
            // SAFETY: all memory has `N` elements, and each node runs after the nodes that use its buffers.
            unsafe { exec.launch(&self.stream) }?;
            let expected = Self::expected(operations.iter().copied());
            self.compare(&results, &expected, "a random graph")?;
            for ((_, node), operation) in nodes.iter().zip(&mut operations) {
                *operation = operation.again(&mut self.random);
                if let (Added::Kernel(node), Operation::Add { to, from, alpha }) = (node, *operation) {
                    exec.update(node, 1, 32, Self::args(&buffers, to, from, alpha))?;
                }
            }
        }
        if !with_memory {
            // Equal nodes, on different buffers.
            let mut next = self.begin(false)?;
            for operation in &mut operations {
                *operation = operation.again(&mut self.random);
                self.add(&mut next, *operation)?;
            }
            Self::end(&mut next)?;
            exec.update_graph(next.graph)?;
            // SAFETY: as above.
            unsafe { exec.launch(&self.stream) }?;
            let expected = Self::expected(operations.iter().copied());
            self.compare(&next.results, &expected, "an updated random graph")?;
        }
        Ok(())
    }
}

fn random_programs() -> Outcome {
    let ctx = context()?;
    let full = std::env::var_os("KERNEL_ARGS_FULL").is_some();
    let mut program = Program {
        stream: ctx.new_stream()?,
        kernel: Kernel::from_image(&ctx, SAXPY, "saxpy")?,
        ctx,
        random: Rng::new(21, 0),
    };
    for number in 0..if full { 400 } else { 40 } {
        let outcome = program.run(number % 2 == 0);
        outcome.map_err(|error| format!("program {number}: {error}"))?;
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("random_programs", random_programs)]
}

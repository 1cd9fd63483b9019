//! Random graphs of all kinds of nodes, also inside of child graphs and conditional nodes, compared with a model that
//! runs their steps one after another: the same bytes, after updates too.

use crate::graphs::{
    conditions::{CountDown, SetCondition, Setters},
    saxpy::{Outcome, Pointers, SAXPY},
};
use cudarc::driver::{CudaEvent, CudaSlice};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, Launch, Retained,
    graph::{AnyNode, Graph, GraphExec, HostBuffer, HostNode, Node},
};
use kernel_args_tests::{
    driver::{context, trial},
    tally,
    values::{Draw, Source},
};
use libtest_mimic::Trial;
use std::sync::{Arc, Mutex};

/// The number of cells, and of floats in a cell.
const CELLS: usize = 5;
const WIDTH: usize = 4;
const GRAPHS: u64 = 150;
const LAUNCHES: usize = 4;

/// A step of a graph. Cells are numbers of cells.
enum Step {
    Zero {
        cell: usize,
    },
    Copy {
        to: usize,
        from: usize,
    },
    Upload {
        cell: usize,
        value: f32,
    },
    /// The number is its place in [`Program::kernels`].
    Add {
        number: usize,
    },
    /// A host function appends the cell to the list.
    Host {
        cell: usize,
    },
    Event,
    Join,
    Child(Vec<Step>),
    If {
        value: u32,
        then: Vec<Step>,
        otherwise: Option<Vec<Step>>,
    },
    /// The counter is a memory of its own.
    While {
        times: u32,
        body: Vec<Step>,
    },
    Switch {
        value: u32,
        cases: Vec<Vec<Step>>,
    },
}

/// `y += alpha * x`, unless it is disabled.
#[derive(Clone, Copy)]
struct Addition {
    x: usize,
    y: usize,
    alpha: f32,
    enabled: bool,
}

struct Program {
    kernels: Vec<Addition>,
    steps: Vec<Step>,
}

fn below(from: &mut Source, end: u64) -> u64 {
    u64::draw(from) % end
}

fn cell(from: &mut Source) -> usize {
    below(from, CELLS as u64) as usize
}

fn alpha(from: &mut Source) -> f32 {
    f32::from(below(from, 5) as u8) - 2.0
}

impl Program {
    fn draw(from: &mut Source) -> Self {
        let mut program = Self { kernels: Vec::new(), steps: Vec::new() };
        program.steps = program.draw_steps(from, 3, false, false);
        program
    }

    /// Conditional nodes are not in child graphs; host functions, events and copies from the host are not in bodies.
    fn draw_steps(&mut self, from: &mut Source, depth: u32, in_child: bool, in_body: bool) -> Vec<Step> {
        let count = 1 + below(from, 6);
        let steps = (0..count).map(|_| self.draw_step(from, depth, in_child, in_body));
        steps.collect()
    }

    fn draw_step(&mut self, from: &mut Source, depth: u32, in_child: bool, in_body: bool) -> Step {
        let inner = depth.saturating_sub(1);
        loop {
            return match below(from, 14) {
                0 => Step::Zero { cell: cell(from) },
                1 => Step::Copy { to: cell(from), from: cell(from) },
                2 if !in_body => Step::Upload { cell: cell(from), value: alpha(from) },
                3..=5 => {
                    self.kernels.push(Addition { x: cell(from), y: cell(from), alpha: alpha(from), enabled: true });
                    Step::Add { number: self.kernels.len() - 1 }
                }
                6 | 7 if !in_body => Step::Host { cell: cell(from) },
                8 if !in_body => Step::Event,
                9 => Step::Join,
                10 if depth > 0 => Step::Child(self.draw_steps(from, inner, true, in_body)),
                11 if depth > 0 && !in_child => Step::If {
                    value: below(from, 2) as u32,
                    then: self.draw_steps(from, inner, false, true),
                    otherwise: (below(from, 2) == 0).then(|| self.draw_steps(from, inner, false, true)),
                },
                12 if depth > 0 && !in_child => {
                    Step::While { times: 1 + below(from, 3) as u32, body: self.draw_steps(from, inner, false, true) }
                }
                13 if depth > 0 && !in_child => Step::Switch {
                    value: below(from, 4) as u32,
                    cases: (0..=below(from, 3)).map(|_| self.draw_steps(from, inner, false, true)).collect(),
                },
                _ => continue,
            };
        }
    }
}

/// What the program computes.
struct Model<'p> {
    kernels: &'p [Addition],
    cells: [[f32; WIDTH]; CELLS],
    seen: Vec<f32>,
}

impl Model<'_> {
    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Zero { cell } => self.cells[*cell] = [0.0; WIDTH],
                Step::Copy { to, from } => self.cells[*to] = self.cells[*from],
                Step::Upload { cell, value } => self.cells[*cell] = [*value; WIDTH],
                Step::Add { number } => {
                    let Addition { x, y, alpha, enabled } = self.kernels[*number];
                    let x = self.cells[x];
                    for (y, x) in self.cells[y].iter_mut().zip(x).filter(|_| enabled) {
                        *y = alpha.mul_add(x, *y);
                    }
                }
                Step::Host { cell } => self.seen.push(self.cells[*cell][0]),
                Step::Event | Step::Join => {}
                Step::Child(steps) => self.run(steps),
                Step::If { value, then, otherwise } => match (value, otherwise) {
                    (0, None) => {}
                    (0, Some(steps)) => self.run(steps),
                    _ => self.run(then),
                },
                Step::While { times, body } => (0..*times).for_each(|_| self.run(body)),
                Step::Switch { value, cases } => {
                    if let Some(steps) = cases.get(*value as usize) {
                        self.run(steps);
                    }
                }
            }
        }
    }
}

/// Builds the graph of a program.
struct Builder<'w> {
    world: &'w World,
    program: &'w Program,
    seen: Arc<Mutex<Vec<f32>>>,
    nodes: Vec<Option<Node<Pointers>>>,
    hosts: Vec<HostNode>,
    /// The counters of loops.
    counters: usize,
    from: Source,
}

struct World {
    ctx: Arc<cudarc::driver::CudaContext>,
    setters: Setters,
    saxpy: Kernel<Pointers>,
    memory: CudaSlice<f32>,
    address: u64,
    counters: Vec<Arc<CudaSlice<u32>>>,
    /// The numbers 0, 1, 2 …
    numbers_address: u64,
}

impl World {
    fn cell(&self, cell: usize) -> DevicePointerMut<f32> {
        DevicePointerMut::from_raw(self.address + (cell * WIDTH * size_of::<f32>()) as u64)
    }

    fn number(&self, number: u32) -> DevicePointer<u32> {
        let bytes = number as usize * size_of::<u32>();
        DevicePointer::from_raw(self.numbers_address + bytes as u64)
    }

    fn args(&self, addition: Addition) -> Pointers {
        Pointers { n: WIDTH as u32, alpha: addition.alpha, x: self.cell(addition.x).into(), y: self.cell(addition.y) }
    }
}

/// The last nodes that use each cell.
struct Order {
    writers: [Option<AnyNode>; CELLS],
    readers: [Vec<AnyNode>; CELLS],
    all: Vec<AnyNode>,
}

impl Order {
    fn new() -> Self {
        Self { writers: [None; CELLS], readers: std::array::from_fn(|_| Vec::new()), all: Vec::new() }
    }

    fn after(&self, reads: &[usize], writes: &[usize]) -> Vec<AnyNode> {
        let written = reads.iter().chain(writes).filter_map(|cell| self.writers[*cell]);
        let read = writes.iter().flat_map(|cell| self.readers[*cell].iter().copied());
        let mut nodes: Vec<AnyNode> = Vec::new();
        for node in written.chain(read) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    fn added(&mut self, node: AnyNode, reads: &[usize], writes: &[usize]) {
        self.all.push(node);
        for cell in reads {
            self.readers[*cell].push(node);
        }
        for cell in writes {
            self.writers[*cell] = Some(node);
            self.readers[*cell].clear();
        }
    }
}

const LAUNCH: fn() -> Launch<'static> = || Launch::new(1, WIDTH as u32);

const EVERY: [usize; CELLS] = [0, 1, 2, 3, 4];

impl Builder<'_> {
    /// All steps of a graph that is not a body.
    fn whole(&mut self, graph: &mut Graph, steps: &[Step]) -> Result<(), Error> {
        let mut order = Order::new();
        for step in steps {
            match step {
                Step::Host { cell } => {
                    // Functions of one launch run in the order of the steps, as in the model.
                    let after = order.after(&EVERY, &EVERY);
                    let (buffer, seen) = (HostBuffer::from(vec![0.0_f32; WIDTH]), self.seen.clone());
                    let from: DevicePointer<f32> = self.world.cell(*cell).into();
                    let read = graph.add_memcpy_dtoh(&buffer, from, &after)?;
                    let see = move || {
                        // SAFETY: the copy has finished, and the next launch has not begun.
                        let values = unsafe { buffer.to_vec() };
                        seen.lock().expect("not poisoned").push(values[0]);
                    };
                    let host = graph.add_host(see, read)?;
                    order.added(host.any(), &[], &EVERY);
                    self.hosts.push(host);
                }
                Step::Event => {
                    let after = order.after(&EVERY, &EVERY);
                    let event: Arc<CudaEvent> = Arc::new(self.world.ctx.new_event(None)?);
                    let recorded = graph.add_event_record(&event, &after)?;
                    let waited = graph.add_event_wait(&event, recorded)?;
                    order.added(waited, &[], &EVERY);
                }
                Step::Upload { cell, value } => {
                    let after = order.after(&[], &[*cell]);
                    let to = self.world.cell(*cell);
                    let node = graph.add_memcpy_htod(to, [*value; WIDTH], &after)?;
                    order.added(node, &[], &[*cell]);
                }
                other => self.step(graph, &mut order, other)?,
            }
        }
        Ok(())
    }

    fn body<B>(&mut self, graph: &mut Graph<B>, steps: &[Step]) -> Result<(), Error> {
        let mut order = Order::new();
        let mut steps = steps.iter();
        steps.try_for_each(|step| self.step(graph, &mut order, step))
    }

    /// The nodes that set a condition to a value.
    fn set<B>(
        &mut self,
        graph: &mut Graph<B>,
        condition: kernel_args::ConditionalHandle,
        value: u32,
        after: &[AnyNode],
    ) -> Result<AnyNode, Error> {
        let args = SetCondition { condition, value };
        let node = graph.add_kernel(&self.world.setters.set, 1, 1, args, after)?;
        Ok(node.any())
    }

    fn step<B>(&mut self, graph: &mut Graph<B>, order: &mut Order, step: &Step) -> Result<(), Error> {
        let world = self.world;
        let (node, reads, writes): (AnyNode, &[usize], &[usize]) = match step {
            Step::Zero { cell } => {
                let after = order.after(&[], &[*cell]);
                let node = graph.add_memset(world.cell(*cell), 0, WIDTH, &after)?;
                (node, &[], &[*cell])
            }
            Step::Copy { to, from } if to == from => return Ok(()),
            Step::Copy { to, from } => {
                let after = order.after(&[*from], &[*to]);
                let (to_cell, from_cell) = (world.cell(*to), world.cell(*from));
                let node = graph.add_memcpy(to_cell, from_cell, WIDTH, &after)?;
                (node, &[*from], &[*to])
            }
            Step::Add { number } => {
                let addition = self.program.kernels[*number];
                let after = order.after(&[addition.x], &[addition.y]);
                let args = world.args(addition);
                let node = graph.add_kernel_launch(&world.saxpy, LAUNCH(), args, &after)?;
                let any = node.any();
                self.nodes[*number] = Some(node);
                order.added(any, &[addition.x], &[addition.y]);
                return Ok(());
            }
            Step::Join => {
                // Of random nodes, and a writer of a random cell afterwards.
                let all = &order.all;
                let mut nodes: Vec<AnyNode> = order.after(&EVERY, &EVERY);
                for node in all.iter().filter(|_| below(&mut self.from, 3) == 0) {
                    if !nodes.contains(node) {
                        nodes.push(*node);
                    }
                }
                (graph.add_join(&nodes)?, &[], &EVERY)
            }
            Step::Child(steps) => {
                let mut child = Graph::new(&world.ctx)?;
                self.whole(&mut child, steps)?;
                let after = order.after(&EVERY, &EVERY);
                (graph.add_child_graph(child, &after)?, &[], &EVERY)
            }
            Step::If { value, then, otherwise } => {
                let after = order.after(&EVERY, &EVERY);
                let condition = graph.add_condition(1 - value)?;
                let set = self.set(graph, condition.handle(), *value, &after)?;
                let node = match otherwise {
                    None => graph.add_if(condition, set, |body| self.body(body, then))?,
                    Some(otherwise) => {
                        let builder = std::cell::RefCell::new(&mut *self);
                        graph.add_if_else(
                            condition,
                            set,
                            |body| builder.borrow_mut().body(body, then),
                            |body| builder.borrow_mut().body(body, otherwise),
                        )?
                    }
                };
                (node, &[], &EVERY)
            }
            Step::While { times, body } => {
                let counter = Retained::write(&world.counters[self.counters]);
                self.counters += 1;
                let mut after = order.after(&EVERY, &EVERY);
                // A body cannot copy from the host.
                let (to, from) = (counter.pointer(), world.number(*times));
                after.push(graph.add_memcpy(to, from, 1, &after)?);
                let condition = graph.add_condition(0)?;
                // In a loop, the default is not set again.
                after.push(self.set(graph, condition.handle(), 1, &after)?);
                let args = CountDown { condition: condition.handle(), counter };
                let node = graph.add_while(condition, &after, |graph| {
                    self.body(graph, body)?;
                    let kernel = &world.setters.count_down;
                    graph.add_kernel(kernel, 1, 1, args, &[]).map(drop)
                })?;
                (node, &[], &EVERY)
            }
            Step::Switch { value, cases } => {
                let after = order.after(&EVERY, &EVERY);
                let condition = graph.add_condition(0)?;
                let set = self.set(graph, condition.handle(), *value, &after)?;
                let node = graph.add_switch(condition, cases.len() as u32, set, |case, body| {
                    self.body(body, &cases[case as usize])
                })?;
                (node, &[], &EVERY)
            }
            Step::Host { .. } | Step::Event | Step::Upload { .. } => unreachable!("in no body"),
        };
        order.added(node, reads, writes);
        Ok(())
    }
}

fn bits(cells: &[f32]) -> Vec<u8> {
    // The bits of a NaN are not specified.
    let bits = cells.iter().map(|value| if value.is_nan() { u32::MAX } else { value.to_bits() });
    bits.flat_map(u32::to_le_bytes).collect()
}

fn random_graphs() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let mut memory = stream.alloc_zeros::<f32>(CELLS * WIDTH)?;
    let address = {
        let (address, _guard) = cudarc::driver::DevicePtrMut::device_ptr_mut(&mut memory, &stream);
        address
    };
    let counter = || stream.alloc_zeros::<u32>(1).map(Arc::new);
    let numbers = Arc::new(stream.clone_htod(&[0_u32, 1, 2, 3])?);
    let mut world = World {
        setters: Setters::new(&ctx)?,
        saxpy: Kernel::from_image(&ctx, SAXPY, "saxpy")?,
        counters: (0..400).map(|_| counter()).collect::<Result<_, _>>()?,
        numbers_address: Retained::read(&numbers).pointer().address(),
        memory,
        address,
        ctx,
    };
    world.ctx.synchronize()?;
    let (mut kernels, mut hosts) = (0, 0);
    for seed in 0..GRAPHS {
        let mut from = Source::new(0x6e6f_6465 + seed);
        let mut program = Program::draw(&mut from);
        let seen = Arc::default();
        let mut builder = Builder {
            world: &world,
            program: &program,
            seen: Arc::clone(&seen),
            nodes: vec![None; program.kernels.len()],
            hosts: Vec::new(),
            counters: 0,
            from: Source::new(seed),
        };
        let mut graph = Graph::new(&world.ctx)?;
        builder.whole(&mut graph, &program.steps)?;
        let Builder { nodes, hosts: host_nodes, .. } = builder;
        let mut exec = graph.instantiate()?;
        let start: [f32; CELLS * WIDTH] = std::array::from_fn(|at| f32::from(at as u8));
        for launch in 0..LAUNCHES {
            if launch > 0 {
                change(&mut exec, &world, &mut program, &nodes, &mut from)?;
            }
            stream.memcpy_htod(&start, &mut world.memory)?;
            // SAFETY: all nodes use the memory of `world`, on one stream.
            unsafe { exec.launch(&stream) }?;
            let cells = stream.clone_dtoh(&world.memory)?;
            let mut model = Model {
                kernels: &program.kernels,
                cells: std::array::from_fn(|cell| std::array::from_fn(|at| start[cell * WIDTH + at])),
                seen: Vec::new(),
            };
            model.run(&program.steps);
            let name = format!("graph {seed}, launch {launch}");
            tally::compare("random nodes", &name, &bits(&cells), &bits(&model.cells.concat()))?;
            let mut seen = seen.lock().expect("not poisoned");
            tally::compare("random nodes", &name, &bits(&seen), &bits(&model.seen))?;
            hosts += seen.len();
            seen.clear();
        }
        kernels += nodes.len();
        assert!(host_nodes.iter().all(|node| node.take_panic().is_none()));
    }
    assert!(kernels > 900 && hosts > 300, "{kernels} kernels, {hosts} calls");
    Ok(())
}

/// Updates and disables random kernels, wherever they are.
fn change(
    exec: &mut GraphExec,
    world: &World,
    program: &mut Program,
    nodes: &[Option<Node<Pointers>>],
    from: &mut Source,
) -> Outcome {
    for (addition, node) in program.kernels.iter_mut().zip(nodes) {
        let node = node.as_ref().ok_or("the kernel is in no graph")?;
        match below(from, 4) {
            0 => {
                addition.enabled = !addition.enabled;
                exec.set_enabled(node, addition.enabled)?;
                assert_eq!(exec.is_enabled(node)?, addition.enabled);
            }
            1 => {
                addition.alpha = alpha(from);
                exec.update(node, 1, WIDTH as u32, world.args(*addition))?;
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("random_nodes", random_graphs)]
}

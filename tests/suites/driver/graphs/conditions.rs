//! Conditional nodes: which bodies run, their nodes in the instantiated graph, what they retain, and mistakes.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, N, Outcome, Owned, World, a_while, soon},
};
use cudarc::driver::CudaContext;
use kernel_args::{
    ConditionalHandle, DevicePointerMut, Error, Kernel, KernelArgs, Module, Retained,
    graph::{Body, Condition, Graph, Node},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial, trial_unless};
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

/// `__global__ void set_condition(cudaGraphConditionalHandle condition, unsigned int value)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/conditions.ptx", entry = "set_condition")]
pub(crate) struct SetCondition {
    pub(crate) condition: ConditionalHandle,
    pub(crate) value: u32,
}

/// `__global__ void count_down(cudaGraphConditionalHandle condition, unsigned int* counter)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/conditions.ptx", entry = "count_down")]
pub(crate) struct CountDown {
    pub(crate) condition: ConditionalHandle,
    pub(crate) counter: Retained<DevicePointerMut<u32>>,
}

/// The kernels that set conditions.
pub(crate) struct Setters {
    pub(crate) set: Kernel<SetCondition>,
    pub(crate) count_down: Kernel<CountDown>,
}

impl Setters {
    pub(crate) fn new(ctx: &Arc<CudaContext>) -> Result<Self, Error> {
        let module = Module::load(ctx, include_str!("../../../../ptx/conditions.ptx"))?;
        Ok(Self {
            set: module.kernel("set_condition")?.require_verified()?,
            count_down: module.kernel("count_down")?.require_verified()?,
        })
    }

    /// A node that sets the condition.
    fn add<B>(&self, graph: &mut Graph<B>, condition: &Condition, value: u32) -> Result<Node<SetCondition>, Error> {
        let args = set(condition, value);
        graph.add_kernel(&self.set, 1, 1, args, &[])
    }
}

fn set(condition: &Condition, value: u32) -> SetCondition {
    SetCondition { condition: condition.handle(), value }
}

/// A body that adds `alpha` to `y`.
fn adds(body: &mut Body<'_>, world: &World, alpha: f32) -> Result<Node<Owned>, Error> {
    body.add_kernel_launch(&world.kernel, LAUNCH(), world.args(alpha), &[])
}

/// One and two bodies, for each value: the setter is updated between launches.
fn an_if() -> Outcome {
    let world = World::new()?;
    let setters = Setters::new(&world.ctx)?;
    let mut graph = Graph::new(&world.ctx)?;
    let y = Retained::write(&world.y).pointer();
    let zero = graph.add_memset(y, 0, N, &[])?;
    let (first, second) = (graph.add_condition(1)?, graph.add_condition(1)?);
    let handles = [first.handle(), second.handle()];
    assert_ne!(handles[0], handles[1]);
    let a = setters.add(&mut graph, &first, 1)?;
    let b = setters.add(&mut graph, &second, 1)?;
    let mut nodes = Vec::new();
    let one = graph.add_if(first, &[zero, a.any()], |body| {
        nodes.push(adds(body, &world, 1.0)?);
        Ok::<(), Error>(())
    })?;
    let two = graph.add_if_else(
        second,
        &[one, b.any()],
        |body| adds(body, &world, 10.0).map(drop),
        |body| adds(body, &world, 100.0).map(drop),
    )?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1000.0), two)?;
    let mut exec = graph.instantiate()?;
    world.launch(&mut exec, 1011.0)?;
    for (values, expected) in [([0, 1], 1010.0), ([1, 0], 1101.0), ([0, 0], 1100.0), ([u32::MAX, 7], 1011.0)] {
        for ((node, condition), value) in [&a, &b].into_iter().zip(handles).zip(values) {
            exec.update(node, 1, 1, SetCondition { condition, value })?;
        }
        world.launch(&mut exec, expected)?;
    }
    // The node of a body.
    exec.update(&nodes[0], 1, 32, world.args(5.0))?;
    world.launch(&mut exec, 1015.0)?;
    exec.set_enabled(&nodes[0], false)?;
    assert!(!exec.is_enabled(&nodes[0])?);
    world.launch(&mut exec, 1010.0)
}

/// Without a kernel that sets it, the condition has its default value, at each launch.
fn defaults() -> Outcome {
    let world = World::new()?;
    let setters = Setters::new(&world.ctx)?;
    let mut graph = Graph::new(&world.ctx)?;
    let y = Retained::write(&world.y).pointer();
    let mut after = graph.add_memset(y, 0, N, &[])?;
    for (default, alpha) in [(0, 1.0), (1, 10.0), (2, 100.0)] {
        let condition = graph.add_condition(default)?;
        let handle = condition.handle();
        after = graph.add_if(condition, after, |body| {
            let node = adds(body, &world, alpha)?;
            let args = SetCondition { condition: handle, value: 0 };
            body.add_kernel(&setters.set, 1, 1, args, &node).map(drop)
        })?;
    }
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        world.launch(&mut exec, 110.0)?;
    }
    Ok(())
}

/// A loop that counts down, in a loop that counts down; the counters are set by each launch.
fn a_while_in_a_while() -> Outcome {
    let world = World::new()?;
    let setters = Setters::new(&world.ctx)?;
    let counters = [Arc::new(world.stream.alloc_zeros::<u32>(1)?), Arc::new(world.stream.alloc_zeros::<u32>(1)?)];
    world.ctx.synchronize()?;
    let y = Retained::write(&world.y).pointer();
    let [outer, inner] = counters.each_ref().map(Retained::write);
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(y, 0, N, &[])?;
    let rounds = graph.add_memcpy_htod(outer.pointer(), [4_u32], zero)?;
    let (condition, mut updated) = (graph.add_condition(1)?, None);
    let handle = condition.handle();
    graph.add_while(condition, rounds, |body| {
        // A condition that is created in the body belongs to the body. It must be set in each round.
        let condition = body.add_condition(0)?;
        let inner_handle = condition.handle();
        let rounds = body.add_memcpy(inner.pointer(), outer.pointer(), 1, &[])?;
        let on = setters.add(body, &condition, 1)?;
        let looped = body.add_while(condition, &[rounds, on.any()], |body| {
            let node = adds(body, &world, 1.0)?;
            let args = CountDown { condition: inner_handle, counter: inner.clone() };
            body.add_kernel(&setters.count_down, 1, 1, args, &node)?;
            updated = Some(node);
            Ok::<(), Error>(())
        })?;
        let args = CountDown { condition: handle, counter: outer.clone() };
        body.add_kernel(&setters.count_down, 1, 1, args, looped)?;
        Ok::<(), Error>(())
    })?;
    let mut exec = graph.instantiate()?;
    for _ in 0..2 {
        // 4 + 3 + 2 + 1.
        world.launch(&mut exec, 10.0)?;
    }
    let node = updated.ok_or("the body was not filled")?;
    exec.update(&node, 1, 32, world.args(3.0))?;
    world.launch(&mut exec, 30.0)
}

fn a_switch() -> Outcome {
    let world = World::new()?;
    let setters = Setters::new(&world.ctx)?;
    let mut graph = Graph::new(&world.ctx)?;
    let y = Retained::write(&world.y).pointer();
    let zero = graph.add_memset(y, 0, N, &[])?;
    let condition = graph.add_condition(0)?;
    let handle = condition.handle();
    let setter = setters.add(&mut graph, &condition, 0)?;
    let mut cases = Vec::new();
    graph.add_switch(condition, 3, &[zero, setter.any()], |case, body| {
        cases.push(case);
        adds(body, &world, f32::from(case as u8 + 1)).map(drop)
    })?;
    assert_eq!(cases, [0, 1, 2]);
    let mut exec = graph.instantiate()?;
    for (value, expected) in [(0, 1.0), (1, 2.0), (2, 3.0), (3, 0.0), (u32::MAX, 0.0), (1, 2.0)] {
        let args = SetCondition { condition: handle, value };
        exec.update(&setter, 1, 1, args)?;
        world.launch(&mut exec, expected)?;
    }
    Ok(())
}

/// What a body retains, and a child graph in a body, until the graph is dropped.
fn retained() -> Outcome {
    let world = World::new()?;
    let (first, second, third) = (world.memory()?, world.memory()?, world.memory()?);
    let (mut graph, mut node, mut in_child) = (Graph::new(&world.ctx)?, None, None);
    let (condition, inner) = (graph.add_condition(1)?, graph.add_condition(1)?);
    graph.add_if(condition, &[], |body| {
        // The condition of the graph around the body.
        let added = body.add_if(inner, &[], |body| {
            let kernel = &world.kernel;
            node = Some(body.add_kernel_launch(kernel, LAUNCH(), world.with_x(&first), &[])?);
            Ok::<(), Error>(())
        })?;
        let mut child = Graph::new(&world.ctx)?;
        in_child = Some(child.add_kernel_launch(&world.kernel, LAUNCH(), world.with_x(&second), &[])?);
        body.add_child_graph(child, added)?;
        body.retain(third.clone())
    })?;
    let (node, in_child) = (node.ok_or("no body")?, in_child.ok_or("no body")?);
    a_while();
    let held = || [&first, &second, &third].map(|memory| Arc::strong_count(memory) - 1);
    assert_eq!(held(), [1, 1, 1], "before the instantiation");
    let mut exec = graph.instantiate()?;
    a_while();
    assert_eq!(held(), [1, 1, 1], "after the instantiation");
    world.launch(&mut exec, 2.0)?;
    exec.update(&node, 1, 32, world.args(1.0))?;
    soon("the release of the first", || held() == [0, 1, 1])?;
    exec.update(&in_child, 1, 32, world.args(2.0))?;
    soon("the release of the second", || held() == [0, 0, 1])?;
    world.launch(&mut exec, 5.0)?;
    drop(exec);
    soon("the release of the third", || held() == [0, 0, 0])
}

fn refused() -> Outcome {
    const OTHER: &str = "belongs to another graph";
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let fill = |body: &mut Body<'_>| adds(body, &world, 1.0).map(drop);
    let foreign = Graph::new(&world.ctx)?.add_condition(1)?;
    says(graph.add_if(foreign, &[], fill), &["the conditional node was not added", "condition", OTHER])?;
    let stranger = Graph::new(&world.ctx)?.add_join(&[])?;
    let condition = graph.add_condition(1)?;
    says(graph.add_while(condition, stranger, fill), &["index 0", OTHER])?;
    let condition = graph.add_condition(1)?;
    let none = graph.add_switch(condition, 0, &[], |_, body| fill(body));
    says(none, &["at least one body"])?;
    // The conditions have no nodes.
    says(graph.instantiate().map(drop), &["(1)", "2 conditions of the graph have no conditional node", "`add_while`"])?;

    // Nodes of the graph are no dependencies in the body, and the other way round.
    let mut graph = Graph::new(&world.ctx)?;
    let (condition, outside) = (graph.add_condition(1)?, graph.add_join(&[])?);
    let mut inside = None;
    graph.add_if(condition, outside, |body| {
        says(body.add_join(outside), &["index 0", OTHER]).expect("an error");
        inside = Some(body.add_join(&[])?);
        // A condition of the body is no condition of the graph around it.
        Ok::<(), Error>(())
    })?;
    let inside = inside.ok_or("no body")?;
    says(graph.add_join(inside), &["index 0", OTHER])?;
    // A child graph with a conditional node, and with a host function in a body.
    says(
        Graph::new(&world.ctx)?.add_child_graph(graph, &[]),
        &["the child graph was not added", "conditional node", "to the graph itself"],
    )?;
    let mut graph = Graph::new(&world.ctx)?;
    let condition = graph.add_condition(1)?;
    graph.add_if(condition, &[], |body| {
        let mut child = Graph::new(&world.ctx)?;
        child.add_host(|| {}, &[])?;
        let mut around = Graph::new(&world.ctx)?;
        around.add_child_graph(child, &[])?;
        says(
            body.add_child_graph(around, &[]),
            &["the child graph was not added", "a host function", "a body of a conditional node"],
        )
        .expect("an error");
        let mut child = Graph::new(&world.ctx)?;
        let event = Arc::new(world.ctx.new_event(None).map_err(Error::from)?);
        child.add_event_wait(&event, &[])?;
        says(body.add_child_graph(child, &[]), &["an event"]).expect("an error");
        let mut child = Graph::new(&world.ctx)?;
        let y = Retained::write(&world.y).pointer();
        child.add_memcpy_htod(y, [1.0; N], &[])?;
        says(body.add_child_graph(child, &[]), &["a copy from or to the host"]).expect("an error");
        fill(body)
    })?;
    let mut exec = graph.instantiate()?;
    world.launch(&mut exec, 1.0)
}

/// A graph with a body that was not filled is never launched.
fn not_filled() -> Outcome {
    const WORDS: [&str; 2] = ["the graph was not instantiated", "was not filled"];
    let world = World::new()?;
    let fails = |graph: &mut Graph| -> Outcome {
        let condition = graph.add_condition(1)?;
        let result = graph.add_if(condition, &[], |body| {
            adds(body, &world, 1.0)?;
            Err::<(), Error>(Error::NoDriver)
        });
        assert!(matches!(result, Err(Error::NoDriver)));
        Ok(())
    };
    let mut graph = Graph::new(&world.ctx)?;
    fails(&mut graph)?;
    let mut around = Graph::new(&world.ctx)?;
    fails(&mut around)?;
    says(graph.instantiate().map(drop), &WORDS)?;
    says(Graph::new(&world.ctx)?.add_child_graph(around, &[]), &WORDS[1..])?;
    // The inner body fails, and the outer closure ignores it.
    let mut graph = Graph::new(&world.ctx)?;
    let (condition, inner) = (graph.add_condition(1)?, graph.add_condition(1)?);
    graph.add_while(condition, &[], |body| {
        let result = body.add_if(inner, &[], |_| Err::<(), Error>(Error::NoDriver));
        assert!(matches!(result, Err(Error::NoDriver)));
        Ok::<(), Error>(())
    })?;
    says(graph.instantiate().map(drop), &WORDS)?;
    let mut graph = Graph::new(&world.ctx)?;
    let condition = graph.add_condition(1)?;
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        // The message would look like a failed trial.
        let fill = |_: &mut Body<'_>| -> Result<(), Error> { resume_unwind(Box::new("of the test")) };
        graph.add_if(condition, &[], fill).map(drop)
    }));
    assert!(unwound.is_err());
    // A second conditional node does not hide it.
    let condition = graph.add_condition(1)?;
    graph.add_if(condition, &[], |body| adds(body, &world, 1.0).map(drop))?;
    says(graph.instantiate().map(drop), &WORDS)?;
    world.y_is(0.0)
}

/// A driver of CUDA 12.7 has neither `else` nor `switch`.
fn on_an_older_driver() -> Outcome {
    let control = Control::attach().ok_or("this is not the test driver")?;
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let fill = |body: &mut Body<'_>| adds(body, &world, 1.0).map(drop);
    let (first, second) = (graph.add_condition(1)?, graph.add_condition(1)?);
    control.set_version(12_070);
    let both = graph.add_if_else(first, &[], fill, fill);
    let switch = graph.add_switch(second, 2, &[], |_, body| fill(body));
    control.set_version(13_000);
    let versions = ["a driver of CUDA 12.8", "this driver is of CUDA 12.7"];
    says(both, &[versions[0], versions[1], "`else`"])?;
    says(switch, &[versions[0], versions[1], "`switch`"])
}

/// The kernel of the body does not set the condition, so nothing ends the loop.
fn an_endless_while() -> Outcome {
    const PTX: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry waits() { ret; }\n";
    let world = World::new()?;
    let waits: Kernel<Nothing> = Kernel::from_image(&world.ctx, PTX, "waits")?;
    let mut graph = Graph::new(&world.ctx)?;
    let condition = graph.add_condition(1)?;
    graph.add_while(condition, &[], |body| body.add_kernel(&waits, 1, 1, Nothing, &[]).map(drop))?;
    let mut exec = graph.instantiate()?;
    // SAFETY: the kernel accesses no memory.
    says(unsafe { exec.launch(&world.stream) }, &["(702)"])
}

#[derive(KernelArgs)]
struct Nothing;

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let name = |what: &str| format!("conditions/{what}");
    vec![
        trial(name("an_if"), an_if),
        trial(name("defaults"), defaults),
        trial(name("a_while_in_a_while"), a_while_in_a_while),
        trial(name("a_switch"), a_switch),
        trial(name("retained"), retained),
        trial(name("refused"), refused),
        trial(name("not_filled"), not_filled),
        trial_unless(driver.is_real().then_some("a GPU runs it for ever"), name("an_endless_while"), an_endless_while),
        trial_unless(
            driver.is_real().then_some("this machine has its own GPU"),
            name("on_an_older_driver"),
            on_an_older_driver,
        ),
    ]
}

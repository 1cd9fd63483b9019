use kernel_args::{Error, KernelArgs, graph::{GraphExec, Node}};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

#[derive(KernelArgs)]
struct Scale {
    value: f32,
    n: u32,
}

fn update(exec: &mut GraphExec, node: &Node<Fill>) -> Result<(), Error> {
    exec.update(node, 4, 256, Scale { value: 1.0, n: 1 })
}

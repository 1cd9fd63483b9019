use kernel_args::{Error, KernelArgs, graph::{GraphExec, Node}};

fn update<A: KernelArgs + Send + 'static>(exec: &mut GraphExec, node: &Node<A>, args: A) -> Result<(), Error> {
    exec.update(node, 4, 256, args)
}

use kernel_args::{KernelArgs, TensorMap};

#[derive(KernelArgs)]
struct Copy {
    map: TensorMap,
    n: u32,
}

fn main() {
    let copy = Copy {
        map: TensorMap::default(),
        n: 1,
    };
    copy.with_packed(|buffer| assert_eq!(buffer.len(), 132));
}

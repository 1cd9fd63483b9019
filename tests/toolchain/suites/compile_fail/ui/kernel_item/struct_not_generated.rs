use kernel_args_test_kernels::saxpy;

fn main() {
    let _ = saxpy::Saxpy {
        n: 1,
        alpha: 2.0,
    };
}

use kernel_args::Arguments;

fn main() {
    Arguments::new().push([0_u32; 0]);
}

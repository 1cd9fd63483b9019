use kernel_args::ArgList;

fn main() {
    ArgList::new().push([0_u32; 0]);
}

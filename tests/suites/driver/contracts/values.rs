use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![]
}

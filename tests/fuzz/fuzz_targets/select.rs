//! The selected kernel fits. If no kernel is selected, none fits.
#![cfg_attr(fuzzing, no_main)]

mod structs;

use kernel_args_abi::{
    Signature,
    check::{Report, Selection, report, select},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lists = bytes.splitn(5, |&byte| byte == 0xff).map(structs::parameters);
    let host = lists.next().unwrap_or_default();
    let kernels: Vec<_> = lists.collect();
    let names = ["k(int)", "void k<float>(int)", "k", "(anonymous namespace)::k(P)"];
    let candidates: Vec<Signature<'_>> =
        kernels.iter().zip(names).map(|(parameters, name)| Signature { name, parameters }).collect();
    let of_struct = Signature { name: "Struct", parameters: &host };
    let fits = |index: usize| {
        let report: Report<'_> = report(&of_struct, &candidates[index]);
        report.is_empty()
    };
    match select(&host, &candidates) {
        Selection::One(index) => assert!(fits(index)),
        Selection::Several { first, second, count } => {
            assert!(fits(first) && fits(second) && first < second);
            assert!((2..=candidates.len()).contains(&count));
        }
        Selection::None => assert!((0..candidates.len()).all(|index| !fits(index))),
        _ => {}
    }
});

#[cfg(not(fuzzing))]
fn main() {}

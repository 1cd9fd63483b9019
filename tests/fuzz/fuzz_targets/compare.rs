//! From an image to the comparison: the number of bytes of a struct, the struct, then any image.
#![cfg_attr(fuzzing, no_main)]

mod structs;

use kernel_args_abi::{
    Signature, Sm,
    check::{Report, report_at},
};
use kernel_args_image::{Image, mangled};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&length, rest)) = bytes.split_first() else {
        return;
    };
    let (host, image) = rest.split_at(usize::from(length).min(rest.len()));
    let host = structs::parameters(host);
    let Ok(kernels) = Image::read(image).and_then(|image| image.kernels()) else {
        return;
    };
    for symbol in kernels.symbols().take(64) {
        assert_eq!(mangled::candidates(symbol, [symbol]), [symbol]);
        let kernel = kernels.kernel(symbol, None).expect("a kernel of this symbol");
        assert_eq!(kernel.name, symbol);
        let _ = kernels.kernel(symbol, Some(Sm(75)));
        let parameters = kernel.parameters();
        let name = kernel.demangled.as_ref().map_or(symbol, |name| name.text());
        let kernel = Signature { name, parameters: &parameters };
        let of_struct = Signature { name: "Struct", parameters: &host };
        for base in [None, Some(0x160), Some(0x210)] {
            let report: Report<'_> = report_at(&of_struct, &kernel, base);
            assert!(!report.table().to_string().is_empty());
            for &mismatch in report.mismatches() {
                assert!(!report.message(mismatch).as_str().is_empty());
            }
        }
        let itself: Report<'_> = report_at(&kernel, &kernel, None);
        assert!(itself.is_empty(), "{}", itself.table());
    }
});

#[cfg(not(fuzzing))]
fn main() {}

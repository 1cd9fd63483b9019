//! The summary of an image contains the same data as the image itself, for every GPU.

use crate::compiled::{PTX, SM_75, SM_100, fatbin};
use kernel_args_abi::Sm;
use kernel_args_image::{
    Image, Limits, contents,
    summary::{Summary, summary},
    validate,
};
use std::{fs, path::Path};

/// The summary of an image, compared with the image for every GPU. `None` if the image has no summary.
fn compared(bytes: &[u8]) -> Option<Summary> {
    let kind = validate(bytes).unwrap();
    let code = contents(bytes).unwrap();
    let kernels = Image::read(bytes).unwrap().kernels().unwrap();
    let symbols: Vec<&str> = kernels.symbols().collect();
    let written = summary(kind, &code, &kernels, symbols.iter().copied())?;
    let read = Summary::read(&written, symbols.len());
    assert_eq!((read.kind, &read.contents), (kind, &code));
    for (symbol, limits) in symbols.iter().zip(&read.kernels) {
        let in_table = kernels.kernel(symbol, None).unwrap();
        let sizes = |kernel: &kernel_args_image::Kernel<'_>| -> Vec<_> {
            let parameters = kernel.parameters();
            parameters.iter().map(|p| (p.size, p.class, p.cpp.depth)).collect()
        };
        for gpu in (50..130).map(Sm) {
            // A cubin contains code for some GPUs only.
            let Some(kernel) = kernels.kernel(symbol, Some(gpu)) else {
                continue;
            };
            let found =
                Limits { directives: kernel.directives(), dynamic_shared: kernel.dynamic_shared().unwrap_or(false) };
            assert_eq!(*limits, found, "{symbol} for {gpu}");
            let offsets = |kernel: &kernel_args_image::Kernel<'_>| -> Vec<_> {
                kernel.parameters().iter().map(|p| p.offset).collect()
            };
            assert_eq!(sizes(&kernel), sizes(&in_table), "{symbol} for {gpu}");
            if kernel.records.is_some() {
                assert_eq!(offsets(&kernel), offsets(&in_table), "{symbol} for {gpu}");
            }
        }
    }
    Some(read)
}

#[test]
fn every_committed_image_is_summarized() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in [root.join("../../ptx"), root.join("tests/data")] {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let is_image = ["ptx", "cubin", "fatbin"].map(|ending| path.extension().is_some_and(|e| e == ending));
            if is_image.contains(&true) {
                let bytes = fs::read(&path).unwrap();
                // Kernels differ between GPUs.
                let differ = ["targets.fatbin", "archs.cubins.fatbin", "archs.fatbin"].map(|name| path.ends_with(name));
                assert!(compared(&bytes).is_some() || differ.contains(&true), "{}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 25, "{count}");
}

#[test]
fn a_kernel_that_depends_on_the_gpu_has_no_summary() {
    // `sim::Line` is aligned to 64: its offset depends on the GPU.
    assert_eq!(compared(&fatbin(&[(2, 75, SM_75), (2, 100, SM_100)])), None);
    assert_eq!(compared(&fatbin(&[(1, 75, PTX), (2, 75, SM_75)])), None);
    // For PTX without cubins, the library computes the offsets for the GPU.
    assert!(compared(&fatbin(&[(1, 75, PTX)])).is_some());

    let plain = |changes: &str| {
        format!(
            ".version 9.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 memory[];\n\
             .visible .entry k(.param .u32 a){changes}\nret;\n}}\n"
        )
    };
    let first = plain(".maxntid 64\n{");
    for (other, is_same) in [
        (plain(".maxntid 64\n{"), true),
        (plain(".maxntid 128\n{"), false),
        (plain("{"), false),
        (plain(".maxntid 64\n{\nmov.u32 %r1, memory;"), false),
        (plain(".maxntid 64\n{").replace(".u32 a", ".u64 a"), false),
        (plain(".maxntid 64\n{").replace("entry k", "entry other"), false),
    ] {
        let file = fatbin(&[(1, 75, first.as_bytes()), (1, 90, other.as_bytes())]);
        assert_eq!(compared(&file).is_some(), is_same, "{other}");
    }
}

#[test]
fn every_directive_is_kept() {
    let directives = ".maxntid 64, 2\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n.explicitcluster\n.blocksareclusters\n\
         .minnctapersm 3\n.maxnreg 40\n.reqntid 64, 2\n";
    for directive in directives.lines() {
        let text =
            format!(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{directive}\n{{\nret;\n}}\n");
        let read = compared(text.as_bytes()).unwrap();
        let present = |limits: &Limits| {
            let none = Limits { directives: kernel_args_image::Directives::default(), dynamic_shared: false };
            *limits != none
        };
        assert!(read.kernels.iter().all(present), "{directive}: {read:?}");
    }
}

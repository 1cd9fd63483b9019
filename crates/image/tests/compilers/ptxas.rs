//! ptxas and the PTX reader read the same kernels, in any spelling.

use super::PTXAS;
use super::spelling::{Meant, Speller, assert_read};
use kernel_args_abi::ParamLayout;
use kernel_args_image::{
    cubin,
    ptx::{Pointee, Space},
};
use kernel_args_test_generator::tools;
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

/// The PTX reader, ptxas, the cubin reader and the layout engine agree: 200 kernels for each of three GPU generations
/// whose parameter blocks begin at different addresses.
pub(super) fn ptxas_reads_the_same_parameters() {
    let folder = std::env::temp_dir().join(format!("kernel-args-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut runner = TestRunner::deterministic();
    let mut compared = 0;
    for target in ["sm_75", "sm_90", "sm_100"] {
        let mut kernels: Vec<Meant> = Vec::new();
        let mut speller = Speller::new(compared as u64 + 3);
        speller.header(target);
        for i in 0..200 {
            let any = Meant::any(target != "sm_75");
            let meant = any.new_tree(&mut runner).unwrap().current();
            speller.kernel(&meant, &format!("k{i}"));
            kernels.push(meant);
        }
        assert_read(&speller.text, &kernels);
        let (source, output) = (folder.join("k.ptx"), folder.join("k.cubin"));
        std::fs::write(&source, &speller.text).unwrap();
        let run = tools::command(PTXAS).arg(format!("-arch={target}")).arg(&source).arg("-o").arg(&output).output();
        let run = run.unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let bytes = std::fs::read(&output).unwrap();
        let cubin = cubin::parse(&bytes).unwrap();
        assert_eq!((cubin.sm.to_string(), cubin.kernels.len()), (target.to_string(), 200));
        for (i, meant) in kernels.iter().enumerate() {
            let kernel = cubin.kernel(&format!("k{i}")).unwrap();
            let place = |base| {
                let mut block = ParamLayout::at(base);
                let mut places = Vec::new();
                for parameter in &meant.parameters {
                    let (longer, offset) = block.push(parameter.layout()).unwrap();
                    places.push((offset, parameter.layout().size()));
                    block = longer;
                }
                (places, block.size())
            };
            let base = cubin.sm.param_base(place(0).1).unwrap();
            let (places, size) = place(base);
            let records: Vec<_> = kernel.parameters.iter().map(|p| (p.offset, p.size)).collect();
            assert_eq!((records, kernel.size), (places, size), "{target} k{i}: {meant:?}");
            let recorded = kernel.directives.completed_by(meant.directives);
            assert_eq!(recorded, meant.directives, "{target} k{i}");
            for (record, meant) in kernel.parameters.iter().zip(&meant.parameters) {
                let pointee = meant.pointee.map(|pointee| Pointee {
                    align: pointee.align.filter(|align| align.bytes() > 1),
                    space: match record.pointee {
                        // The result of ptxas for sm_90 and newer.
                        Some(read) if pointee.space == Space::Const && read.space == Space::Global => Space::Global,
                        _ => pointee.space,
                    },
                });
                assert_eq!(record.pointee, pointee, "{target} k{i}: {meant:?}");
            }
            compared += kernel.parameters.len();
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{compared} parameters compared");
}

//! Whatever way a kernel is spelled in PTX, it is read as it is meant; and ptxas agrees, where there is one.

mod spelling;

use kernel_args_abi::{
    Block, cubin,
    ptx::{Module, Pointee, Space},
};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use spelling::{Meant, Speller};
use std::{path::PathBuf, process::Command};

/// Fails unless the kernels of the text are those that are meant.
fn assert_read(text: &str, meant: &[Meant]) {
    let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(module.entries.len(), meant.len(), "{text}");
    for (i, (entry, meant)) in module.entries.iter().zip(meant).enumerate() {
        assert_eq!(entry.name, format!("k{i}"));
        assert!(
            meant.has(&entry.directives),
            "{:?}\n{text}",
            entry.directives
        );
        assert_eq!(entry.parameters.len(), meant.parameters.len());
        for (j, (read, meant)) in entry.parameters.iter().zip(&meant.parameters).enumerate() {
            assert_eq!(read.name, format!("k{i}_param_{j}"));
            assert_eq!((read.scalar, read.length), (meant.scalar, meant.length));
            assert_eq!((read.layout, read.class), (meant.layout(), meant.class()));
            assert_eq!(read.pointee, meant.pointee);
            // The declaration is quoted in messages: it must be PTX itself, on one line.
            assert!(
                !read.declaration.contains(['\n', '\r', '\t']) && !read.declaration.contains("/*")
            );
            let again = format!(
                ".version 9.0\n.target sm_75\n.entry k({}) ;",
                read.declaration
            );
            let again = Module::parse(&again).unwrap_or_else(|error| panic!("{error}\n{again}"));
            let again = &again.entries[0].parameters[0];
            assert_eq!(
                (again.layout, again.class, again.name),
                (read.layout, read.class, read.name)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_are_read_as_they_are_meant(
        kernels in prop::collection::vec(Meant::any(), 0..5),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::new(seed);
        speller.header("sm_90");
        for (i, meant) in kernels.iter().enumerate() {
            speller.kernel(meant, &format!("k{i}"));
        }
        assert_read(&speller.text, &kernels);
    }

    #[test]
    fn any_bytes_are_ptx_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Module::parse_bytes(&bytes);
    }

    /// Right texts with one part cut out: closer to PTX than random bytes.
    #[test]
    fn broken_texts_do_not_panic(
        meant in Meant::any(),
        seed in any::<u64>(),
        from in any::<prop::sample::Index>(),
        length in 1_usize..20,
    ) {
        let mut speller = Speller::new(seed);
        speller.header("sm_90");
        speller.kernel(&meant, "k0");
        let mut bytes = speller.text.into_bytes();
        let from = from.index(bytes.len());
        bytes.drain(from..bytes.len().min(from + length));
        if let Err(error) = Module::parse_bytes(&bytes) {
            prop_assert!(error.line >= 1 && !error.to_string().is_empty());
        }
    }
}

fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("PTXAS").map(PathBuf::from);
    let ptxas = named.unwrap_or_else(|| PathBuf::from("ptxas"));
    Command::new(&ptxas)
        .arg("--version")
        .output()
        .ok()
        .map(|_| ptxas)
}

/// The PTX reader, ptxas, the cubin reader and the layout engine agree: 200 kernels for each of three
/// GPU generations whose parameter blocks begin at different addresses.
#[test]
fn ptxas_reads_the_same_parameters() {
    let Some(ptxas) = ptxas() else {
        println!(
            "skipped: no ptxas on this machine (it is looked for in $PATH, or where $PTXAS says)"
        );
        return;
    };
    let folder = std::env::temp_dir().join(format!("kernel-args-ptx-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut runner = TestRunner::deterministic();
    let mut compared = 0;
    for target in ["sm_75", "sm_90", "sm_100"] {
        let mut kernels: Vec<Meant> = Vec::new();
        let mut speller = Speller::new(compared as u64 + 3);
        speller.header(target);
        for i in 0..200 {
            let mut meant = Meant::any().new_tree(&mut runner).unwrap().current();
            if target == "sm_75" {
                meant.required_cluster = None; // from sm_90 on
            }
            speller.kernel(&meant, &format!("k{i}"));
            kernels.push(meant);
        }
        assert_read(&speller.text, &kernels);
        let (source, output) = (folder.join("k.ptx"), folder.join("k.cubin"));
        std::fs::write(&source, &speller.text).unwrap();
        let run = Command::new(&ptxas)
            .arg(format!("-arch={target}"))
            .arg(&source)
            .arg("-o")
            .arg(&output)
            .output();
        let run = run.unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        let bytes = std::fs::read(&output).unwrap();
        let cubin = cubin::parse(&bytes).unwrap();
        assert_eq!(
            (cubin.sm.to_string(), cubin.kernels.len()),
            (target.to_string(), 200)
        );
        for (i, meant) in kernels.iter().enumerate() {
            let kernel = cubin.kernel(&format!("k{i}")).unwrap();
            let place = |base| {
                let mut block = Block::at(base);
                let mut places = Vec::new();
                for parameter in &meant.parameters {
                    let (longer, offset) = block.push(parameter.layout()).unwrap();
                    places.push((offset, parameter.layout().size()));
                    block = longer;
                }
                (places, block.size())
            };
            let base = cubin.sm.block_base(place(0).1).unwrap();
            let (places, size) = place(base);
            let records: Vec<_> = kernel
                .parameters
                .iter()
                .map(|p| (p.offset, p.size))
                .collect();
            assert_eq!(
                (records, kernel.size),
                (places, size),
                "{target} k{i}: {meant:?}"
            );
            assert_eq!(kernel.max_threads, meant.max_threads);
            assert_eq!(kernel.required_threads, meant.required_threads);
            assert_eq!(kernel.required_cluster, meant.required_cluster);
            for (record, meant) in kernel.parameters.iter().zip(&meant.parameters) {
                let pointee = meant.pointee.map(|pointee| Pointee {
                    align: pointee.align.filter(|align| align.bytes() > 1),
                    space: match record.pointee {
                        // What ptxas makes of it from sm_90 on.
                        Some(read)
                            if pointee.space == Space::Const && read.space == Space::Global =>
                        {
                            Space::Global
                        }
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

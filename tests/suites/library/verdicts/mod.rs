//! Which host types fit which C++ types: every pair, as a golden table.
//!
//! The kernels are in `ptx/matrix.cuh`, each with one parameter; the host types are in `hosts.rs`. The table has a part
//! for each source of types: C names (only PTX declarations), C++ names (mangled types), and both with debug
//! information. A change of a verdict changes the table, so it is reviewed: `KERNEL_ARGS_BLESS=1` writes it.

mod hosts;

use hosts::{HOSTS, Host};
use kernel_args::{Module, abi::Signature};
use kernel_args_abi::check::{Difference, Mismatch, Report, report};
use kernel_args_image::{Image, Kernel, Kernels};
use kernel_args_stand_in::{Settings, within};
use std::{collections::BTreeMap, env, fmt::Write, fs, path::Path};

/// The kernels, and their images.
const SOURCE: &str = include_str!("../../../../ptx/matrix.cuh");
const PARTS: &[(&str, &str)] = &[
    ("C names", include_str!("../../../../ptx/matrix_c.ptx")),
    ("C++ names", include_str!("../../../../ptx/matrix.ptx")),
    ("C names, debug information", include_str!("../../../../ptx/matrix_c.debug.ptx")),
    ("C++ names, debug information", include_str!("../../../../ptx/matrix.debug.ptx")),
];

const HEAD: &str = "\
# Which host type fits which parameter of a kernel, for each source of types.
# Written by: KERNEL_ARGS_BLESS=1 cargo test -p kernel-args-tests --test library verdicts::
# A letter for each host type, in the order of this list:
# . fits; S size; C class; A alignment; p a pointer and a value; T type; M members; V variants of an enum; N name;
# U signedness; P pointee; K const; x without a parameter
";

/// The names and the C++ types of the kernels.
fn kernels() -> Vec<(&'static str, &'static str)> {
    let lines = SOURCE.lines();
    lines.filter_map(|line| line.strip_prefix("KERNEL(")?.strip_suffix(')')?.split_once(", ")).collect()
}

/// The symbol of a kernel in an image: its C name, or its mangled name.
fn symbol<'k>(kernels: &'k Kernels<'_>, name: &str) -> &'k str {
    let mangled = format!("_Z{}{name}", name.len());
    let mut symbols = kernels.symbols();
    symbols
        .find(|symbol| *symbol == name || symbol.starts_with(&mangled))
        .unwrap_or_else(|| panic!("{name} is not in the image"))
}

fn letter(host: &Host, kernel: &Kernel<'_>) -> char {
    let parameters = kernel.parameters();
    let kernel = Signature { name: "kernel", parameters: &parameters };
    let report: Report<'_> = report(&host.signature, &kernel);
    match report.mismatches() {
        [] => '.',
        [Mismatch::Differs { differences, .. }, ..] => match differences.first() {
            Some(Difference::Size) => 'S',
            Some(Difference::Class) => 'C',
            Some(Difference::Alignment) => 'A',
            Some(Difference::Pointer) => 'p',
            Some(Difference::Type) => 'T',
            Some(Difference::Members) => 'M',
            Some(Difference::Variants) => 'V',
            Some(Difference::Name) => 'N',
            Some(Difference::Signedness) => 'U',
            Some(Difference::Pointee) => 'P',
            Some(Difference::Constness) => 'K',
            other => panic!("{} for {:?}: {other:?}", host.name, kernel.parameters),
        },
        _ => 'x',
    }
}

/// The rows of a part: for each kernel, the letters of all host types.
fn rows(ptx: &str) -> Vec<String> {
    let image = Image::read(ptx.as_bytes()).expect("PTX");
    let all = image.kernels().expect("PTX with kernels");
    assert_eq!(all.debug_errors().next(), None);
    let kernel = |(name, _)| all.kernel(symbol(&all, name), None).expect("it has this symbol");
    kernels()
        .into_iter()
        .map(|row| {
            let kernel = kernel(row);
            HOSTS.iter().map(|host| letter(host, &kernel)).collect()
        })
        .collect()
}

fn table() -> String {
    let mut text = HEAD.to_owned();
    for names in HOSTS.chunks(10) {
        let names: Vec<&str> = names.iter().map(|host| host.name).collect();
        let _ = writeln!(text, "#   {}", names.join(" | "));
    }
    for (part, ptx) in PARTS {
        let _ = writeln!(text, "\n## {part}");
        for ((name, ty), row) in kernels().into_iter().zip(rows(ptx)) {
            let tens: Vec<&str> = (0..row.len()).step_by(10).map(|at| &row[at..row.len().min(at + 10)]).collect();
            let _ = writeln!(text, "{name:24} {ty:26} {}", tens.join(" "));
        }
    }
    text
}

/// The letters of a table, by part, kernel and host type.
fn cells(table: &str) -> BTreeMap<(String, String, &'static str), char> {
    let (mut cells, mut part) = (BTreeMap::new(), "");
    for line in table.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            part = name;
        } else if let Some((name, _)) = line.split_once(' ').filter(|_| !line.starts_with('#')) {
            let letters = line.chars().skip(52).filter(|letter| *letter != ' ');
            for (host, letter) in HOSTS.iter().zip(letters) {
                cells.insert((part.to_owned(), name.to_owned(), host.name), letter);
            }
        }
    }
    cells
}

#[test]
fn every_verdict_is_the_one_in_the_table() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/verdicts.txt");
    let table = table();
    if env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1") {
        fs::write(&place, &table).expect("the folder exists");
    }
    let golden = fs::read_to_string(&place).expect("KERNEL_ARGS_BLESS=1 writes it");
    if golden == table {
        return;
    }
    let (before, after) = (cells(&golden), cells(&table));
    let changes = after.iter().filter(|(cell, letter)| before.get(cell) != Some(letter));
    let changes: Vec<String> =
        changes.map(|(cell, letter)| format!("{cell:?}: {:?} is now {letter:?}", before.get(cell))).collect();
    panic!(
        "{} verdicts differ from {}; KERNEL_ARGS_BLESS=1 writes the table\n{}",
        changes.len(),
        place.display(),
        changes.join("\n")
    );
}

/// Loading a module and verifying a struct results in the same verdicts.
#[test]
fn loading_results_in_the_same_verdicts() {
    within(&Settings::new(), |_| load_a_sample());
}

fn load_a_sample() {
    let context = kernel_args::context(0).expect("the test driver has this device");
    let (mut wrong, mut pairs) = (Vec::new(), 0);
    for (part, ptx) in PARTS {
        let module = Module::load(&context, *ptx).expect("the driver loads it");
        let image = Image::read(ptx.as_bytes()).expect("PTX");
        let all = image.kernels().expect("PTX with kernels");
        for (nth, ((name, _), row)) in kernels().into_iter().zip(rows(ptx)).enumerate() {
            let symbol = symbol(&all, name);
            let hosts = HOSTS.iter().zip(row.chars()).enumerate();
            // A sample: of each part, different pairs.
            for (_, (host, letter)) in hosts.filter(|(at, _)| (at + nth) % 7 == part.len() % 7) {
                let loaded = (host.load)(&module, symbol);
                pairs += 1;
                if loaded.is_ok() != (letter == '.') {
                    wrong.push(format!("{part}: {name} for {}: {letter}, {loaded:?}", host.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{pairs} pairs");
}

//! The structs with a mistake, in programs that follow the hints: each ends accepted, with the fields of the correct
//! struct.

use crate::mutants::{
    cases::Case,
    corpus::{Kernel, definitions},
    mutate::{self, Field},
    source::{HEAD, names_kernel},
};
use kernel_args_test_generator::size;
use kernel_args_toolchain_tests::{
    folder,
    hints::{self, Program, Programs},
    rustc::{Compiler, Kind, USUAL},
};
use libtest_mimic::Failed;

/// The number of kernels at the default size and at the full size, which takes five minutes.
const KERNELS: [usize; 2] = [25, 400];

/// The Rust types of the generator's own C++ types, for a hint that names them.
const ARRAY: &str = "\
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Array<T, const N: usize> { pub elements: [T; N] }
pub type TensorMap128 = TensorMap;
";

/// `S4_1` of `pub struct S4_1<T0> {`.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("pub ")?.split(' ');
    let is_type = matches!(words.next(), Some("struct" | "enum" | "type"));
    words.next().filter(|_| is_type)?.split(['<', '(', ';']).next()
}

/// A program with one struct. It defines the types of the correct struct too, because a hint can name them.
fn program(case: &Case, kernel: &Kernel) -> String {
    let known = definitions(&kernel.signature.parameters).unwrap_or_default();
    let defined: Vec<_> = case.definitions.lines().filter_map(defined).collect();
    let other = known.iter().filter(|(name, _)| !defined.contains(&name.as_str())).map(|(_, text)| text.as_str());
    let other: String = other.collect();
    let fields = case.fields.iter().map(|field| format!("    pub {}: {},\n", field.name, field.ty.rust()));
    let (definitions, fields, attribute) =
        (&case.definitions, fields.collect::<String>(), names_kernel("hint_images", case.kernel, kernel, true));
    format!(
        "{HEAD}{ARRAY}{other}{definitions}#[derive(KernelArgs)]\n{attribute}\npub struct Args {{\n{fields}}}\nfn main() {{}}\n"
    )
}

/// Follows the hints of all mutants of some kernels.
pub(super) fn follow(cases: &[Case], kernels: &[Kernel]) -> Result<(), Failed> {
    let most = size::choose(KERNELS[0], KERNELS[1]);
    let mutants = || cases.iter().filter(|case| !case.is_right() && case.kernel < most);
    let name = |case: &Case| case.module.replace("::", "_");
    let mut programs = Programs::new();
    for case in mutants() {
        programs.insert(name(case), Program::new(program(case, &kernels[case.kernel])));
    }
    let package = folder("mutants")?;
    hints::follow(&mut programs, &Compiler::new(&package, &USUAL), &package, Kind::CheckedLibrary)?;

    let (mut wrong, mut refused, mut direct, mut steps) = (vec![], 0, 0, 0);
    for case in mutants() {
        let program = &programs[&name(case)];
        refused += usize::from(program.steps > 0);
        direct += usize::from(program.steps == 1);
        steps += program.steps;
        let right = mutate::fields(&kernels[case.kernel].signature.parameters);
        let ended = match &program.end {
            Some(Ok(())) if is_right(&program.fields("Args"), &right) => continue,
            Some(Ok(())) => format!("accepted with {:?}", program.fields("Args")),
            other => format!("{other:?}"),
        };
        wrong.push(format!("{}\n    {ended}", case.describe(kernels)));
    }
    println!(
        "mutants: {} structs, {refused} of them refused; {steps} hints are followed, one is enough for {direct}; {} do not end right",
        programs.len(),
        wrong.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Whether each field is at the parameter of its name. What is accepted has the types of the kernel. A name that the
/// kernel does not have shows nothing: it is the one of a new struct, for example.
fn is_right(fields: &[(String, String)], right: &[Field]) -> bool {
    let is_known = |name: &str| right.iter().any(|field| field.name == name);
    let pairs = || fields.iter().zip(right);
    fields.len() == right.len() && pairs().all(|((name, _), right)| *name == right.name || !is_known(name))
}

//! Random signatures: equal for equal seeds, and of every kind. A corpus is accepted only for the structs that it was
//! made for. The text of a single signature contains exactly the definitions that it uses.

use kernel_args_test_generator::{
    Field, Shape, Signature, Struct, Type, corpus, cpp::PRELUDE, echo, leaf::LEAVES, random::MOST_PARAMETERS,
    signature, signatures,
};
use std::collections::BTreeSet;

#[test]
fn a_signature_follows_from_seed_and_number_alone() {
    let many = signatures(9, Shape::Echo, 40);
    assert_eq!(many[31], signature(9, Shape::Echo, 31));
    assert_ne!(many, signatures(10, Shape::Echo, 40));
}

#[test]
fn every_kind_of_type_occurs() {
    let (mut leaves, mut aligns, mut counts) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut generic, mut deep, mut large, mut packed) = (0, 0, 0, 0);
    for signature in signatures(1, Shape::Plain, 1000) {
        counts.insert(signature.parameters.len());
        large += usize::from(signature.size() > 4352);
        assert!(signature.size() <= 32_764);
        for parameter in &signature.parameters {
            parameter.walk(&mut |ty| {
                if let Type::Leaf(leaf) = ty {
                    leaves.insert(leaf.rust);
                }
            });
        }
        for structure in signature.structs() {
            aligns.extend(structure.align);
            generic += usize::from(!structure.arguments.is_empty());
            // Packing is visible.
            let natural = Struct { packed: None, ..structure.clone() };
            packed += usize::from(natural.offsets() != structure.offsets());
            let nested = |field: &Field| matches!(field.ty, Type::Struct(_));
            deep += usize::from(structure.fields.iter().any(nested));
        }
    }
    assert_eq!(leaves.len(), LEAVES.len());
    assert!(aligns.is_superset(&BTreeSet::from([2, 4, 8, 16, 32, 64, 128])));
    assert_eq!((counts.first(), counts.last()), (Some(&1), Some(&MOST_PARAMETERS)));
    assert!(generic > 100 && deep > 100 && large > 20 && packed > 60, "{generic} {deep} {large} {packed}");
}

fn table(seed: u64, count: usize) -> String {
    corpus::table(seed, &echo::signatures(seed, count))
}

#[test]
fn the_corpus_of_the_derived_structs_fits() {
    assert_eq!(corpus::check(&table(1, 20), 1, 20), Ok(()));
    // Kernel `i` is the same in a larger corpus.
    assert_eq!(corpus::check(&table(1, 30), 1, 20), Ok(()));
}

#[test]
fn any_other_corpus_is_refused_in_one_sentence_with_the_command() {
    let changed = table(1, 20).replacen("echo_7\t", "echo_9\t", 1);
    for (text, problem) in [
        (table(2, 20), "it has 20 echo kernels of seed 2"),
        (table(1, 19), "it has 19 echo kernels of seed 1"),
        (table(11, 20), "it has 20 echo kernels of seed 11"),
        (changed, "another version of the generator made it"),
        (String::new(), "it has no known kernels"),
    ] {
        let error = corpus::check(&text, 1, 20).expect_err(problem);
        assert_eq!(
            error,
            format!(
                "the corpus does not fit the 20 derived structs of seed 1: {problem}: \
                 run `cargo run -p kernel-args-test-generator --bin echo_corpus`"
            )
        );
    }
    let error = corpus::check("", 1, 500).expect_err("it is empty");
    assert!(error.contains("`KERNEL_ARGS_FULL=1 cargo run "), "{error}");
}

fn alone(parameters: &[Type]) -> String {
    let any = signature(1, Shape::Plain, 0);
    let parameters = parameters.to_vec();
    let signature = Signature { parameters, open: 0, ..any };
    signature.cpp_alone()
}

#[test]
fn only_the_used_lines_of_the_prelude_are_shown() {
    assert_eq!(alone(&[Type::named("f32")]).lines().count(), 1);
    assert_eq!(alone(&[Type::named("BFloat162")]).lines().count(), 3);
    assert_eq!(alone(&[Type::named("TensorMap")]).lines().count(), 2);
    let array = Type::Array(Box::new(Type::named("CuFloatComplex")), 3);
    let text = alone(&[array]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.lines().take(2).all(|line| PRELUDE.contains(line)));
}

//! Random signatures: equal for equal seeds, and of every kind.

use kernel_args_test_generator::{
    Field, Shape, Struct, Type, leaf::LEAVES, random::MOST_PARAMETERS, signature, signatures,
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

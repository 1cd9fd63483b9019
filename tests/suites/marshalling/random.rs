//! Random structs of random values: what reaches the driver is what C's rule says.

use crate::params;
use fastrand::Rng;
use kernel_args_tests::structs::{RandomArgs, Visit, visit_all};
use proptest::prelude::*;

/// Compares both forms of every struct, with values from one seed.
struct Compare(u64);

impl Visit for Compare {
    fn visit<A: RandomArgs>(&mut self) {
        let name = A::NAME;
        let draw = || A::draw(&mut Rng::with_seed(self.0));
        let (parameters, block) = (draw().parameters(), draw().block());
        assert_eq!(A::LAYOUT.size(), A::SIZE, "{name}");
        assert_eq!(params(draw()), parameters, "{name}: kernelParams");
        draw().packed(|buffer| assert_eq!(buffer, block, "{name}: packed"));
        let mut buffer = vec![0xff; A::SIZE + 8];
        let packed = draw().pack_at(A::OFFSETS, &mut buffer);
        assert_eq!(packed, Ok(&block[..]), "{name}: packed at its offsets");
        assert_eq!(buffer[A::SIZE..], [0xff; 8], "{name}: past the block");
        let offsets: Vec<usize> = A::PARAMETERS.iter().filter_map(|p| p.offset).collect();
        assert_eq!(offsets, A::OFFSETS, "{name}: offsets");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_hold_what_the_rule_of_c_says(seed: u64) {
        visit_all(&mut Compare(seed));
    }
}

/// How many structs there are, and how many of them have a packed form that is the same everywhere.
#[derive(Default)]
struct Count(usize, usize);

impl Visit for Count {
    fn visit<A: RandomArgs>(&mut self) {
        self.0 += 1;
        A::draw(&mut Rng::with_seed(0)).packed(|_| self.1 += 1);
    }
}

#[test]
fn structs_of_both_kinds_are_among_them() {
    let mut count = Count::default();
    visit_all(&mut count);
    assert_eq!(count.0, 120);
    assert!(
        count.1 >= 40 && count.0 - count.1 >= 10,
        "{} packed",
        count.1
    );
}

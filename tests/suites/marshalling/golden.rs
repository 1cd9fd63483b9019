//! Release and debug builds, and all versions, pass the same bytes: a digest of each random struct is committed.
//!
//! `BLESS=1 cargo test -p kernel-args-tests --test marshalling golden` writes the file again. The values come from
//! `fastrand`, whose version the lock file holds.
#![cfg(all(target_pointer_width = "64", target_endian = "little"))]

use crate::params;
use fastrand::Rng;
use kernel_args_tests::structs::{RandomArgs, Visit, visit_all};
use std::{fmt::Write, fs, path::Path};

/// FNV-1a, 64 bits.
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[derive(Default)]
struct Digests(String);

impl Visit for Digests {
    fn visit<A: RandomArgs>(&mut self) {
        let draw = || A::draw(&mut Rng::with_seed(A::SIZE as u64));
        let passed = digest(params(draw()).into_iter().flatten());
        let mut packed = None;
        draw().packed(|buffer| packed = Some(digest(buffer.iter().copied())));
        let packed = packed.map_or("-".into(), |digest| format!("{digest:016x}"));
        writeln!(self.0, "{} {} {passed:016x} {packed}", A::NAME, A::SIZE)
            .expect("a String takes any text");
    }
}

#[test]
fn every_build_passes_the_same_bytes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/marshalling/golden.txt");
    let mut digests = Digests::default();
    visit_all(&mut digests);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &digests.0).expect("the file can be written");
    }
    let golden = fs::read_to_string(&path).expect("the file is committed");
    for (now, then) in digests.0.lines().zip(golden.lines()) {
        assert_eq!(now, then);
    }
    assert_eq!(digests.0.lines().count(), golden.lines().count());
}

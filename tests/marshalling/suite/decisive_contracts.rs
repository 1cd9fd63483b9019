//! Contracts that the quick computation decides alone: with integers of every type, many of them negative or too large,
//! each is compared with 128-bit arithmetic.

use crate::numbers::Numbers;
use kernel_args::{KernelArgs, args::Geometry, vector::Dim3};
use kernel_args_marshalling_tests::Memory;

/// As `None` reports it.
const NO_MEMORY: Memory = Memory(usize::MAX);

/// A value, if an `i128` contains it.
fn exact(value: impl TryInto<i128>) -> Option<i128> {
    value.try_into().ok()
}

/// Decides like a reader of the contract: a length and a number of elements are never negative.
macro_rules! decided {
    ($numbers:ident: $($int:ident)*) => {$({
        #[derive(KernelArgs)]
        struct Alone {
            #[kernel_args(len = "n")]
            x: Memory,
            n: $int,
        }
        #[derive(KernelArgs)]
        struct Grown {
            #[kernel_args(len = "n * m * n + m")]
            x: Memory,
            n: $int,
            m: $int,
        }
        #[derive(KernelArgs)]
        struct Absent {
            #[kernel_args(len = "n")]
            x: Memory,
            #[kernel_args(len = "n / m * n - m")]
            y: Memory,
            n: $int,
            m: $int,
        }
        #[derive(KernelArgs)]
        struct Value {
            #[kernel_args(multiple_of = 10, range = "-30..4000")]
            n: $int,
        }
        let (mut kept, mut broken) = (0_u32, 0_u32);
        for round in 0..ROUNDS {
            let mut number = || match round % 2 {
                0 => $numbers.edge(),
                _ => i128::from($numbers.next() % 7) - 2,
            };
            let (Ok(n), Ok(m)) = ($int::try_from(number()), $int::try_from(number())) else { continue };
            let Ok(found) = usize::try_from(number() & i128::from(i64::MAX)) else { continue };
            let length = exact(found);
            let reaches = |required: Option<i128>| {
                required.is_some_and(|required| required >= 0 && length.is_some_and(|found| found >= required))
            };
            let mut decide = |expected: bool, is_kept: bool, what: &str| {
                assert_eq!(is_kept, expected, "{what}: {found} {n} {m}");
                *if expected { &mut kept } else { &mut broken } += 1;
            };
            let alone = Alone { x: Memory(found), n };
            decide(reaches(exact(n)), alone.check_contracts(LAUNCH).is_ok(), "alone");
            let grown = exact(n).zip(exact(m)).and_then(|(n, m)| n.checked_mul(m)?.checked_mul(n)?.checked_add(m));
            let args = Grown { x: Memory(found), n, m };
            decide(reaches(grown), args.check_contracts(LAUNCH).is_ok(), "grown");
            let absent = Absent { x: NO_MEMORY, y: NO_MEMORY, n, m };
            assert!(absent.check_contracts(LAUNCH).is_ok(), "absent: {n} {m}");
            let present = Absent { x: Memory(found), ..absent };
            decide(reaches(exact(n)), present.check_contracts(LAUNCH).is_ok(), "present");
            let expected = exact(n).is_some_and(|n| n % 10 == 0 && (-30..4000).contains(&n));
            decide(expected, Value { n }.check_contracts(LAUNCH).is_ok(), "value");
        }
        assert!(kept > 50 && broken > 50, "{kept} {broken}");
    })*};
}

const LAUNCH: Geometry = Geometry::new(Dim3::new(3, 2, 1), Dim3::new(64, 2, 1));
/// Miri needs minutes for more.
const ROUNDS: usize = if cfg!(miri) { 200 } else { 20_000 };

#[test]
#[allow(irrefutable_let_patterns, reason = "an `i128` contains every number of this test")]
fn a_number_of_every_type_is_compared_exactly() {
    let mut numbers = Numbers::new(0x6a09_e667_f3bc_c909);
    decided! { numbers: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
}

#[derive(KernelArgs)]
#[kernel_args(block = (32, 8))]
struct Block;

#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = (32, 2))]
struct Multiple;

#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = 64)]
struct MultipleOfAll;

#[derive(KernelArgs)]
#[kernel_args(max_block = 256)]
struct AtMost;

#[derive(KernelArgs)]
#[kernel_args(grid_covers = 1024)]
struct Covered;

/// Extents up to 2^32 - 1, whose product exceeds a `u64`.
#[test]
fn a_block_of_every_size_is_compared_exactly() {
    let mut numbers = Numbers::new(0xbb67_ae85_84ca_a73b);
    let mut kept = [0_u32; 5];
    for _ in 0..ROUNDS {
        let mut extent = |among: [u32; 4]| {
            let random = numbers.next();
            let value = (random >> 32) as u32;
            if random.is_multiple_of(16) { value } else { among[(random as usize >> 8) % 4] }
        };
        let block = Dim3::new(extent([32, 64, 16, 1]), extent([8, 2, 4, 1]), extent([1, 1, 1, u32::MAX]));
        let grid = Dim3::new(extent([1, 4, 100, u32::MAX]), extent([1, 1, 2, u32::MAX]), extent([1, 1, 1, u32::MAX]));
        let launch = Geometry::new(grid, block);
        let [threads, blocks] = [block, grid].map(|dim| u128::from(dim.x) * u128::from(dim.y) * u128::from(dim.z));
        let each = [
            (Block.check_contracts(launch).is_ok(), (block.x, block.y, block.z) == (32, 8, 1)),
            (Multiple.check_contracts(launch).is_ok(), block.x.is_multiple_of(32) && block.y.is_multiple_of(2)),
            (MultipleOfAll.check_contracts(launch).is_ok(), threads.is_multiple_of(64)),
            (AtMost.check_contracts(launch).is_ok(), threads <= 256),
            (Covered.check_contracts(launch).is_ok(), threads.saturating_mul(blocks) >= 1024),
        ];
        for (kept, (found, expected)) in kept.iter_mut().zip(each) {
            assert_eq!(found, expected, "{launch:?}: {each:?}");
            *kept += u32::from(expected);
        }
    }
    assert!(kept.iter().all(|kept| (1..ROUNDS as u32).contains(kept)), "{kept:?}");
}

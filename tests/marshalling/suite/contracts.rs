//! Contracts without a driver: narrow parameters in both forms, and decisions compared with 128-bit arithmetic.

use crate::numbers::Numbers;
use kernel_args::{
    DevicePointer, KernelArgs,
    args::{Geometry, offset_of},
    vector::Dim3,
};
use kernel_args_marshalling_tests::params;
use std::panic::catch_unwind;

const LAUNCH: Geometry = Geometry::new(Dim3::new(3, 2, 1), Dim3::new(64, 2, 1));

/// Each wide type with each narrow one: values that fit have the bytes of the narrow type in both forms, any value that
/// does not fit is refused.
macro_rules! narrowed {
    ($numbers:ident: $($wide:ident as $narrow:ident),* $(,)?) => {$({
        #[derive(Clone, Copy, KernelArgs)]
        struct Args {
            first: u8,
            #[kernel_args(as = $narrow)]
            value: $wide,
            last: u16,
        }
        #[derive(KernelArgs)]
        struct Expected {
            first: u8,
            value: $narrow,
            last: u16,
        }
        assert_eq!(Args::LAYOUT.size(), Expected::LAYOUT.size());
        assert_eq!(offset_of::<Args>("value"), offset_of::<Expected>("value"));
        let mut fitting = 0;
        for _ in 0..ROUNDS {
            let Ok(value) = $wide::try_from($numbers.edge()) else { continue };
            let args = Args { first: 1, value, last: 2 };
            let Ok(value) = $narrow::try_from(value) else {
                let error = args.check_contracts(LAUNCH).unwrap_err();
                assert_eq!((error.field(), error.contract()), (Some("value"), concat!("as = ", stringify!($narrow))));
                assert!(catch_unwind(|| args.with_packed(|_| ())).is_err());
                assert!(catch_unwind(|| args.with_kernel_params(|_| ())).is_err());
                assert!(catch_unwind(|| args.pack_at(&[0, 32, 64], &mut [0; 96]).map(<[u8]>::len)).is_err());
                continue;
            };
            fitting += 1;
            assert!(args.check_contracts(LAUNCH).is_ok());
            let expected = || Expected { first: 1, value, last: 2 };
            assert_eq!(params(args), params(expected()));
            args.with_packed(|ours| expected().with_packed(|expected| assert_eq!(ours, expected)));
            // `usize as i32` is wider than `i32`.
            let words = |text: String| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            assert_eq!(
                args.with_arguments(|ours| words(ours.to_string().replace(concat!(stringify!($wide), " as "), ""))),
                expected().with_arguments(|expected| words(expected.to_string()))
            );
        }
        assert!(fitting > 0);
    })*};
}

/// Miri needs minutes for more.
const ROUNDS: usize = if cfg!(miri) { 20 } else { 2000 };

#[test]
#[allow(irrefutable_let_patterns, reason = "some types contain every value of another")]
fn a_narrow_parameter_has_the_bytes_of_its_type() {
    // Each value that does not fit panics three times.
    std::panic::set_hook(Box::new(|_| ()));
    let mut numbers = Numbers::new(0x9e37_79b9_7f4a_7c15);
    narrowed! { numbers:
        usize as i32, usize as u32, usize as u8, usize as u64, u64 as i64, u64 as u16,
        i64 as u32, i64 as i32, i64 as u64, isize as i32, i32 as u32, u32 as i32, i32 as i8, i8 as u64,
        u128 as i32, u128 as i64, i128 as u64, i128 as i8, u16 as i16, i32 as i32,
    };
    let _ = std::panic::take_hook();
}

#[derive(KernelArgs)]
#[kernel_args(grid_covers = "a + d")]
struct Numeric {
    #[kernel_args(range = "b - 2..=c")]
    a: i32,
    b: u64,
    #[kernel_args(multiple_of = "d")]
    c: i64,
    d: u32,
    #[kernel_args(len = "a * d - (b - c) / d", capacity = "c.div_ceil(d) + a")]
    x: DevicePointer<f32>,
}

/// The decision by checked arithmetic; `None` if an expression has no value.
fn holds(&Numeric { a, b, c, d, .. }: &Numeric) -> Option<bool> {
    let [a, b, c, d] = [a.into(), b.into(), c.into(), i128::from(d)];
    let divide = |a: i128, b: i128| (b != 0).then(|| a / b);
    if !(b - 2 <= a && a <= c) {
        return Some(false);
    }
    if d == 0 || c % d != 0 {
        return Some(false);
    }
    let required = a * d - divide(b - c, d)?;
    let up = i128::from(c % d != 0 && c > 0);
    let found = divide(c, d)? + up + a;
    Some(required >= 0 && found >= required && a + d >= 0 && 3 * 2 * 64 * 2 >= a + d)
}

#[test]
fn a_contract_decides_as_exact_arithmetic_does() {
    let mut numbers = Numbers::new(0x2545_f491_4f6c_dd1d);
    let (mut kept, mut broken) = (0, 0);
    for round in 0..100 * ROUNDS {
        // Every second round has small numbers, so contracts also hold.
        let mut number = || match round % 2 {
            0 => numbers.edge(),
            _ => i128::from(numbers.next() % 12) - 3,
        };
        let (a, b, c, d) = (number(), number(), number(), number());
        let (Ok(a), Ok(b), Ok(c), Ok(d)) = (a.try_into(), b.try_into(), c.try_into(), d.try_into()) else {
            continue;
        };
        let args = Numeric { a, b, c, d, x: DevicePointer::NULL };
        let result = args.check_contracts(LAUNCH);
        let expected = holds(&args) == Some(true);
        assert_eq!(result.is_ok(), expected, "{a} {b} {c} {d}: {result:?}");
        *if expected { &mut kept } else { &mut broken } += 1;
    }
    assert!(kept > 0 && broken > 0, "{kept} {broken}");
}

#[derive(KernelArgs)]
#[kernel_args(shared = "block * 4", block_multiple_of = (32, 2), max_block = "128", stream = required)]
struct Nothing;

#[test]
fn contracts_of_a_launch_are_checked_without_a_driver() {
    assert_eq!(Nothing.check_contracts(LAUNCH).map(|launch| launch.shared).ok(), Some(Some(512)));
    let more = LAUNCH.with_shared(1000);
    assert_eq!(<&mut Nothing>::check_contracts(&&mut Nothing, more).map(|launch| launch.shared).ok(), Some(Some(1000)));
    for (launch, contract) in [
        (LAUNCH.with_shared(511), "shared = \"block * 4\""),
        (LAUNCH.on_default_stream(), "stream = required"),
        (LAUNCH.exchanged(), "block_multiple_of = (32, 2)"),
        (Geometry::new(Dim3::new(1, 1, 1), Dim3::new(64, 4, 1)), "max_block = \"128\""),
    ] {
        let error = Nothing.check_contracts(launch).unwrap_err();
        assert_eq!((error.arguments(), error.field(), error.contract()), ("Nothing", None, contract));
    }
}

/// The contracts of a flattened struct are checked, and a narrow field can be next to fields that are several
/// parameters.
#[test]
fn a_flattened_struct_keeps_its_contracts() {
    #[derive(Clone, Copy, KernelArgs)]
    #[kernel_args(block_multiple_of = 32, shared = "n * 4")]
    struct Inner {
        #[kernel_args(as = u16, multiple_of = 2)]
        n: usize,
        factor: f64,
    }
    #[derive(Clone, Copy, KernelArgs)]
    struct Outer {
        #[kernel_args(as = i8)]
        first: i64,
        #[kernel_args(spread)]
        shape: [u8; 3],
        #[kernel_args(flatten)]
        inner: Inner,
    }
    #[derive(KernelArgs)]
    struct Expected(i8, u8, u8, u8, u16, f64);

    let inner = Inner { n: 258, factor: 0.5 };
    let args = Outer { first: -3, shape: [1, 2, 3], inner };
    let expected = Expected(-3, 1, 2, 3, 258, 0.5);
    assert_eq!(params(args), params(Expected(-3, 1, 2, 3, 258, 0.5)));
    expected.with_packed(|expected| args.with_packed(|packed| assert_eq!(packed, expected)));
    let launch = args.check_contracts(LAUNCH).unwrap();
    assert_eq!(launch.shared, Some(4 * 258));

    let refused = |inner: Inner, launch, contract: &str| {
        let error = Outer { inner, ..args }.check_contracts(launch).unwrap_err();
        assert_eq!((error.arguments(), error.contract()), ("Inner", contract));
    };
    refused(Inner { n: 70_000, ..inner }, LAUNCH, "as = u16");
    refused(Inner { n: 3, ..inner }, LAUNCH, "multiple_of = 2");
    let block = Geometry::new(Dim3::new(3, 1, 1), Dim3::new(33, 1, 1));
    refused(inner, block, "block_multiple_of = 32");
    let inner = Inner { n: 70_000, ..inner };
    assert!(catch_unwind(|| Outer { inner, ..args }.with_packed(<[u8]>::len)).is_err());
}

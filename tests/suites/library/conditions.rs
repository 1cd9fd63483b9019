//! Random conditions of contracts with random values, compared with functions that compute them with `i128`.

use kernel_args::{KernelArgs, args::Geometry, vector::Dim3};
use kernel_args_marshalling_tests::Memory;
use kernel_args_test_generator::rng::Rng;

#[derive(Clone, Copy)]
struct Values {
    p: u8,
    q: i32,
    r: u64,
    s: i64,
    t: i128,
    pair: [i8; 2],
    first: bool,
    last: bool,
    x: usize,
    y: Option<usize>,
    grid: Dim3,
    block: Dim3,
}

/// Many numbers are close to 0 or to a power of two: then conditions also hold, and also have no value.
fn random(rng: &mut Rng) -> i128 {
    let near = i128::from(rng.next_u64() % 9) - 3;
    match rng.below(6) {
        0 => (1 << rng.below(127)) + near,
        1 => -(1 << rng.below(127)) + near,
        _ => near,
    }
}

impl Values {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the low bits are as random")]
    fn random(rng: &mut Rng) -> Self {
        let mut number = || random(rng);
        let [grid, block] = [(); 2].map(|()| Dim3::new(number() as u32, number() as u32, number() as u32 % 4));
        Self {
            p: number() as u8,
            q: number() as i32,
            r: number() as u64,
            s: number() as i64,
            t: number(),
            pair: [0, number() as i8],
            first: number() % 2 == 0,
            last: number() % 3 == 0,
            x: (number() as usize) >> 1,
            y: (number() % 2 == 0).then_some(5),
            grid,
            block,
        }
    }

    fn number(&self, place: &str) -> Option<i128> {
        let all = |dim: Dim3| i128::from(dim.x) * i128::from(dim.y) * i128::from(dim.z);
        Some(match place {
            "p" => self.p.into(),
            "q" => self.q.into(),
            "r" => self.r.into(),
            "s" => self.s.into(),
            "t" => self.t,
            "self.pair[1]" => self.pair[1].into(),
            "x.len()" => self.x as i128,
            "y.len()" => self.y? as i128,
            "grid.x" => self.grid.x.into(),
            "block.y" => self.block.y.into(),
            "grid" => all(self.grid),
            "block" => all(self.block),
            _ => unreachable!("{place}"),
        })
    }

    fn truth(&self, place: &str) -> bool {
        if place == "first" { self.first } else { self.last }
    }

    /// As an error shows it.
    fn shown(&self, place: &str) -> String {
        match place {
            "first" | "last" => format!("{place} = {}", self.truth(place)),
            _ => match self.number(place) {
                Some(value) => format!("{place} = {value}"),
                None => format!("{place} has no value: it is `None`"),
            },
        }
    }
}

macro_rules! functions {
    ($($name:ident($a:ident, $b:ident) = $value:expr;)*) => {$(
        fn $name(a: Option<i128>, b: Option<i128>) -> Option<i128> {
            let ($a, $b) = (a?, b?);
            $value
        }
    )*};
}

functions! {
    add(a, b) = a.checked_add(b);
    sub(a, b) = a.checked_sub(b);
    mul(a, b) = a.checked_mul(b);
    div(a, b) = a.checked_div(b);
    rem(a, b) = a.checked_sub(a.checked_div(b)?.checked_mul(b)?);
    min(a, b) = Some(if b < a { b } else { a });
    max(a, b) = Some(if b > a { b } else { a });
    div_ceil(a, b) = {
        let (mut up, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
        if rest != 0 && rest.signum() == b.signum() {
            up = up.checked_add(1)?;
        }
        Some(up)
    };
}

fn compare(operator: &str) -> impl Fn(Option<i128>, Option<i128>) -> Option<bool> {
    move |a, b| {
        let order = a?.cmp(&b?);
        Some(match operator {
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        })
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a? { b } else { Some(false) }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a? { Some(true) } else { b }
}

fn not(a: Option<bool>) -> Option<bool> {
    Some(!a?)
}

fn same(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? == b?)
}

fn differ(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? != b?)
}

/// How often each result occurred.
#[derive(Default)]
struct Counts {
    kept: u32,
    broken: u32,
    no_value: u32,
}

/// Each line: a struct, its condition, the values that it uses, and the condition as calls.
macro_rules! conditions {
    ($($name:ident, $text:literal, $used:expr, |$number:ident, $truth:ident| $calls:expr;)*) => {
        fn all(rng: &mut Rng, rounds: usize, counts: &mut Counts) {$({
            #[derive(KernelArgs)]
            #[kernel_args(requires = $text)]
            #[allow(dead_code, reason = "not each condition uses the field that is skipped")]
            struct $name {
                p: u8,
                q: i32,
                r: u64,
                s: i64,
                t: i128,
                #[kernel_args(spread)]
                pair: [i8; 2],
                #[kernel_args(skip)]
                first: bool,
                last: bool,
                x: Memory,
                y: Memory,
            }
            for _ in 0..rounds {
                let values = Values::random(rng);
                let ($number, $truth) = (|place| values.number(place), |place| Some(values.truth(place)));
                let _ = (&$number, &$truth);
                let expected: Option<bool> = $calls;
                let Values { p, q, r, s, t, pair, first, last, .. } = values;
                let (x, y) = (Memory(values.x), Memory(values.y.unwrap_or(usize::MAX)));
                let args = $name { p, q, r, s, t, pair, first, last, x, y };
                let found = args.check_contracts(Geometry::new(values.grid, values.block));
                assert_eq!(found.is_ok(), expected == Some(true), "{}: {found:?}", $text);
                if let Err(error) = found {
                    let text = error.to_string();
                    assert!(text.contains(&format!("`requires = {:?}` on `{}`", $text, stringify!($name))), "{text}");
                    assert_eq!(text.contains("does not hold"), expected.is_some(), "{text}");
                    let used: &[&str] = &$used;
                    let line = text.lines().nth(1).unwrap_or_default();
                    let mut shown: Vec<&str> = line.trim().split(", ").collect();
                    shown.sort_unstable();
                    let mut used: Vec<String> = used.iter().map(|place| values.shown(place)).collect();
                    used.sort_unstable();
                    // A condition that is a field alone is its own value.
                    assert!(shown == used || ["first", "last"].contains(&$text), "{used:?}: {text}");
                }
                *match expected {
                    Some(true) => &mut counts.kept,
                    Some(false) => &mut counts.broken,
                    None => &mut counts.no_value,
                } += 1;
            }
        })*}
    };
}

include!(concat!(env!("OUT_DIR"), "/conditions.rs"));

#[test]
fn a_condition_is_computed_as_by_rust_with_exact_integers() {
    let mut counts = Counts::default();
    all(&mut Rng::new(42, 0), 500, &mut counts);
    let Counts { kept, broken, no_value } = counts;
    assert!(kept > 1000 && broken > 1000 && no_value > 1000, "{kept} {broken} {no_value}");
}

//! One source of properties: Kani proves them for all values, and a test checks them for the values of a domain.
//!
//! A property is a function of [`Values`], written with [`proofs!`]. It draws its inputs, returns early for inputs
//! without a meaning, and asserts what must hold. Kani draws symbolic values, so the proof includes every number of the
//! machine. The test draws every combination of concrete values, one after another: by default numbers at the edges
//! (near 0, near the powers of two, near the maximum), and all numbers with `KERNEL_ARGS_FULL=1`.
//!
//! `.ci/proofs` runs both. Without Kani, it only compiles the code for Kani, with the stub in `kani.rs`.

use kernel_args_test_generator::size::is_full;
use std::{
    num::NonZero,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

/// The inputs of a property.
pub trait Values {
    /// Any number of the machine. A test draws numbers at the edges.
    fn number(&mut self) -> usize;

    /// A number from 0 to `max`. A full test draws every number.
    fn up_to(&mut self, max: usize) -> usize;

    /// A number from 0 to `max`. A test draws numbers at the edges, even at full size.
    fn edge_up_to(&mut self, max: usize) -> usize;

    /// A number from 0 to `max`. A test draws only these numbers.
    fn sample(&mut self, max: usize, samples: &[usize]) -> usize;

    /// One of the choices from 0 to `last`. A test always draws each.
    fn choice(&mut self, last: usize) -> usize;
}

/// Defines each property as a proof for Kani and as a test.
///
/// `unwind` is the maximum number of iterations of a loop in the property, plus 1.
#[macro_export]
macro_rules! proofs {
    ($($(#[doc = $text:literal])* #[unwind($unwind:literal)] fn $name:ident($values:ident) $body:block)*) => {
        $(
            $(#[doc = $text])*
            mod $name {
                #[allow(unused_imports, reason = "for some properties, what is imported inside is enough")]
                use super::*;

                pub(super) fn property($values: &mut impl $crate::Values) $body

                #[test]
                fn holds_for_every_value() {
                    $crate::check(stringify!($name), |values| property(values));
                }

                #[cfg(kani)]
                #[kani::proof]
                #[kani::unwind($unwind)]
                fn proof() {
                    property(&mut super::Symbolic);
                }
            }
        )*

        /// Values that stand for every number.
        #[cfg(kani)]
        struct Symbolic;

        #[cfg(kani)]
        impl $crate::Values for Symbolic {
            fn number(&mut self) -> usize {
                kani::any()
            }

            fn up_to(&mut self, max: usize) -> usize {
                let number = kani::any();
                kani::assume(number <= max);
                number
            }

            fn edge_up_to(&mut self, max: usize) -> usize {
                self.up_to(max)
            }

            fn sample(&mut self, max: usize, _: &[usize]) -> usize {
                self.up_to(max)
            }

            fn choice(&mut self, last: usize) -> usize {
                self.up_to(last)
            }
        }
    };
}

/// Every combination of concrete values, in the order of an odometer: the value that is drawn last changes first.
pub struct Enumeration {
    name: &'static str,
    digits: Vec<Digit>,
    /// The number of values drawn in this round.
    drawn: usize,
    is_full: bool,
    /// The index of the first digit in the first round, and the step to the next one: each thread enumerates a part.
    part: (usize, usize),
}

struct Digit {
    index: usize,
    count: usize,
    /// The number at each index; if empty, the index itself.
    numbers: Vec<usize>,
}

impl Digit {
    fn number(&self) -> usize {
        self.numbers.get(self.index).copied().unwrap_or(self.index)
    }
}

impl Enumeration {
    fn draw(&mut self, domain: impl FnOnce() -> (usize, Vec<usize>)) -> usize {
        if self.drawn == self.digits.len() {
            let (count, numbers) = domain();
            // With fewer values than threads, a thread repeats the first value.
            let index = match self.part.0 {
                first if self.drawn == 0 && first < count => first,
                _ => 0,
            };
            self.digits.push(Digit { index, count, numbers });
        }
        self.drawn += 1;
        self.digits[self.drawn - 1].number()
    }

    /// Moves to the next combination. `false` after the last one.
    fn advance(&mut self) -> bool {
        // A property that returns early draws fewer values.
        self.digits.truncate(self.drawn);
        self.drawn = 0;
        while let Some(mut last) = self.digits.pop() {
            // Miri is a thousand times slower than a processor: there, most values are left out.
            let step = if cfg!(miri) { 1 + last.count.min(16) / 4 } else { 1 };
            last.index += if self.digits.is_empty() { self.part.1 * step } else { step };
            if last.index < last.count {
                self.digits.push(last);
                return true;
            }
        }
        false
    }
}

impl Drop for Enumeration {
    fn drop(&mut self) {
        if thread::panicking() {
            let drawn: Vec<usize> = self.digits.iter().map(Digit::number).collect();
            println!("{} does not hold for {drawn:?}", self.name);
        }
    }
}

/// The numbers near 0, near the powers of two and near `max`.
fn edges(max: usize) -> (usize, Vec<usize>) {
    let powers = (0..usize::BITS).map(|log2| 1 << log2);
    let near = powers.flat_map(|power: usize| [power - 1, power, power + 1, power + (power >> 1)]);
    let last = (0..20).map(|below| max.saturating_sub(below));
    let mut numbers: Vec<usize> = near.chain(0..20).chain(last).filter(|n| *n <= max).collect();
    numbers.sort_unstable();
    numbers.dedup();
    (numbers.len(), numbers)
}

impl Values for Enumeration {
    fn number(&mut self) -> usize {
        self.draw(|| edges(usize::MAX))
    }

    fn up_to(&mut self, max: usize) -> usize {
        if self.is_full { self.draw(|| (max + 1, Vec::new())) } else { self.edge_up_to(max) }
    }

    fn edge_up_to(&mut self, max: usize) -> usize {
        self.draw(|| edges(max))
    }

    fn sample(&mut self, max: usize, samples: &[usize]) -> usize {
        self.draw(|| {
            assert!(samples.iter().all(|sample| *sample <= max), "{samples:?}");
            (samples.len(), samples.to_vec())
        })
    }

    fn choice(&mut self, last: usize) -> usize {
        self.draw(|| (last + 1, Vec::new()))
    }
}

/// Checks a property for every combination of values, and prints their number.
///
/// # Panics
/// If the property does not hold for some values, or if it draws none.
pub fn check(name: &'static str, property: impl Fn(&mut Enumeration) + Sync) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let combinations = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..threads {
            let (property, combinations) = (&property, &combinations);
            scope.spawn(move || {
                let mut values =
                    Enumeration { name, digits: Vec::new(), drawn: 0, is_full: is_full(), part: (thread, threads) };
                let mut count = 0;
                loop {
                    property(&mut values);
                    count += 1;
                    if !values.advance() {
                        break;
                    }
                }
                combinations.fetch_add(count, Ordering::Relaxed);
            });
        }
    });
    let combinations = combinations.into_inner();
    assert!(combinations > threads as u64, "{name}: no values were drawn");
    println!("{name}: {combinations} combinations");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, panic, sync::Mutex};

    #[test]
    fn every_combination_is_drawn() {
        let drawn = Mutex::new(BTreeSet::new());
        check("pairs", |values| {
            let first = values.choice(4);
            // Some combinations have a second value.
            let second = if first % 2 == 0 { values.sample(9, &[2, 9]) } else { 0 };
            drawn.lock().unwrap().insert((first, second));
        });
        let drawn: Vec<_> = drawn.into_inner().unwrap().into_iter().collect();
        assert_eq!(drawn, [(0, 2), (0, 9), (1, 0), (2, 2), (2, 9), (3, 0), (4, 2), (4, 9)]);
    }

    #[test]
    fn a_property_that_fails_for_one_value_fails() {
        let fails = panic::catch_unwind(|| {
            check("not 65,537", |values| {
                assert_ne!(values.edge_up_to(1 << 20), 65_537);
            });
        });
        assert!(fails.is_err());
    }

    #[test]
    fn edges_are_in_the_domain() {
        assert_eq!(edges(3).1, [0, 1, 2, 3]);
        let numbers = edges(32_764).1;
        assert!(numbers.is_sorted() && numbers.len() > 60, "{numbers:?}");
        assert!([0, 15, 16, 17, 4095, 4096, 4097, 32_763, 32_764].iter().all(|n| numbers.contains(n)));
        let numbers = edges(usize::MAX).1;
        let signed = isize::MAX.cast_unsigned();
        assert!([signed, signed + 1, usize::MAX].iter().all(|n| numbers.contains(n)));
    }
}

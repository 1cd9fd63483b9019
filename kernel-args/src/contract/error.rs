//! A contract that a launch breaks.

use super::{Contract, exact::Shown, number::NoValue};
use crate::device::vector::Dim3;
use core::fmt;

/// The most values of an expression that an error shows. The derive rejects conditions with more.
pub(super) const OPERANDS: usize = 12;

pub(super) type Operand = (&'static str, Shown);

/// A contract of a struct that a launch breaks: `#[kernel_args(len = "n")]` and the like. Its text names the struct,
/// the field, and both numbers.
#[derive(Clone)]
pub struct ContractError(Stored<Details>);

/// With the standard library an error is one word, so the frame of a launch stays small.
#[cfg(feature = "cudarc")]
type Stored<T> = std::boxed::Box<T>;
#[cfg(not(feature = "cudarc"))]
type Stored<T> = T;

#[derive(Clone)]
pub(super) struct Details {
    pub(super) contract: Contract,
    pub(super) broken: Broken,
    /// Whether the launch keeps the contract with the grid as the block.
    pub(super) exchanged: bool,
}

/// What a contract about grids and blocks counts.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// All threads.
    All,
    /// Along the first axis.
    X,
    /// Along the second axis.
    Y,
    /// Along the third axis.
    Z,
}

impl Extent {
    pub(super) fn of(self, dim: Dim3) -> i128 {
        match self {
            Self::All => [dim.x, dim.y, dim.z].into_iter().map(i128::from).product(),
            Self::X => dim.x.into(),
            Self::Y => dim.y.into(),
            Self::Z => dim.z.into(),
        }
    }

    fn along(self) -> &'static str {
        ["", " along x", " along y", " along z"][self as usize]
    }
}

#[derive(Clone, Copy)]
pub(super) enum Broken {
    NoValue(NoValue),
    Negative(i128),
    NoDivisor(i128),
    Short { found: i128, required: i128 },
    NotMultiple { value: i128, of: i128 },
    Outside { value: i128, low: Option<i128>, high: Option<i128> },
    DoesNotFit { value: i128, low: Option<i128>, high: Option<i128> },
    Block { block: Dim3, wanted: [i128; 3] },
    BlockNotMultiple { block: Dim3, extent: Extent, of: i128 },
    BlockTooLarge { block: Dim3, extent: Extent, max: i128 },
    Uncovered { grid: Dim3, block: Dim3, extent: Extent, required: i128 },
    Shared { given: Option<u32>, required: i128 },
    NotMet,
    NoStream,
}

impl From<Details> for ContractError {
    fn from(details: Details) -> Self {
        #[cfg(feature = "cudarc")]
        let details = Stored::new(details);
        Self(details)
    }
}

impl ContractError {
    /// Returns the struct.
    #[must_use]
    pub fn arguments(&self) -> &'static str {
        self.0.contract.arguments
    }

    /// Returns the field; `None` for a contract of the struct.
    #[must_use]
    pub fn field(&self) -> Option<&'static str> {
        Some(self.0.contract.field).filter(|field| !field.is_empty())
    }

    /// Returns the contract as the struct declares it: `len = "rows * cols"`.
    #[must_use]
    pub fn contract(&self) -> &'static str {
        self.0.contract.written
    }

    /// Sets the error for a launch that keeps the contract if grid and block are exchanged.
    #[doc(hidden)]
    #[must_use]
    pub fn unless_exchanged(mut self, exchanged: &Result<(), Self>) -> Self {
        self.0.exchanged = exchanged.is_ok();
        self
    }
}

impl Details {
    fn problem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (on, written) = (Subject(&self.contract), self.contract.written);
        match self.broken {
            Broken::NoValue(why) => {
                let why = match why {
                    NoValue::Overflow => "results in a number of more than 127 bits",
                    NoValue::DivisionByZero => "divides by zero",
                    NoValue::NoMemory => "uses the number of elements of `None`",
                };
                write!(f, "`{written}` on {on} {why}")
            }
            Broken::Negative(value) => {
                write!(f, "`{written}` on {on} results in {value}, which is negative")
            }
            Broken::NoDivisor(value) => {
                write!(f, "`{written}` on {on} asks for a multiple of {value}")
            }
            Broken::Short { found, required } => {
                write!(f, "{on} has {found} elements, but `{written}` requires {required}")
            }
            Broken::NotMultiple { value, of: divisor } => {
                write!(f, "{on} is {value}, but `{written}` requires a multiple of {divisor}")
            }
            Broken::Outside { value, low, high } => {
                write!(f, "{on} is {value}, but `{written}` requires {}", Range(low, high))
            }
            Broken::DoesNotFit { value, low, high } => {
                write!(f, "{on} is {value}, but `{written}` passes {}", Range(low, high))
            }
            Broken::Block { block, wanted: [x, y, z] } => {
                write!(f, "the block is {block}, but `{written}` on {on} requires ({x}, {y}, {z})")
            }
            Broken::BlockNotMultiple { block, extent, of } => write!(
                f,
                "the block is {block}, {} threads{}, but `{written}` on {on} requires a multiple of {of}",
                extent.of(block),
                extent.along()
            ),
            Broken::BlockTooLarge { block, extent, max } => write!(
                f,
                "the block is {block}, {} threads{}, but `{written}` on {on} allows at most {max}",
                extent.of(block),
                extent.along()
            ),
            Broken::Uncovered { grid, block, extent, required } => write!(
                f,
                "grid {grid} and block {block} are {} threads{}, but `{written}` on {on} requires {required}",
                extent.of(grid).saturating_mul(extent.of(block)),
                extent.along()
            ),
            Broken::Shared { given: Some(given), required } => write!(
                f,
                "the launch specifies {given} bytes of dynamic shared memory, but `{written}` on {on} requires {required}"
            ),
            Broken::Shared { given: None, required } => write!(
                f,
                "`{written}` on {on} results in {required} bytes of dynamic shared memory, but a launch can have at most {}",
                u32::MAX
            ),
            Broken::NotMet => write!(f, "`{written}` on {on} does not hold"),
            Broken::NoStream => {
                write!(f, "it names no stream, but `{written}` on {on} requires one")
            }
        }
    }

    fn help(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.exchanged {
            return f.write_str(
                "the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
            );
        }
        match self.broken {
            Broken::NoValue(_) | Broken::Negative(_) | Broken::NoDivisor(_) | Broken::Shared { given: None, .. } => {
                f.write_str("correct the values, or the expression of the contract")
            }
            Broken::Short { required, .. } => {
                write!(f, "pass memory of at least {required} elements, or correct the values that the contract uses")
            }
            Broken::NotMultiple { value, of } => nearest(f, "pass", value, of),
            Broken::Outside { low, high, .. } => match (low, high) {
                (Some(low), Some(high)) if low > high => {
                    f.write_str("no value is in this range: correct the values that it uses")
                }
                _ => write!(f, "pass {}", Range(low, high)),
            },
            Broken::DoesNotFit { .. } => {
                f.write_str("split the launch into parts of fewer elements, or use a kernel that takes a wider integer")
            }
            Broken::Block { wanted: [x, y, z], .. } => write!(f, "launch it with `block = ({x}, {y}, {z})`"),
            Broken::BlockNotMultiple { block, extent, of } => {
                nearest(f, "use", extent.of(block), of)?;
                write!(f, " threads{}", extent.along())
            }
            Broken::BlockTooLarge { .. } => f.write_str("use a smaller block and a larger grid"),
            Broken::Uncovered { block, extent, required, .. } => match extent.of(block) {
                0 => f.write_str("write 1 for an axis that is not used"),
                threads => write!(
                    f,
                    "use a grid of at least {} blocks{}",
                    required / threads + i128::from(required % threads != 0),
                    extent.along()
                ),
            },
            Broken::Shared { given: Some(_), .. } => {
                f.write_str("omit `shared` from the launch, so the contract computes it")
            }
            Broken::NotMet => {
                f.write_str("correct the values, the grid or the block of the launch, or the condition of the contract")
            }
            Broken::NoStream => f.write_str("add `stream = &stream`"),
        }
    }
}

/// What a contract is on: a struct, or one of its fields.
struct Subject<'c>(&'c Contract);

display!(Subject<'_>, |this, f| {
    let Contract { arguments, field, .. } = this.0;
    if field.is_empty() { write!(f, "`{arguments}`") } else { write!(f, "`{field}` of `{arguments}`") }
});

struct Range(Option<i128>, Option<i128>);

display!(Range, |this, f| match (this.0, this.1) {
    (Some(low), Some(high)) => write!(f, "a value from {low} to {high}"),
    (Some(low), None) => write!(f, "a value of at least {low}"),
    (None, Some(high)) => write!(f, "a value of at most {high}"),
    (None, None) => f.write_str("any value"),
});

fn nearest(f: &mut fmt::Formatter<'_>, what: &str, value: i128, of: i128) -> fmt::Result {
    let below = value - value.rem_euclid(of);
    let above = below.saturating_add(of);
    write!(f, "{what} a multiple, such as ")?;
    if below == 0 { write!(f, "{above}") } else { write!(f, "{below} or {above}") }
}

display!(ContractError, |this, f| {
    let Self(details) = this;
    details.problem(f)?;
    let shown = details.contract.operands.iter().filter(|(name, _)| !name.is_empty());
    for (i, (name, value)) in shown.enumerate() {
        f.write_str(if i == 0 { "\n  " } else { ", " })?;
        write!(f, "{name}{value}")?;
    }
    f.write_str("\nhelp: ")?;
    details.help(f)
});

debug_as_display!(ContractError);

impl core::error::Error for ContractError {}

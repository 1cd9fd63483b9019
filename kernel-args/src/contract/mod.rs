//! What `#[kernel_args(len = "n")]` and the other contracts of a struct compute and compare at each launch.
//!
//! A contract is evaluated twice only if it fails: [`quick`] computes with `u64` and gives up where the result would
//! not be exact; [`exact`] then computes with `i128`, decides, and describes the error.
//!
//! | to change | open |
//! |---|---|
//! | a contract | its parsing in `contract.rs` of the derive, its code in `expand/contracts`, `quick.rs`, `decide.rs`, `error.rs` |
//! | which memory has a length | `elements.rs` |

#[cfg_attr(
    not(feature = "cudarc"),
    allow(clippy::result_large_err, reason = "without `alloc` an error is a large value")
)]
mod decide;
mod elements;
mod error;
pub mod exact;
mod geometry;
mod integer;
mod number;
pub mod quick;

pub use decide::{Contract, broken, contract, exactly};
pub use elements::Elements;
pub use error::{ContractError, Extent};
pub use geometry::Geometry;
pub use integer::{Condition, Integer, Narrowed};

/// What the contracts of a struct need to know about a launch.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Contracts {
    /// Whether the struct or one of its fields has a contract.
    pub any: bool,
    /// Whether a contract depends on the grid.
    pub grid: bool,
    /// Whether the dynamic shared memory is computed: `shared = "block.x * 4"`.
    pub shared: bool,
    /// Whether a launch must name its stream: `stream = required`.
    pub stream: bool,
}

impl Contracts {
    /// A struct without contracts.
    pub const NONE: Self = Self { any: false, grid: false, shared: false, stream: false };

    /// Sets the contracts of a struct, and of one whose fields are inserted into it.
    #[must_use]
    pub const fn and(self, inner: Self) -> Self {
        Self {
            any: self.any || inner.any,
            grid: self.grid || inner.grid,
            shared: self.shared || inner.shared,
            stream: self.stream || inner.stream,
        }
    }
}

/// Returns the low bits of an integer field whose parameter is narrower. The contract of `as` has checked that they are
/// the value.
#[inline(always)]
pub fn narrow<N: Narrowed>(value: &impl Integer) -> N {
    N::low_bits(value.primitive().low())
}

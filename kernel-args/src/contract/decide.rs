//! The decision about a contract that the quick computation did not find to hold: the cold path of a launch.

use super::{
    ContractError, Geometry, Narrowed,
    error::{Broken, Details, Extent, OPERANDS, Operand},
    exact::{ExactNumber, ExactTruth, Shown, number},
    number::Value,
};
use crate::device::vector::Dim3;

/// Runs the exact computation of a contract, out of the way of a launch.
///
/// # Errors
/// The error of `decide`.
#[cold]
#[inline(never)]
pub fn exactly<T>(decide: impl FnOnce() -> Result<T, ContractError>) -> Result<T, ContractError> {
    decide()
}

/// The error of a contract that the quick computation has decided: a launch keeps nothing in registers for the code
/// after this call.
///
/// # Panics
/// If `decide` finds that the contract holds. The quick computation is exact where this function is used.
#[cold]
#[inline(never)]
pub fn broken(decide: impl FnOnce() -> Result<(), ContractError>) -> ContractError {
    match decide() {
        Err(error) => error,
        Ok(()) => unreachable!("the quick computation of this contract is exact"),
    }
}

/// One contract of a struct.
#[derive(Clone, Copy)]
pub struct Contract {
    pub(super) arguments: &'static str,
    /// Empty for a contract of the struct.
    pub(super) field: &'static str,
    pub(super) written: &'static str,
    /// Unused ones have no text.
    pub(super) operands: [Operand; OPERANDS],
}

/// Returns a contract on a field of the struct `arguments`; on the struct itself, `field` is empty. Its expression uses
/// the numbers `named`.
#[must_use]
pub fn contract(arguments: &'static str, field: &'static str, written: &'static str, named: &[Operand]) -> Contract {
    let mut operands = [("", Shown::Number(number(0))); OPERANDS];
    for (to, operand) in operands.iter_mut().zip(named) {
        *to = *operand;
    }
    Contract { arguments, field, written, operands }
}

/// The comparisons. Each is an error if the contract is broken.
#[allow(clippy::missing_errors_doc, reason = "the error is the same for all")]
impl Contract {
    fn broken(&self, broken: Broken) -> ContractError {
        Details { contract: *self, broken, exchanged: false }.into()
    }

    fn unless(&self, holds: bool, broken: Broken) -> Result<(), ContractError> {
        if holds { Ok(()) } else { Err(self.broken(broken)) }
    }

    fn value(&self, value: ExactNumber) -> Result<i128, ContractError> {
        value.0.map_err(|why| self.broken(Broken::NoValue(why)))
    }

    fn amount(&self, value: ExactNumber) -> Result<i128, ContractError> {
        match self.value(value)? {
            negative @ ..0 => Err(self.broken(Broken::Negative(negative))),
            amount => Ok(amount),
        }
    }

    fn divisor(&self, value: ExactNumber) -> Result<i128, ContractError> {
        match self.value(value)? {
            zero @ ..=0 => Err(self.broken(Broken::NoDivisor(zero))),
            divisor => Ok(divisor),
        }
    }

    /// `len = required`
    pub fn len(&self, found: ExactNumber, required: ExactNumber) -> Result<(), ContractError> {
        if found.0 == Ok(Value::MOST) {
            return Ok(());
        }
        let (found, required) = (self.amount(found)?, self.amount(required)?);
        self.unless(found >= required, Broken::Short { found, required })
    }

    /// `multiple_of = of`
    pub fn multiple(&self, value: ExactNumber, of: ExactNumber) -> Result<(), ContractError> {
        let (value, of) = (self.value(value)?, self.divisor(of)?);
        self.unless(value % of == 0, Broken::NotMultiple { value, of })
    }

    /// `range = "low..=high"`; `exclusive` excludes `high`.
    pub fn range(
        &self,
        value: ExactNumber,
        low: Option<ExactNumber>,
        high: Option<ExactNumber>,
        exclusive: bool,
    ) -> Result<(), ContractError> {
        let value = self.value(value)?;
        let bound = |bound: Option<ExactNumber>| bound.map(|bound| self.value(bound)).transpose();
        let (low, high) = (bound(low)?, bound(high)?.map(|high| high.saturating_sub(exclusive.into())));
        let holds = low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high);
        self.unless(holds, Broken::Outside { value, low, high })
    }

    /// `as = N`
    pub fn narrow<N: Narrowed>(&self, value: ExactNumber) -> Result<(), ContractError> {
        let value = self.value(value)?;
        let holds = (N::MIN..=N::MAX).contains(&value);
        let (low, high) = (Some(N::MIN), Some(N::MAX));
        self.unless(holds, Broken::DoesNotFit { value, low, high })
    }

    /// `block = required`
    pub fn block(&self, block: Dim3, required: [ExactNumber; 3]) -> Result<(), ContractError> {
        let [x, y, z] = required.map(|value| self.value(value));
        let wanted = [x?, y?, z?];
        let holds = [block.x, block.y, block.z].map(i128::from) == wanted;
        self.unless(holds, Broken::Block { block, wanted })
    }

    /// `block_multiple_of = of`
    pub fn block_multiple(&self, block: Dim3, extent: Extent, of: ExactNumber) -> Result<(), ContractError> {
        let (found, of) = (extent.of(block), self.divisor(of)?);
        self.unless(found % of == 0, Broken::BlockNotMultiple { block, extent, of })
    }

    /// `max_block = max`
    pub fn max_block(&self, block: Dim3, extent: Extent, max: ExactNumber) -> Result<(), ContractError> {
        let max = self.amount(max)?;
        self.unless(extent.of(block) <= max, Broken::BlockTooLarge { block, extent, max })
    }

    /// `grid_covers = required`
    pub fn covers(&self, geometry: Geometry, extent: Extent, required: ExactNumber) -> Result<(), ContractError> {
        let required = self.amount(required)?;
        let Geometry { grid, block, .. } = geometry;
        let threads = extent.of(grid).saturating_mul(extent.of(block));
        self.unless(threads >= required, Broken::Uncovered { grid, block, extent, required })
    }

    /// `requires = condition`
    pub fn requires(&self, condition: ExactTruth) -> Result<(), ContractError> {
        let holds = condition.0.map_err(|why| self.broken(Broken::NoValue(why)))?;
        self.unless(holds, Broken::NotMet)
    }

    /// `shared = required`: the dynamic shared memory of the launch.
    pub fn shared(&self, given: Option<u32>, required: ExactNumber) -> Result<u32, ContractError> {
        let required = self.amount(required)?;
        let bytes = u32::try_from(required).ok();
        bytes
            .map(|bytes| given.unwrap_or(bytes))
            .filter(|given| i128::from(*given) >= required)
            .ok_or_else(|| self.broken(Broken::Shared { given, required }))
    }

    /// `stream = required`
    pub fn stream(&self, is_named: bool) -> Result<(), ContractError> {
        self.unless(is_named, Broken::NoStream)
    }
}

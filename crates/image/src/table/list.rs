//! Parameters that own their texts and members.

use super::{copies::Copies, types::TypeWriter};
use alloc::vec::Vec;
use kernel_args_abi::{Members, Parameter, signature::stored};

/// Parameters that own their texts and members. [`Parameter`] borrows them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParameterList {
    bytes: Vec<u8>,
    number: usize,
}

impl ParameterList {
    /// Copies these parameters.
    #[must_use]
    pub fn new(parameters: &[Parameter<'_>]) -> Self {
        Self::of_members(Members::of(parameters))
    }

    /// Copies these members, with what is known about the memory behind them.
    #[must_use]
    pub fn of_members(members: Members<'_>) -> Self {
        let mut types = TypeWriter::new();
        let mut copies = Copies::default();
        let number = copies.members(&mut types, members);
        let bytes = types.finish(copies.places());
        Self { bytes, number }
    }

    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.members().iter().collect()
    }

    /// The parameters as the members of a struct.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        stored::members(&self.bytes, self.number)
    }
}

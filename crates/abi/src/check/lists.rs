//! A list of fields and the list of a kernel's parameters.

use super::{
    compare::distance,
    difference::{Difference, Differences},
    names::{Partners, Relation},
};
use crate::signature::Parameter;

#[derive(Clone, Debug)]
pub(super) struct Lists<'a> {
    pub(super) host: &'a [Parameter<'a>],
    pub(super) kernel: &'a [Parameter<'a>],
    pub(super) partners: Partners,
}

/// The distance of a field from a parameter of its name, at most: less than any other pair that does not fit.
pub(super) const NAMESAKES: u16 = 2;

/// The distance if one of the two has its name elsewhere: more than two gaps.
const STRANGERS: u16 = 13;

impl<'a> Lists<'a> {
    pub(super) const fn new(host: &'a [Parameter<'a>], kernel: &'a [Parameter<'a>]) -> Self {
        Self { host, kernel, partners: Partners::new(host, kernel) }
    }

    /// Returns the [distance](distance()), by names before types.
    pub(super) const fn distance(&self, field: usize, parameter: usize) -> u16 {
        let own = distance(&self.host[field], &self.kernel[parameter]);
        let wrong = match self.partners.relation(field, parameter) {
            Relation::Partners if own > NAMESAKES => return NAMESAKES,
            Relation::Strangers => STRANGERS,
            Relation::Exchanged => 8,
            _ => return own,
        };
        if own > 1 || self.is_wrong_by_name(field, parameter) { wrong } else { own }
    }

    pub(super) const fn belong_together(&self, field: usize, parameter: usize) -> bool {
        let distance = self.distance(field, parameter);
        // If names are known, a field with another name that C++ only converts is another value.
        distance == 0
            || distance <= NAMESAKES
                && (!self.partners.any || matches!(self.partners.relation(field, parameter), Relation::Partners))
    }

    /// Returns whether two fields fit at least as well if they are exchanged.
    pub(super) const fn fit_if_exchanged(
        &self,
        (field, parameter): (usize, usize),
        (other, to): (usize, usize),
        differences: Differences,
    ) -> bool {
        if let (Some(own), _) = self.partners.of(field, parameter) {
            return own == to && !differences.contains(Difference::ParameterName);
        }
        let now = self.distance(other, to);
        !matches!(differences.first(), Some(Difference::Offset | Difference::ParameterName))
            && now <= 1
            && self.distance(field, to) + self.distance(other, parameter) <= now
    }

    /// Returns whether names forbid this pair of strangers. A field that fits stays, unless it also fits the parameter
    /// of its name.
    const fn is_wrong_by_name(&self, field: usize, parameter: usize) -> bool {
        let (own, other) = self.partners.of(field, parameter);
        field != parameter
            || self.host.len() != self.kernel.len()
            || matches!(own, Some(own) if distance(&self.host[field], &self.kernel[own]) <= 1)
            || matches!(other, Some(other) if distance(&self.host[other], &self.kernel[parameter]) <= 1)
    }
}

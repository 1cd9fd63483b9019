//! The parts of an instruction's name: `add.rn.ftz.f32`.

use super::{
    float::{Mode, Round},
    types::Type,
};

/// The parts of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a>(pub(super) &'a [String]);

impl<'a> Words<'a> {
    pub(super) fn has(&self, word: &str) -> bool {
        self.0[1..].iter().any(|part| part == word)
    }

    pub(super) fn part(&self, index: usize) -> Option<&'a str> {
        self.0.get(index).map(String::as_str)
    }

    /// Returns the first part of `choices` that the name has.
    pub(super) fn any<'b>(&self, choices: &[&'b str]) -> Option<&'b str> {
        choices.iter().find(|choice| self.has(choice)).copied()
    }

    pub(super) fn kinds(&self) -> Vec<Type> {
        self.0[1..].iter().filter_map(|part| Type::read(part)).collect()
    }

    /// Returns the only or first type.
    pub(super) fn kind(&self) -> Option<Type> {
        self.0[1..].iter().find_map(|part| Type::read(part))
    }

    pub(super) fn is_param(&self) -> bool {
        self.any(&["param", "param::entry", "param::func"]).is_some()
    }

    /// `m16n8k16`: rows, columns, and depth.
    pub(super) fn extents(&self) -> Option<[usize; 3]> {
        let shape = self.0.iter().find(|part| part.starts_with('m') && part.contains('n') && part.contains('k'))?;
        let (rows, rest) = shape[1..].split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        let extents = [rows.parse().ok()?, columns.parse().ok()?, depth.parse().ok()?];
        extents.iter().all(|extent| (1..=256).contains(extent)).then_some(extents)
    }

    pub(super) fn mode(&self) -> Mode {
        let round = match self.any(&["rz", "rm", "rp", "rna", "rzi", "rmi", "rpi"]) {
            Some("rz" | "rzi") => Round::Zero,
            Some("rm" | "rmi") => Round::Down,
            Some("rp" | "rpi") => Round::Up,
            Some(_) => Round::Away,
            None => Round::Nearest,
        };
        Mode { round, ftz: self.has("ftz"), sat: self.has("sat"), relu: self.has("relu") }
    }
}

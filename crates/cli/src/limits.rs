//! The launch limits of a kernel and how each is shown: one table row per limit.

use crate::style::{count, joined};
use kernel_args_image::{DirectiveValue, Directives};
use serde_json::json;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) directives: Directives,
    /// A cubin does not contain this.
    pub(crate) dynamic_shared: Option<bool>,
}

pub(crate) struct Row {
    /// In JSON and lists. For a directive it is the name of its field.
    pub(crate) name: &'static str,
    rule: Rule,
    /// `{}` is replaced by the number and `unit`.
    text: &'static str,
    unit: &'static str,
    /// The text in `diff` before both values.
    pub(crate) title: &'static str,
}

/// When a change breaks callers that launch the old kernel.
#[derive(Clone, Copy)]
enum Rule {
    /// If the new kernel has the limit.
    Demand,
    /// If the value is lower than before, also than the exact number of a different row.
    AtMost(&'static str),
    /// Always, because a launch has a different meaning.
    Meaning,
    /// Never, because the limit is a compiler hint. Lists leave it out.
    Hint,
}

pub(crate) const ROWS: [Row; 10] = [
    Row::new("required_threads", Rule::Demand, "exactly {} a block", "thread", "threads that a block must have"),
    Row::new(
        "max_threads",
        Rule::AtMost("required_threads"),
        "at most {} a block",
        "thread",
        "most threads of a block",
    ),
    Row::new("required_cluster", Rule::Demand, "exactly {} a cluster", "block", "blocks that a cluster must have"),
    Row::new(
        "max_cluster_rank",
        Rule::AtMost("required_cluster"),
        "at most {} a cluster",
        "block",
        "most blocks of a cluster",
    ),
    Row::flag("explicit_cluster", Rule::Demand, "must be launched with a cluster"),
    Row::flag("blocks_are_clusters", Rule::Meaning, "the grid is counted in clusters"),
    Row::flag("tile", Rule::Meaning, "is a tile kernel: a block computes a tile"),
    Row::flag("dynamic_shared", Rule::Demand, "uses dynamic shared memory"),
    Row::new(
        "min_blocks",
        Rule::Hint,
        "at least {} on a multiprocessor",
        "block",
        "blocks that fit on a multiprocessor",
    ),
    Row::new("max_registers", Rule::Hint, "at most {} a thread", "register", "most registers of a thread"),
];

impl Limits {
    fn value(&self, name: &str) -> Option<DirectiveValue> {
        if name == "dynamic_shared" {
            return self.dynamic_shared.map(DirectiveValue::Flag);
        }
        let mut values = self.directives.values();
        values.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Empty for a flag.
    fn numbers(&self, name: &str) -> Option<Vec<u32>> {
        match self.value(name)? {
            DirectiveValue::Dimensions(numbers) => numbers.map(Vec::from),
            DirectiveValue::Count(number) => number.map(|number| vec![number]),
            DirectiveValue::Flag(is_set) => is_set.then(Vec::new),
        }
    }

    fn product(&self, name: &str) -> Option<u64> {
        let numbers = self.numbers(name)?;
        Some(numbers.into_iter().map(u64::from).product())
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |row: &Row| {
            let numbers = self.numbers(row.name)?;
            let last = numbers.iter().rposition(|number| *number > 1).unwrap_or(0);
            let shown = numbers.get(..=last).unwrap_or_default();
            let amount = match shown {
                [number] => count(*number, row.unit),
                several => format!("{} {}s", joined(several, " × "), row.unit),
            };
            Some(row.text.replace("{}", &amount))
        };
        ROWS.iter().filter_map(text).collect()
    }

    /// ` max_threads=256,1,1 explicit_cluster`.
    pub(crate) fn listed(&self) -> String {
        let rows = ROWS.iter().filter(|row| !matches!(row.rule, Rule::Hint));
        let listed = rows.filter_map(|row| {
            let numbers = joined(self.numbers(row.name)?, ",");
            let sign = if numbers.is_empty() { "" } else { "=" };
            Some(format!(" {}{sign}{numbers}", row.name))
        });
        listed.collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let field = |row: &Row| {
            let value = match self.value(row.name) {
                Some(DirectiveValue::Dimensions(numbers)) => json!(numbers),
                Some(DirectiveValue::Count(number)) => json!(number),
                Some(DirectiveValue::Flag(is_set)) => json!(is_set),
                None => json!(null),
            };
            (row.name, value)
        };
        ROWS.iter().map(field).collect()
    }
}

impl Row {
    const fn new(name: &'static str, rule: Rule, text: &'static str, unit: &'static str, title: &'static str) -> Self {
        Self { name, rule, text, unit, title }
    }

    const fn flag(name: &'static str, rule: Rule, text: &'static str) -> Self {
        Self::new(name, rule, text, "", text)
    }

    /// Both values for `diff`, if they are known and differ, and whether the change breaks callers.
    pub(crate) fn change(&self, old: &Limits, new: &Limits) -> Option<([Option<String>; 2], bool)> {
        let text = |limits: &Limits| {
            limits.value(self.name)?;
            let text = limits.numbers(self.name).map(|numbers| match self.rule {
                Rule::AtMost(_) => limits.product(self.name).unwrap_or(0).to_string(),
                _ if numbers.is_empty() => "yes".to_owned(),
                _ => joined(numbers, ", "),
            });
            Some(text)
        };
        let (from, to) = (text(old)?, text(new)?);
        let breaks = match self.rule {
            Rule::Demand => to.is_some(),
            Rule::AtMost(exactly) => {
                let most = old.product(exactly).or_else(|| old.product(self.name));
                let to = new.product(self.name);
                to.is_some_and(|to| most.is_none_or(|most| to < most))
            }
            Rule::Meaning => true,
            Rule::Hint => false,
        };
        (from != to).then_some(([from, to], breaks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_has_a_row() {
        for (name, _) in Directives::default().values() {
            assert!(ROWS.iter().any(|row| row.name == name), "{name}");
        }
        for row in &ROWS {
            let is_known = Limits { dynamic_shared: Some(true), ..Limits::default() };
            assert!(is_known.value(row.name).is_some(), "{}", row.name);
        }
    }

    fn shared(used: bool) -> Limits {
        Limits { dynamic_shared: Some(used), ..Limits::default() }
    }

    #[test]
    fn limits_are_shown_in_words_and_in_lists() {
        let mut block = shared(true);
        let directives = &mut block.directives;
        (directives.required_threads, directives.min_blocks) = (Some([8, 4, 1]), Some(1));
        (directives.max_threads, directives.explicit_cluster) = (Some([1, 1, 1]), true);
        let texts = "exactly 8 × 4 threads a block; at most 1 thread a block; must be launched with a cluster; uses dynamic \
            shared memory; at least 1 block on a multiprocessor";
        assert_eq!(block.texts().join("; "), texts);
        assert_eq!(block.listed(), " required_threads=8,4,1 max_threads=1,1,1 explicit_cluster dynamic_shared");
        assert_eq!((shared(false).texts(), shared(false).listed()), (Vec::new(), String::new()));
    }

    /// A cubin does not contain it. The other limits are compared in `tests/cli/diff.rs`.
    #[test]
    fn dynamic_shared_memory_breaks_callers_if_both_are_known() {
        let breaks = |old: &Limits, new: &Limits| -> Vec<(&'static str, bool)> {
            ROWS.iter().filter_map(|row| Some((row.name, row.change(old, new)?.1))).collect()
        };
        assert_eq!(breaks(&shared(false), &shared(true)), [("dynamic_shared", true)]);
        assert_eq!(breaks(&shared(true), &shared(false)), [("dynamic_shared", false)]);
        assert_eq!(breaks(&Limits::default(), &shared(true)), []);
    }
}

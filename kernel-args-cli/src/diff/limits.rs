//! What changed in what a kernel demands of a launch.

use super::change::{Change, Kind, Side};
use crate::kernel::Limits;

/// A change breaks callers where a launch that the old kernel takes is one that the new one refuses.
pub(super) fn changes(old: &Limits, new: &Limits) -> Vec<Change> {
    let product = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
    let triple = |[x, y, z]: [u32; 3]| format!("{x}, {y}, {z}");
    let mut changes = Vec::new();
    let mut push = |limit, breaks, old: Option<String>, new: Option<String>| {
        if old != new {
            let side = |side: Option<String>| side.map(Side::text);
            changes.push(Change::new(
                Kind::Limit(limit),
                breaks,
                side(old),
                side(new),
            ));
        }
    };
    let (from, to) = (old.required_threads, new.required_threads);
    push(
        "required_threads",
        to.is_some(),
        from.map(triple),
        to.map(triple),
    );
    let (from, to) = (old.max_threads.map(product), new.max_threads.map(product));
    // Who had to launch with exactly so many threads launches with no more.
    let most = old.required_threads.map(product).or(from);
    let fewer = to.is_some_and(|to| most.is_none_or(|most| to < most));
    push(
        "max_threads",
        fewer,
        from.map(|n| n.to_string()),
        to.map(|n| n.to_string()),
    );
    let (from, to) = (old.required_cluster, new.required_cluster);
    push(
        "required_cluster",
        to.is_some(),
        from.map(triple),
        to.map(triple),
    );
    let (from, to) = (old.max_cluster_rank, new.max_cluster_rank);
    let fewer = to.is_some_and(|to| from.is_none_or(|from| to < from));
    push(
        "max_cluster_rank",
        fewer,
        from.map(|n| n.to_string()),
        to.map(|n| n.to_string()),
    );
    let flag = |is_set: bool| is_set.then(|| "yes".to_owned());
    let (from, to) = (old.explicit_cluster, new.explicit_cluster);
    push("explicit_cluster", to, flag(from), flag(to));
    let (from, to) = (old.blocks_are_clusters, new.blocks_are_clusters);
    push("blocks_are_clusters", true, flag(from), flag(to));
    if let (Some(from), Some(to)) = (old.dynamic_shared, new.dynamic_shared) {
        push("dynamic_shared", to, flag(from), flag(to));
    }
    for (limit, from, to) in [
        ("min_blocks", old.min_blocks, new.min_blocks),
        ("max_registers", old.max_registers, new.max_registers),
    ] {
        push(
            limit,
            false,
            from.map(|n| n.to_string()),
            to.map(|n| n.to_string()),
        );
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaks(old: Limits, new: Limits) -> Vec<(Kind, bool)> {
        let changes = changes(&old, &new);
        changes
            .iter()
            .map(|change| (change.kind, change.breaks))
            .collect()
    }

    #[test]
    fn stricter_limits_break_callers_and_looser_ones_do_not() {
        let none = Limits::default();
        let threads = |n: u32| Limits {
            max_threads: Some([n, 1, 1]),
            ..none
        };
        let max = Kind::Limit("max_threads");
        assert_eq!(breaks(threads(256), threads(128)), [(max, true)]);
        assert_eq!(breaks(threads(128), threads(256)), [(max, false)]);
        assert_eq!(breaks(none, threads(256)), [(max, true)]);
        assert_eq!(breaks(threads(256), none), [(max, false)]);
        assert_eq!(breaks(threads(256), threads(256)), []);
        let required = |n: u32| Limits {
            required_threads: Some([n, 1, 1]),
            ..none
        };
        let kind = Kind::Limit("required_threads");
        assert_eq!(breaks(required(64), required(128)), [(kind, true)]);
        assert_eq!(breaks(required(64), none), [(kind, false)]);
        assert_eq!(
            breaks(required(64), threads(64)),
            [(kind, false), (max, false)]
        );
        let shared = |used| Limits {
            dynamic_shared: Some(used),
            ..none
        };
        let kind = Kind::Limit("dynamic_shared");
        assert_eq!(breaks(shared(false), shared(true)), [(kind, true)]);
        assert_eq!(breaks(shared(true), shared(false)), [(kind, false)]);
        // A cubin does not tell.
        assert_eq!(breaks(none, shared(true)), []);
        let rank = |n| Limits {
            max_cluster_rank: Some(n),
            min_blocks: Some(n),
            ..none
        };
        let kinds = [
            (Kind::Limit("max_cluster_rank"), true),
            (Kind::Limit("min_blocks"), false),
        ];
        assert_eq!(breaks(rank(8), rank(4)), kinds);
        let cluster = Limits {
            required_cluster: Some([2, 1, 1]),
            explicit_cluster: true,
            ..none
        };
        let kinds = [
            (Kind::Limit("required_cluster"), true),
            (Kind::Limit("explicit_cluster"), true),
        ];
        assert_eq!(breaks(none, cluster), kinds);
        let counted = Limits {
            blocks_are_clusters: true,
            ..none
        };
        assert_eq!(
            breaks(counted, none),
            [(Kind::Limit("blocks_are_clusters"), true)]
        );
    }
}

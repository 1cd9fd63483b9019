//! The order of a graph's nodes.

use std::{vec, vec::Vec};

/// The nodes, each after its dependencies, otherwise in their original order.
pub(super) fn ordered<N: Copy + Ord>(nodes: &[N], edges: &[(N, N)]) -> Vec<N> {
    let mut places: Vec<(N, usize)> = nodes.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let place = |node: &N| {
        let at = places.binary_search_by_key(node, |(node, _)| *node).ok()?;
        Some(places[at].1)
    };
    let mut waits_for = vec![0_usize; nodes.len()];
    let mut followers = vec![Vec::new(); nodes.len()];
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (place(from), place(to)) {
            waits_for[to] += 1;
            followers[from].push(to);
        }
    }
    let free = waits_for.iter().enumerate().filter(|(_, waits)| **waits == 0);
    let mut ready: std::collections::BTreeSet<usize> = free.map(|(at, _)| at).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(at) = ready.pop_first() {
        order.push(nodes[at]);
        for &follower in &followers[at] {
            waits_for[follower] -= 1;
            if waits_for[follower] == 0 {
                ready.insert(follower);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::ordered;
    use std::vec::Vec;

    #[test]
    fn a_chain_is_ordered_whatever_the_list() {
        let chain: Vec<_> = (1..=50).collect();
        let edges: Vec<_> = chain.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut list = chain.clone();
        for turn in 0..50 {
            list.rotate_left(7);
            list.swap(turn, 49 - turn);
            assert_eq!(ordered(&list, &edges), chain);
        }
    }

    #[test]
    fn nodes_that_do_not_depend_on_each_other_keep_their_order() {
        assert_eq!(ordered(&[3, 1, 2], &[]), [3, 1, 2]);
        assert_eq!(ordered(&[3, 1, 2], &[(2, 3)]), [1, 2, 3]);
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(ordered(&[1, 2, 3], &[(1, 2), (2, 1), (9, 3)]), [3]);
    }
}

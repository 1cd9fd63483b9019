//! Where lanes that a branch separates meet again: the immediate post-dominator of each branch.

/// The end of a function.
pub(super) const END: u32 = u32::MAX;

/// For each instruction, the first one that all paths from it reach. `successors`: for each instruction; none for the
/// end.
///
/// The iterative algorithm of Cooper, Harvey and Kennedy, on the blocks of the reversed graph.
pub(super) fn joins(successors: &[Vec<u32>]) -> Vec<u32> {
    let count = successors.len();
    // Only instructions with more than one successor, their targets, and what precedes them matter.
    let mut starts = vec![false; count + 1];
    starts[0] = true;
    for (at, next) in successors.iter().enumerate() {
        if next.len() != 1 || next[0] as usize != at + 1 {
            starts[at + 1] = true;
            for target in next {
                starts[*target as usize] = true;
            }
        }
    }
    let firsts: Vec<usize> = (0..count).filter(|at| starts[*at]).collect();
    let mut block_of = vec![0; count];
    for (block, first) in firsts.iter().enumerate() {
        let end = firsts.get(block + 1).copied().unwrap_or(count);
        block_of[*first..end].fill(block);
    }
    let blocks = firsts.len();
    let end = blocks;
    let after = |block: usize| -> Vec<usize> {
        let last = firsts.get(block + 1).copied().unwrap_or(count) - 1;
        match successors[last].as_slice() {
            [] => vec![end],
            next => next.iter().map(|at| block_of[*at as usize]).collect(),
        }
    };
    let next: Vec<Vec<usize>> = (0..blocks).map(after).collect();
    let mut before = vec![Vec::new(); blocks + 1];
    for (block, targets) in next.iter().enumerate() {
        for target in targets {
            before[*target].push(block);
        }
    }
    // The order in which a search backwards from the end leaves the blocks.
    let mut order = Vec::with_capacity(blocks + 1);
    let mut state = vec![0u8; blocks + 1];
    let mut stack = vec![(end, 0)];
    state[end] = 1;
    while let Some((block, index)) = stack.pop() {
        match before[block].get(index) {
            Some(previous) => {
                stack.push((block, index + 1));
                if state[*previous] == 0 {
                    state[*previous] = 1;
                    stack.push((*previous, 0));
                }
            }
            None => order.push(block),
        }
    }
    let mut rank = vec![usize::MAX; blocks + 1];
    for (index, block) in order.iter().enumerate() {
        rank[*block] = index;
    }
    let mut dominator: Vec<Option<usize>> = vec![None; blocks + 1];
    dominator[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().copied().filter(|block| *block != end) {
            let mut meeting: Option<usize> = None;
            for target in &next[block] {
                if dominator[*target].is_none() {
                    continue;
                }
                meeting = Some(match meeting {
                    None => *target,
                    Some(mut other) => {
                        let mut this = *target;
                        while this != other {
                            if rank[this] < rank[other] {
                                this = dominator[this].unwrap_or(end);
                            } else {
                                other = dominator[other].unwrap_or(end);
                            }
                        }
                        this
                    }
                });
            }
            if meeting.is_some() && dominator[block] != meeting {
                dominator[block] = meeting;
                changed = true;
            }
        }
    }
    let join = |at: usize| match dominator[block_of[at]] {
        Some(block) if block != end => firsts[block] as u32,
        _ => END,
    };
    (0..count).map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_meet_behind_both_sides() {
        // 0: if → 3; 1: then; 2: goto 4; 3: else; 4: end
        let successors = [vec![1, 3], vec![2], vec![4], vec![4], vec![]];
        assert_eq!(joins(&successors)[0], 4);
    }

    #[test]
    fn loops_meet_behind_their_end() {
        // 0; 1: body; 2: if → 1; 3: end
        let successors = [vec![1], vec![2], vec![3, 1], vec![]];
        assert_eq!(joins(&successors)[2], 3);
    }

    #[test]
    fn sides_that_return_meet_at_the_end() {
        let successors = [vec![1, 2], vec![], vec![]];
        assert_eq!(joins(&successors)[0], END);
        // A loop without an end has no meeting point.
        assert_eq!(joins(&[vec![1, 2], vec![1], vec![]])[0], 2);
    }
}

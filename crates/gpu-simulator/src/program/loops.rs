//! Branches at which lanes leave a loop, or pass it by: they part there since some need more of its turns than others.

use std::collections::{BTreeMap, BTreeSet};

use super::control::ControlFlow;
use super::cycles::Cycles;
use super::{Instruction, Operation};

/// What a branch has to do with loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoopBranch {
    /// One of its ways leads out of the innermost loop around it.
    Ends,
    /// One of its ways leads past loops to which the other one leads: the lines of the PTX where these end.
    PassesBy(Vec<u32>),
}

/// The branches of a program that have to do with loops, by their places.
pub(crate) fn loop_branches(code: &[Instruction]) -> BTreeMap<u32, LoopBranch> {
    let flow = ControlFlow::new(code, 0..code.len() as u32);
    let loops = Loops::of(code, &flow);
    let mut all = BTreeMap::new();
    let mut ends: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for (block, last) in branching(code, &flow) {
        let Some(inner) = loops.innermost(block) else { continue };
        let leaves = matches!(code[last as usize].operation, Operation::Return | Operation::Exit | Operation::Trap);
        if leaves || flow.successors[block].iter().any(|next| !inner.members.contains(next)) {
            all.insert(last, LoopBranch::Ends);
            ends.entry(inner.head).or_default().insert(code[last as usize].line);
        }
    }
    all.extend(ends_of_unrolled(code).into_iter().map(|pc| (pc, LoopBranch::Ends)));
    let meetings = flow.post_dominators();
    let others: Vec<(usize, u32)> = branching(code, &flow).filter(|(_, last)| !all.contains_key(last)).collect();
    for (block, last) in others {
        let heads = |next: &usize| -> Vec<usize> {
            let passed = reached(&flow, (block, *next), meetings[block]);
            ends.keys().copied().filter(|head| passed.contains(head)).collect()
        };
        let of_ways: Vec<Vec<usize>> = flow.successors[block].iter().map(heads).collect();
        if of_ways.iter().any(Vec::is_empty) {
            let lines: BTreeSet<u32> = of_ways.iter().flatten().flat_map(|head| &ends[head]).copied().collect();
            all.insert(last, LoopBranch::PassesBy(lines.into_iter().collect()));
        }
    }
    all.retain(|_, own| *own != LoopBranch::PassesBy(Vec::new()));
    all
}

/// Blocks that end with an instruction at which lanes may part, and these instructions.
fn branching<'a>(code: &'a [Instruction], flow: &'a ControlFlow) -> impl Iterator<Item = (usize, u32)> + 'a {
    let last = |(block, range): (usize, &std::ops::Range<u32>)| {
        let last = range.end.checked_sub(1).filter(|_| !range.is_empty())?;
        let own = &code[last as usize];
        let parts = own.guard.is_some() || matches!(own.operation, Operation::BranchIndexed { .. });
        parts.then_some((block, last))
    };
    flow.blocks.iter().enumerate().filter_map(last)
}

/// Branches of a line that was unrolled, of which several lead on to the same place: the ways out of its turns.
fn ends_of_unrolled(code: &[Instruction]) -> BTreeSet<u32> {
    let mut of_lines: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for (pc, own) in (0..).zip(code).filter(|(_, own)| own.guard.is_some()) {
        if let Operation::Branch { target } = own.operation
            && target > pc
        {
            of_lines.entry((own.line, target)).or_default().insert(pc);
        }
    }
    of_lines.into_values().filter(|places| places.len() > 1).flatten().collect()
}

/// The blocks on a way from a block to where its ways meet.
fn reached(flow: &ControlFlow, (from, next): (usize, usize), meeting: Option<usize>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut left = vec![next];
    while let Some(block) = left.pop() {
        if Some(block) != meeting && block != from && seen.insert(block) {
            left.extend(&flow.successors[block]);
        }
    }
    seen
}

/// A loop: its first block, and all of its blocks.
#[derive(Debug)]
struct Loop {
    head: usize,
    members: BTreeSet<usize>,
}

#[derive(Debug)]
struct Loops(Vec<Loop>);

impl Loops {
    /// Those of a program: the blocks from which a way leads back to the first one without leaving the cycle.
    fn of(code: &[Instruction], flow: &ControlFlow) -> Self {
        let cycles = Cycles::of(code);
        let mut predecessors = vec![Vec::new(); flow.blocks.len()];
        for (block, next) in flow.successors.iter().enumerate() {
            next.iter().for_each(|next| predecessors[*next].push(block));
        }
        let mut all: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (from, head) in ways_back(flow) {
            let members = all.entry(head).or_insert_with(|| BTreeSet::from([head]));
            let mut left = vec![from];
            while let Some(block) = left.pop() {
                let start = flow.blocks[block].start;
                if cycles.are_together(start, flow.blocks[head].start) && members.insert(block) {
                    left.extend(&predecessors[block]);
                }
            }
        }
        Self(all.into_iter().map(|(head, members)| Loop { head, members }).collect())
    }

    fn innermost(&self, block: usize) -> Option<&Loop> {
        let around = self.0.iter().filter(|own| own.members.contains(&block));
        around.min_by_key(|own| own.members.len())
    }
}

/// The ways by which control comes back to a block that it has come through.
fn ways_back(flow: &ControlFlow) -> Vec<(usize, usize)> {
    let count = flow.blocks.len();
    let (mut is_open, mut is_known, mut found) = (vec![false; count], vec![false; count], Vec::new());
    for root in 0..count {
        let mut ways = if is_known[root] { Vec::new() } else { vec![(root, 0)] };
        while let Some((block, way)) = ways.last_mut() {
            let block = *block;
            (is_open[block], is_known[block]) = (true, true);
            if let Some(next) = flow.successors[block].get(*way) {
                *way += 1;
                if is_open[*next] {
                    found.push((block, *next));
                } else if !is_known[*next] {
                    ways.push((*next, 0));
                }
            } else {
                is_open[block] = false;
                ways.pop();
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snippet::{kernel, program};

    /// The line in which snippets begin.
    const SNIPPET: u32 = 2;

    /// Of each branch of a snippet, by the line of the snippet, what it has to do with loops.
    fn branches(body: &str) -> Vec<(u32, LoopBranch)> {
        let program = program(&kernel("", body));
        let of_code = loop_branches(&program.code).into_iter();
        of_code.map(|(pc, own)| (program.code[pc as usize].line - SNIPPET, own)).collect()
    }

    #[test]
    fn a_way_out_of_a_loop_ends_it_wherever_it_is() {
        let ends = |lines: &[u32]| lines.iter().map(|line| (*line, LoopBranch::Ends)).collect::<Vec<_>>();
        let test = "setp.eq.u32 %p1, %r1, %r0;";
        let back = format!("A:\nadd.u32 %r1, %r1, 1;\n{test}\n@%p1 bra A;\nst.global.u32 [%rd1], %r1;");
        assert_eq!(branches(&back), ends(&[3]), "at its end");
        let head =
            format!("A:\n{test}\n@%p1 bra B;\nmul.lo.u32 %r1, %r1, %r0;\nbra A;\nB:\nst.global.u32 [%rd1], %r1;");
        assert_eq!(branches(&head), ends(&[2]), "at its head");
        let inside = format!(
            "A:\nmul.lo.u32 %r1, %r1, %r0;\n{test}\n@%p1 bra B;\nadd.u32 %r1, %r1, %r0;\n{test}\n@%p1 bra A;\nbra C;\n\
             B:\nmov.u32 %r2, 3;\nC:\nst.global.u32 [%rd1], %r2;"
        );
        assert_eq!(branches(&inside), ends(&[3, 6]), "a break, with what is done before it");
        let returning = format!("A:\nmul.lo.u32 %r1, %r1, %r0;\n{test}\n@%p1 ret;\nst.global.u32 [%rd1], %r1;\nbra A;");
        assert_eq!(branches(&returning), ends(&[3]), "a return");
        let choice = format!(
            "A:\n{test}\n@%p1 bra B;\nmul.lo.u32 %r1, %r1, %r0;\nst.global.u32 [%rd1], %r1;\nB:\nadd.u32 %r1, %r1, %r0;\n\
             setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra A;"
        );
        assert_eq!(branches(&choice), ends(&[8]), "both ways of the first stay in the loop");
        let plain = format!("{test}\n@%p1 bra B;\nst.global.u32 [%rd1], %r1;\nB:\nst.global.u32 [%rd1], %r0;");
        assert_eq!(branches(&plain), [], "no loop");
    }

    #[test]
    fn the_inner_loop_is_the_one_that_a_branch_ends() {
        let body = "O:\nmul.lo.u32 %r1, %r1, %r0;\nI:\nadd.u32 %r3, %r3, %r0;\nsetp.eq.u32 %p1, %r3, %r1;\n@%p1 bra N;\n\
                    mul.lo.u32 %r3, %r3, %r0;\nbra I;\nN:\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra O;\nst.global.u32 [%rd1], %r1;";
        assert_eq!(branches(body), [(5, LoopBranch::Ends), (10, LoopBranch::Ends)]);
    }

    #[test]
    fn a_way_past_a_loop_is_known_with_where_the_loop_ends() {
        let body = "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra B;\nmul.lo.u32 %r1, %r1, %r0;\nA:\nadd.u32 %r1, %r1, %r0;\n\
                    setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra A;\nB:\nst.global.u32 [%rd1], %r1;";
        assert_eq!(branches(body), [(1, LoopBranch::PassesBy(vec![6 + SNIPPET])), (6, LoopBranch::Ends)]);
    }
}

use proptest::prelude::*;

use super::*;
use crate::snippet::{kernel, program};

/// The end of a function in a graph.
const END: usize = usize::MAX;

fn graph(successors: &[&[usize]]) -> ControlFlow {
    let successors: Vec<Vec<usize>> = successors.iter().map(|next| next.to_vec()).collect();
    ControlFlow { blocks: (0..successors.len() as u32).map(|block| block..block + 1).collect(), successors }
}

/// The post-dominators by their definition: without the block, the end cannot be reached any more.
fn by_definition(flow: &ControlFlow) -> Vec<Option<usize>> {
    let count = flow.successors.len();
    let reaches_end = |from: usize, without: usize| {
        let mut seen = vec![false; count];
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if block == without || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            if flow.successors[block].is_empty() {
                return true;
            }
            open.extend(&flow.successors[block]);
        }
        false
    };
    let dominates = |dominator: usize, block: usize| {
        dominator != block && reaches_end(block, END) && !reaches_end(block, dominator)
    };
    (0..count)
        .map(|block| {
            let all: Vec<usize> = (0..count).filter(|other| dominates(*other, block)).collect();
            // The immediate one is post-dominated by all others.
            all.iter().copied().find(|own| all.iter().all(|other| other == own || dominates(*other, *own)))
        })
        .collect()
}

#[test]
fn post_dominators_of_known_graphs() {
    let cases: [(&str, ControlFlow, Vec<Option<usize>>); 9] = [
        ("if", graph(&[&[1, 2], &[2], &[]]), vec![Some(2), Some(2), None]),
        ("if-else", graph(&[&[1, 2], &[3], &[3], &[]]), vec![Some(3), Some(3), Some(3), None]),
        (
            "nested",
            graph(&[&[1, 5], &[2, 3], &[4], &[4], &[5], &[]]),
            vec![Some(5), Some(4), Some(4), Some(4), Some(5), None],
        ),
        ("loop with break", graph(&[&[1], &[2, 3], &[1, 3], &[]]), vec![Some(1), Some(3), Some(3), None]),
        ("switch", graph(&[&[1, 2, 3], &[4], &[4], &[4], &[]]), vec![Some(4), Some(4), Some(4), Some(4), None]),
        ("infinite loop", graph(&[&[1], &[1]]), vec![None, None]),
        ("a way into an infinite loop", graph(&[&[1, 2], &[1], &[3], &[]]), vec![Some(2), None, Some(3), None]),
        ("early return", graph(&[&[1, 2], &[], &[3], &[]]), vec![None, None, Some(3), None]),
        ("irreducible", graph(&[&[1, 2], &[2], &[1, 3], &[]]), vec![Some(2), Some(2), Some(3), None]),
    ];
    for (name, flow, expected) in cases {
        assert_eq!(flow.post_dominators(), expected, "{name}");
        assert_eq!(by_definition(&flow), expected, "{name}, by definition");
    }
}

proptest! {
    #[test]
    fn post_dominators_are_those_of_the_definition(
        successors in (1_usize..14).prop_flat_map(|count| {
            prop::collection::vec(prop::collection::btree_set(0..count, 0..4), count)
        })
    ) {
        let successors: Vec<Vec<usize>> = successors.into_iter().map(|next| next.into_iter().collect()).collect();
        let blocks = (0..successors.len() as u32).map(|block| block..block + 1).collect();
        let flow = ControlFlow { blocks, successors };
        prop_assert_eq!(flow.post_dominators(), by_definition(&flow));
    }
}

/// Lines of the branches in a snippet, and the lines at which their lanes meet again.
fn meetings(body: &str) -> Vec<(u32, Option<u32>)> {
    let program = program(&kernel("", body));
    let branches = program.code.iter().filter(|instruction| {
        matches!(instruction.operation, Operation::Branch { .. } | Operation::BranchIndexed { .. })
    });
    branches
        .filter(|instruction| {
            instruction.guard.is_some() || matches!(instruction.operation, Operation::BranchIndexed { .. })
        })
        .map(|instruction| {
            let meeting = program.code.get(instruction.reconvergence as usize).map(|meeting| meeting.line);
            (instruction.line, meeting)
        })
        .collect()
}

#[test]
fn branches_meet_where_the_code_says() {
    let if_else = "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra A;\nmov.u32 %r1, 1;\nbra B;\nA:\nmov.u32 %r1, 2;\nB:\nst.global.u32 [%rd1], %r1;";
    assert_eq!(meetings(if_else), [(3, Some(9))]);
    let in_loop = "A:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra A;\nst.global.u32 [%rd1], %r1;";
    assert_eq!(meetings(in_loop), [(5, Some(6))]);
    let switch = "T: .branchtargets A, B, C;\nbrx.idx %r0, T;\nA:\nmov.u32 %r1, 1;\nbra D;\nB:\nmov.u32 %r1, 2;\nbra D;\nC:\nmov.u32 %r1, 3;\nD:\nst.global.u32 [%rd1], %r1;";
    assert_eq!(meetings(switch), [(3, Some(13))]);
    let early = "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra A;\nret;\nA:\nmov.u32 %r1, 2;";
    assert_eq!(meetings(early), [(3, None)]);
}

#[test]
fn a_branch_whose_target_follows_it_ends_its_block_once() {
    let program = program(&kernel("", "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra A;\nA:\nst.global.u32 [%rd1], %r0;"));
    let flow = ControlFlow::new(&program.code, 0..program.code.len() as u32);
    assert!(flow.successors.iter().all(|next| next.len() <= 1));
}

/// Whether the backward branch of a snippet is one of a loop that waits.
fn spins(module: &str, body: &str) -> bool {
    program(&kernel(module, body)).code.iter().any(|instruction| instruction.spins)
}

#[test]
fn loops_that_wait_are_told_from_those_that_count() {
    let lock = "A: atom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;";
    assert!(spins("", lock));
    let flag = "A: ld.volatile.global.u32 %r1, [%rd0];\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra A;";
    assert!(spins("", flag));
    let forward = "A: ld.acquire.gpu.global.u32 %r1, [%rd0];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\nbra A;\nB:";
    assert!(spins("", forward));
    assert!(spins("", "A: nanosleep.u32 20;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra A;"));
    let histogram =
        "A: atom.global.add.u32 %r1, [%rd0], 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra A;";
    assert!(!spins("", histogram));
    let taken = "A: atom.global.add.u32 %r1, [%rd0], 4;\nst.shared.u32 [seen], %r1;\nld.shared.u32 %r3, [seen];\n\
                 setp.lt.u32 %p1, %r3, %r0;\n@%p1 bra A;";
    let seen = ".shared .align 4 .b32 seen;";
    assert!(!spins(seen, taken), "a queue ends by what is taken from it");
    assert!(spins(seen, &taken.replace(", 4;", ", 0;")), "nothing is taken");
    let given_back = taken.replace("setp", "red.global.add.u32 [%rd0], -4;\nsetp");
    assert!(spins(seen, &given_back), "a lock by addition");
    let cleared = taken.replace("setp", "st.volatile.global.u32 [%rd0], %r0;\nsetp");
    assert!(spins(seen, &cleared), "a lock by addition that is given back by a store");
    let list = "A: ld.global.u32 %r1, [%rd0];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;";
    assert!(!spins("", list));
    let past_l1 = list.replace("ld.global", "ld.global.cg");
    assert!(spins("", &past_l1));
    let copy = past_l1.replace("setp", "st.global.u32 [%rd1], %r1;\nsetp");
    assert!(!spins("", &copy));
    let counted = copy.replace("[%rd1], %r1", "[%rd1], %r2");
    assert!(spins("", &counted));
    let passed_on = past_l1.replace(
        "setp.ne.u32 %p1, %r1",
        "st.shared.u32 [seen], %r1;\nld.shared.u32 %r3, [seen];\nsetp.ne.u32 %p1, %r3",
    );
    assert!(spins(".shared .align 4 .b32 seen;", &passed_on));
}

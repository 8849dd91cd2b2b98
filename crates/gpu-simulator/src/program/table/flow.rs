//! Rows of branches, calls and ends.

use super::{CONTROL, OTHER, Row};
use crate::program::lower::flow;

const SECTION: &str = "Control Flow Instructions";
const SECTION_OF_GRIDS: &str = "Parallel Synchronization and Communication Instructions";
const MISCELLANEOUS: &str = "Miscellaneous Instructions";

pub(super) static ROWS: &[Row] = &[
    Row::other("bra.uni?", SECTION, CONTROL, flow::branch),
    Row::other("brx.idx.uni?", SECTION, CONTROL, flow::branch_indexed),
    Row::other("call.uni?", SECTION, CONTROL, flow::call).needs("a call", 2, 0),
    Row::other("ret.uni?", SECTION, CONTROL, flow::end),
    Row::other("exit", SECTION, CONTROL, flow::end),
    Row::other("trap", MISCELLANEOUS, CONTROL, flow::end),
    Row::other("griddepcontrol.launch_dependents|wait", SECTION_OF_GRIDS, OTHER, flow::dependence).needs(
        "griddepcontrol",
        9,
        0,
    ),
    Row::other("nanosleep.u32", MISCELLANEOUS, OTHER, flow::sleep).needs("nanosleep", 7, 0),
];

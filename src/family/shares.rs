//! Whether what a launch's blocks share out comes out even: blocks in whole clusters, and a piece of a set for each block.

use super::Conflict;

/// From how many pieces of a block on a kernel does not count them: it counts in 32 bits.
const PIECES_MAX: u64 = 1 << 31;

/// That the blocks of a launch are whole groups, such as `"clusters"`, of `group_blocks`. `parameters` are those of the blocks and of the group's size, in this order.
///
/// # Errors
///
/// If some blocks are left over; says which number of blocks would do.
pub(super) fn check_groups(
    groups: &str,
    launched_blocks: u32,
    group_blocks: u32,
    parameters: &'static [&'static str; 2],
) -> Result<(), Conflict> {
    if launched_blocks.is_multiple_of(group_blocks) {
        return Ok(());
    }
    Err(Conflict {
        parameters,
        problem: format!("{launched_blocks} blocks are no whole number of {groups} of {group_blocks}"),
        help: format!("give a multiple of {group_blocks} for {}", parameters[0]),
    })
}

/// What blocks take of a set at a time.
pub(super) struct Pieces {
    /// What one is called, and several.
    pub(super) names: [&'static str; 2],
    pub(super) bytes: u64,
    pub(super) launched_blocks: u64,
}

/// Bytes that all blocks share out, and the parameters that decide how many pieces they are: that of the bytes is the first.
pub(super) type SharedOut = (u64, &'static [&'static str]);

impl Pieces {
    /// That the set and what is read of it have a piece for each block, and no block more than its kernel counts. `counted` are the parameters of the
    /// bytes that are read and of the blocks, in this order.
    ///
    /// # Errors
    ///
    /// If there are too few bytes, or too many; says how many would do.
    pub(super) fn check(
        &self,
        set: SharedOut,
        read: SharedOut,
        counted: &'static [&'static str; 2],
    ) -> Result<(), Conflict> {
        let Self { names: [piece, pieces], bytes: piece_bytes, launched_blocks } = *self;
        let least = piece_bytes * launched_blocks;
        for (bytes, parameters) in [set, read] {
            let name = parameters[0];
            if bytes < least {
                return Err(Conflict {
                    parameters,
                    problem: format!(
                        "{name} = {bytes} has no {piece} of {piece_bytes} bytes for each of {launched_blocks} blocks"
                    ),
                    help: format!("give at least {least} for {name}, or fewer blocks"),
                });
            }
        }
        let count = read.0.max(set.0) / least;
        if count >= PIECES_MAX {
            return Err(Conflict {
                parameters: counted,
                problem: format!("{count} {pieces} for each block are more than a kernel counts"),
                help: format!("give fewer {}, or more blocks", counted[0]),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_left_over_are_refused_with_what_would_do() {
        const BLOCKS: &[&str; 2] = &["launched_blocks", "cluster_blocks"];
        assert_eq!(check_groups("clusters", 12, 4, BLOCKS), Ok(()));
        let refused = check_groups("clusters", 14, 4, BLOCKS).unwrap_err();
        assert_eq!(refused.parameters, BLOCKS);
        assert_eq!(refused.problem, "14 blocks are no whole number of clusters of 4");
        assert_eq!(refused.help, "give a multiple of 4 for launched_blocks");
    }

    #[test]
    fn every_block_has_a_piece_and_counts_all_of_its_own() {
        const COUNTED: &[&str; 2] = &["read_bytes", "launched_blocks"];
        let check = |set_bytes, read_bytes| {
            let pieces = Pieces { names: ["tile", "tiles"], bytes: 16, launched_blocks: 4 };
            pieces.check((set_bytes, &["set_bytes", "tile_bytes"]), (read_bytes, &["read_bytes"]), COUNTED)
        };
        assert_eq!(check(64, 64), Ok(()));
        let refused = check(63, 64).unwrap_err();
        assert_eq!(refused.parameters, ["set_bytes", "tile_bytes"]);
        assert_eq!(refused.problem, "set_bytes = 63 has no tile of 16 bytes for each of 4 blocks");
        assert_eq!(refused.help, "give at least 64 for set_bytes, or fewer blocks");
        assert_eq!(check(64, 63).unwrap_err().parameters, ["read_bytes"]);
        let most = 64 * PIECES_MAX;
        assert_eq!(check(64, most - 1), Ok(()));
        let refused = check(64, most).unwrap_err();
        assert_eq!(refused.parameters, COUNTED);
        assert_eq!(refused.problem, "2147483648 tiles for each block are more than a kernel counts");
        assert_eq!(check(most, 64).unwrap_err().help, "give fewer read_bytes, or more blocks");
    }
}

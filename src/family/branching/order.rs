//! Orders of elements made ahead: the threads of a block take its elements branch by branch.

use rayon::prelude::*;

use super::CASES;
use super::map::LANES;

/// Bits of an entry that say where in its block an element is; the others say which case it follows.
const PLACE_BITS: u32 = 10;

/// The entries of all blocks, one block after the other, for blocks of `block_rows` rows of 32 columns. Within a block they
/// are sorted by case, and by place (row by row) within a case. `map` has `width` columns.
pub(super) fn order(map: &[u32], width: usize, block_rows: usize) -> Vec<u32> {
    let mut entries = vec![0; map.len()];
    let row_of_blocks = block_rows * width;
    entries.par_chunks_mut(row_of_blocks).zip(map.par_chunks(row_of_blocks)).for_each(|(entries, map)| {
        let rows = map.len() / width;
        let mut rest = entries;
        for column in (0..width).step_by(LANES) {
            let columns = LANES.min(width - column);
            let (block, others) = rest.split_at_mut(rows * columns);
            rest = others;
            let places = || (0..rows).flat_map(|row| (0..columns).map(move |lane| (row, lane)));
            let case_at = |(row, lane): (usize, usize)| map[row * width + column + lane] as usize;
            let mut next = [0; CASES];
            places().for_each(|place| next[case_at(place)] += 1);
            let mut first = 0;
            for position in &mut next {
                first += std::mem::replace(position, first);
            }
            for place in places() {
                let case = case_at(place);
                block[next[case]] = (case << PLACE_BITS | (place.0 * LANES + place.1)) as u32;
                next[case] += 1;
            }
        }
    });
    entries
}

/// The case and the place of an entry.
#[cfg(test)]
pub(super) fn split(entry: u32) -> (usize, usize) {
    ((entry >> PLACE_BITS) as usize, (entry & ((1 << PLACE_BITS) - 1)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_s_entries_are_sorted_by_case_and_then_by_place() {
        let map = [1, 0, 2, 0, 1, 0, 2, 2, 0];
        let entries: Vec<_> = order(&map, 3, 2).into_iter().map(split).collect();
        // The first block has two rows, its places 0, 1, 2 and 32, 33, 34; the second has the last row.
        let first = [(0, 1), (0, 32), (0, 34), (1, 0), (1, 33), (2, 2)];
        let second = [(0, 2), (2, 0), (2, 1)];
        assert_eq!(entries, [first.as_slice(), &second].concat());
    }

    #[test]
    fn every_element_is_in_the_order_once_with_its_case() {
        let (width, block_rows) = (77, 3);
        let map: Vec<u32> = (0..width * width).map(|index| (index * 7 % 31) as u32).collect();
        let entries = order(&map, width, block_rows);
        let mut seen = vec![false; map.len()];
        let mut next = entries.iter();
        for first_row in (0..width).step_by(block_rows) {
            let rows = block_rows.min(width - first_row);
            for first_column in (0..width).step_by(LANES) {
                for &entry in next.by_ref().take(rows * LANES.min(width - first_column)) {
                    let (case, place) = split(entry);
                    let element = (first_row + place / LANES) * width + first_column + place % LANES;
                    assert!(!std::mem::replace(&mut seen[element], true), "element {element} twice");
                    assert_eq!(map[element] as usize, case);
                }
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }
}

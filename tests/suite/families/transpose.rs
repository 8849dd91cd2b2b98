use apbench::family::transpose::{FAMILY, PTX};

use super::{Simulated, count, entry};

const SPLITS: [(i64, i64); 8] = [(16, 1), (16, 2), (16, 4), (16, 8), (32, 1), (32, 2), (32, 4), (32, 8)];

#[test]
fn a_thread_reads_all_its_elements_before_it_writes_the_first() {
    for kind in ["copy", "naive", "shared", "shared_padded", "shared_swizzled"] {
        for (tile, rows) in SPLITS {
            let name = format!("transpose_{kind}_{tile}_{rows}");
            let instructions = entry(PTX, &name);
            let places = |opcode: &str| -> Vec<usize> {
                let lines = instructions.iter().enumerate();
                lines.filter(|(_, line)| line.contains(opcode)).map(|(place, _)| place).collect()
            };
            let [loads, stores, barriers] = ["ld.global.u32", "st.global.u32", "bar.sync"].map(places);
            assert_eq!((loads.len(), stores.len()), (rows as usize, rows as usize), "{name}");
            assert!(loads.last() < stores.first(), "{name}");
            let through_shared = kind.starts_with("shared");
            assert_eq!(barriers.len(), usize::from(through_shared), "{name}");
            let [shared_stores, shared_loads] = ["st.shared.u32", "ld.shared.u32"].map(places);
            let expected = if through_shared { rows as usize } else { 0 };
            assert_eq!((shared_stores.len(), shared_loads.len()), (expected, expected), "{name}");
            if let Some(barrier) = barriers.first() {
                assert!(shared_stores.last().unwrap() < barrier && barrier < &shared_loads[0], "{name}");
            }
        }
    }
}

#[test]
fn the_vectorised_kernel_moves_four_words_at_a_time() {
    let instructions = entry(PTX, "transpose_shared_vectorised");
    let holds = |opcode: &str| instructions.iter().filter(|line| line.contains(opcode)).count();
    for opcode in ["ld.global.v4.u32", "st.shared.v4.u32", "st.global.v4.u32"] {
        assert_eq!(holds(opcode), 4, "{opcode}");
    }
    // The compiler reads the tile in each branch that writes of it.
    assert!(holds("ld.shared.v4.u32") >= 4);
    assert_eq!(holds("ld.shared") + holds("st.shared"), holds("ld.shared.v4") + holds("st.shared.v4"));
    assert_eq!(count(&instructions, "bar.sync"), 1);
}

/// All that a point moves, at widths of whole tiles, of whole numbers of four words, and of neither.
#[test]
fn traffic_is_what_simulated_devices_count() {
    for profile in ["h200", "gtx280", "8500gt"] {
        for variant in FAMILY.variants {
            if profile != "h200" && variant.since > (1, 3) {
                continue;
            }
            for (width, tile, rows) in [(64, 16, 1), (64, 32, 4), (77, 16, 4), (100, 32, 8), (131, 32, 4), (33, 16, 8)]
            {
                let parameters = [("width", width.into()), ("tile", tile.into()), ("rows_per_thread", rows.into())];
                let run = Simulated::run(profile, &FAMILY, variant.name, &parameters);
                let point = format!("{profile} {} {width} {tile} {rows}", variant.name);
                let measured = run.counter("global_store_transactions") / run.counter("global_store_requests");
                let predicted = run.predictor("sectors_per_request");
                assert!((predicted - measured).abs() < 1e-9, "{point}: {predicted} and {measured}");
                let (predicted, counted) = (run.predictor("bytes_moved"), run.counter("global_bytes_moved"));
                assert!((predicted - counted).abs() < 0.5, "{point}: {predicted} and {counted}");
            }
        }
    }
}

#[test]
fn conflict_degrees_are_what_simulated_devices_count() {
    for profile in ["h200", "gtx280"] {
        for variant in FAMILY.variants {
            if profile != "h200" && variant.since > (1, 3) {
                continue;
            }
            let whole_sectors = variant.name == "whole_sectors";
            // Whole sectors are moved word by word where rows are none.
            let odd = if whole_sectors { &[(68, 32, 4)][..] } else { &[] };
            for &(width, tile, rows) in [(64, 16, 1), (64, 16, 8), (64, 32, 4)].iter().chain(odd) {
                let parameters = [("width", width.into()), ("tile", tile.into()), ("rows_per_thread", rows.into())];
                let run = Simulated::run(profile, &FAMILY, variant.name, &parameters);
                // Of 16 bytes a lane, quarter-warps are served one after the other.
                let is_of_quads = variant.name == "shared_vectorised" || whole_sectors && width == 64;
                let least = if is_of_quads { 4.0 } else { 1.0 };
                let loads = run.counter("shared_load_requests");
                let measured = run.counter("shared_load_passes") / (least * loads.max(1.0));
                let predicted = run.predictor("conflict_degree");
                let point = format!("{profile} {} {width} {tile} {rows}", variant.name);
                assert!((predicted - measured).abs() < 1e-9, "{point}: {predicted} and {measured}");
                let remedied = ["shared_swizzled", "shared_vectorised"].contains(&variant.name);
                assert!(!remedied || run.counter("bank_conflicts").abs() < 1e-9, "{point}");
            }
        }
    }
}

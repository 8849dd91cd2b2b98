use apbench::family::data_layout::{FAMILY, PTX};

use super::{Simulated, count, entry};

const PROFILES: [&str; 3] = ["h200", "gtx280", "8500gt"];

#[test]
fn structures_in_place_are_read_and_written_a_word_at_a_time() {
    for used in 1..=8 {
        for layout in ["array_of_structures", "structure_of_arrays"] {
            let instructions = entry(PTX, &format!("data_layout_{layout}_{used}"));
            assert_eq!(count(&instructions, "ld.global.u32"), used, "{layout} {used}: {instructions:#?}");
            assert_eq!(count(&instructions, "st.global.u32"), used, "{layout} {used}");
            assert_eq!(count(&instructions, "ld.global"), used, "{layout} {used}");
            assert_eq!(count(&instructions, "st.global"), used, "{layout} {used}");
            assert_eq!(count(&instructions, "add.s32"), used, "{layout} {used}: as many sums");
            assert!(instructions.len() < 30 + 8 * used, "bookkeeping drowns the pattern: {instructions:#?}");
        }
    }
}

#[test]
fn staged_structures_are_complete_in_shared_memory_before_they_are_used_and_written() {
    for fields in 1..=8 {
        let instructions = entry(PTX, &format!("data_layout_staged_{fields}"));
        let places = |opcode: &str| -> Vec<usize> {
            let lines = instructions.iter().enumerate();
            lines.filter(|(_, line)| line.contains(opcode)).map(|(place, _)| place).collect()
        };
        let [loads, stores, barriers] = ["ld.global.u32", "st.global.u32", "bar.sync"].map(places);
        assert_eq!((loads.len(), stores.len(), barriers.len()), (fields, fields, 2), "{fields} fields");
        assert!(*loads.last().unwrap() < barriers[0] && barriers[1] < stores[0], "{fields} fields");
        let [shared_loads, shared_stores] = ["ld.shared.u32", "st.shared.u32"].map(places);
        let between =
            |places: &[usize]| places.iter().filter(|place| (barriers[0]..barriers[1]).contains(place)).count();
        assert_eq!((between(&shared_loads), between(&shared_stores)), (fields, fields), "{fields} fields");
        assert_eq!((shared_loads.len(), shared_stores.len()), (2 * fields, 2 * fields), "{fields} fields");
    }
}

/// All that a point moves, also where the last warp and the last block are not full.
#[test]
fn predictors_are_what_simulated_devices_count() {
    for profile in PROFILES {
        for variant in FAMILY.variants {
            for (fields, used, elements, block) in [
                (1, 1, 640, 64),
                (3, 3, 1000, 256),
                (3, 1, 999, 128),
                (4, 4, 512, 96),
                (6, 5, 333, 64),
                (8, 8, 256, 128),
                (8, 1, 77, 32),
            ] {
                let parameters = [
                    ("fields", fields.into()),
                    ("fields_used", used.into()),
                    ("elements", elements.into()),
                    ("block", block.into()),
                ];
                let run = Simulated::run(profile, &FAMILY, variant.name, &parameters);
                let point = format!("{profile} {} {fields} {used} {elements} {block}", variant.name);
                let measured = run.counter("global_load_transactions") / run.counter("global_load_requests");
                let predicted = run.predictor("sectors_per_request");
                assert!((predicted - measured).abs() < 1e-9, "{point}: {predicted} and {measured}");
                let (predicted, counted) = (run.predictor("bytes_moved"), run.counter("global_bytes_moved"));
                assert!((predicted - counted).abs() < 0.5, "{point}: {predicted} and {counted}");
                let useful = 8.0 * f64::from(used as i32) * f64::from(elements as i32) / counted;
                assert!((run.predictor("useful_share") - useful).abs() < 1e-9, "{point}");
            }
        }
    }
}

/// Of full warps that use every field, half of the loads are of fields and half of neighbouring words.
#[test]
fn conflict_degrees_are_what_simulated_devices_count() {
    for profile in PROFILES {
        for fields in 1..=8 {
            for variant in FAMILY.variants {
                let parameters = [("fields", fields.into()), ("fields_used", fields.into()), ("elements", 512.into())];
                let run = Simulated::run(profile, &FAMILY, variant.name, &parameters);
                let point = format!("{profile} {} {fields} fields", variant.name);
                let degree = run.predictor("conflict_degree");
                let (passes, requests) = (run.counter("shared_load_passes"), run.counter("shared_load_requests"));
                if degree > 0.0 {
                    assert!((passes - requests / 2.0 * (degree + 1.0)).abs() < 1e-9, "{point}: {passes} of {requests}");
                } else {
                    assert!(requests.abs() < 1e-9, "{point}");
                }
                let conflicts = run.counter("bank_conflicts");
                let expected = variant.name == "staged_through_shared" && fields % 2 == 0;
                assert_eq!(conflicts > 0.0, expected, "{point}: {conflicts} conflicts");
            }
        }
    }
}

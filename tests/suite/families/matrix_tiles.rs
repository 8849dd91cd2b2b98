use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::matrix_tiles::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry};

const MIB: i64 = 1 << 20;
const VARIANTS: [&str; 4] = ["loads", "async_copies", "row_copies", "tile_copies"];

/// A point of a simulated H200 whose matrix stays in L2.
fn run<'a>(variant: &str, row_bytes: i64, tile_rows: i64, more: &[(&'a str, Value)]) -> Simulated {
    let mut parameters: Vec<(&'a str, Value)> = vec![
        ("row_bytes", row_bytes.into()),
        ("tile_rows", tile_rows.into()),
        ("set_bytes", (16 * MIB).into()),
        ("read_bytes", (16 * MIB).into()),
    ];
    parameters.extend(more.iter().cloned());
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn each_way_has_its_own_instructions() {
    let instructions = |name: &str| entry(PTX, &format!("matrix_tiles_{name}"));
    for (name, copy, copies) in [
        ("loads", "ld.global.cg.v4.u32", 8),
        ("async_copies_2_stages", "cp.async.cg.shared.global", 2),
        ("row_copies", "cp.async.bulk.shared::cluster.global", 2),
        ("tile_copies", "cp.async.bulk.tensor.2d", 2),
    ] {
        let own = instructions(name);
        assert!(count(&own, copy) >= copies, "{name}");
        let others = ["ld.global", "cp.async.cg", "cp.async.bulk.shared", "cp.async.bulk.tensor"];
        let others = others.into_iter().filter(|other| !copy.starts_with(other));
        assert!(others.into_iter().all(|other| count(&own, other) == 0), "{name}");
    }
}

#[test]
fn gpus_without_the_instructions_refuse_them_with_the_reason() {
    let refusal = |profile: &str, name: &str| {
        let device = Sim::open(Profile::load(profile).unwrap());
        let variant = FAMILY.variants.iter().find(|own| own.name == name).unwrap();
        variant.refusal(device.properties())
    };
    assert_eq!(refusal("gtx280", "loads").unwrap(), "loads needs compute capability 2.0 and not 1.3");
    assert_eq!(refusal("a100", "tile_copies").unwrap(), "tile_copies needs compute capability 9.0 and not 8.0");
    assert!(VARIANTS.iter().all(|name| refusal("h200", name).is_none()));
}

/// Rows of 32, 64 and 128 bytes begin in four, two and one place of the banks, so eight pieces of a column take 2, 4 and 8 passes. A swizzle has
/// them in as many passes as pieces of a row (PTX ISA, "Swizzling Modes").
#[test]
fn columns_of_a_tile_conflict_unless_it_is_swizzled() {
    let passes = |variant: &str, row_bytes: i64, layout: &str, reading: &str| {
        run(variant, row_bytes, 64, &[("layout", layout.into()), ("reading", reading.into())])
            .counter("shared_load_passes")
    };
    for (row_bytes, degree) in [(32, 2.0), (64, 4.0), (128, 8.0)] {
        let rows = passes("async_copies", row_bytes, "rows", "rows");
        let ratio = passes("async_copies", row_bytes, "rows", "columns") / rows;
        // The sums of the threads, at the end, are read as well, without conflicts.
        assert!(ratio > 0.95 * degree && ratio <= degree, "{row_bytes}: {ratio}");
        let swizzled = passes("async_copies", row_bytes, "swizzled", "columns") / rows;
        assert!((swizzled - 1.0).abs() < 0.01, "{row_bytes}: {swizzled}");
        // Bulk copies wait at barriers in shared memory, which are read as well, and never conflict.
        let conflicts = |layout: &str, reading: &str| {
            run("tile_copies", row_bytes, 64, &[("layout", layout.into()), ("reading", reading.into())])
                .counter("bank_conflicts")
        };
        assert_eq!([conflicts("rows", "rows"), conflicts("swizzled", "columns")], [0.0; 2], "{row_bytes}");
        assert!(conflicts("rows", "columns") > 0.9 * (degree - 1.0) * rows, "{row_bytes}");
    }
}

/// A bulk copy for each row holds its warp up; one for the tile does not.
#[test]
fn bulk_copies_of_rows_take_longer_the_more_rows_there_are() {
    let time_us = |variant: &str, row_bytes: i64| run(variant, row_bytes, 64, &[]).time_us;
    let [short, long] = [32, 512].map(|row_bytes| time_us("row_copies", row_bytes) / time_us("tile_copies", row_bytes));
    assert!(short > 1.1 && long < short, "{short} {long}");
}

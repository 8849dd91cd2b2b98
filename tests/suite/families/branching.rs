use std::collections::HashSet;

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::branching::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

/// What comes before the operation in the names of the kernels that have a switch.
const SWITCHES: [&str; 3] = ["branching", "branching_static_reordering", "branching_dynamic_reordering"];

#[test]
fn each_integer_case_is_a_loop_of_sixteen_multiply_adds_of_its_own() {
    for kernel in SWITCHES {
        let loops = loops(&entry(PTX, &format!("{kernel}_compute_integer")));
        assert_eq!(loops.len(), 32, "{kernel}");
        let mut constants = HashSet::new();
        for body in &loops {
            assert_eq!(count(body, "mad.lo.u32"), 16, "{body:#?}");
            assert!(body.len() < 16 + 2 * 16 + 8, "bookkeeping drowns the pattern: {body:#?}");
            let of_body: HashSet<&str> = body
                .iter()
                .filter(|line| line.starts_with("mad.lo.u32"))
                .map(|line| line.splitn(3, ',').nth(2).unwrap())
                .collect();
            assert_eq!(of_body.len(), 1, "{body:#?}");
            constants.extend(of_body);
        }
        assert_eq!(constants.len(), 32, "two cases share their constants and may be merged");
    }
}

#[test]
fn each_float_case_is_a_loop_of_sixteen_multiply_adds() {
    for kernel in SWITCHES {
        let loops = loops(&entry(PTX, &format!("{kernel}_compute_float")));
        assert_eq!(loops.len(), 32, "{kernel}");
        assert!(loops.iter().all(|body| count(body, "fma.rn.f32") == 16));
    }
}

#[test]
fn each_convolution_case_loads_its_neighbourhood_in_every_pass() {
    for kernel in SWITCHES {
        let instructions = entry(PTX, &format!("{kernel}_convolution_integer"));
        let passes: Vec<_> =
            loops(&instructions).into_iter().filter(|body| count(body, "ld.volatile.shared.u32") > 0).collect();
        assert_eq!(passes.len(), 32, "{kernel}");
        assert!(passes.iter().all(|body| count(body, "ld.volatile.shared.u32") == 9));
    }
    let instructions = entry(PTX, "branching_convolution_integer");
    let barrier = instructions.iter().position(|line| line.starts_with("bar.sync")).expect("the barrier");
    let first_load = instructions.iter().position(|line| line.starts_with("ld.volatile.shared")).unwrap();
    let last_store = instructions.iter().rposition(|line| line.starts_with("st.shared")).unwrap();
    assert!(last_store < barrier && barrier < first_load, "the tile is complete before it is read");
}

#[test]
fn a_table_has_one_body_whose_constants_are_looked_up_before() {
    for (operation, multiply_add, in_body, constants) in [
        ("compute_integer", "mad.lo.u32", 16, 2),
        ("compute_float", "fma.rn.f32", 16, 3),
        ("convolution_integer", "mad.lo.s32", 9, 9),
    ] {
        let instructions = entry(PTX, &format!("branching_table_lookup_{operation}"));
        let with_body = |body: &Vec<&str>| count(body, multiply_add) >= in_body;
        let bodies: Vec<_> = loops(&instructions).into_iter().filter(with_body).collect();
        let [body] = bodies.as_slice() else { panic!("{operation} has {} bodies", bodies.len()) };
        assert_eq!(count(body, multiply_add), in_body, "{body:#?}");
        assert_eq!(count(body, "ld.shared"), 0, "constants are looked up in every step: {body:#?}");
        assert_eq!(count(&instructions, "ld.shared"), constants, "{operation}");
    }
}

#[test]
fn only_the_dynamic_order_is_made_with_atomics() {
    let atomics = |kernel: &str| {
        let instructions = entry(PTX, kernel);
        count(&instructions, "atom.shared") + count(&instructions, "red.shared")
    };
    for operation in ["compute_integer", "compute_float", "convolution_integer"] {
        for (kernel, expected) in [
            ("branching", 0),
            ("branching_table_lookup", 0),
            ("branching_static_reordering", 0),
            ("branching_dynamic_reordering", 2),
        ] {
            assert_eq!(atomics(&format!("{kernel}_{operation}")), expected, "{kernel}_{operation}");
        }
    }
}

#[test]
fn a_warp_diverges_once_for_each_branch_beyond_the_first() {
    for branches in [1_i64, 2, 7, 32] {
        let run = Simulated::run("h200", &FAMILY, "divergent", &[("branches", branches.into()), ("width", 64.into())]);
        assert!((run.predictor("branches_per_warp") - branches as f64).abs() < 1e-12);
        let warps = 64.0 * 64.0 / 32.0;
        assert_eq!(run.counter("divergent_branches") > 0.0, branches > 1, "{branches} branches");
        assert!(run.counter("divergent_branches") <= warps * branches as f64);
        assert!(run.time_us > 0.0);
    }
}

/// Warps that have an element.
fn warps(variant: &str, width: u64, block: u64) -> f64 {
    if !variant.ends_with("reordering") {
        return (width * width.div_ceil(32)) as f64;
    }
    let rows = block / 32;
    let extents = |step: u64| (0..width).step_by(step as usize).map(move |first| step.min(width - first));
    extents(rows).flat_map(|rows| extents(32).map(move |columns| (rows * columns).div_ceil(32))).sum::<u64>() as f64
}

/// What a counter grows by for each step of the first branch, summed over the warps: from two amounts of work, so that all
/// that does not depend on the work cancels out. With the predictors.
fn counted_of_a_step(profile: &str, variant: &str, counter: &str, parameters: &[(&str, Value)]) -> (f64, Simulated) {
    let [less, more] = [2_i64, 5].map(|work| {
        let parameters = [parameters, &[("work", work.into())]].concat();
        Simulated::run(profile, &FAMILY, variant, &parameters)
    });
    ((more.counter(counter) - less.counter(counter)) / 3.0, more)
}

/// What a warp executes of the bodies is the work that the predictor says: in multiply-adds, or in the loads of a convolution
/// (one of whose weights is 1, so that it has a multiplication less).
#[test]
fn the_work_that_warps_follow_is_that_foretold() {
    for (operation, counter, least, width, block) in [
        ("compute", "multiply_instructions", 16.0, 64_i64, 256_i64),
        ("convolution", "shared_instructions", 9.0, 77, 96),
    ] {
        for (profile, points) in
            [("h200", [(1_i64, "equal"), (3, "ascending"), (32, "equal")].as_slice()), ("gtx280", &[(5, "ascending")])]
        {
            let of_warp = |variant: &str, branches: i64, work_per_branch: &str| {
                let parameters = [
                    ("operation", operation.into()),
                    ("width", width.into()),
                    ("block", block.into()),
                    ("branches", branches.into()),
                    ("work_per_branch", work_per_branch.into()),
                ];
                let (sum, run) = counted_of_a_step(profile, variant, counter, &parameters);
                (sum / warps(variant, width.unsigned_abs(), block.unsigned_abs()), run)
            };
            let (step, _) = of_warp("divergent", 1, "equal");
            assert!(step >= least, "{counter} {step} of a step of {operation}");
            for &(branches, work_per_branch) in points {
                for variant in FAMILY.variants.iter().map(|variant| variant.name) {
                    let (counted, run) = of_warp(variant, branches, work_per_branch);
                    let foretold = run.predictor("followed_work");
                    let counted = counted / step;
                    let point = format!("{profile} {variant} {operation} branches={branches} {work_per_branch}");
                    assert!((counted - foretold).abs() < 1e-9, "{point}: {counted} and not {foretold}");
                    let equal = (foretold - run.predictor("branches_per_warp")).abs() < 1e-12;
                    assert!(work_per_branch == "ascending" || equal, "{point}");
                }
            }
        }
    }
}

#[test]
fn reordering_spares_branches() {
    let branches = |variant: &str| {
        let run = Simulated::run("h200", &FAMILY, variant, &[("branches", 32.into()), ("width", 64.into())]);
        (run.predictor("branches_per_warp"), run.counter("divergent_branches"))
    };
    let (divergent, table, ahead, now) = (
        branches("divergent"),
        branches("table_lookup"),
        branches("static_reordering"),
        branches("dynamic_reordering"),
    );
    for (foretold, by_hand) in [(divergent.0, 32.0), (table.0, 1.0), (ahead.0, 4.0), (now.0, 4.0)] {
        assert!((foretold - by_hand).abs() < 1e-12, "{foretold} and not {by_hand}");
    }
    assert!(table.1 < ahead.1 && ahead.1 < divergent.1 / 4.0 && now.1 < divergent.1 / 4.0);
}

#[test]
fn atomics_on_shared_memory_are_asked_for() {
    for (profile, refused) in [("8500gt", vec!["dynamic_reordering"]), ("gtx280", vec![]), ("h200", vec![])] {
        let device = Sim::open(Profile::load(profile).unwrap());
        let refuses = |variant: &&apbench::family::Variant| variant.refusal(device.properties()).is_some();
        let names: Vec<&str> = FAMILY.variants.iter().filter(refuses).map(|variant| variant.name).collect();
        assert_eq!(names, refused, "{profile}");
    }
    for variant in ["divergent", "table_lookup", "static_reordering"] {
        Simulated::run("8500gt", &FAMILY, variant, &[("width", 33.into()), ("branches", 7.into())]);
    }
}

#[test]
fn the_branching_kernels_need_few_registers() {
    let module = ptx_syntax::parse(PTX.texts()[0]).expect("it reads");
    let kernels: Vec<&str> = module
        .items
        .iter()
        .filter_map(|item| match item {
            ptx_syntax::module::Item::Function(function) if function.entry => Some(function.name.as_str()),
            _ => None,
        })
        .collect();
    assert!(!kernels.is_empty());
    for name in kernels {
        let kernel = gpu_simulator::Kernel::decode(&module, name).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let registers = kernel.registers().per_thread;
        assert!(registers <= 64, "{name}: {registers}");
    }
}

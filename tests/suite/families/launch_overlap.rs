use apbench::device::cuda::Feature;
use apbench::family::launch_overlap::{FAMILY, PTX};
use apbench::kernel::embedded_module;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

const VARIANTS: [&str; 7] =
    ["stream", "graph", "dependent", "dependent_early", "dependent_graph", "conditional", "cooperative"];

fn run(variant: &str, chain_launches: i64, preamble: i64, work: i64, blocks: i64) -> Simulated {
    let parameters = [
        ("chain_launches", chain_launches.into()),
        ("preamble_multiply_adds", preamble.into()),
        ("multiply_adds", work.into()),
        ("launched_blocks", blocks.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

/// What a further launch adds on a simulated H200, in microseconds.
fn boundary_us(variant: &str, preamble: i64, work: i64, blocks: i64) -> f64 {
    (run(variant, 12, preamble, work, blocks).time_us - run(variant, 4, preamble, work, blocks).time_us) / 8.0
}

#[test]
fn the_preamble_stands_before_the_wait_and_the_load_behind_it() {
    for kernel in ["step", "dependent_step", "dependent_early_step", "conditional_step", "cooperative"] {
        let instructions = entry(PTX, &format!("launch_overlap_{kernel}"));
        // Of ten multiply-adds and of one, before the load and behind it; the cooperative kernel has them in loops over turns and words.
        let chains: Vec<usize> = loops(&instructions).iter().map(|body| count(body, "mad.lo.u32")).collect();
        assert!([1, 10].iter().all(|own| chains.iter().filter(|count| *count == own).count() >= 2), "{chains:?}");
    }
    for (kernel, signals) in [("dependent_step", 0), ("dependent_early_step", 1)] {
        let instructions = entry(PTX, &format!("launch_overlap_{kernel}"));
        let place = |start: &str| instructions.iter().position(|line| line.starts_with(start)).expect(start);
        let [preamble, wait, load] = ["mad.lo.u32", "griddepcontrol.wait", "ld.global"].map(place);
        assert!(preamble < wait && wait < load, "{instructions:#?}");
        let before: Vec<usize> = loops(&instructions[..wait]).iter().map(|body| count(body, "mad.lo.u32")).collect();
        assert_eq!(before, [10, 1], "{instructions:#?}");
        assert_eq!(count(&instructions, "griddepcontrol.launch_dependents"), signals);
        assert!(signals == 0 || place("griddepcontrol.launch_dependents") < preamble, "{instructions:#?}");
    }
}

/// So drivers without conditional nodes load all other kernels.
#[test]
fn only_the_module_of_the_conditional_step_calls_what_older_drivers_do_not_have() {
    let module = |entry: &str| embedded_module(PTX.text_of(entry, (9, 0)).unwrap()).unwrap();
    let conditional = module("launch_overlap_conditional_step");
    assert_eq!((conditional.version, conditional.kernels.len()), ((8, 3), 1));
    assert!(conditional.text.contains("cudaGraphSetConditional"));
    for own in ["step", "dependent_step", "cooperative"] {
        let module = module(&format!("launch_overlap_{own}"));
        assert!(module.version < (8, 0) && !module.text.contains("cudaGraphSetConditional"), "{own}");
    }
    assert!(Feature::ConditionalNodes.without().contains("skipped"));
}

#[test]
fn launches_and_turns_are_what_the_simulated_device_counts() {
    for variant in VARIANTS {
        let run = run(variant, 7, 20, 11, 3);
        let launches = if variant == "cooperative" { 1.0 } else { 7.0 };
        assert_eq!((run.counter("blocks"), run.predictor("launches")), (3.0 * launches, launches), "{variant}");
        assert_eq!(run.predictor("boundaries"), 6.0, "{variant}");
        // Four warps of three blocks store their words, and in a loop of the device the number of the turn.
        let stores = if variant == "conditional" { 168.0 } else { 84.0 };
        assert_eq!(run.counter("global_store_requests"), stores, "{variant}");
    }
}

#[test]
fn boundaries_take_what_the_profile_says_of_launching() {
    let profile = Profile::load("h200").unwrap();
    let [stream, graph, dependent, in_graph, conditional] =
        ["stream", "graph", "dependent", "dependent_graph", "conditional"].map(|variant| boundary_us(variant, 0, 0, 1));
    let kernel_us = stream - profile.launch_in_stream_us;
    assert!((0.2..1.0).contains(&kernel_us), "{kernel_us} µs in the kernel");
    assert!((graph - profile.launch_in_graph_us - kernel_us).abs() < 1e-6, "{stream} and {graph} µs");
    let of_dependent = profile.launch_dependent_us + kernel_us;
    assert!((dependent - of_dependent).abs() < 0.02, "{dependent} and {of_dependent} µs");
    let in_graph_us = profile.dependent_launches.graph_interval_us;
    assert!((in_graph - in_graph_us).abs() < 0.02, "{in_graph} and {in_graph_us} µs");
    let of_turn = profile.launch_conditional_us + kernel_us;
    assert!((conditional - of_turn).abs() < 0.3, "{conditional} and {of_turn} µs");
}

#[test]
fn a_preamble_is_hidden_where_the_launch_before_lets_it_begin_and_there_is_room() {
    for work in [0, 400] {
        let added_us = |variant| boundary_us(variant, 1000, work, 1) - boundary_us(variant, 0, work, 1);
        let preamble_us = added_us("stream");
        assert!(preamble_us > 2.0, "{preamble_us} µs");
        for variant in ["graph", "dependent", "cooperative"] {
            assert!((added_us(variant) / preamble_us - 1.0).abs() < 0.05, "{variant}: {} µs", added_us(variant));
        }
        // What loads the number of the turn is on its way meanwhile, which takes a load from L2 at most.
        let hidden_us = preamble_us - added_us("conditional");
        assert!((0.0..0.4).contains(&hidden_us), "{hidden_us} µs");
        for variant in ["dependent_early", "dependent_graph"] {
            assert!(added_us(variant).abs() < 0.02 * preamble_us, "{variant}: {} µs", added_us(variant));
        }
    }
}

/// 16 blocks of 128 threads are resident on each of 132 multiprocessors.
#[test]
fn nothing_is_hidden_where_a_launch_fills_the_device() {
    let time_us = |variant, blocks| run(variant, 3, 300, 0, blocks).time_us;
    let ratio = |blocks| time_us("dependent_early", blocks) / time_us("dependent", blocks);
    assert!(ratio(132) < 0.95, "{}", ratio(132));
    assert!((ratio(2000) - 1.0).abs() < 0.01, "{}", ratio(2000));
}

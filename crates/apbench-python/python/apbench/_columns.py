"""What the columns of the program's files hold: kinds and units by name.

The pages ``docs/src/reference/columns.md`` and ``families.md`` have every column; a test compares them with this file. A
parameter or predictor of one name has one kind in all families, but for ``tile``, which is a number or ``"256x16"``: it is
not here, so that its cells decide.
"""

from __future__ import annotations

from typing import Optional, Union

#: What a column holds, beside ``None``.
Kind = Union[type[int], type[float], type[bool], type[str]]

_TEXTS = """
    variant status reason origin stopped_by cache flags profile bound throttle_reasons fit model parameter unit verdict
    predictor interval_method runners_up run standing label basis base_status why table family figure device source
    parameters rung kind removes problem arithmetic exchange finish frequency operation ordering spread transfer weights
    work_per_branch outputs_checked scenario scenario_names sizes gpu point_name counter instruction store data
    element answer layout reading memory sharers scope aggregation place loads_are input
"""

_COUNTS = """
    point samples bytes operations rounds blocks blocks_executed blocks_timed blocks_per_sm ptx_instructions
    warp_instructions thread_instructions integer_instructions multiply_instructions float_instructions
    double_instructions special_instructions control_instructions barrier_instructions exchange_instructions
    shared_instructions global_instructions local_instructions constant_instructions atomic_instructions
    other_instructions branch_instructions divergent_branches global_load_requests global_load_transactions
    global_store_requests global_store_transactions global_atomic_requests global_atomic_transactions
    global_bytes_moved global_bytes_asked shared_load_requests shared_load_passes shared_store_requests
    shared_store_passes shared_atomic_requests shared_atomic_passes bank_conflicts local_requests local_transactions
    block_barriers atomic_serialisations round sample order repeats n compared_rounds rounds_needed points
    addresses block block_height block_width branches chunks copies elements elements_per_thread fields fields_used
    interval loads_in_flight multiply_adds offset repetitions resident_blocks rows rows_per_thread
    staying_blocks steps steps_per_launch streams stride threads threshold trapezoids warp_limit width word_bytes work
    order_pairs scenarios slowdowns timing_model hw_shared_load_wavefronts hw_shared_store_wavefronts
    hw_bank_conflicts hw_branch_targets hw_divergent_branch_targets hw_l1_load_hit_sectors hw_l2_read_sectors
    hw_l2_read_hit_sectors hw_l2_write_sectors hw_elapsed_cycles hw_dram_read_bytes hw_dram_write_bytes loads
    set_bytes stride_bytes chains instructions launched_blocks waits read_bytes energy_passes device_cycles
    offset_bytes additions chain_launches work_blocks shared_bytes row_bytes fragments stores
    cluster_blocks words_per_thread bins tile_bytes stages hot_bytes stream_bytes passes kept_pct accesses
    prefetch_distance preamble_multiply_adds tile_rows
"""

_NUMBERS = """
    waves_per_sm active_lanes estimate low high r2 lack_of_fit_p value ratio ratio_robust ratio_per_clock
    ratio_per_multiprocessor ratio_per_bandwidth over_first step_speedup cumulative_speedup atomics barriers
    barriers_per_tile branches_per_warp bytes_asked bytes_moved bytes_per_element conflict_degree divergent_warp_steps
    downloaded_bytes elements_per_address followed_work global_atomics grid_barriers grid_blocks lanes_per_address lanes_used
    launches load_passes occupancy read_sectors_per_request redundancy resident_warps sectors_per_request
    shared_atomics synchronisations tree_load_passes uploaded_bytes useful_share warp_steps waves
    write_sectors_per_request rank_correlation base other places cached_bytes instructions_per_thread
    chains_in_flight warps_per_block bytes_in_flight slice_bytes additions_of_warps
    threads_per_word accesses_per_wait
    groups waiting_threads block_bytes result_atomics counting_blocks shared_words tiles
    footprint_bytes asked_pieces_per_load boundaries multiply_adds_between copied_rows
"""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(_TEXTS.split(), str),
    **dict.fromkeys(_COUNTS.split(), int),
    **dict.fromkeys(_NUMBERS.split(), float),
    "scaled": bool,
}

#: Units by the end of a column's name; the first that fits counts. All but those in bytes are numbers.
_ENDS = (
    ("_us", "µs"),
    ("gb_per_s", "10^9 bytes/s"),
    ("gop_per_s", "10^9 operations/s"),
    ("_mj", "mJ"),
    ("_mhz", "MHz"),
    ("_pct", "%"),
    ("_bytes", "bytes"),
    ("bytes_moved", "bytes"),
    ("bytes_asked", "bytes"),
    ("_s", "s"),
    ("_w", "W"),
    ("_c", "°C"),
)


def kind(name: str) -> Optional[Kind]:
    """What a column of the program's files holds, or ``None`` where its name does not say."""
    inner = _without_interval(name)
    if inner in _KINDS:
        return _KINDS[inner]
    return float if unit(inner) not in (None, "bytes") else None


def unit(name: str) -> Optional[str]:
    """The unit that a column's name says, or ``None`` for counts, ratios and texts."""
    if name == "bytes":
        return "bytes"
    inner = _without_interval(name)
    return next((unit for end, unit in _ENDS if inner.endswith(end)), None)


def _without_interval(name: str) -> str:
    """The column whose interval a column has an end of: ``time_us`` for ``time_us_low``."""
    for end in ("_low", "_high"):
        if name.endswith(end):
            return name[: -len(end)]
    return name

//! Bandwidths.

/// A bandwidth: what it has taken leaks out at a fixed rate.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    cycles_per_byte: f64,
    /// Cycle at which it is empty.
    pub(super) empty_cycle: f64,
    pub(super) busy_cycles: f64,
    /// The line that was moved last.
    pub(super) line: u64,
    /// Access that came last, and how long it waits.
    turn: u64,
    wait_cycles: f64,
}

impl Bucket {
    /// An empty bucket; without a bandwidth it takes everything at once.
    pub(super) fn new(bytes_per_cycle: f64) -> Self {
        let cycles_per_byte = if bytes_per_cycle > 0.0 { bytes_per_cycle.recip() } else { 0.0 };
        Self { cycles_per_byte, empty_cycle: 0.0, busy_cycles: 0.0, line: u64::MAX, turn: 0, wait_cycles: 0.0 }
    }

    /// Takes some of the bytes of the access `turn`, and gives the backlog that this access found, in cycles.
    pub(super) fn take(&mut self, turn: u64, now: f64, bytes: f64) -> f64 {
        if self.turn != turn {
            self.turn = turn;
            self.wait_cycles = (self.empty_cycle - now).max(0.0);
        }
        let cycles = self.cycles_per_byte * bytes;
        self.empty_cycle = self.empty_cycle.max(now) + cycles;
        self.busy_cycles += cycles;
        self.wait_cycles
    }
}

//! Energies by a counter whose board is a formula.

use super::*;

/// A board that draws some power idle and more under load, and a counter that shows its energy of some moments alone.
struct Board {
    now_us: u64,
    period_us: u64,
    idle_w: f64,
    load_w: f64,
    /// When the load began.
    busy_since_us: Option<u64>,
    /// By how much power readings are off, in percent.
    off_pct: f64,
    dead: bool,
}

impl Board {
    fn new(period_us: u64) -> Self {
        Self { now_us: 0, period_us, idle_w: 80.0, load_w: 300.0, busy_since_us: None, off_pct: 0.0, dead: false }
    }
}

/// The board, and launches that take so long.
struct Bench(std::cell::RefCell<Board>, f64);

struct Meter<'a>(&'a Bench);
struct Launches<'a>(&'a Bench);

impl EnergyMeter for Meter<'_> {
    fn energy_mj(&mut self) -> Result<f64, String> {
        let board = self.0.0.borrow();
        let shown_us = if board.dead { 0 } else { board.now_us / board.period_us * board.period_us };
        let busy_us = board.busy_since_us.map_or(0, |since| shown_us.saturating_sub(since));
        Ok((board.idle_w * shown_us as f64 + board.load_w * busy_us as f64) / 1e3)
    }

    fn power_w(&mut self) -> Option<f64> {
        let board = self.0.0.borrow();
        Some((board.idle_w + board.load_w) * (1.0 + board.off_pct / 100.0))
    }

    fn others(&mut self) -> Option<usize> {
        Some(0)
    }

    fn now_s(&self) -> f64 {
        self.0.0.borrow().now_us as f64 / 1e6
    }

    fn pause(&mut self, seconds: f64) {
        self.0.0.borrow_mut().now_us += (seconds * 1e6).round() as u64;
    }
}

impl Load for Launches<'_> {
    fn keep_busy(&mut self) -> Result<f64, DeviceError> {
        let mut board = self.0.0.borrow_mut();
        let now_us = board.now_us;
        let since_us = *board.busy_since_us.get_or_insert(now_us);
        // Whole launches, as a device tells them.
        Ok(((now_us - since_us) as f64 / self.0.1).floor())
    }

    fn finish(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn measured(board: Board, launch_us: f64) -> (EnergyCounter, EnergyReading) {
    let bench = Bench(board.into(), launch_us);
    let counter = EnergyCounter::look(&mut Meter(&bench)).unwrap();
    (counter, measure(&mut Meter(&bench), &mut Launches(&bench), &counter).unwrap())
}

fn near(one: f64, other: f64, pct: f64) -> bool {
    (one / other - 1.0).abs() * 100.0 <= pct
}

#[test]
fn idle_power_is_taken_off_and_the_rest_is_that_of_the_launches() {
    for (period_us, launch_us) in [(20_000, 37.0), (100_000, 5_000.0), (1_000, 700_000.0)] {
        let (counter, reading) = measured(Board::new(period_us), launch_us);
        assert!(near(counter.update_period_ms, period_us as f64 / 1e3, 0.1), "{counter:?}");
        assert!(near(counter.idle_w, 80.0, 0.01) && near(reading.idle_w, 80.0, 0.01), "{counter:?} {reading:?}");
        assert!(near(reading.energy_mj, 300.0 * launch_us / 1e3, 0.3), "{launch_us}: {reading:?}");
        assert!(near(reading.time_us, launch_us, 0.3) && near(reading.power_w, 380.0, 0.01), "{reading:?}");
        assert!(reading.power_apart_pct.unwrap().abs() < 0.01, "{reading:?}");
        assert!(reading.seconds >= 5.0 * counter.window_s() && reading.passes >= 5.0, "{reading:?}");
        let by_power_mj = (reading.power_w - reading.idle_w) * reading.time_us / 1e3;
        assert!(near(by_power_mj, reading.energy_mj, 1e-6), "energy is power times time: {reading:?}");
    }
}

#[test]
fn slow_counters_make_long_windows() {
    let window_s = |update_period_ms| EnergyCounter { update_period_ms, idle_w: 0.0 }.window_s();
    assert!(near(window_s(20.0), 0.4, 1e-9) && near(window_s(100.0), 1.0, 1e-9));
}

#[test]
fn a_power_reading_that_contradicts_the_counter_is_told() {
    let (_, reading) = measured(Board { off_pct: -7.0, ..Board::new(20_000) }, 100.0);
    assert!(near(reading.power_apart_pct.unwrap(), -7.0, 0.1), "{reading:?}");
}

#[test]
fn a_counter_that_stands_still_is_none() {
    let bench = Bench(Board { dead: true, ..Board::new(20_000) }.into(), 100.0);
    let why = EnergyCounter::look(&mut Meter(&bench)).unwrap_err();
    assert_eq!(why, "the counter of energy did not change in 3 s");
}

#[test]
fn cells_are_those_of_the_columns() {
    let (_, reading) = measured(Board::new(20_000), 1000.0);
    let cells = reading.cells();
    assert_eq!(cells.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ENERGY_COLUMNS);
    assert!(cells.iter().all(|(_, cell)| !cell.is_empty()), "{cells:?}");
}

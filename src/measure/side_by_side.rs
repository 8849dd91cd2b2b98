//! Measuring points side by side, on a device that takes as long for one whatever else it does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::agree::{Agreements, Left};
use super::build::build;
use super::group::{End, measure_once, with_error};
use super::session::{GroupOutcome, Session};
use crate::device::{Device, DeviceError};
use crate::record::{Measured, PointRecord, TimeSpent};
use crate::scenario::Point;

/// Device memory that points may need together on any host, since it is the host's. A point that needs more is measured alone.
const TOGETHER_BYTES: u64 = 3 << 30;
/// Of the memory that the host has left, points may need this share together: what they are executed with takes memory too.
const TOGETHER_SHARE: f64 = 0.5;

/// The bytes that points under way need.
struct Room {
    most_bytes: u64,
    taken_bytes: Mutex<u64>,
    left: Condvar,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Room {
    /// That of this host, as much of its memory as is left now.
    fn of_host() -> Self {
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(memory);
        // A container may have less than its host.
        let of_container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
        let left_bytes = system.available_memory().min(of_container);
        let most_bytes = TOGETHER_BYTES.max((left_bytes as f64 * TOGETHER_SHARE) as u64);
        Self { most_bytes, taken_bytes: Mutex::new(0), left: Condvar::new() }
    }

    /// Waits until there is room.
    fn take(&self, bytes: u64) {
        let is_full = |taken: &mut u64| *taken > 0 && *taken + bytes > self.most_bytes;
        let taken = self.left.wait_while(locked(&self.taken_bytes), is_full);
        *taken.unwrap_or_else(PoisonError::into_inner) += bytes;
    }

    fn give_back(&self, bytes: u64) {
        *locked(&self.taken_bytes) -= bytes;
        self.left.notify_all();
    }
}

/// A point that is to be measured.
struct Task<'a> {
    place: usize,
    point: &'a Point,
    record: PointRecord,
    bytes: u64,
    /// Points before it that differ in the variant alone.
    order: usize,
}

impl Session<'_> {
    /// Measures points, each by a thread of its own as long as there are threads. Those that differ in the variant alone follow each other.
    pub(super) fn measure_side_by_side(&mut self, device: &(dyn Device + Sync), points: &[Point]) -> GroupOutcome {
        let started = Instant::now();
        let free_bytes = device.free_bytes();
        let mut ends: Vec<Option<End>> = points.iter().map(|_| None).collect();
        let mut tasks = Vec::new();
        for (place, point) in points.iter().enumerate() {
            let record = self.blank_record(point);
            if let Some(refusal) = self.endless.refusal(point) {
                ends[place] = Some(failed(record, refusal));
                continue;
            }
            match self.foresee(point, &free_bytes).and_then(|()| self.need_bytes(point)) {
                Ok(bytes) => {
                    let same = |other: &&Point| other.parameters == point.parameters;
                    let order = points[..place].iter().filter(same).count();
                    tasks.push(Task { place, point, record, bytes, order });
                }
                Err(error) => ends[place] = Some(failed(record, error)),
            }
        }
        self.measure_tasks(device, tasks, &mut ends);
        self.refuse_larger(points, &mut ends);
        let mut outcome = GroupOutcome { measured: Vec::new(), lost: Vec::new() };
        for (point, end) in points.iter().zip(ends) {
            match end {
                Some(End::Measured(measured)) => outcome.measured.push(*measured),
                Some(End::Lost | End::TooLargeTogether) | None => outcome.lost.push(point.clone()),
            }
        }
        self.spent.total_s += started.elapsed().as_secs_f64();
        outcome
    }

    /// Refuses the points that would not have been run one after the other, whichever threads came to them before it was known that a smaller
    /// one does not end.
    fn refuse_larger(&self, points: &[Point], ends: &mut [Option<End>]) {
        for (point, end) in points.iter().zip(ends) {
            if let Some(refusal) = self.endless.refusal(point) {
                *end = Some(failed(self.blank_record(point), refusal));
            }
        }
    }

    fn measure_tasks(&mut self, device: &(dyn Device + Sync), tasks: Vec<Task<'_>>, ends: &mut [Option<End>]) {
        let began = Instant::now();
        let (settings, family) = (self.settings, self.family);
        let parameters: Vec<String> = tasks.iter().map(|task| task.point.parameters.to_string()).collect();
        let threads = rayon::current_num_threads().clamp(1, tasks.len().max(1));
        let tasks: Vec<Mutex<Option<Task<'_>>>> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
        let clock = Mutex::new(&mut self.tally.clock);
        let (next, room) = (AtomicUsize::new(0), Room::of_host());
        let agreements = Agreements::new(parameters.into_iter());
        let endless = Mutex::new(&mut self.endless);
        let work = || {
            let mut took = TimeSpent::default();
            let mut done = Vec::new();
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some(Task { place, point, record, bytes, order }) = locked(task).take() else { continue };
                if let Some(refusal) = locked(&endless).refusal(point) {
                    agreements.done(&point.parameters.to_string(), None);
                    done.push((place, failed(record, refusal)));
                    continue;
                }
                room.take(bytes);
                let building = Instant::now();
                let built = build(family, std::slice::from_ref(point), device.properties(), settings.seed);
                took.building_s += building.elapsed().as_secs_f64();
                let mut left = None;
                let end = match built.map(|mut workloads| workloads.pop()) {
                    Ok(Some(workload)) => {
                        let once = measure_once(device, &settings, (&workload, record), order, &clock, &mut took);
                        if once.is_endless {
                            locked(&endless).note(point);
                        }
                        let (variant, buffers) = (point.variant.name, workload.buffers);
                        left = once.left.map(|outputs| Left { place, variant, buffers, outputs });
                        once.end
                    }
                    Ok(None) => End::Lost,
                    Err(error) => failed(record, error),
                };
                agreements.done(&point.parameters.to_string(), left);
                room.give_back(bytes);
                done.push((place, end));
            }
            (took, done)
        };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let named = |index: usize| std::thread::Builder::new().name(format!("point {index}"));
            // Where no thread is to be had, this one does it all.
            let others: Vec<_> = (1..threads).map_while(|index| named(index).spawn_scoped(scope, work).ok()).collect();
            let own = work();
            let joined =
                others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(own).chain(joined).collect()
        });
        let mut all = TimeSpent::default();
        for (took, done) in outcomes {
            all.add(&took);
            done.into_iter().for_each(|(place, end)| ends[place] = Some(end));
        }
        for (place, error) in agreements.differing() {
            if let Some(End::Measured(measured)) = ends[place].take() {
                let record = PointRecord { timing: None, ..measured.record };
                let mut differing = Measured::of(with_error(record, &error));
                differing.printed = measured.printed;
                ends[place] = Some(End::Measured(Box::new(differing)));
            }
        }
        // What threads took side by side passed at once.
        let of_threads_s = all.building_s + all.loading_s + all.sampling_s + all.checking_s;
        let share = began.elapsed().as_secs_f64() / of_threads_s.max(f64::MIN_POSITIVE);
        self.spent.building_s += share * all.building_s;
        self.spent.loading_s += share * all.loading_s;
        self.spent.sampling_s += share * all.sampling_s;
        self.spent.checking_s += share * all.checking_s;
    }
}

fn failed(record: PointRecord, error: DeviceError) -> End {
    End::Measured(Box::new(Measured::of(with_error(record, &error.into()))))
}

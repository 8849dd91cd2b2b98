//! A clock that is locked while a sweep measures, by the mock, whose lock is a file: however the sweep ends, the lock is taken back.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use crate::common::{Workspace, column, ended, send, stderr, unwrapped, wait_until};

/// The lock of a workspace's mock.
struct Lock(PathBuf);

impl Lock {
    fn of(workspace: &Workspace) -> Self {
        Self(workspace.path("clock"))
    }

    fn device(&self, more: &str) -> String {
        format!("mock:clock_file={},{more}", self.0.display())
    }

    fn state(&self) -> String {
        fs::read_to_string(&self.0).unwrap_or_default()
    }

    fn is_held(&self) -> bool {
        self.state() == "locked 1500\n"
    }
}

/// A sweep with a locked clock that has measured a point, and goes on.
fn started(workspace: &Workspace, mock: &str) -> (Lock, Child) {
    let lock = Lock::of(workspace);
    let device = lock.device(mock);
    let arguments = ["sweep", "small.toml", "--device", &device, "--out", "run", "--lock-clocks", "1500"];
    let child = workspace.start(&arguments);
    wait_until("the first point", || workspace.rows("run") > 0);
    assert!(lock.is_held(), "{}", lock.state());
    (lock, child)
}

/// The first worker of a sweep.
fn worker(child: &Child) -> String {
    let path = format!("/proc/{0}/task/{0}/children", child.id());
    let of_main = fs::read_to_string(path).unwrap_or_default();
    // The thread that opened the device started it, which may be another than the first one.
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let of_threads = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let all = std::iter::once(of_main).chain(of_threads).collect::<Vec<_>>().join(" ");
    all.split_whitespace().next().unwrap_or_else(|| panic!("no worker")).to_owned()
}

fn sweep(workspace: &Workspace, device: &str, mhz: &str) -> assert_cmd::assert::Assert {
    workspace.apbench(&["sweep", "small.toml", "--device", device, "--out", "run", "--lock-clocks", mhz]).assert()
}

#[test]
fn a_clock_is_locked_while_points_are_measured() {
    let workspace = Workspace::new();
    let lock = Lock::of(&workspace);
    sweep(&workspace, &lock.device(""), "1500").code(0);
    assert_eq!(lock.state(), "free\n");
    assert!(column(&workspace.read("run/points.csv"), "clock_mhz").iter().all(|clock| clock == "1500"));
    let run: serde_json::Value = serde_json::from_str(&workspace.read("run/run.json")).unwrap();
    assert_eq!(run["lock_clocks_mhz"], 1500);
    let guards = run["guards"].as_array().unwrap();
    let guard = guards.iter().find(|guard| guard["guard"] == "locked_clock").unwrap();
    assert_eq!(guard["outcome"], "ok");
    let detail = guard["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("the clock was locked at 1500 MHz; 0 of ") && detail.ends_with("1500 to 1500 MHz"),
        "{detail}"
    );
}

#[test]
fn a_clock_that_is_another_all_the_same_is_flagged() {
    let workspace = Workspace::new();
    let lock = Lock::of(&workspace);
    sweep(&workspace, &lock.device("clock_drop=0"), "1500").code(0);
    let run: serde_json::Value = serde_json::from_str(&workspace.read("run/run.json")).unwrap();
    let guards = run["guards"].as_array().unwrap();
    let guard = guards.iter().find(|guard| guard["guard"] == "locked_clock").unwrap();
    assert_eq!(guard["outcome"], "flagged");
}

#[test]
fn without_the_option_no_clock_is_touched() {
    let workspace = Workspace::new();
    let lock = Lock::of(&workspace);
    workspace.apbench(&["sweep", "small.toml", "--device", &lock.device(""), "--out", "run"]).assert().code(0);
    assert_eq!(lock.state(), "");
    assert!(!workspace.read("run/run.json").contains("lock_clocks_mhz"));
}

#[test]
fn where_it_cannot_be_locked_nothing_is_measured_and_it_is_said_what_to_do() {
    let workspace = Workspace::new();
    let lock = Lock::of(&workspace);
    for (device, mhz, told) in [
        (
            lock.device("clock_refusal=permission"),
            "1500",
            "cannot be locked, that takes an administrator's rights. Run apbench as root",
        ),
        (lock.device("clock_refusal=permission"), "1500", "-lgc 1500,1500"),
        (
            lock.device("clock_refusal=unsupported"),
            "1500",
            "this GPU or its driver does not lock clocks; sweep without --lock-clocks",
        ),
        (lock.device("clock_refusal=lost"), "1500", "cannot be locked, lost"),
        (lock.device(""), "5000", "--lock-clocks 5000: the clock of mock device goes from 300 to 2000 MHz"),
        ("mock:".to_owned(), "1500", "has no clock that can be locked"),
        ("sim:h200".to_owned(), "1500", "has no clock that can be locked"),
    ] {
        let assert = sweep(&workspace, &device, mhz).code(2);
        let said = unwrapped(&stderr(&assert));
        assert!(said.contains(told), "no `{told}` in {said}");
        assert!(!workspace.path("run").exists(), "nothing is measured");
        // A lock of somebody else's is left alone.
        assert_eq!(lock.state(), "");
    }
}

#[test]
fn two_sweeps_do_not_lock_the_clock_of_one_gpu_at_different_clocks() {
    let workspace = Workspace::new();
    let (lock, child) = started(&workspace, "delay_ms=100");
    let other = |mhz: &str, out: &str| {
        let device = lock.device("");
        let arguments = ["sweep", "small.toml", "--device", &device, "--out", out, "--lock-clocks", mhz];
        workspace.apbench(&arguments).assert()
    };
    let said = unwrapped(&stderr(&other("1200", "other").code(2)));
    assert!(
        said.contains("--lock-clocks 1200: another sweep has locked the clock of mock device at 1500 MHz"),
        "{said}"
    );
    assert!(!workspace.path("other").exists() && lock.is_held(), "{}", lock.state());
    send("-INT", &child);
    assert_eq!(ended(child).0.code(), Some(130));
    other("1200", "other").code(0);
}

#[test]
fn an_interrupt_takes_the_lock_back() {
    for signal in ["-INT", "-TERM"] {
        let workspace = Workspace::new();
        let (lock, child) = started(&workspace, "delay_ms=100");
        send(signal, &child);
        let (status, errors) = ended(child);
        assert_eq!(status.code(), Some(130), "{errors}");
        assert_eq!(lock.state(), "free\n");
    }
}

#[test]
fn a_second_interrupt_takes_the_lock_back_while_a_kernel_hangs() {
    let workspace = Workspace::new();
    let (lock, child) = started(&workspace, "hang_at=8");
    wait_until("all but the last point of an operation", || workspace.rows("run") >= 3);
    send("-INT", &child);
    std::thread::sleep(std::time::Duration::from_millis(200));
    send("-INT", &child);
    assert_eq!(ended(child).0.code(), Some(130));
    assert_eq!(lock.state(), "free\n");
}

#[test]
fn a_sweep_that_is_killed_leaves_it_to_its_worker() {
    for mock in ["delay_ms=100", "hang_at=8"] {
        let workspace = Workspace::new();
        let (lock, child) = started(&workspace, mock);
        send("-KILL", &child);
        drop(ended(child));
        wait_until("the worker takes the lock back", || lock.state() == "free\n");
    }
}

#[test]
fn a_worker_that_is_killed_leaves_it_to_the_sweep() {
    let workspace = Workspace::new();
    let (lock, child) = started(&workspace, "delay_ms=100");
    assert!(std::process::Command::new("kill").args(["-KILL", &worker(&child)]).status().unwrap().success());
    // The point that it was at fails, if it was at one; the others are measured by another worker, with the clock locked again.
    let (status, errors) = ended(child);
    assert!(matches!(status.code(), Some(0 | 4)), "{errors}");
    assert_eq!(lock.state(), "free\n");
    let points = workspace.read("run/points.csv");
    let clocks = column(&points, "clock_mhz");
    let measured = column(&points, "status").into_iter().zip(clocks).filter(|(status, _)| status == "ok");
    assert!(measured.map(|(_, clock)| clock).all(|clock| clock == "1500"), "{points}");
}

#[test]
fn a_kernel_that_takes_its_worker_down_does_not_free_the_clock() {
    let workspace = Workspace::new();
    let lock = Lock::of(&workspace);
    sweep(&workspace, &lock.device("abort_at=2"), "1500").code(4);
    assert_eq!(lock.state(), "free\n");
    let points = workspace.read("run/points.csv");
    let clocks = column(&points, "clock_mhz");
    let measured: Vec<String> = column(&points, "status")
        .into_iter()
        .zip(clocks)
        .filter(|(status, _)| status == "ok")
        .map(|(_, clock)| clock)
        .collect();
    assert_eq!(measured, ["1500"; 6]);
}

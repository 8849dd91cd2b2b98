//! A worker as a process: started, asked, listened to, and ended.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::message::{Reply, Request, read_reply, request_line};
use crate::device::clocks::ClockLock;

/// Lines of a worker's standard error that become part of the reason where it dies.
const LAST_WORDS: usize = 3;
/// How long those may take to come once it is dead.
const LAST_WORDS_WAIT: Duration = Duration::from_millis(500);
/// How long a worker may take to end when its input has ended.
const ENDING: Duration = Duration::from_secs(3);
/// How long the operating system may take to end a worker that is killed; a driver can hold it back.
const KILLING: Duration = Duration::from_secs(10);

/// How a worker is started.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Launcher {
    /// This program again, the same file even where another has taken its place since.
    ///
    /// # Errors
    /// When the operating system does not tell where it is.
    pub fn this_program(arguments: &[&str]) -> io::Result<Self> {
        let itself = PathBuf::from("/proc/self/exe");
        let program = if itself.exists() { itself } else { std::env::current_exe()? };
        Ok(Self { program, arguments: arguments.iter().map(|&argument| argument.to_owned()).collect() })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // In a process group of its own, a worker does not get the terminal's Ctrl-C.
            command.arg0("apbench").process_group(0);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// The workers that are alive, to end them all at once.
#[derive(Default)]
pub struct Workers {
    children: Mutex<Vec<Weak<Mutex<Child>>>>,
    ended: AtomicBool,
    /// Locks of clocks that are held for them.
    locks: Mutex<Vec<Weak<Mutex<ClockLock>>>>,
}

impl Workers {
    /// Kills every worker, and those that are started from now on, and takes the locks of clocks back.
    pub fn kill_all(&self) {
        self.ended.store(true, Ordering::SeqCst);
        for child in locked(&self.children).iter().filter_map(Weak::upgrade) {
            let _ = locked(&child).kill();
        }
        for lock in locked(&self.locks).iter().filter_map(Weak::upgrade) {
            let _ = locked(&lock).restore();
        }
    }

    /// Keeps a lock, to take it back when all are killed.
    pub(super) fn add_lock(&self, lock: &Arc<Mutex<ClockLock>>) {
        locked(&self.locks).push(Arc::downgrade(lock));
    }

    /// Whether all were killed.
    pub fn are_killed(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    fn add(&self, child: &Arc<Mutex<Child>>) {
        let mut children = locked(&self.children);
        children.retain(|child| child.strong_count() > 0);
        children.push(Arc::downgrade(child));
        drop(children);
        if self.are_killed() {
            let _ = locked(child).kill();
        }
    }
}

/// What comes from a worker.
enum Event {
    Reply(Box<Reply>),
    Nonsense(String),
    Printed(String),
    Said(String),
    OutputEnded,
    ErrorsEnded,
}

/// Why no reply came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// The process is gone.
    Ended {
        /// How it ended, in words.
        how: String,
        /// What it said last, each line but the first after a semicolon.
        last_words: String,
    },
    /// Nothing came in time.
    TimedOut,
}

/// A worker process.
pub struct Process {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    last_words: VecDeque<String>,
}

impl Process {
    /// Starts a worker.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn start(launcher: &Launcher, workers: &Workers) -> io::Result<Self> {
        let mut child = launcher.command().spawn()?;
        let (sender, events) = mpsc::channel();
        let input = child.stdin.take();
        if let Some(output) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || read_output(output, &sender));
        }
        if let Some(errors) = child.stderr.take() {
            thread::spawn(move || {
                read_lines(errors, |line| sender.send(Event::Said(line)).is_ok());
                let _ = sender.send(Event::ErrorsEnded);
            });
        }
        let child = Arc::new(Mutex::new(child));
        workers.add(&child);
        Ok(Self { child, input, events, last_words: VecDeque::new() })
    }

    /// Whether it has not ended yet.
    pub fn is_alive(&self) -> bool {
        matches!(locked(&self.child).try_wait(), Ok(None))
    }

    /// Tells it something that has no reply.
    pub fn tell(&mut self, request: &Request) {
        if let Ok(line) = request_line(request)
            && let Some(input) = &mut self.input
        {
            // A worker that is gone is noticed by its output.
            let _ = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Asks, and waits for the reply. What is printed meanwhile goes to `printed`.
    ///
    /// # Errors
    /// When no reply comes; the process is no more then.
    pub fn ask(&mut self, request: &Request, timeout: Duration, printed: &mut dyn FnMut(&str)) -> Result<Reply, Loss> {
        self.tell(request);
        let deadline = Instant::now().checked_add(timeout);
        loop {
            let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(left) {
                Ok(Event::Reply(reply)) => return Ok(*reply),
                Ok(Event::Nonsense(problem)) => {
                    self.kill();
                    let how = format!("the worker process gave a reply that cannot be read ({problem})");
                    return Err(Loss::Ended { how, last_words: String::new() });
                }
                Ok(Event::Printed(line)) => printed(&line),
                Ok(Event::Said(line)) => self.said(&line, printed),
                Ok(Event::ErrorsEnded) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.kill();
                    return Err(Loss::TimedOut);
                }
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended(printed)),
            }
        }
    }

    /// How it ended, with its last words.
    fn ended(&mut self, printed: &mut dyn FnMut(&str)) -> Loss {
        let deadline = Instant::now() + LAST_WORDS_WAIT;
        while let Ok(event) = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            match event {
                Event::Said(line) => self.said(&line, printed),
                Event::Printed(line) => printed(&line),
                Event::ErrorsEnded => break,
                _ => {}
            }
        }
        self.input = None;
        let how = match self.wait(ENDING) {
            Some(status) => format!("the worker process ended {}", describe(status)),
            None => "the worker process closed its output".to_owned(),
        };
        self.kill();
        let last_words = std::mem::take(&mut self.last_words).into_iter().collect::<Vec<_>>().join("; ");
        Loss::Ended { how, last_words }
    }

    fn said(&mut self, line: &str, printed: &mut dyn FnMut(&str)) {
        printed(line);
        // That a backtrace could be had is of no use here.
        if !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE") {
            self.last_words.push_back(line.trim().to_owned());
            if self.last_words.len() > LAST_WORDS {
                self.last_words.pop_front();
            }
        }
    }

    /// Waits for its end for some time.
    fn wait(&self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        let mut pause = Duration::from_micros(200);
        loop {
            match locked(&self.child).try_wait() {
                Ok(Some(status)) => return Some(status),
                Err(_) => return None,
                Ok(None) if Instant::now() >= deadline => return None,
                Ok(None) => thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn kill(&self) {
        let _ = locked(&self.child).kill();
        let _ = self.wait(KILLING);
    }
}

impl Drop for Process {
    /// Lets it end by itself, and kills it where it does not.
    fn drop(&mut self) {
        self.input = None;
        if self.wait(ENDING).is_none() {
            self.kill();
        }
    }
}

/// Tells replies from what is printed. Replies begin with a line's end, which is dropped where nothing stands before it.
fn read_output(output: impl Read, sender: &Sender<Event>) {
    let mut blank = false;
    read_lines(output, |line| {
        let was_blank = std::mem::take(&mut blank);
        if let Some(reply) = read_reply(&line) {
            let event = match reply {
                Ok(reply) => Event::Reply(Box::new(reply)),
                Err(error) => Event::Nonsense(error.to_string()),
            };
            return sender.send(event).is_ok();
        }
        if was_blank && sender.send(Event::Printed(String::new())).is_err() {
            return false;
        }
        blank = line.is_empty();
        blank || sender.send(Event::Printed(line)).is_ok()
    });
    let _ = sender.send(Event::OutputEnded);
}

/// Gives every line to `each`, until there are no more or it wants no more.
fn read_lines(input: impl Read, mut each: impl FnMut(String) -> bool) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    while matches!(input.read_until(b'\n', &mut bytes), Ok(length) if length > 0) {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
        bytes.clear();
        if !each(line) {
            return;
        }
    }
}

/// How a process ended: `with status 1`, `by signal 6 (SIGABRT)`.
fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = SIGNALS.iter().find(|(number, _)| *number == signal).map(|(_, name)| format!(" ({name})"));
        return format!("by signal {signal}{}", name.unwrap_or_default());
    }
    match status.code() {
        Some(code) => format!("with status {code}"),
        None => "in an unknown way".to_owned(),
    }
}

/// Signals that have the same number on every Unix.
#[cfg(unix)]
const SIGNALS: [(i32, &str); 9] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL, as where memory runs out"),
    (11, "SIGSEGV"),
    (15, "SIGTERM"),
];

/// What is inside, also where a thread that held it panicked: processes and lists of them are never half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::message::{Refusal, reply_text};

    /// Everything that comes of this output: `r` for a reply, else what is printed.
    fn events(output: &str) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        read_output(output.as_bytes(), &sender);
        drop(sender);
        let told = |event| match event {
            Event::Reply(_) => "r".to_owned(),
            Event::Printed(line) => format!("printed {line}"),
            Event::OutputEnded => "end".to_owned(),
            Event::Nonsense(_) => "nonsense".to_owned(),
            Event::Said(_) | Event::ErrorsEnded => "not of the output".to_owned(),
        };
        receiver.iter().map(told).collect()
    }

    #[test]
    fn replies_and_printed_lines_are_told_apart() {
        let reply = reply_text(&Reply::Refused(Refusal { missing: false, message: "no\nway".to_owned() })).unwrap();
        assert_eq!(events(&reply), ["r", "end"]);
        assert_eq!(
            events(&format!("a{reply}b\n\nc\n{reply}")),
            ["printed a", "r", "printed b", "printed ", "printed c", "r", "end"]
        );
        assert_eq!(events(&format!("{reply}{reply}cut")), ["r", "r", "printed cut", "end"]);
        assert_eq!(events(&reply[..reply.len() - 3]), ["nonsense", "end"]);
    }

    #[cfg(unix)]
    fn shell(script: &str) -> Process {
        let launcher = Launcher { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] };
        Process::start(&launcher, &Workers::default()).unwrap()
    }

    #[cfg(unix)]
    const REQUEST: Request = Request::Open { device: String::new(), counts: false, energy: false };

    #[cfg(unix)]
    #[test]
    fn a_process_that_dies_says_how_and_its_last_words() {
        let mut printed = Vec::new();
        let mut ask = |script: &str| {
            shell(script).ask(&REQUEST, Duration::from_secs(60), &mut |line| printed.push(line.to_owned())).unwrap_err()
        };
        let ended = |how: &str, words: &str| Loss::Ended { how: how.to_owned(), last_words: words.to_owned() };
        assert_eq!(
            ask("echo one >&2; echo two >&2; echo three >&2; echo four >&2; kill -ABRT $$"),
            ended("the worker process ended by signal 6 (SIGABRT)", "two; three; four")
        );
        assert_eq!(ask("echo printed; exit 7"), ended("the worker process ended with status 7", ""));
        assert_eq!(printed, ["one", "two", "three", "four", "printed"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_says_nothing_is_killed() {
        let mut process = shell("trap '' TERM; while :; do sleep 0.01; done");
        let loss = process.ask(&REQUEST, Duration::from_millis(50), &mut |_| {}).unwrap_err();
        assert_eq!(loss, Loss::TimedOut);
        assert!(!process.is_alive());
    }

    #[cfg(unix)]
    #[test]
    fn all_are_killed_at_once_also_those_that_come_later() {
        let launcher = Launcher { program: "/bin/sleep".into(), arguments: vec!["600".to_owned()] };
        let workers = Workers::default();
        let process = Process::start(&launcher, &workers).unwrap();
        assert!(process.is_alive() && !workers.are_killed());
        workers.kill_all();
        assert!(workers.are_killed());
        assert!(process.wait(Duration::from_secs(60)).is_some());
        assert!(Process::start(&launcher, &workers).unwrap().wait(Duration::from_secs(60)).is_some());
    }
}

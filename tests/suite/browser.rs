//! A headless Chromium, driven over its debugging pipe: pages are opened as a reader opens them, unchanged.

use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    pipe: RefCell<ChildStdin>,
    messages: Receiver<Value>,
    calls: Cell<u64>,
    session: RefCell<Option<String>>,
    /// What the browser told beside answers.
    events: RefCell<Vec<Value>>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts a browser of this size, or says that there is none.
    pub(crate) fn start(width: u32, height: u32) -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&paths).flat_map(|folder| names.map(|name| folder.join(name)));
        let Some(program) = found.into_iter().find(|path| path.is_file()) else {
            eprintln!("skipped: there is no Chromium on the PATH");
            return None;
        };
        let profile = tempfile::TempDir::new().unwrap();
        // It reads commands from descriptor 3 and answers on descriptor 4.
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .args(["--no-first-run", "--disable-background-networking", "--force-device-scale-factor=1"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = RefCell::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let browser = Self {
            child,
            pipe,
            messages,
            calls: Cell::new(0),
            session: RefCell::default(),
            events: RefCell::default(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        *browser.session.borrow_mut() = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser.resize(width, height);
        Some(browser)
    }

    fn next(&self) -> Value {
        self.messages.recv_timeout(Duration::from_secs(120)).expect("the browser does not answer")
    }

    /// Calls a method of the debugging protocol.
    pub(crate) fn call(&self, method: &str, parameters: &Value) -> Value {
        let id = self.calls.get() + 1;
        self.calls.set(id);
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &*self.session.borrow() {
            message["sessionId"] = json!(session);
        }
        let mut text = message.to_string().into_bytes();
        text.push(0);
        self.pipe.borrow_mut().write_all(&text).unwrap();
        loop {
            let message = self.next();
            if message["id"] == json!(id) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.borrow_mut().push(message);
        }
    }

    /// Sets the size of the page, in pixels.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Opens a file and waits until it is there.
    pub(crate) fn open(&self, file: &Path) {
        self.events.borrow_mut().clear();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        while !self.events.borrow().iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.next();
            self.events.borrow_mut().push(message);
        }
        self.settle();
    }

    /// Waits until what was asked for is drawn.
    pub(crate) fn settle(&self) {
        self.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(1)), 60))");
    }

    /// The value of an expression in the page, awaited.
    pub(crate) fn evaluate(&self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The same as text.
    pub(crate) fn text(&self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Moves the mouse, or presses or releases its button, at a place of the window.
    pub(crate) fn mouse(&self, kind: &str, x: f64, y: f64, clicks: u32) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": clicks });
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// Presses and releases a key, such as `Enter` or `ArrowRight`.
    pub(crate) fn key(&self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            " " => (32, " "),
            "Escape" => (27, ""),
            "Tab" => (9, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            other => panic!("no code for the key {other}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// What the console was told, exceptions among it, and what was requested beside the page itself.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let events = self.events.borrow();
        let mut complaints = Vec::new();
        for event in events.iter() {
            let about = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.consoleAPICalled" => complaints.push(format!("console: {}", about["args"])),
                "Runtime.exceptionThrown" => complaints.push(format!("exception: {}", about["exceptionDetails"])),
                "Log.entryAdded" => complaints.push(format!("log: {}", about["entry"]["text"])),
                "Network.requestWillBeSent" => {
                    let address = about["request"]["url"].as_str().unwrap_or_default();
                    let is_inside = ["file:", "data:", "blob:"].iter().any(|scheme| address.starts_with(scheme));
                    if !is_inside || (address.starts_with("file:") && about["type"] != "Document") {
                        complaints.push(format!("request: {address}"));
                    }
                }
                _ => {}
            }
        }
        complaints
    }

    /// The page on paper, as a PDF.
    pub(crate) fn print(&self) -> String {
        let answer =
            self.call("Page.printToPDF", &json!({ "paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true }));
        answer["data"].as_str().unwrap_or_default().to_owned()
    }
}

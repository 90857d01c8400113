//! Drives Chromium by its debugging protocol over two named pipes: JSON messages that end with a zero byte.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest time to wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Chromium {
    child: Child,
    commands: File,
    messages: Receiver<Value>,
    folder: PathBuf,
    session: String,
    next: u64,
    /// Errors that pages have reported, and addresses that they have asked for.
    pub(crate) errors: Vec<String>,
    pub(crate) requests: Vec<String>,
}

impl Chromium {
    /// Starts the browser; returns `None` if it is not installed, unless `EXPECT_BROWSER` is set.
    pub(crate) fn start(name: &str) -> Option<Self> {
        if !["/usr/bin/chromium", "/usr/bin/chromium-browser"].iter().any(|path| PathBuf::from(path).exists())
        {
            assert!(std::env::var_os("EXPECT_BROWSER").is_none(), "chromium is not installed");
            return None;
        }
        let folder = std::env::temp_dir().join(format!("captune-browser-{}-{name}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (to, from) = (folder.join("to"), folder.join("from"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        let script = "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
                      --disable-background-networking --disable-component-update --disable-sync \
                      --user-data-dir=\"$0/profile\" --remote-debugging-pipe about:blank 3<\"$0/to\" 4>\"$0/from\"";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = OpenOptions::new().write(true).open(&to).unwrap();
        let answers = BufReader::new(File::open(&from).unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                if send.send(serde_json::from_slice(&message).unwrap_or_default()).is_err() {
                    break;
                }
            }
        });
        let (errors, requests) = (Vec::new(), Vec::new());
        let mut own =
            Self { child, commands, messages, folder, session: String::new(), next: 0, errors, requests };
        let page = own.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = own.call("Target.attachToTarget", json!({ "targetId": page, "flatten": true }));
        own.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            own.call(&format!("{domain}.enable"), json!({}));
        }
        Some(own)
    }

    /// Calls a method and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.commands.write_all(message.to_string().as_bytes()).unwrap();
        self.commands.write_all(&[0]).unwrap();
        loop {
            let message =
                self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            self.note(&message);
            if message["id"] == json!(id) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn note(&mut self, message: &Value) {
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.errors.push(message["params"].to_string()),
            Some("Log.entryAdded") if message["params"]["entry"]["level"] == "error" => {
                self.errors.push(message["params"].to_string());
            }
            Some("Runtime.consoleAPICalled") if message["params"]["type"] == "error" => {
                self.errors.push(message["params"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let address = message["params"]["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(address.to_owned());
            }
            _ => {}
        }
    }

    /// Shows a page with this width and colour scheme.
    pub(crate) fn open(&mut self, address: &str, width: u32, scheme: &str) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        self.call("Page.navigate", json!({ "url": address }));
        self.until("document.readyState === 'complete' && document.querySelector('main') !== null");
    }

    /// Evaluates an expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "{expression} never became true");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Moves the pointer from one place to another with the button pressed.
    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        for (kind, (x, y)) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event =
                json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The shell was replaced by the browser, so this ends the browser itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

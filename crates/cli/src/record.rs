//! The record of one run, as a line of text and as JSON.

use std::ffi::OsString;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use confine::quantity::{show_duration, show_size};
use confine::{Captured, Exit, Finished, Limit, Limits, Stop};
use serde_json::{Map, Value, json};

/// Summarises a run in one line: how it ended, why, and what it used.
pub(crate) fn summary(finished: &Finished, limits: &Limits) -> String {
    let mut parts = Vec::new();
    match finished.stopped {
        Some(Stop::Limit(limit)) => parts.push(format!("stopped by its {limit} limit{}", of(limit, limits))),
        Some(Stop::Cancelled) => parts.push("interrupted".into()),
        None => {}
    }
    parts.push(match finished.exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
    });
    if let Some(cpu) = finished.cpu {
        let at_least = if cpu.complete { "" } else { "at least " };
        let (total, user, system) = (cpu.total(), cpu.user, cpu.system);
        parts.push(format!(
            "cpu {at_least}{:.3}s ({:.3} user, {:.3} system)",
            total.as_secs_f64(),
            user.as_secs_f64(),
            system.as_secs_f64()
        ));
    }
    parts.push(format!("wall {:.3}s", finished.wall.as_secs_f64()));
    if let Some(peak) = finished.peak_memory {
        parts.push(format!("memory {}", show_size(peak)));
    }
    match finished.stragglers {
        None | Some(0) => {}
        Some(1) => parts.push("killed 1 process that it left behind".into()),
        Some(count) => parts.push(format!("killed {count} processes that it left behind")),
    }
    let dropped = finished.stdout.dropped() + finished.stderr.dropped();
    if dropped > 0 {
        parts.push(format!("{dropped} bytes of output not kept (--stdout and --stderr keep all)"));
    }
    if !(finished.stdout.file_complete && finished.stderr.file_complete) {
        parts.push("an output file is incomplete".into());
    }
    if let Some(path) = &finished.left_behind {
        parts.push(format!("could not remove {}", path.display()));
    }
    parts.push(format!("tier {}", finished.tier));
    parts.join(" · ")
}

/// Formats the value of the limit that was reached, such as ` of 2s`.
fn of(limit: Limit, limits: &Limits) -> String {
    let value = match limit {
        Limit::Cpu => limits.cpu.map(|time| show_duration(time).to_string()),
        Limit::Wall => limits.effective_wall().map(|time| show_duration(time).to_string()),
        Limit::Memory => limits.memory.map(|size| show_size(size).to_string()),
        Limit::Output => limits.output.map(|size| show_size(size).to_string()),
        Limit::Processes => limits.processes.map(|count| count.to_string()),
        Limit::FileSize => limits.file_size.map(|size| show_size(size).to_string()),
    };
    value.map(|value| format!(" of {value}")).unwrap_or_default()
}

/// Returns one JSON object and a newline. Quantities that could not be measured are null.
pub(crate) fn json(command: &[OsString], finished: &Finished) -> String {
    let (code, signal) = match finished.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    let stopped = match finished.stopped {
        None => Value::Null,
        Some(Stop::Cancelled) => json!("cancelled"),
        Some(Stop::Limit(limit)) => json!(limit),
    };
    let cpu = finished.cpu;
    let record = json!({
        "command": command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
        "exit_code": code,
        "signal": signal,
        "stopped": stopped,
        "cpu_seconds": cpu.map(|cpu| cpu.total().as_secs_f64()),
        "user_seconds": cpu.map(|cpu| cpu.user.as_secs_f64()),
        "system_seconds": cpu.map(|cpu| cpu.system.as_secs_f64()),
        "cpu_complete": cpu.map(|cpu| cpu.complete),
        "wall_seconds": finished.wall.as_secs_f64(),
        "peak_memory_bytes": finished.peak_memory,
        "adopted": finished.adopted,
        "stragglers": finished.stragglers,
        "tier": finished.tier,
        "stdout": stream(&finished.stdout),
        "stderr": stream(&finished.stderr),
        "left_behind": finished.left_behind.as_ref().map(|path| path.to_string_lossy()),
    });
    format!("{record}\n")
}

/// Returns the captured part of a stream: as text if it is valid UTF-8, otherwise as base64.
fn stream(captured: &Captured) -> Value {
    let mut object = Map::new();
    object.insert("bytes".into(), json!(captured.written));
    object.insert("dropped_bytes".into(), json!(captured.dropped()));
    object.insert("file_complete".into(), json!(captured.file_complete));
    for (name, bytes) in [("head", &captured.head), ("tail", &captured.tail)] {
        match std::str::from_utf8(bytes) {
            Ok(text) => object.insert(name.into(), json!(text)),
            Err(_) => object.insert(format!("{name}_base64"), json!(STANDARD.encode(bytes))),
        };
    }
    Value::Object(object)
}

//! The file that lists the hosts: one per line, with the number of slots if it is not the default.

use std::path::{Path, PathBuf};

/// A machine that ssh can reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// Its name as ssh takes it: `node1`, `user@node1`, or an alias from ssh's configuration.
    pub name: String,
    /// Number of slots of its worker; `None`: the default.
    pub slots: Option<u32>,
}

/// Reason why a list of hosts cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum HostsError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} lists no host; write one host per line", path.display())]
    Empty { path: PathBuf },
    #[error("{}, line {line}: {what}", path.display())]
    Line { path: PathBuf, line: usize, what: String },
}

/// Reads a list of hosts from a file.
pub fn read(path: &Path) -> Result<Vec<Host>, HostsError> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|source| HostsError::Read { path: path.to_owned(), source })?;
    parse(&text, path)
}

/// Reads a list of hosts. `#` starts a comment.
fn parse(text: &str, path: &Path) -> Result<Vec<Host>, HostsError> {
    let mut hosts: Vec<(Host, usize)> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let failed = |what: String| HostsError::Line { path: path.to_owned(), line: number, what };
        let line = line.split('#').next().unwrap_or_default();
        let Some(host) = host(line).map_err(failed)? else { continue };
        if let Some((_, first)) = hosts.iter().find(|(known, _)| known.name == host.name) {
            let what = format!("{} is already in line {first}; a host has one worker", host.name);
            return Err(failed(what));
        }
        hosts.push((host, number));
    }
    if hosts.is_empty() {
        return Err(HostsError::Empty { path: path.to_owned() });
    }
    Ok(hosts.into_iter().map(|(host, _)| host).collect())
}

/// Reads a line without its comment: `HOST [SLOTS]`.
fn host(line: &str) -> Result<Option<Host>, String> {
    let mut words = line.split_whitespace();
    let Some(name) = words.next() else { return Ok(None) };
    // ssh would take it as an option.
    if name.starts_with('-') || name.contains(char::is_control) {
        return Err(format!("`{name}` is not the name of a host"));
    }
    let slots = words.next().map(|word| {
        let slots = word.parse().ok().filter(|slots| *slots >= 1);
        slots.ok_or_else(|| format!("`{word}` is not a number of slots; the line is HOST or HOST SLOTS"))
    });
    if let Some(rest) = words.next() {
        return Err(format!("`{rest}` is one word too many; the line is HOST or HOST SLOTS"));
    }
    Ok(Some(Host { name: name.to_owned(), slots: slots.transpose()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Option<u32>)>, String> {
        let hosts = parse(text, Path::new("hosts.txt")).map_err(|error| error.to_string())?;
        Ok(hosts.into_iter().map(|Host { name, slots }| (name, slots)).collect())
    }

    #[test]
    fn a_list_has_one_host_per_line() {
        let hosts = read("# our cluster\nnode1\n\n  me@node2 8 # half of it\r\n").unwrap();
        assert_eq!(hosts, [("node1".to_owned(), None), ("me@node2".to_owned(), Some(8))]);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, error) in [
            ("", "hosts.txt lists no host; write one host per line"),
            ("# none\n", "hosts.txt lists no host; write one host per line"),
            ("a\n-oProxyCommand=x\n", "hosts.txt, line 2: `-oProxyCommand=x` is not the name of a host"),
            ("a\nb\na 2\n", "hosts.txt, line 3: a is already in line 1; a host has one worker"),
            ("a 0\n", "hosts.txt, line 1: `0` is not a number of slots; the line is HOST or HOST SLOTS"),
            ("a 1 2\n", "hosts.txt, line 1: `2` is one word too many; the line is HOST or HOST SLOTS"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()));
        }
    }
}

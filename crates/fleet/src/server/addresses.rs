//! The addresses of this machine.

use std::fs;
use std::net::Ipv4Addr;

/// Returns the names and addresses under which other machines may reach this one: first the host name, then
/// every IPv4 address, and last the address for processes on this machine.
pub fn local_addresses() -> Vec<String> {
    let table = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let mut all = vec![store::host_name()];
    all.extend(
        of_table(&table).into_iter().filter(|address| !address.is_loopback()).map(|one| one.to_string()),
    );
    all.push(Ipv4Addr::LOCALHOST.to_string());
    all
}

/// Reads the local addresses from the kernel's routing table, in which each follows a line with its number.
fn of_table(table: &str) -> Vec<Ipv4Addr> {
    let mut found: Vec<Ipv4Addr> = Vec::new();
    let mut last: Option<Ipv4Addr> = None;
    for line in table.lines() {
        let line = line.trim_start();
        if let Some(number) = line.strip_prefix("|-- ") {
            last = number.parse().ok();
        } else if line.starts_with("/32 host LOCAL") {
            found.extend(last);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_found() {
        let table = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n     \
            |-- 10.0.0.7\n        /32 host LOCAL\n     |-- 10.0.0.255\n        /32 link BROADCAST\n\
            Local:\n     |-- 127.0.0.1\n        /32 host LOCAL\n     |-- 10.0.0.7\n        /32 host LOCAL\n";
        assert_eq!(of_table(table), [Ipv4Addr::new(10, 0, 0, 7), Ipv4Addr::LOCALHOST]);
        assert_eq!(local_addresses().last().unwrap(), "127.0.0.1");
    }
}

//! The free memory of the machine.

/// Returns the kernel's estimate of the memory that programs can still use, in bytes; `None` if the kernel
/// does not report it.
pub fn available_memory() -> Option<u64> {
    of_text(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn of_text(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_kernel_is_read() {
        assert_eq!(of_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(of_text("MemTotal: 9 kB\n"), None);
    }
}

//! The measuring thread's own time, which other programs on the machine do not lengthen.

use rustix::time::{ClockId, clock_gettime};

/// CPU seconds of this thread so far.
pub(crate) fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

//! Hosts the supervisors of runs in tests.

fn main() {
    confine::supervise_if_asked();
    panic!("this program was not started as a supervisor");
}

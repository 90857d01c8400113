//! Does nothing but to be the guardian of the runs that tests make.

fn main() {
    confine::supervise_if_asked();
}

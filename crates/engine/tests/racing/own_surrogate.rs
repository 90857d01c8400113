//! The surrogate of the example keeps what every surrogate must.

use surrogate::testkit::conforms;

#[allow(dead_code, unreachable_pub, reason = "its main function is for whoever runs the example")]
#[path = "../../examples/own_surrogate.rs"]
mod example;

#[test]
fn the_example_conforms() {
    conforms(&example::Near { blur: 0.01 }, false);
}

//! Crates are counted once each, and bash's times are read.

use super::*;

#[test]
fn a_crate_counts_once_and_the_program_itself_does_not() {
    let tree = "program v0.0.0 (/somewhere)\nserde v1.0.1\nsyn v2.0.0\nserde v1.0.1 (*)\nsyn v3.0.0\nserde_derive v1.0.1 (proc-macro)\n";
    assert_eq!(count_crates(tree), 4);
}

#[test]
fn three_times_are_read_and_anything_else_is_an_error() {
    assert_eq!(seconds("warning: x\n61.250 98.100 7.650\n").unwrap(), [61.25, 98.1, 7.65]);
    assert!(seconds("bash: cargo: not found").is_err());
}

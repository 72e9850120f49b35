//! What counts as naming a statement.

use super::*;

fn ids(found: &[Id]) -> Vec<String> {
    found.iter().map(Id::to_string).collect()
}

#[test]
fn a_name_carries_the_ids_it_opens_with() {
    assert_eq!(ids(&ids_of_name("e_17_defaults_are_injected")), ["E-17"]);
    assert_eq!(ids(&ids_of_name("e_1_one_registry")), ["E-1"]);
    assert_eq!(ids(&ids_of_name("e_17_e_18_both_at_once")), ["E-17", "E-18"]);
    assert_eq!(ids(&ids_of_name("r_5")), ["R-5"]);
    assert!(ids_of_name("defaults_of_e_17_are_injected").is_empty());
    assert!(ids_of_name("e_17th_thing").is_empty());
    assert!(ids_of_name("x_17_other_letter").is_empty());
}

#[test]
fn a_label_stands_alone() {
    assert_eq!(ids(&labels("E-17: defaults, Z-10, (R-5)")), ["E-17", "Z-10", "R-5"]);
    assert_eq!(ids(&labels("E-1…E-3")), ["E-1", "E-3"]);
    for other in ["1E-5", "CR-1", "E-17a", "UTF-8", "e-17", "E-", "E-017", "SHA-E-1", "E-1_x"] {
        assert!(labels(other).is_empty(), "{other}");
    }
}

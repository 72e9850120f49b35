use super::*;

#[test]
fn the_table_of_the_document_is_replaced_and_nothing_else() {
    let text = format!("# Search\n\n{BEGIN}\n| old |\n{END}\nafter\n");
    let written = update(&text, "noise\n| new |\n|---|\n").expect("written");
    assert_eq!(written, format!("# Search\n\n{BEGIN}\n| new |\n|---|\n{END}\nafter\n"));
}

#[test]
fn without_a_table_or_a_place_for_it_nothing_is_written() {
    assert!(update(&format!("{BEGIN}\n{END}"), "an error").is_err());
    assert!(update("# Search\n", "| new |\n").is_err());
}

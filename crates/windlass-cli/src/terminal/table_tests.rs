use super::*;

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    let row = |a: &str, b: &str, c: &str| [a.to_owned(), b.to_owned(), c.to_owned()];
    let text = lay_out(&[row("a", "日本", "x"), row("long", "b", ""), row("", "", "y")]);
    assert_eq!(text, "a     日本  x\nlong  b\n            y\n");
    assert_eq!(lay_out::<2>(&[]), "");
}

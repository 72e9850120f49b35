//! Cases, read and refused.

use serde_json::json;

use super::*;

fn module() -> Module {
    serde_json::from_value(json!({
        "module_id": "sort.mail",
        "signature": {
            "inputs": [{"name": "mail"}],
            "outputs": [{"name": "folder"}, {"name": "urgent", "field_type": "boolean"}],
        },
    }))
    .unwrap()
}

#[test]
fn cases_are_read_line_by_line_and_empty_lines_are_none() {
    let text = "{\"inputs\":{\"mail\":\"hi\"},\"outputs\":{\"folder\":\"friends\"}}\n\n{\"inputs\":{\"mail\":\"x\"}}\n";
    let cases = read_cases(text, &module()).unwrap();
    assert_eq!(cases.iter().map(|case| case.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(cases[0].outputs["folder"], "friends");
}

#[test]
fn a_line_that_is_no_json_is_named_with_its_column() {
    let bad = read_cases("{\"inputs\":{\"mail\":\"hi\"}}\n{\"inputs\" {}}", &module()).unwrap_err();
    assert_eq!((bad.line, bad.column), (2, 11));
    assert!(!bad.why.contains(" at line "), "{bad}");
}

#[test]
fn an_output_that_the_module_does_not_have_is_named_beside_those_it_has() {
    let bad =
        read_cases("{\"inputs\":{\"mail\":\"a\"},\"outputs\":{\"foldr\":\"b\"}}", &module()).unwrap_err();
    assert!(bad.why.contains("'foldr'") && bad.why.contains("folder, urgent"), "{bad}");
}

#[test]
fn inputs_that_the_module_does_not_take_are_refused_before_anything_is_asked() {
    let bad = read_cases("{\"inputs\":{\"letter\":\"a\"}}", &module()).unwrap_err();
    assert_eq!(bad.line, 1);
}

#[test]
fn a_file_without_cases_cannot_be_used() {
    assert_eq!(read_cases("\n \n", &module()).unwrap_err().line, 0);
}

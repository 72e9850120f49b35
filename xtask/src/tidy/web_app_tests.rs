//! What lines of the web app say.

use super::*;

#[test]
fn addresses_are_found_and_vocabularies_are_none() {
    assert_eq!(address_in("a = 'https://example.org/x' + b").as_deref(), Some("https://example.org/x"));
    assert_eq!(address_in("url(http://cdn.example/a.png)").as_deref(), Some("http://cdn.example/a.png"));
    assert_eq!(address_in(r#"<svg xmlns="http://www.w3.org/2000/svg">"#), None);
    assert_eq!(address_in(r"/^https?:\/\//.test(link)"), None);
}

#[test]
fn declared_types_are_found_whatever_stands_before_them() {
    assert_eq!(declared_type("export default class RunManager {"), Some("RunManager"));
    assert_eq!(declared_type("  type CallInfo<T> = T;"), Some("CallInfo"));
    assert_eq!(declared_type("export interface Wish { a: string }"), Some("Wish"));
    assert_eq!(declared_type("export const enum Place {"), Some("Place"));
    for other in ["type: 'text',", "const type = 1;", "// class of its own", "import type { A } from './a';"]
    {
        assert_eq!(declared_type(other), None, "{other}");
    }
}

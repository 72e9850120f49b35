//! Which scripts a first visit loads.

use super::*;

#[test]
fn imports_count_and_what_is_imported_later_does_not() {
    let script = r#"import{a as b}from"./core-1.js";import"./side-2.js";import c from './c-3.js';
        const later=()=>import("./page-4.js");export{b};const text="./none.js";"#;
    assert_eq!(static_imports(script), ["core-1.js", "side-2.js", "c-3.js"]);
}

#[test]
fn a_first_visit_loads_what_the_page_names_and_all_that_follows_from_it() {
    let page = r#"<script type="module" crossorigin src="/assets/index-1.js"></script>
        <link rel="modulepreload" crossorigin href="/assets/core-2.js"><link rel="stylesheet" href="/assets/a.css">"#;
    let read = |name: &str| match name {
        "assets/index-1.js" => r#"import"./core-2.js";import("./page-4.js")"#.to_owned(),
        "assets/core-2.js" => r#"import"./deep-3.js";import"./index-1.js""#.to_owned(),
        _ => String::new(),
    };
    let first: Vec<String> = first_scripts(page, read).into_iter().collect();
    assert_eq!(first, ["assets/core-2.js", "assets/deep-3.js", "assets/index-1.js"]);
}

//! What is made of the answers of tools.

use serde_json::json;

use super::paths_of;

#[test]
fn the_paths_of_the_project_are_the_list_that_the_tool_gives() {
    assert_eq!(
        paths_of(&json!(["README.md", "src/main.rs", "deep/"])),
        ["README.md", "src/main.rs", "deep/"]
    );
    assert_eq!(paths_of(&json!([])), Vec::<String>::new());
    assert_eq!(paths_of(&json!("cut")), Vec::<String>::new());
}

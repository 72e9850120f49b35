use serde_json::json;

use super::*;
use crate::ports::Violation;

struct AllRight;

impl ArgsValidator for AllRight {
    fn check(&self, _args: &Value) -> Vec<Violation> {
        Vec::new()
    }
}

fn entry(spec: ToolSpec) -> ToolEntry {
    ToolEntry::new(Arc::new(spec), Arc::new(AllRight))
}

fn named(names: &[&str]) -> Toolset {
    Toolset::new(names.iter().map(|name| entry(ToolSpec::new(*name, ""))).collect()).unwrap()
}

#[test]
fn r_13_tools_are_sorted_by_name_whatever_the_order_of_registration() {
    let one = named(&["b", "a", "c"]);
    let other = named(&["c", "b", "a"]);
    assert_eq!(one.names().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(one.to_json().to_string(), other.to_json().to_string());
    assert_eq!(one.specs().iter().map(|spec| &spec.name).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn d_11_to_json_lists_name_description_and_schema_or_null() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}});
    let tools = Toolset::new(vec![
        entry(ToolSpec::new("get_player_gold", "Get player's current gold amount")),
        entry(ToolSpec::new("find_item", "Find an item").with_schema(schema.clone())),
    ])
    .unwrap();
    assert_eq!(
        tools.to_json(),
        json!([
            {"name": "find_item", "description": "Find an item", "args_schema": schema},
            {"name": "get_player_gold", "description": "Get player's current gold amount", "args_schema": null},
        ])
    );
}

#[test]
fn tools_are_found_by_name_and_alias() {
    let tools = Toolset::new(vec![entry(ToolSpec::new("read_file", "").with_alias("cat"))]).unwrap();
    assert_eq!(tools.find("cat").unwrap().spec.name, "read_file");
    assert_eq!(tools.find("read_file").unwrap().spec.name, "read_file");
    assert!(tools.find("dog").is_none());
}

#[test]
fn a_name_claimed_twice_is_refused_with_both_claimants() {
    let specs = [ToolSpec::new("a", "").with_alias("b"), ToolSpec::new("b", "")];
    let clash = Toolset::new(specs.map(entry).into()).unwrap_err();
    assert_eq!((clash.name.as_str(), clash.tool.as_str(), clash.holder.as_str()), ("b", "a", "b"));
    let specs = [ToolSpec::new("a", "").with_alias("x"), ToolSpec::new("b", "").with_alias("x")];
    let clash = Toolset::new(specs.map(entry).into()).unwrap_err();
    assert_eq!(
        clash.to_string(),
        "the name 'x' of tool 'b' is already taken by tool 'a'; rename one of them"
    );
}

#[test]
fn a_filtered_set_has_only_what_passes() {
    let tools = named(&["a", "b", "c"]).filter(|spec| spec.name != "b");
    assert_eq!(tools.names().collect::<Vec<_>>(), ["a", "c"]);
    assert!(tools.find("b").is_none());
    assert_eq!(tools.len(), 2);
    assert!(Toolset::empty().is_empty());
}

#[test]
fn a_default_of_the_wrong_type_is_found() {
    let with_default = |default: Value| {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "default": default}}});
        entry(ToolSpec::new("t", "").with_schema(schema))
    };
    assert_eq!(with_default(json!("5")).wrong_default(), Some("n"));
    assert_eq!(with_default(json!(5)).wrong_default(), None);
    assert_eq!(with_default(json!(null)).wrong_default(), None);
}

use super::*;

#[test]
fn a_value_that_is_no_object_is_asked_for_in_a_field_and_taken_out_again() {
    let schema = json!({"$schema": "x", "$defs": {"Leaf": {"type": "string"}},
        "anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "array", "items": {"$ref": "#"}}]});
    let form = WishedForm::new("Tree of words", schema);
    let asked = form.asked_schema();
    assert_eq!(asked["$defs"]["Leaf"], json!({"type": "string"}));
    assert_eq!(asked["properties"]["value"]["anyOf"][0]["$ref"], "#/$defs/Leaf");
    assert_eq!(asked["properties"]["value"]["anyOf"][1]["items"]["$ref"], "#/properties/value");
    assert_eq!((&asked["type"], &asked["required"]), (&json!("object"), &json!(["value"])));
    assert_eq!(form.unwrapped(json!({"value": ["a"]})), json!(["a"]));
    assert_eq!(form.response_format()["json_schema"]["name"], "Tree_of_words");
}

#[test]
fn an_object_is_asked_for_as_it_is() {
    let form = WishedForm::new("", json!({"type": "object", "properties": {"value": {"type": "string"}}}));
    assert_eq!(form.asked_schema(), form.schema);
    assert_eq!(form.unwrapped(json!({"value": "a"})), json!({"value": "a"}));
    assert_eq!(form.response_format()["json_schema"]["name"], "answer");
}

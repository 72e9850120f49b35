use serde_json::json;

use super::*;

fn file(more: Value) -> String {
    let mut file = json!({
        "module_id": "m",
        "signature": {"inputs": [{"name": "query"}], "outputs": [{"name": "response"}]},
    });
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{file:#}")
}

fn names(fields: &[Field]) -> Vec<&str> {
    fields.iter().map(|field| field.name.as_str()).collect()
}

#[test]
fn the_least_a_module_needs_is_a_name_and_a_signature() {
    let module = Module::parse("m.json", &file(json!({}))).unwrap();
    assert_eq!((module.predictor, module.tool_enabled, module.demos.len()), (Predictor::Predict, false, 0));
    let nulls = json!({"demos": null, "metadata": null, "instruction": null, "signature_name": null});
    assert_eq!(Module::parse("m.json", &format!("\u{feff}{}", file(nulls))).unwrap(), module);
    let again = serde_json::to_string(&module).unwrap();
    assert_eq!(Module::parse("m.json", &again).unwrap(), module);
}

#[test]
fn what_a_way_of_working_needs_is_put_into_the_signature_once() {
    let cot = Module::parse("m", &file(json!({"predictor_type": "chain_of_thought", "tool_enabled": true})))
        .unwrap();
    assert_eq!(names(&cot.signature.inputs), ["query", "context", "available_tools"]);
    assert_eq!(names(&cot.signature.outputs), ["reasoning", "response", "tool_call"]);
    assert_eq!(cot.signature.output("tool_call").unwrap().field_type, FieldType::Json);
    let again = Module::parse("m", &serde_json::to_string(&cot).unwrap()).unwrap();
    assert_eq!(again, cot);
    let react = Module::parse("m", &file(json!({"predictor_type": "react"}))).unwrap();
    assert_eq!((names(&react.signature.outputs), react.tool_enabled), (vec!["response"], true));
}

#[test]
fn tools_are_those_that_the_module_names() {
    let all = Module::parse("m", &file(json!({"tool_enabled": true}))).unwrap();
    let some = Module::parse("m", &file(json!({"tool_enabled": true, "tools": ["a"]}))).unwrap();
    let none = Module::parse("m", &file(json!({"tools": ["a"]}))).unwrap();
    let may = |module: &Module| (module.may_use("a"), module.may_use("b"));
    assert_eq!((may(&all), may(&some), may(&none)), ((true, true), (true, false), (false, false)));
}

#[test]
fn what_is_wrong_with_a_module_is_told_with_its_line() {
    let fields = |fields: Value| json!({"signature": {"inputs": [], "outputs": fields}});
    for (more, told) in [
        (json!({"module_id": " "}), "m.json:2: module_id is empty"),
        (
            json!({"predictor_type": "guess"}),
            "unknown variant `guess`, expected one of `predict`, `chain_of_thought`, `react`",
        ),
        (json!({"signature": null}), "m.json: the module has neither a signature nor the name of one"),
        (fields(json!([])), "m.json: the module has neither"),
        (fields(json!([{"name": "a"}, {"name": "A"}])), "m.json:10: the output 'A' is named twice"),
        (fields(json!([{"name": "a:b"}])), "m.json:7: the output 'a:b' needs a name without"),
        (fields(json!([{"name": ""}])), "the output '' needs a name"),
        (
            fields(json!([{"name": "a", "field_type": "date"}])),
            "unknown variant `date`, expected one of `str`, `string`",
        ),
        (json!({"signature": {"inputs": [{"name": "a"}]}}), "m.json: the signature has no outputs"),
        (json!({"demos": [{"inputs": {}}]}), "missing field `outputs`"),
        (json!({"tool_enabled": "yes"}), "invalid type: string \"yes\", expected a boolean"),
    ] {
        let error = Module::parse("m.json", &file(more.clone())).unwrap_err();
        assert!(matches!(error, ModuleError::InvalidFormat(_)), "{more}: {error}");
        assert!(error.to_string().contains(told), "{more}: {error}");
    }
}

#[test]
fn demos_fit_the_signature() {
    let demo = |inputs: Value, outputs: Value| json!({"demos": [{"inputs": inputs, "outputs": outputs}]});
    let parse =
        |more: Value| Module::parse("m.json", &file(more)).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(parse(demo(json!({"query": "a"}), json!({"response": "b"}))), Ok(()));
    for (more, told) in [
        (
            demo(json!({"qery": "a"}), json!({"response": "b"})),
            "there is no input 'qery'; the inputs are query",
        ),
        (demo(json!({}), json!({"answer": "b"})), "there is no output 'answer'"),
        (demo(json!({}), json!({})), "the output 'response' is missing"),
        (demo(json!({}), json!({"response": 7})), "the output 'response' must be of type string"),
    ] {
        let error = parse(more).unwrap_err();
        assert!(error.contains("demo 1 does not fit the signature") && error.contains(told), "{error}");
    }
    // A demo of a call shows no answer, and none has to reason.
    let mut call = demo(json!({}), json!({"tool_call": {"name": "x"}}));
    call["tool_enabled"] = true.into();
    assert_eq!(parse(call), Ok(()));
    let mut thinks = demo(json!({}), json!({"response": "x"}));
    thinks["predictor_type"] = "chain_of_thought".into();
    assert_eq!(parse(thinks), Ok(()));
}

use windlass_core::protocol::model::{Kept, Sampling};

use super::*;

fn module(more: Value) -> Module {
    let mut file = json!({
        "module_id": "m",
        "signature": {"inputs": [{"name": "query"}], "outputs": [{"name": "response"}]},
    });
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Module::parse("m.json", &file.to_string()).unwrap()
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        run_id: "run".into(),
        step: 1,
        purpose: StepPurpose::Work,
        system: "host".into(),
        examples: 0,
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        trailer: vec!["a remark".into()],
        tools: Arc::new([]),
        live: Arc::default(),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling { temperature: Some(0.5), ..Sampling::default() },
        kept: Kept::default(),
    }
}

#[test]
fn inputs_are_an_object_or_the_text_of_the_only_free_one() {
    let own = module(json!({"tool_enabled": true}));
    let read = |text: &str| read_inputs(&own, text).map(Value::Object).map_err(|error| error.to_string());
    assert_eq!(read("Hello?"), Ok(json!({"query": "Hello?"})));
    assert_eq!(read(r#"{"query": "Hi"}"#), Ok(json!({"query": "Hi"})));
    assert_eq!(
        read(r#"{"query": "Hi", "context": "night"}"#),
        Ok(json!({"query": "Hi", "context": "night"}))
    );
    // An object that names no input is what is asked about.
    assert_eq!(read(r#"{"x": 1}"#), Ok(json!({"query": "{\"x\": 1}"})));
    // What is no text where outcomes are appended counts as empty.
    assert_eq!(read(r#"{"query": "Hi", "context": 7}"#), Ok(json!({"query": "Hi"})));
    assert!(read("{}").unwrap_err().contains("the input 'query' is missing"));
}

#[test]
fn r_56_the_beginning_of_a_prompt_is_the_same_for_all_inputs() {
    let own = module(json!({
        "instruction": "Help.",
        "demos": [{"inputs": {"query": "a"}, "outputs": {"response": "b"}}],
    }));
    let prompt = FixedPrompt::of(&own, &ToolUse::Plain);
    let write = |says: &str| prompt.write(&own, &ToolUse::Plain, request(vec![Message::user(says)])).unwrap();
    let (one, two) = (write("x"), write("y"));
    assert_eq!((&one.system, &one.messages[..2]), (&two.system, &two.messages[..2]));
    assert!(Arc::ptr_eq(&one.messages[0], &two.messages[0]));
    assert_eq!(write_request(&own, &ToolUse::Plain, request(vec![Message::user("x")])), Ok(one.clone()));
    // A correction and the caller's own wishes stay.
    assert_eq!((one.trailer, one.sampling.temperature), (vec!["a remark".to_owned()], Some(0.5)));
}

#[test]
fn what_was_said_before_is_no_business_of_a_module() {
    let own = module(json!({}));
    let messages =
        vec![Message::user("old"), Message::assistant("older"), Message::user("new"), Message::note("n")];
    let written = write_request(&own, &ToolUse::Plain, request(messages)).unwrap();
    assert_eq!(
        written.messages.iter().map(|message| message.text()).collect::<Vec<_>>(),
        ["query: new", "n"]
    );
}

#[test]
fn pictures_stay_with_the_inputs() {
    let picture = Part::Image { media_type: "image/png".into(), url: "https://x".into() };
    let said = Message::User { parts: vec![Part::text("What is it?"), picture.clone()] };
    let written = write_request(&module(json!({})), &ToolUse::Plain, request(vec![said])).unwrap();
    let expected = Message::User { parts: vec![Part::text("query: What is it?"), picture] };
    assert_eq!(*written.messages[0], expected);
}

#[test]
fn d_12_outcomes_may_go_to_a_field_of_the_callers_choice() {
    let own = module(json!({"tool_enabled": true}));
    let mode = ToolUse::Fields { context_field: "notes".into() };
    let written = write_request(&own, &mode, request(vec![Message::user("x")])).unwrap();
    assert_eq!(written.messages[0].text(), "query: x\navailable_tools: []\nnotes: ");
    assert!(written.system.contains("what it returned in 'notes'"), "{}", written.system);
}

#[test]
fn without_a_word_of_the_user_there_are_no_inputs() {
    let failure = write_request(&module(json!({})), &ToolUse::Plain, request(Vec::new())).unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("inputs", false));
}

#[test]
fn the_form_of_an_answer_has_a_name_that_providers_take() {
    let own = module(json!({"module_id": "npc/händler.haggle".repeat(9)}));
    let format = response_format(&own, &ToolUse::Plain, &[]);
    let name = format["json_schema"]["name"].as_str().unwrap();
    assert!(name.starts_with("npc_h_ndler_haggle") && name.len() == 64, "{name}");
    assert_eq!(format["json_schema"]["strict"], true);
    let open = module(json!({"tool_enabled": true}));
    assert_eq!(response_format(&open, &ToolUse::Plain, &[])["json_schema"]["strict"], false);
}

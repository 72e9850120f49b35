use super::*;
use crate::grammar::sampling::{calls, grammars, takes, wish, written};

const ALL: [&str; 16] = [
    "add_task",
    "calculate",
    "execute_command",
    "fetch_url",
    "generate_image",
    "get_current_time",
    "get_file_tree",
    "list_tasks",
    "rag_search",
    "read_file",
    "request_code_context",
    "search_text",
    "system_stats",
    "update_task",
    "web_search",
    "write_file",
];

fn specs(names: &[&str]) -> Vec<Arc<ToolSpec>> {
    names.iter().map(|name| Arc::new(ToolSpec::new(*name, "Does it"))).collect()
}

fn sources(text: &str) -> CopySources {
    CopySources { texts: vec![text.into()] }
}

fn asked(text: &str) -> RequestScope {
    RequestScope::of(&[text.into()])
}

/// Whether the model may write this after a user's text.
fn may(text: &str, answer: &str) -> bool {
    let grammar = lark(&specs(&ALL), &sources(text), &asked(text), &GrammarForm::Free, false);
    takes(&grammars(), &wish(GrammarForm::Lark(grammar), Vec::new()), answer)
}

fn call(name: &str, arguments: &str) -> String {
    format!(r#"<tool_call>{{"name":"{name}","arguments":{arguments}}}</tool_call>"#)
}

#[test]
fn an_answer_is_one_word() {
    assert!(may("hi", "<answer>greeting") && may("hi", "<answer>unclear"));
    assert!(!may("hi", "<answer>hello") && !may("hi", "hello") && !may("hi", "<answer>greeting!"));
    assert!(!may("hi", "<answer>done"), "nothing was done");
    let grammar = lark(&specs(&ALL), &sources("hi"), &asked("hi"), &GrammarForm::Free, true);
    assert!(takes(&grammars(), &wish(GrammarForm::Lark(grammar), Vec::new()), "<answer>done"));
}

#[test]
fn a_call_copies_the_words_of_the_user() {
    let text = "please read \"src/main.rs\" and Cargo.toml";
    let write = "please write hello there to src/main.rs";
    assert!(may(text, &call("read_file", r#"{"path":"src/main.rs"}"#)));
    assert!(may(text, &call("read_file", r#"{"path":"Cargo.toml"}"#)));
    assert!(!may(text, &call("read_file", r#"{"path":"Cargo.tom"}"#)));
    assert!(!may(text, &call("read_file", r#"{"path":"src/lib.rs"}"#)));
    assert!(!may(text, &call("read_file", r#"{"path": "Cargo.toml"}"#)), "it writes no blanks between parts");
    assert!(!may(text, &call("read_file", "{}")));
    assert!(
        may(text, &call("get_file_tree", "{}")) && may(text, &call("get_file_tree", r#"{"path":"src"}"#))
    );
    assert!(may(write, &call("write_file", r#"{"path":"src/main.rs","content":"hello there"}"#)));
    assert!(
        !may(write, &call("write_file", r#"{"path":"src","content":"hello"}"#)),
        "no file of that name was named"
    );
    assert!(!may(write, &call("write_file", r#"{"path":"src/main.rs","content":"bye"}"#)));
    assert!(!may(text, &call("delete_file", r#"{"path":"Cargo.toml"}"#)));
}

#[test]
fn arithmetic_has_the_numbers_of_the_user() {
    let expression = |text: &str, expression: &str| {
        may(text, &call("calculate", &format!(r#"{{"expression":"{expression}"}}"#)))
    };
    assert!(expression("what is 15% of 1,250", "15 / 100 * 1250"));
    assert!(expression("what is 15% of 1,250", "1250*15/100"));
    assert!(!expression("what is 15% of 1,250", "15 / 100 * 1251"));
    assert!(expression("average of 18, 23 and forty-one", "(18 + 23 + 41) / 3"));
    assert!(expression("square root of 144", "sqrt(144)") && expression("two to the eighth", "2 ** 8"));
    assert!(expression("min of 21 and -17", "min(21, -17)") && expression("12 squared", "12 ** 2"));
    assert!(expression("((21+17)*(63-44))/22", "((21+17)*(63-44))/22"));
    assert!(
        expression("compute (((21+17)*13)-44)*(((1)))", "(((21+17)*13)-44)*(((1)))"),
        "as the user wrote it"
    );
    assert!(
        !expression("21 plus 17", "21 +")
            && !expression("21 plus 17", "")
            && !expression("21 ^ 17", "21 ^ 17")
    );
}

#[test]
fn zones_tasks_and_numbers_come_from_lists_and_texts() {
    assert!(may("time in tokyo", &call("get_current_time", r#"{"timezone":"Asia/Tokyo"}"#)));
    assert!(!may("time in tokyo", &call("get_current_time", r#"{"timezone":"tokyo"}"#)));
    assert!(may("time", &call("get_current_time", "{}")));
    let done = |id: &str| call("update_task", &format!(r#"{{"task_id":"{id}","status":"completed"}}"#));
    assert!(may("mark task_12 as done", &done("task_12")) && !may("mark task_12 as done", &done("task_1")));
    assert!(may("close task 3", &done("task_3")) && may("the second one is done", &done("task_2")));
    assert!(may("task three is done", &done("task_3")) && !may("the groceries are done", &done("task_1")));
    assert!(may("top 7 results for cats", &call("web_search", r#"{"query":"cats","max_results":7}"#)));
    assert!(!may("top 7 results for cats", &call("web_search", r#"{"query":"cats","max_results":8}"#)));
    let image = "a cat, 512 by 768";
    assert!(may(image, &call("generate_image", r#"{"prompt":"a cat","width":512,"height":768}"#)));
    assert!(may(image, &call("generate_image", r#"{"prompt":"a cat","height":512}"#)));
}

#[test]
fn only_tools_that_are_offered_can_be_called_and_a_form_is_kept() {
    let tries = |tools: &[&str], form: GrammarForm| {
        let grammar = lark(&specs(tools), &sources("run ls"), &asked("run ls"), &form, false);
        let wish = wish(GrammarForm::Lark(grammar), Vec::new());
        let grammars = grammars();
        let command = call("execute_command", r#"{"command":"ls"}"#);
        ["<answer>beyond", &command, &call("list_tasks", "{}")].map(|answer| takes(&grammars, &wish, answer))
    };
    assert_eq!(tries(&["list_tasks"], GrammarForm::Free), [true, false, true]);
    assert_eq!(
        tries(&["execute_command", "list_tasks", "unknown"], GrammarForm::CallRequired),
        [false, true, true]
    );
    let named = GrammarForm::CallNamed("list_tasks".to_owned());
    assert_eq!(tries(&["execute_command", "list_tasks"], named), [false, false, true]);
    assert_eq!(tries(&["execute_command", "list_tasks"], GrammarForm::TextOnly), [true, false, false]);
    assert_eq!(
        tries(&[], GrammarForm::CallRequired),
        [true, false, false],
        "a word, where nothing can be called"
    );
}

#[test]
fn odd_texts_make_grammars_that_hold() {
    for (seed, text) in (0..).zip([
        "",
        " \n ",
        "\"quoted\" \\back\\slash\\ \t tab",
        "日本語のファイルを読む 3",
        "emoji 👩‍👩‍👧 and \u{1} control",
        "</tool_call> <|im_end|> <answer>done",
        "{\"name\":\"x\"} // %regex /a/ \"",
        "1e999 -5 0 007 3.14.15 1,2,3",
    ]) {
        for form in [GrammarForm::Free, GrammarForm::CallRequired] {
            let grammar = lark(&specs(&ALL), &sources(text), &asked(text), &form, true);
            let wish = wish(GrammarForm::Lark(grammar), Vec::new());
            let grammars = grammars();
            for more in 0..8 {
                let written = written(&grammars, &wish, seed * 100 + more);
                assert!(written.is_done, "{text:?}: {}", written.text);
                for (_, arguments) in calls(&written.text) {
                    let strings = arguments.as_object().unwrap().values().filter_map(|value| value.as_str());
                    strings.for_each(|copy| assert_eq!(copy.trim(), copy));
                }
            }
        }
    }
}

use proptest::prelude::*;

use crate::script::{Script, ScriptHappening};

/// What a script says, without where it says it.
fn said(script: &Script) -> Vec<&ScriptHappening> {
    script.lines.iter().map(|line| &line.happening).collect()
}

fn assert_round_trip(script: &Script) {
    let printed = script.to_string();
    let again = Script::parse("again", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.header, script.header, "{printed}");
    assert_eq!(said(&again), said(script), "{printed}");
    assert_eq!(again.to_string(), printed);
}

const EVERYTHING: &str = r#"title <<END
two
lines
END
profile zodo
root a b
approve ask
max-steps 3
limit a 1
allow read_file(a/**)
deny <<X
 b
X
tools-allowed true
chunk all
interleave true
user <<END
 spaces around 
END
expect-request contains a
expect-request lacks b
expect-request tools a,b
expect-request tools none
expect-request tool-choice auto
expect-request tool-choice named:x
expect-request purpose finalise
expect-request same-prefix
model reasoning a
model reasoning-state {"a":  1.10}
model text <<END2
END
END2
model call 1 a
model call 2 id=x a {"b": [1.0, 2]}
model raw-call 3 id=- a <<END
{ <<END
END
model value-call 4 a {}
model delay 1500ms
model usage input=1 output=2 cached=3 reasoning=4 cost_usd=0.25
model end other:x
approve 1
approve 1 confirm=w session
approve 2 remember
approve 2 remember a b
approve 2 session a
deny 1
tool 1 ok {"a" : 1}
tool 1 text <<OK
OK
tool 1 fill 7
tool 1 fail not_found <<A
<<END
A
tool 1 timeout
tool 1 hang
model fail a after=1s b
model fail! a b
model cut
model hang
cancel
deadline
expect run-started ... run-ended*2
expect-outcome failed
expect-outcome completed answered
expect-answer a
expect-warning none
expect-warning TOOL_CLAMP
expect-call 1 ok
expect-call 1 failed not_found cached truncated says a
expect-call 1 cancelled cancelled
expect-call 2 interrupted interrupted
user again
"#;

#[test]
fn every_sort_of_line_survives_printing() {
    assert_round_trip(&Script::parse("everything", EVERYTHING).unwrap());
}

#[test]
fn a_printed_script_reads_like_a_written_one() {
    let script =
        Script::parse("t", "title  T\n# gone\nuser  Hi\nmodel end\nuser Again\nmodel text <<A\nb\nA")
            .unwrap();
    assert_eq!(script.to_string(), "title T\n\nuser Hi\nmodel end stop\n\nuser Again\nmodel text b\n");
}

/// Lines made of words that scripts use, in any order, so that many of them parse.
fn soup() -> impl Strategy<Value = String> {
    let happenings = ["expect", "model", "tool", "approve 1", "approve 2", "deny 1", "user again", "cancel"];
    let is_happening =
        |line: &&str| happenings.iter().any(|word| line.starts_with(word)) && !line.contains("<<");
    let lines: Vec<&'static str> = EVERYTHING.lines().filter(is_happening).collect();
    let words: Vec<&'static str> = EVERYTHING.split_whitespace().collect();
    let line = prop_oneof![
        8 => prop::sample::select(lines).prop_map(str::to_owned),
        1 => prop::collection::vec(prop::sample::select(words), 0..5).prop_map(|words| words.join(" ")),
        1 => "[ -~\\r\\t\u{e4}\u{2028}]{0,12}",
        1 => "(model text|user|tool 1 text|model raw-call 9 a|expect-answer) (<<A\n)?[ -~\\r\u{a0}]{0,12}(\nA)?",
    ];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn parsing_never_panics(text in "\\PC{0,200}") {
        let _ = Script::parse("t", &text);
        let _ = Script::parse("t", &format!("user Hi\nmodel call 1 a\n{text}"));
    }

    #[test]
    fn whatever_parses_survives_printing(text in soup()) {
        if let Ok(script) = Script::parse("t", &format!("user Hi\nmodel call 1 a\n{text}")) {
            assert_round_trip(&script);
        }
        if let Ok(script) = Script::parse("t", &text) {
            assert_round_trip(&script);
        }
    }
}

//! Random schemas and a model of random weights: every call is valid.

use serde_json::{Map, Value, json};

use super::super::sampling::*;
use super::super::{AnswerWish, GrammarError, GrammarForm, GrammarPort, JsonStyle};

/// Draws a schema that some value fits.
fn schema(draws: &mut Draws, depth: u64) -> Value {
    match draws.below(if depth == 0 { 12 } else { 18 }) {
        0 => json!({"type": "boolean"}),
        1 => json!({"type": "null"}),
        2 => integer(draws),
        3 => number(draws),
        4 => string(draws),
        5 => json!({"type": "string", "pattern": *draws.one(&PATTERNS)}),
        6 => {
            json!({"enum": ["a", "bé", "c \"d\" \\", "line\nend", "", 3, -2.5, null, true, {"k": [1, "x"]}]})
        }
        7 => json!({"const": *draws.one(&["only", "\u{e9}\t", "{}"])}),
        8 => {
            json!({"const": draws.one(&[json!(7), json!(-1.5), json!({"a": {"b": [null, "c"]}, "z": "\u{1F600}"})])})
        }
        9 => {
            json!({"type": "string", "format": *draws.one(&["date", "time", "date-time", "uuid", "ipv4", "email", "hostname"])})
        }
        10 => json!({"type": [*draws.one(&["string", "integer"]), "null"]}),
        11 => json!({"$ref": *draws.one(&["#/$defs/tree", "#/$defs/word"])}),
        12 | 13 => object(draws, depth - 1),
        14 => array(draws, depth - 1),
        15 => json!({"anyOf": [schema(draws, depth - 1), schema(draws, depth - 1)]}),
        16 => {
            json!({"allOf": [{"type": "object", "properties": {"x": integer(draws)}}, {"required": ["x"], "properties": {"y": string(draws)}}]})
        }
        _ => draws
            .one(&[
                json!({}),
                json!(true),
                json!({"description": "anything"}),
                json!({"type": "object"}),
                json!({"type": "array"}),
            ])
            .clone(),
    }
}

fn integer(draws: &mut Draws) -> Value {
    let low = i64::try_from(draws.below(200)).unwrap() - 100;
    let high = low + i64::try_from(draws.below(1_000)).unwrap();
    let mut schema = json!({"type": "integer"});
    let bounds = [("minimum", low, 50), ("maximum", high, 50)];
    for (word, bound, percent) in bounds {
        if draws.is(percent) {
            schema[word] = json!(bound);
        }
    }
    if draws.is(20) {
        schema = json!({"type": "integer", "minimum": low, "multipleOf": *draws.one(&[2, 3, 7, 10])});
    }
    if draws.is(15) {
        schema = json!({"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": low + 5});
    }
    schema
}

fn number(draws: &mut Draws) -> Value {
    draws
        .one(&[
            json!({"type": "number"}),
            json!({"type": "number", "minimum": 0, "maximum": 1}),
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
            json!({"type": "number", "minimum": -2.5, "maximum": 17.25}),
            json!({"type": "number", "exclusiveMinimum": 99.5}),
            json!({"type": "number", "maximum": -0.125}),
            json!({"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.5}),
        ])
        .clone()
}

fn string(draws: &mut Draws) -> Value {
    let low = draws.below(6);
    let mut schema = json!({"type": "string"});
    if draws.is(50) {
        schema["minLength"] = json!(low);
    }
    if draws.is(50) {
        schema["maxLength"] = json!(low + draws.below(20));
    }
    schema
}

const PATTERNS: [&str; 8] = [
    "^[a-z]{2,5}$",
    "^\\d+(\\.\\d+)?$",
    "[aeiou]|[0-9]",
    "^(a|b)*c$",
    "^[^\"\\\\]{0,8}$",
    "\\d[a-z0-9 ]",
    "^$|^x",
    "é",
];

fn object(draws: &mut Draws, depth: u64) -> Value {
    let names = ["path", "a b", "q\"uote", "ünï", "count", "x"];
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in names.iter().take(usize::try_from(draws.below(5)).unwrap()) {
        properties.insert((*name).to_owned(), schema(draws, depth));
        if draws.is(60) {
            required.push(*name);
        }
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    match draws.below(6) {
        0 => object["additionalProperties"] = json!(false),
        1 => object["additionalProperties"] = schema(draws, 0),
        2 => object["patternProperties"] = json!({"^n_": integer(draws)}),
        3 => object["additionalProperties"] = json!(true),
        _ => {}
    }
    object
}

fn array(draws: &mut Draws, depth: u64) -> Value {
    let low = draws.below(3);
    let mut array = json!({"type": "array", "items": schema(draws, depth)});
    if draws.is(50) {
        array["minItems"] = json!(low);
    }
    if draws.is(50) {
        array["maxItems"] = json!(low + draws.below(4));
    }
    if draws.is(20) {
        array["prefixItems"] = json!([integer(draws), string(draws)]);
    }
    array
}

fn tool_schema(draws: &mut Draws) -> Value {
    let mut schema = object(draws, 3);
    schema["$defs"] = json!({
        "word": {"type": "string", "minLength": 1, "maxLength": 9},
        "tree": {"type": "object", "properties": {"leaf": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["leaf"]},
    });
    schema
}

#[test]
fn calls_over_a_thousand_random_schemas_are_all_valid() {
    let grammars = grammars().exact();
    let mut valid = 0;
    for seed in 0..1_000 {
        let mut draws = Draws(seed);
        let schema = tool_schema(&mut draws);
        let json = *draws.one(&[JsonStyle::Compact, JsonStyle::Spaced, JsonStyle::Either]);
        let wish =
            AnswerWish { json, ..wish(GrammarForm::CallRequired, vec![tool("call_it", schema.clone())]) };
        let mut constraint =
            grammars.constrain(&wish).unwrap_or_else(|error| panic!("{seed}: {error}\n{schema}"));
        let written = sample(&mut *constraint, seed, 60);
        assert!(written.is_done, "{seed}: no end: {schema}\n{}", written.text);
        let body = written.text.trim_start_matches("<tool_call>").trim_end_matches("</tool_call>");
        let call: Value =
            serde_json::from_str(body).unwrap_or_else(|error| panic!("{seed}: {error}: {body}"));
        let validator = jsonschema::validator_for(&schema).unwrap();
        let fault = validator.iter_errors(&call["arguments"]).next().map(|error| error.to_string());
        assert_eq!(fault, None, "{seed}: {schema}\n{body}");
        valid += 1;
    }
    assert_eq!(valid, 1_000);
}

#[test]
fn hostile_schemas_end_within_limits() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let words: Vec<String> = (0..5_000).map(|at| format!("value number {at}")).collect();
    let too_many: Vec<String> = (0..200_000).map(|at| at.to_string()).collect();
    let nested = (0..40).fold(
        json!({"type": "null"}),
        |inner, _| json!({"anyOf": [inner, {"type": "array", "items": {"type": "null"}}]}),
    );
    let product: Vec<Value> = (0..12)
        .map(
            |at| json!({"anyOf": [{"minLength": at}, {"maxLength": 99 - at}, {"pattern": format!("x{at}")}]}),
        )
        .collect();
    for (name, schema) in [
        ("a large enum", property(json!({"enum": words}))),
        ("an enum beyond all", property(json!({"enum": too_many}))),
        ("a pattern of many states", property(json!({"type": "string", "pattern": "^(.*a.{12}b.*)*$"}))),
        ("a pattern that doubles", property(json!({"type": "string", "pattern": "^((a|aa)+)+((b|bb)+)+$"}))),
        (
            "a pattern that repeats",
            property(json!({"type": "string", "pattern": "^((x{1,100}){1,100}){1,100}$"})),
        ),
        ("a long string", property(json!({"type": "string", "minLength": 100_000, "maxLength": 200_000}))),
        ("a long list", property(json!({"type": "array", "items": {"type": "integer"}, "minItems": 20_000}))),
        ("nested choices", property(nested)),
        ("a product of choices", property(json!({"type": "string", "allOf": product}))),
        ("a loop", property(json!({"$ref": "#/properties/a"}))),
        (
            "a loop of all",
            property(json!({"allOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]})),
        ),
        ("a file elsewhere", property(json!({"$ref": "https://example.com/schema.json"}))),
    ] {
        let grammars = grammars();
        let begun = std::time::Instant::now();
        match grammars.constrain(&wish(GrammarForm::CallRequired, vec![tool("hostile", schema)])) {
            Err(GrammarError::Schema { tool, .. }) => assert_eq!(tool, "hostile", "{name}"),
            Err(GrammarError::Grammar(_)) => {}
            Err(GrammarError::Token(token)) => panic!("{name}: {token}"),
            Ok(mut constraint) => {
                for _ in 0..40 {
                    let Ok(mask) = constraint.mask() else { break };
                    let Some(token) = mask.and_then(|mask| mask.tokens().next()) else { break };
                    if constraint.accept(token).is_err() {
                        break;
                    }
                }
            }
        }
        assert!(begun.elapsed().as_secs() < 20, "{name}: {:?}", begun.elapsed());
    }
}

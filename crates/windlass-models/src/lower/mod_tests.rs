use serde_json::json;

use super::*;
use crate::quirks::Quirks;
use crate::target::{Abilities, AuthForm, WireKind};

#[path = "loosening_tests.rs"]
mod loosening;

fn target(wire: WireKind, schema: SchemaDialect) -> ModelTarget {
    ModelTarget {
        name: "acme/one".into(),
        provider: "acme".into(),
        model: "one".into(),
        wire,
        base_url: "http://127.0.0.1".into(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks: Quirks { schema, ..Quirks::default() },
        abilities: Abilities::default(),
    }
}

fn lower_one(dialect: SchemaDialect, schema: Value) -> (LoweredTool, Vec<String>) {
    let spec = ToolSpec::new("look_up", "Looks.").with_schema(schema);
    let mut lowered = lower(&target(WireKind::Chat, dialect), &[Arc::new(spec)]);
    let rules = lowered.notices.iter().map(|notice| notice.rule.clone()).collect();
    (lowered.tools.remove(0), rules)
}

fn schema_in(dialect: SchemaDialect, schema: Value) -> Value {
    lower_one(dialect, schema).0.schema
}

/// The lowered schema of an argument `x`.
fn gemini_x(schema: Value) -> Value {
    schema_in(SchemaDialect::Gemini, json!({"type": "object", "properties": {"x": schema}}))["properties"]["x"].clone()
}

#[test]
fn openai_1_names_are_legal_and_unique_and_lead_back_to_their_tools() {
    let long = "a".repeat(80);
    let names = ["files.read", "files/read", "files_read", "", "größe", "1st", &long, "ok-name_2"];
    let specs: Vec<Arc<ToolSpec>> =
        names.iter().map(|name| Arc::new(ToolSpec::new(*name, "Does."))).collect();
    for wire in WireKind::ALL {
        let lowered = lower(&target(wire, SchemaDialect::Full), &specs);
        let mut met = std::collections::HashSet::new();
        for (tool, name) in lowered.tools.iter().zip(names) {
            assert!(names::is_legal(wire, &tool.name), "{}", tool.name);
            assert!(met.insert(tool.name.as_str()), "{}", tool.name);
            assert_eq!(lowered.own_name(&tool.name), name);
            assert_eq!(lowered.wire_name(name), Some(tool.name.as_str()));
        }
        assert_eq!(lowered.wire_name("files_read"), Some("files_read"));
        assert_eq!(lowered.own_name("unknown"), "unknown");
        let changed = lowered.notices.iter().filter(|notice| notice.rule == "tool_name").count();
        assert_eq!(changed, if wire == WireKind::Gemini { 6 } else { 5 });
    }
}

#[test]
fn an_ordinary_schema_goes_as_it_is() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "node": {"$ref": "#/$defs/node"},
        },
        "required": ["path"],
        "additionalProperties": false,
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    });
    let mut written = schema.clone();
    written["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    assert_eq!(
        lower_one(SchemaDialect::Full, written),
        (lower_one(SchemaDialect::Full, schema.clone()).0.with_spec_of(&schema), vec![])
    );
}

impl LoweredTool {
    /// The same tool, for comparison: the spec of a schema with `$schema` in it.
    fn with_spec_of(mut self, schema: &Value) -> Self {
        assert_eq!(&self.schema, schema);
        let mut spec = (*self.spec).clone();
        spec.schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        self.spec = Arc::new(spec);
        self
    }
}

#[test]
fn the_root_is_an_object_with_properties() {
    let plain = json!({"type": "object", "properties": {}});
    assert_eq!(schema_in(SchemaDialect::Full, json!({})), plain);
    assert_eq!(schema_in(SchemaDialect::Full, json!(true)), plain);
    assert_eq!(schema_in(SchemaDialect::Full, json!({"type": ["object", "null"]})), plain);
    let referred = json!({
        "$ref": "#/$defs/args",
        "$defs": {"args": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
    });
    let (tool, rules) = lower_one(SchemaDialect::Full, referred);
    assert_eq!(tool.schema["properties"], json!({"a": {"type": "string"}}));
    assert_eq!(tool.schema["required"], json!(["a"]));
    assert!(tool.schema.get("$ref").is_none() && tool.schema.get("allOf").is_none());
    assert_eq!(rules, Vec::<String>::new());
}

#[test]
fn choices_at_the_root_become_properties() {
    let (tool, rules) = lower_one(
        SchemaDialect::Full,
        json!({
            "oneOf": [
                {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}},
                 "required": ["kind", "x"], "additionalProperties": false},
                {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "number"}},
                 "required": ["kind"], "additionalProperties": false},
            ],
        }),
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "kind": {"anyOf": [{"const": "a"}, {"const": "b"}]},
            "x": {"type": "string"},
            "y": {"type": "number"},
        },
        "required": ["kind"],
    });
    assert_eq!(tool.schema, expected);
    assert_eq!(rules, ["schema_root"]);
}

#[test]
fn one_exotic_tool_never_breaks_the_request() {
    let mut deep = json!({"type": "string"});
    for _ in 0..200 {
        deep = json!({"type": "array", "items": deep});
    }
    let exotic = [
        json!("nonsense"),
        json!(7),
        json!(null),
        json!({"type": "array", "items": {}}),
        json!({"$ref": "#"}),
        json!({"type": "object", "properties": {"x": deep}}),
    ];
    for dialect in
        [SchemaDialect::Full, SchemaDialect::Strict, SchemaDialect::Gemini, SchemaDialect::Moonshot]
    {
        for schema in &exotic {
            let (tool, rules) = lower_one(dialect, schema.clone());
            assert_eq!(tool.schema, json!({"type": "object", "properties": {}}), "{schema}");
            assert!(tool.spec.description.starts_with("Looks.\nIts arguments follow this JSON Schema: "));
            assert!(tool.spec.description.chars().count() < 2_200);
            assert_eq!(rules, ["schema_quoted"], "{schema}");
            assert!(!tool.is_strict);
        }
    }
}

#[test]
fn broken_pieces_of_a_schema_are_left_out_and_told() {
    let (tool, rules) = lower_one(
        SchemaDialect::Full,
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "any", "description": 5, "enum": []},
                "b": "string",
                "c": {"type": "array", "items": [{"type": "string"}], "minItems": -1},
                "d": true,
                "e": {"$ref": "https://example.org/x.json"},
                "f": {"$ref": "#/$defs/gone"},
            },
            "required": "a",
        }),
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "a": {}, "b": {}, "c": {"type": "array", "prefixItems": [{"type": "string"}]}, "d": {}, "e": {}, "f": {},
        },
    });
    assert_eq!(tool.schema, expected);
    assert_eq!(rules, ["schema_broken", "schema_ref"]);
}

#[test]
fn openai_1_only_what_already_is_strict_is_called_strict() {
    let strict = |schema: Value| lower_one(SchemaDialect::Strict, schema).0.is_strict;
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    assert!(strict(object(
        json!({"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}),
        json!(["a", "b"])
    )));
    assert!(strict(object(json!({"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}), json!(["a"]))));
    assert!(strict(object(
        json!({"a": {"type": "array", "items": object(json!({}), json!([]))}}),
        json!(["a"])
    )));
    let empty = lower_one(SchemaDialect::Strict, ToolSpec::new("x", "y").schema).0;
    assert!(empty.is_strict);
    assert_eq!(empty.schema["required"], json!([]));
    for loose in [
        object(json!({"a": {"type": "string"}}), json!([])),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        object(json!({"a": {}}), json!(["a"])),
        object(json!({"a": {"type": "object", "properties": {}}}), json!(["a"])),
        object(json!({"a": {"type": "string", "default": "x"}}), json!(["a"])),
        object(json!({"a": {"type": "array"}}), json!(["a"])),
        object(json!({"a": {"allOf": [{"type": "string"}]}}), json!(["a"])),
        object(json!({"a": {"type": "string", "minLength": 2}}), json!(["a"])),
    ] {
        let (tool, _) = lower_one(SchemaDialect::Strict, loose.clone());
        assert!(!tool.is_strict, "{loose}");
        assert_eq!(tool.schema, schema_in(SchemaDialect::Full, loose), "what is not strict is not changed");
    }
    let full = lower_one(SchemaDialect::Full, object(json!({}), json!([]))).0;
    assert!(!full.is_strict);
}

#[test]
fn gemini_4_one_type_and_nullable() {
    assert_eq!(gemini_x(json!({"type": ["string", "null"]})), json!({"type": "string", "nullable": true}));
    assert_eq!(
        gemini_x(json!({"type": ["string", "integer"], "description": "d"})),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "d"})
    );
    assert_eq!(
        gemini_x(json!({"anyOf": [{"type": "string"}, {"type": "null"}], "title": "t"})),
        json!({"type": "string", "nullable": true, "title": "t"})
    );
    assert_eq!(
        gemini_x(json!({"oneOf": [{"type": "string"}, {"type": "integer"}]})),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})
    );
}

#[test]
fn gemini_4_enums_hold_strings_alone() {
    assert_eq!(gemini_x(json!({"const": "a"})), json!({"type": "string", "enum": ["a"]}));
    assert_eq!(
        gemini_x(json!({"enum": ["a", null]})),
        json!({"type": "string", "enum": ["a"], "nullable": true})
    );
    assert_eq!(
        gemini_x(json!({"type": "integer", "enum": [1, 2]})),
        json!({"type": "integer", "description": "One of [1,2]"})
    );
    assert_eq!(
        gemini_x(json!({"enum": ["", "a"], "description": "How."})),
        json!({"type": "string", "description": "How. (One of [\"\",\"a\"])"})
    );
}

#[test]
fn an_enum_of_another_type_than_its_argument_leaves_the_type_alone() {
    assert_eq!(
        gemini_x(json!({"type": "array", "items": {"type": "string"}, "enum": ["a", "b"]})),
        json!({"type": "array", "items": {"type": "string"}, "description": r#"One of ["a","b"]"#})
    );
    assert_eq!(
        gemini_x(json!({"type": "boolean", "enum": ["true"]})),
        json!({"type": "boolean", "description": r#"One of ["true"]"#})
    );
}

#[test]
fn gemini_4_no_properties_of_nothing_and_nothing_required_that_is_not_there() {
    let lowered = gemini_x(json!({
        "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"], "additionalProperties": false,
    }));
    assert_eq!(
        lowered,
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    );
    assert_eq!(gemini_x(json!({"type": "object", "properties": {}})), json!({"type": "object"}));
    assert_eq!(gemini_x(json!({"type": "string", "properties": {"a": {}}})), json!({"type": "string"}));
    let list = gemini_x(json!({"type": "array"}));
    assert!(list["items"].is_object());
}

#[test]
fn gemini_4_references_are_written_out_and_cut_where_they_recur() {
    let (tool, rules) = lower_one(
        SchemaDialect::Gemini,
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/node"}, "name": {"$ref": "#/$defs/name", "description": "own"}},
            "$defs": {
                "name": {"type": "string", "description": "theirs"},
                "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "name": {"$ref": "#/$defs/name"}}},
            },
        }),
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "tree": {
                "type": "object",
                "properties": {"next": {"type": "object"}, "name": {"type": "string", "description": "theirs"}},
            },
            "name": {"type": "string", "description": "own"},
        },
    });
    assert_eq!(tool.schema, expected);
    assert_eq!(rules, ["schema_dialect"]);
}

#[test]
fn gemini_4_all_of_is_merged_and_formats_are_said() {
    let lowered = gemini_x(json!({
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string", "format": "date-time"}}, "required": ["a"]},
            {"properties": {"b": {"type": "string", "format": "email"}, "c": {"type": "integer", "format": "int32", "exclusiveMinimum": 0}}, "required": ["b"]},
        ],
    }));
    let expected = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "format": "date-time"},
            "b": {"type": "string", "description": "format: email"},
            "c": {"type": "integer", "format": "int32", "minimum": 0},
        },
        "required": ["a", "b"],
    });
    assert_eq!(lowered, expected);
}

#[test]
fn gemini_4_the_order_of_properties_is_kept() {
    let lowered = schema_in(
        SchemaDialect::Gemini,
        json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}, "m": {"type": "string"}}}),
    );
    let names: Vec<&String> = lowered["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["z", "a", "m"]);
}

#[test]
fn gemini_4_references_that_fan_out_without_end_are_quoted_instead() {
    let mut definitions = Map::new();
    for level in 0..20 {
        let next = format!("#/$defs/d{}", level + 1);
        let properties = json!({"a": {"$ref": next}, "b": {"$ref": next}});
        definitions.insert(format!("d{level}"), json!({"type": "object", "properties": properties}));
    }
    definitions.insert("d20".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    let (_, rules) = lower_one(SchemaDialect::Gemini, schema);
    assert!(rules.contains(&"schema_quoted".to_owned()), "{rules:?}");
}

#[test]
fn moonshot_11_references_stand_alone_and_tuples_are_lists() {
    let (tool, rules) = lower_one(
        SchemaDialect::Moonshot,
        json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/d", "description": "gone", "minLength": 3},
                "b": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false},
                "c": {"type": "array", "prefixItems": [{"type": "string"}]},
            },
            "$defs": {"d": {"type": "string"}},
        }),
    );
    let expected = json!({
        "a": {"$ref": "#/$defs/d"},
        "b": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
        "c": {"type": "array"},
    });
    assert_eq!(tool.schema["properties"], expected);
    assert_eq!(rules, ["schema_dialect"]);
}

#[test]
fn no_wire_shows_the_keyword_of_live_values() {
    let own = json!({
        "type": "object",
        "properties": {"id": {"type": "string", "x-windlass-live": "tasks"}, "more": {"type": "array", "items": {"type": "string", "x-windlass-live": "tasks"}}},
        "required": ["id", "more"],
        "additionalProperties": false
    });
    let plain = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "more": {"type": "array", "items": {"type": "string"}}},
        "required": ["id", "more"],
        "additionalProperties": false
    });
    let dialects =
        [SchemaDialect::Full, SchemaDialect::Strict, SchemaDialect::Gemini, SchemaDialect::Moonshot];
    for dialect in dialects {
        let ((shown, rules), (expected, _)) =
            (lower_one(dialect, own.clone()), lower_one(dialect, plain.clone()));
        assert_eq!(shown.schema.to_string(), expected.schema.to_string());
        assert_eq!((shown.is_strict, rules), (expected.is_strict, Vec::new()));
    }
    // Nor where a schema can only be quoted.
    let quoted = lower_one(SchemaDialect::Full, json!({"type": "string", "x-windlass-live": "tasks"})).0;
    assert!(quoted.spec.description.contains(r#"{"type":"string"}"#), "{}", quoted.spec.description);
}

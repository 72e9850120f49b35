use super::*;

fn render(source: &str, context: serde_json::Value) -> String {
    environment().render_str(source, context).unwrap()
}

#[test]
fn json_is_written_as_python_writes_it() {
    let value = serde_json::json!({ "v": { "b": [1, true, null, "é\n\"x\""], "a": {}, "c": [] } });
    assert_eq!(
        render("{{ v | tojson }}", value.clone()),
        "{\"b\": [1, true, null, \"é\\n\\\"x\\\"\"], \"a\": {}, \"c\": []}"
    );
    assert_eq!(
        render("{{ v | tojson(indent=2) }}", value),
        "{\n  \"b\": [\n    1,\n    true,\n    null,\n    \"é\\n\\\"x\\\"\"\n  ],\n  \"a\": {},\n  \"c\": []\n}"
    );
}

#[test]
fn methods_of_python_strings_and_maps_work() {
    let context = serde_json::json!({ "t": "  <a>x</a>\n", "m": { "k": 1, "l": 2 } });
    for (source, expected) in [
        ("{{ t.strip() }}", "<a>x</a>"),
        ("{{ t.rstrip('\\n') }}", "  <a>x</a>"),
        ("{{ t.lstrip() }}", "<a>x</a>\n"),
        ("{{ t.split('</a>')[0].split('<a>')[-1] }}", "x"),
        ("{{ t.strip().startswith('<a') }}", "True"),
        ("{{ t.strip().endswith('x') }}", "False"),
        ("{{ t.replace('x', 'y').strip() }}", "<a>y</a>"),
        ("{{ t.strip().upper() }}", "<A>X</A>"),
        ("{{ t.find('x') }}", "5"),
        ("{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}", "k=1;l=2;"),
        ("{{ m.keys() | join(',') }}", "k,l"),
        ("{{ m.get('z', 'none') }}", "none"),
        ("{{ m.get('k') }}", "1"),
    ] {
        assert_eq!(render(source, context.clone()), expected, "{source}");
    }
    assert!(environment().render_str("{{ t.explode() }}", context).is_err());
}

#[test]
fn a_template_can_refuse_and_cannot_run_forever() {
    let error = environment().render_str("{{ raise_exception('no system') }}", ()).unwrap_err();
    assert!(error.to_string().contains("no system"));
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}";
    assert!(environment().render_str(endless, ()).is_err());
}

#[test]
fn dates_are_those_of_the_calendar() {
    assert_eq!(date("%d %b %Y", 1_721_952_000), "26 Jul 2024");
    assert_eq!(date("%Y-%m-%d %H:%M:%S", 951_827_696), "2000-02-29 12:34:56");
    assert_eq!(date("%B", 0), "January");
}

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use rhai::{Dynamic, Engine, FnPtr, INT};
use serde_json::{Value, json};

use super::*;

#[test]
fn r_17_every_kind_of_json_becomes_a_value_and_json_again() {
    let all = json!({
        "null": null, "true": true, "int": -7, "most": i64::MAX, "least": i64::MIN, "float": 2.5,
        "text": "grüße\n\"", "empty": "", "list": [1, [2, []], {}], "map": {"a": {"b": [null]}}
    });
    let dynamic = to_dynamic(&all);
    assert_eq!(to_json(&dynamic).unwrap(), all);
    let map = dynamic.cast::<rhai::Map>();
    assert!(map["null"].is_unit() && map["int"].is_int() && map["float"].is_float());
    assert!(
        map["text"].is_string() && map["list"].is_array() && map["map"].is_map() && map["true"].is_bool()
    );
}

#[test]
fn a_char_becomes_a_text() {
    assert_eq!(to_json(&Dynamic::from('ß')).unwrap(), json!("ß"));
}

#[test]
fn a_number_above_the_largest_whole_one_becomes_a_float() {
    assert_eq!(to_dynamic(&json!(u64::MAX)).as_float().unwrap(), u64::MAX as f64);
}

#[test]
fn numbers_that_are_none_functions_bytes_and_times_are_refused_with_their_place() {
    let refused = |value: Dynamic| to_json(&value).unwrap_err();
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(refused(number.into()), ConvertError::UnsupportedType { .. }), "{number}");
    }
    let function = refused(Dynamic::from(FnPtr::new("f").unwrap()));
    assert_eq!(function.to_string(), "a function has no JSON form");
    assert!(matches!(refused(Dynamic::from_blob(vec![1])), ConvertError::UnsupportedType { .. }));
    assert!(matches!(
        refused(Dynamic::from_timestamp(rhai::Instant::now())),
        ConvertError::UnsupportedType { .. }
    ));
    let deep: Dynamic = Engine::new().eval("#{items: [1, #{price: |x| x}]}").unwrap();
    assert_eq!(refused(deep).to_string(), "a function has no JSON form, at 'items[1].price'");
}

#[test]
fn maps_of_a_host_program_with_other_keys_are_refused() {
    let tree: BTreeMap<INT, Dynamic> = BTreeMap::from([(1, Dynamic::UNIT)]);
    let hash: HashMap<INT, Dynamic> = HashMap::new();
    for value in [Dynamic::from(tree), Dynamic::from(hash)] {
        assert_eq!(to_json(&value).unwrap_err(), ConvertError::NonStringKey { path: String::new() });
    }
}

#[test]
fn a_shared_value_is_read_as_what_it_is() {
    let shared: Dynamic = Engine::new().eval("let a = #{gold: 5}; let f = || a.gold; f.call(); a").unwrap();
    assert_eq!(to_json(&shared).unwrap(), json!({"gold": 5}));
    assert_eq!(to_json(&Dynamic::from(5_i64).into_shared()).unwrap(), json!(5));
}

#[test]
fn r_16_a_value_that_is_nested_too_deeply_is_refused() {
    let nested = |levels: usize| (0..levels).fold(Dynamic::UNIT, |inner, _| Dynamic::from_array(vec![inner]));
    assert!(to_json(&nested(100)).is_ok());
    assert_eq!(to_json(&nested(1_000)).unwrap_err(), ConvertError::TooDeep);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..5)
                .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_comes_back_as_it_was(value in any_json()) {
        prop_assert_eq!(to_json(&to_dynamic(&value)).unwrap(), value);
    }
}

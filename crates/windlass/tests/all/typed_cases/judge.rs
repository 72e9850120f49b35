//! Whether a value fits a schema, by a reader that shares nothing with the validator of the engine. It knows the
//! keywords, patterns and formats of the cases and stops at any other.

use serde_json::{Map, Value};

pub(super) fn fits(schema: &Value, value: &Value) -> bool {
    Judge { root: schema }.fits(schema, value)
}

struct Judge<'a> {
    root: &'a Value,
}

impl Judge<'_> {
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        match schema {
            Value::Bool(allows) => *allows,
            Value::Object(rules) => {
                rules.iter().all(|(keyword, rule)| self.holds(rules, keyword, rule, value))
            }
            other => panic!("{other} is no schema"),
        }
    }

    fn holds(&self, rules: &Map<String, Value>, keyword: &str, rule: &Value, value: &Value) -> bool {
        let list = || rule.as_array().unwrap();
        match keyword {
            "$schema" | "$defs" | "title" | "description" | "default" | "examples" | "deprecated"
            | "readOnly" | "writeOnly" => true,
            "type" => match rule {
                Value::Array(words) => words.iter().any(|word| is_of(word.as_str().unwrap(), value)),
                word => is_of(word.as_str().unwrap(), value),
            },
            "$ref" => {
                let place = rule.as_str().unwrap().strip_prefix('#').unwrap();
                self.fits(self.root.pointer(place).unwrap(), value)
            }
            "enum" => list().contains(value),
            "const" => rule == value,
            "allOf" => list().iter().all(|one| self.fits(one, value)),
            "anyOf" => list().iter().any(|one| self.fits(one, value)),
            "oneOf" => list().iter().filter(|one| self.fits(one, value)).count() == 1,
            "not" => !self.fits(rule, value),
            "properties"
            | "required"
            | "additionalProperties"
            | "patternProperties"
            | "unevaluatedProperties"
            | "minProperties"
            | "maxProperties"
            | "propertyNames" => {
                value.as_object().is_none_or(|fields| self.object_holds(rules, keyword, rule, fields))
            }
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" => {
                value.as_array().is_none_or(|items| self.list_holds(rules, keyword, rule, items))
            }
            "minLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap())
            }
            "maxLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 <= rule.as_u64().unwrap())
            }
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            "format" => is_of_format(rule.as_str().unwrap(), value),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < rule.as_f64().unwrap()),
            "multipleOf" => {
                value.as_f64().is_none_or(|number| (number / rule.as_f64().unwrap()).fract() == 0.0)
            }
            other => panic!("the judge does not know '{other}'"),
        }
    }

    fn object_holds(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        fields: &Map<String, Value>,
    ) -> bool {
        match keyword {
            "properties" => rule
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, inner)| fields.get(name).is_none_or(|field| self.fits(inner, field))),
            "required" => {
                rule.as_array().unwrap().iter().all(|name| fields.contains_key(name.as_str().unwrap()))
            }
            "additionalProperties" => {
                fields.iter().all(|(name, field)| is_named(rules, name) || self.fits(rule, field))
            }
            "patternProperties" => rule.as_object().unwrap().iter().all(|(pattern, inner)| {
                fields.iter().all(|(name, field)| !matches(pattern, name) || self.fits(inner, field))
            }),
            "unevaluatedProperties" => {
                assert_eq!(rule, false, "the judge knows no other");
                fields.keys().all(|name| self.is_evaluated(rules, name, fields))
            }
            "minProperties" => fields.len() as u64 >= rule.as_u64().unwrap(),
            "maxProperties" => fields.len() as u64 <= rule.as_u64().unwrap(),
            _ => fields.keys().all(|name| self.fits(rule, &name.as_str().into())),
        }
    }

    /// Whether a schema, or one that holds inside of it, speaks of a field.
    fn is_evaluated(&self, rules: &Map<String, Value>, name: &str, fields: &Map<String, Value>) -> bool {
        let whole = Value::Object(fields.clone());
        let branches =
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| rules.get(*word)?.as_array()).flatten();
        let target = rules.get("$ref").and_then(|to| self.root.pointer(to.as_str()?.strip_prefix('#')?));
        is_named(rules, name)
            || branches.chain(target).any(|branch| {
                self.fits(branch, &whole) && self.is_evaluated(branch.as_object().unwrap(), name, fields)
            })
    }

    fn list_holds(&self, rules: &Map<String, Value>, keyword: &str, rule: &Value, items: &[Value]) -> bool {
        let places = rules.get("prefixItems").map_or(0, |places| places.as_array().unwrap().len());
        match keyword {
            "items" => items.iter().skip(places).all(|item| self.fits(rule, item)),
            "prefixItems" => {
                rule.as_array().unwrap().iter().zip(items).all(|(inner, item)| self.fits(inner, item))
            }
            "minItems" => items.len() as u64 >= rule.as_u64().unwrap(),
            "maxItems" => items.len() as u64 <= rule.as_u64().unwrap(),
            "contains" => items.iter().any(|item| self.fits(rule, item)),
            _ => rule == false || (0..items.len()).all(|place| !items[place + 1..].contains(&items[place])),
        }
    }
}

fn is_named(rules: &Map<String, Value>, name: &str) -> bool {
    let has = |word: &str| rules.get(word).and_then(Value::as_object);
    has("properties").is_some_and(|named| named.contains_key(name))
        || has("patternProperties").is_some_and(|named| named.keys().any(|pattern| matches(pattern, name)))
}

fn is_of(word: &str, value: &Value) -> bool {
    match word {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

/// The patterns of the cases, read by hand.
fn matches(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let upper = |text: &str| text.chars().all(|c| c.is_ascii_uppercase());
    match pattern {
        r"^[A-Z]{2}$" => text.len() == 2 && upper(text),
        r"^[A-Z]{3}-\d{2}$" => text.split_once('-').is_some_and(|(word, number)| {
            word.len() == 3 && upper(word) && number.len() == 2 && digits(number)
        }),
        r"^-?\d+$" => digits(text.strip_prefix('-').unwrap_or(text)),
        r"^\d+$" => digits(text),
        r"^[a-zäöü]+$" => {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || "äöü".contains(c))
        }
        r"^#[0-9a-f]{6}$" => {
            text.len() == 7
                && text.starts_with('#')
                && text[1..].chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
        }
        other => panic!("the judge does not know the pattern {other}"),
    }
}

/// The formats of the cases: bounds of integers, and texts that are right or far from it.
fn is_of_format(format: &str, value: &Value) -> bool {
    let within =
        |least: f64, most: f64| value.as_f64().is_none_or(|number| least <= number && number <= most);
    let text = |is: fn(&str) -> bool| value.as_str().is_none_or(is);
    let bits = |bits: i32, is_signed: bool| {
        let half = 2_f64.powi(bits - 1);
        if is_signed { within(-half, half - 1.0) } else { within(0.0, half * 2.0 - 1.0) }
    };
    match format {
        "int8" => bits(8, true),
        "int16" => bits(16, true),
        "int32" => bits(32, true),
        "int64" | "int" => bits(64, true),
        "uint8" => bits(8, false),
        "uint16" => bits(16, false),
        "uint32" => bits(32, false),
        "uint64" | "uint" => bits(64, false),
        "int128" => bits(128, true),
        "uint128" => bits(128, false),
        "float" | "double" => true,
        "email" => text(|text| text.matches('@').count() == 1 && !text.contains(' ')),
        "uri" => text(|text| text.contains("://")),
        "ipv4" => text(|text| {
            text.split('.').count() == 4 && text.split('.').all(|part| part.parse::<u8>().is_ok())
        }),
        "ipv6" => text(|text| text.parse::<std::net::Ipv6Addr>().is_ok()),
        "ip" => text(|text| text.parse::<std::net::IpAddr>().is_ok()),
        "char" => text(|text| text.chars().count() == 1),
        other => panic!("the judge does not know the format {other}"),
    }
}

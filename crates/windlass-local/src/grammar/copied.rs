//! Arguments whose strings are copied from texts: rules for the shape, the parser's own schemas for what is no string.
//!
//! Objects have the properties that their schema lists and no others. A string with an `enum`, a `const`, a `pattern`
//! or a `format` is what that says; every other string is a `SPAN`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::JsonStyle;
use super::lark::schema_with_options;

/// Numbers where a schema says nothing stay within this.
const INTEGER_MAX: i64 = 1_000_000_000;

/// Rules of one schema, the first of that name.
pub(super) fn rules(name: &str, schema: &Value, style: JsonStyle) -> Result<String, String> {
    let mut writer = CopiedWriter {
        root: schema,
        style,
        prefix: name,
        text: String::new(),
        rules: 0,
        referred: BTreeMap::new(),
    };
    let start = writer.value(schema)?;
    let _ = writeln!(writer.text, "{name}: {start}");
    Ok(writer.text)
}

struct CopiedWriter<'a> {
    root: &'a Value,
    style: JsonStyle,
    prefix: &'a str,
    text: String,
    rules: usize,
    /// Rules of what is referred to, by reference.
    referred: BTreeMap<String, String>,
}

impl CopiedWriter<'_> {
    fn rule_name(&mut self) -> String {
        self.rules += 1;
        format!("{}_{}", self.prefix, self.rules)
    }

    fn rule(&mut self, body: &str) -> String {
        let name = self.rule_name();
        let _ = writeln!(self.text, "{name}: {body}");
        name
    }

    /// The rule of a schema.
    fn value(&mut self, schema: &Value) -> Result<String, String> {
        let fields = match schema {
            Value::Bool(true) => return self.any(),
            Value::Object(fields) => fields,
            _ => return Err("a part of it allows no value".to_owned()),
        };
        if let Some(reference) = fields.get("$ref") {
            return self.reference(fields, reference);
        }
        if fields.contains_key("enum") || fields.contains_key("const") {
            return Ok(self.leaf(schema));
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            if let Some(Value::Array(options)) = fields.get(word) {
                return self.options(fields, word, options);
            }
        }
        for word in ["not", "if", "dependentRequired", "dependentSchemas", "unevaluatedProperties"] {
            if fields.contains_key(word) {
                return Err(format!("'{word}' cannot be held to together with copied strings"));
            }
        }
        match fields.get("type") {
            None => self.any(),
            Some(Value::String(kind)) => self.typed(kind, fields, schema),
            Some(Value::Array(kinds)) => {
                let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
                let options: Vec<String> = kinds
                    .into_iter()
                    .map(|kind| self.typed(kind, fields, schema))
                    .collect::<Result<_, _>>()?;
                Ok(self.rule(&options.join(" | ")))
            }
            Some(_) => Err("'type' must be a word or a list of words".to_owned()),
        }
    }

    /// Any value whose strings are copied; nothing nested, which nobody could mean by a copy.
    fn any(&mut self) -> Result<String, String> {
        let kinds = ["null", "boolean", "integer"];
        let scalar = self.leaf(&json!({ "type": kinds, "minimum": -INTEGER_MAX, "maximum": INTEGER_MAX }));
        Ok(self.rule(&format!("SPAN | {scalar}")))
    }

    fn reference(&mut self, fields: &Map<String, Value>, reference: &Value) -> Result<String, String> {
        let is_alone = fields.keys().all(|word| {
            matches!(
                word.as_str(),
                "$ref" | "$defs" | "definitions" | "$schema" | "title" | "description" | "default"
            )
        });
        let Some(target) = reference.as_str().filter(|_| is_alone) else {
            return Err("a '$ref' with other words beside it cannot be held to together with copied strings"
                .to_owned());
        };
        if let Some(rule) = self.referred.get(target) {
            return Ok(rule.clone());
        }
        let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(found) = found else {
            return Err(format!("its reference '{target}' leads nowhere"));
        };
        let name = self.rule_name();
        self.referred.insert(target.to_owned(), name.clone());
        let body = self.value(found)?;
        let _ = writeln!(self.text, "{name}: {body}");
        Ok(name)
    }

    fn options(
        &mut self,
        fields: &Map<String, Value>,
        word: &str,
        options: &[Value],
    ) -> Result<String, String> {
        let speaks = |word: &String| {
            !matches!(
                word.as_str(),
                "anyOf"
                    | "oneOf"
                    | "allOf"
                    | "type"
                    | "title"
                    | "description"
                    | "default"
                    | "$defs"
                    | "definitions"
                    | "$schema"
            )
        };
        let is_many = word != "anyOf" && options.len() > 1;
        if is_many || fields.keys().any(speaks) {
            return Err(format!(
                "'{word}' with other words beside it, or of several parts, cannot be held to together with copied strings"
            ));
        }
        let rules: Vec<String> = options.iter().map(|option| self.value(option)).collect::<Result<_, _>>()?;
        Ok(self.rule(&rules.join(" | ")))
    }

    fn typed(&mut self, kind: &str, fields: &Map<String, Value>, schema: &Value) -> Result<String, String> {
        match kind {
            "string" if fields.contains_key("pattern") || fields.contains_key("format") => {
                Ok(self.leaf_of_kind(schema, kind))
            }
            "string" => Ok(self.string(fields)),
            "object" => self.object(fields),
            "array" => self.array(fields),
            _ => Ok(self.leaf_of_kind(schema, kind)),
        }
    }

    /// A span, of a length if the schema wants one.
    fn string(&mut self, fields: &Map<String, Value>) -> String {
        let bound = |word: &str| fields.get(word).and_then(Value::as_u64);
        let (least, most) = (bound("minLength"), bound("maxLength"));
        if least.is_none_or(|least| least <= 1) && most.is_none() {
            return "SPAN".to_owned();
        }
        let name = self.rule_name().to_uppercase();
        let most = most.map(|most| most.to_string()).unwrap_or_default();
        let one = r#"(\\u[0-9a-f]{4}|\\["\\\/bfnrt]|[^"\\])"#;
        let _ = writeln!(self.text, "{name}: SPAN & /\"{one}{{{},{most}}}\"/", least.unwrap_or_default());
        name
    }

    fn array(&mut self, fields: &Map<String, Value>) -> Result<String, String> {
        if ["prefixItems", "contains", "uniqueItems"].iter().any(|word| fields.contains_key(*word)) {
            return Err(
                "'prefixItems', 'contains' and 'uniqueItems' cannot be held to together with copied strings"
                    .to_owned(),
            );
        }
        let item = self.value(fields.get("items").unwrap_or(&Value::Bool(true)))?;
        let bound = |word: &str| fields.get(word).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or_default();
        let list = match bound("maxItems") {
            Some(0) => String::new(),
            Some(most) if most < least => return Err("its 'minItems' is more than its 'maxItems'".to_owned()),
            Some(most) => format!("{item} (ITEM {item}){{{},{}}}", least.saturating_sub(1), most - 1),
            None if least <= 1 => format!("{item} (ITEM {item})*"),
            None => format!("{item} (ITEM {item}){{{},}}", least - 1),
        };
        let body = match (least, list.is_empty()) {
            (_, true) => "\"[\" \"]\"".to_owned(),
            (0, false) => format!("\"[\" ({list})? \"]\""),
            (_, false) => format!("\"[\" {list} \"]\""),
        };
        Ok(self.rule(&body))
    }

    fn object(&mut self, fields: &Map<String, Value>) -> Result<String, String> {
        let none = Map::new();
        let properties = fields.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: Vec<&str> = match fields.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let least = fields.get("minProperties").and_then(Value::as_u64).unwrap_or_default();
        if usize::try_from(least).is_ok_and(|least| least > required.len())
            || fields.contains_key("maxProperties")
        {
            return Err("'minProperties' and 'maxProperties' cannot be held to together with copied strings"
                .to_owned());
        }
        let mut parts = Vec::new();
        for (name, schema) in properties {
            let is_required = required.contains(&name.as_str());
            // What may be left out and has no value is left out.
            if *schema == Value::Bool(false) && !is_required {
                continue;
            }
            let value = self.value(schema)?;
            parts.push((format!("{} KEY {value}", json!(json!(name).to_string())), is_required));
        }
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            let value = self.any()?;
            parts.push((format!("{} KEY {value}", json!(json!(name).to_string())), true));
        }
        let inner = self.sequence(&parts);
        Ok(self.rule(&format!("\"{{\" {inner} \"}}\"")))
    }

    /// Parts in their order, with a separator before each but the first.
    fn sequence(&mut self, parts: &[(String, bool)]) -> String {
        let (mut first, mut later) = ("\"\"".to_owned(), "\"\"".to_owned());
        for (part, is_required) in parts.iter().rev() {
            let (begins, follows) = if *is_required {
                (format!("{part} {later}"), format!("ITEM {part} {later}"))
            } else {
                (format!("{part} {later} | {first}"), format!("(ITEM {part})? {later}"))
            };
            first = self.rule(&begins);
            later = self.rule(&follows);
        }
        first
    }

    fn leaf_of_kind(&mut self, schema: &Value, kind: &str) -> String {
        let mut schema = schema.clone();
        if let Value::Object(fields) = &mut schema {
            fields.insert("type".to_owned(), json!(kind));
            fields.remove("$defs");
        }
        self.leaf(&schema)
    }

    fn leaf(&mut self, schema: &Value) -> String {
        let schema = schema_with_options(schema, self.style, false);
        self.rule(&format!("%json {schema}"))
    }
}

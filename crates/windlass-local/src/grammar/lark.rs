//! The text of a grammar: what an answer with calls looks like in each syntax.
//!
//! Knows how models write calls. What may stand in their arguments comes from `schema` and `copied`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::copied;
use super::schema::Fitted;
use super::spans::span_terminal;
use super::tokens::GrammarTokens;
use super::{CallSyntax, CopySources, JsonStyle};

/// Most calls of one answer that a grammar counts.
const CALLS_MAX: usize = 64;

/// One tool of a grammar.
#[derive(Debug, Clone)]
pub(super) struct CallRule {
    pub(super) name: String,
    pub(super) schema: Fitted,
    /// Whether what the parser cannot express is left out, and told.
    pub(super) is_lenient: bool,
}

impl JsonStyle {
    /// What stands between two parts, and between a name and its value, as regular expressions.
    fn separators(self) -> (&'static str, &'static str) {
        match self {
            JsonStyle::Compact => (",", ":"),
            JsonStyle::Spaced => (", ", ": "),
            JsonStyle::Either => (", ?", ": ?"),
        }
    }
}

/// The schema with the parser's options in it.
pub(super) fn schema_with_options(schema: &Value, style: JsonStyle, is_lenient: bool) -> Value {
    let (item, key) = style.separators();
    let mut schema = match schema {
        Value::Object(_) => schema.clone(),
        other => json!({ "allOf": [other] }),
    };
    if let Value::Object(fields) = &mut schema {
        let options = json!({
            "item_separator": item,
            "key_separator": key,
            "whitespace_flexible": false,
            "lenient": is_lenient,
            "json_allowed_escapes": "nrbtf\\\"",
        });
        fields.insert("x-guidance".to_owned(), options);
    }
    schema
}

/// The grammar of an answer that is JSON of a schema.
pub(super) fn json_grammar(schema: &Value, style: JsonStyle, is_lenient: bool) -> String {
    format!("start: %json {}\n", schema_with_options(schema, style, is_lenient))
}

/// What a grammar of calls is made of.
pub(super) struct Calls<'a> {
    pub(super) syntax: &'a CallSyntax,
    pub(super) style: JsonStyle,
    pub(super) rules: &'a [CallRule],
    pub(super) calls_max: usize,
    pub(super) sources: Option<&'a CopySources>,
    /// Whether what begins the first call is still to come.
    pub(super) has_begin: bool,
}

impl Calls<'_> {
    /// The grammar. An error names the tool whose schema cannot be expressed.
    pub(super) fn grammar(&self, tokens: &GrammarTokens) -> Result<String, (String, String)> {
        let (item, key) = self.style.separators();
        let mut text = self.start(tokens);
        for (at, rule) in self.rules.iter().enumerate() {
            let name = json!(json!(rule.name).to_string());
            let field = json!(format!("\"{}\"", self.arguments_word()));
            let open = json!("{\"name\"");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "call_{at}: {open} KEY {name} ITEM {field} KEY args_{at} \"}}\"");
            match self.sources {
                None => {
                    let schema = schema_with_options(&rule.schema.schema, self.style, rule.is_lenient);
                    let _ = writeln!(text, "args_{at}: %json {schema}");
                }
                Some(_) => {
                    let rules = copied::rules(&format!("args_{at}"), &rule.schema.schema, self.style)
                        .map_err(|message| (rule.name.clone(), message))?;
                    text.push_str(&rules);
                }
            }
        }
        if let Some(sources) = self.sources {
            text.push_str(&span_terminal("SPAN", &sources.texts));
        }
        let _ = write!(text, "ITEM: /{item}/\nKEY: /{key}/\n");
        if self.has_blanks() {
            text.push_str("BLANK: /[ \\n]{1,2}/\n");
        }
        Ok(text)
    }

    fn arguments_word(&self) -> &'static str {
        match self.syntax {
            CallSyntax::Tags { .. } | CallSyntax::List { .. } => "arguments",
            CallSyntax::BareObject => "parameters",
        }
    }

    /// Whether blanks may stand around a call.
    fn has_blanks(&self) -> bool {
        match self.style {
            JsonStyle::Compact => false,
            JsonStyle::Spaced | JsonStyle::Either => true,
        }
    }

    fn start(&self, tokens: &GrammarTokens) -> String {
        let blank = if self.has_blanks() { "BLANK? " } else { "" };
        let calls: Vec<String> = (0..self.rules.len()).map(|at| format!("call_{at}")).collect();
        let more = self.calls_max.clamp(1, CALLS_MAX) - 1;
        let again = |rest: &str| if more == 0 { String::new() } else { format!(" ({rest}){{0,{more}}}") };
        let begun = |begin: &str| if self.has_begin { format!("{begin} ") } else { String::new() };
        let start = match self.syntax {
            CallSyntax::Tags { begin, end } => {
                let (begin, end) = (symbol(begin, tokens), symbol(end, tokens));
                let rest = again(&format!("{blank}{begin} tagged"));
                format!("start: {}tagged{rest}\ntagged: {blank}call {blank}{end}\n", begun(&begin))
            }
            CallSyntax::List { begin } => {
                let begin = symbol(begin, tokens);
                let rest = again("ITEM call");
                format!("start: {}{blank}\"[\" call{rest} \"]\"\n", begun(&begin))
            }
            CallSyntax::BareObject => format!("start: {blank}call\n"),
        };
        format!("{start}call: {}\n", calls.join(" | "))
    }
}

/// A special token where the model has one of that name, text otherwise.
fn symbol(text: &str, tokens: &GrammarTokens) -> String {
    match tokens.special(text) {
        Some(token) => format!("<[{token}]>"),
        None => json!(text).to_string(),
    }
}

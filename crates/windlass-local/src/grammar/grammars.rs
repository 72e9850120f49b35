//! Makes constraints for one model: chooses the grammar of a wish, compiles it, keeps what was compiled.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use llguidance::api::{ParserLimits, TopLevelGrammar};
use llguidance::toktrie::{InferenceCapabilities, TokEnv};
use llguidance::{ParserFactory, TokenParser};
use serde_json::Value;

use super::answer::{AnswerGrammar, Begin, ConstrainedAnswer};
use super::lark::{CallRule, Calls, json_grammar};
use super::schema::{fit, without_patterns};
use super::speech::{Speech, Trigger};
use super::tokens::GrammarTokens;
use super::{AnswerWish, CallSyntax, Constraint, GrammarError, GrammarForm, GrammarPort, Vocabulary};

/// Compiled grammars that are kept; the tools of a session rarely change, the texts it copies from always do.
const KEPT_MAX: usize = 16;

/// A kept grammar whose lexer has grown beyond this is compiled anew: about 1 kB a state.
const LEXER_STATES_MAX: usize = 50_000;

/// Longer grammars are not compiled.
const GRAMMAR_BYTES_MAX: usize = 4 << 20;

/// Characters of the parser's own words that are passed on.
const MESSAGE_CHARS_MAX: usize = 300;

/// How the parser begins when no value fits a schema.
const UNSATISFIABLE: &str = "Unsatisfiable";

/// What stands for a schema that belongs to no tool.
const ANSWER_NAME: &str = "the answer";

/// Grammars for the tokens of one model.
pub struct Grammars {
    factory: ParserFactory,
    tokens: Arc<GrammarTokens>,
    is_exact: bool,
    kept: Mutex<VecDeque<Compiled>>,
    speeches: Mutex<Vec<Arc<Speech>>>,
}

/// A grammar and the parser at its beginning.
#[derive(Clone)]
struct Compiled {
    key: Arc<str>,
    parser: TokenParser,
    notices: Arc<[String]>,
    /// An answer failed in it: what its answers share may be broken.
    is_spoilt: Arc<AtomicBool>,
}

/// What a wish comes to.
enum GrammarPlan {
    Text(FreeTextWish),
    /// The grammar from the first token on.
    Grammar(GrammarSource),
    /// Text until a call begins, then the grammar.
    Lazy(FreeTextWish, GrammarSource),
}

/// Free text as a wish describes it.
struct FreeTextWish {
    trigger: Trigger,
    may_call: bool,
}

enum GrammarSource {
    Calls { rules: Vec<CallRule>, calls_max: usize, has_begin: bool },
    Json(CallRule),
    Lark(String),
}

impl Grammars {
    /// For a model's tokens. What a schema says and no grammar can is left out and told (`Constraint::notices`): calls
    /// are checked against the whole schema when they come.
    pub fn new(vocabulary: Vocabulary) -> Result<Self, GrammarError> {
        let tokens = Arc::new(GrammarTokens::new(vocabulary)?);
        let env: TokEnv = Arc::clone(&tokens) as TokEnv;
        let slices = llguidance::earley::SlicedBiasComputer::general_slices();
        let mut factory =
            ParserFactory::new(&env, InferenceCapabilities::default(), &slices).map_err(refuse)?;
        factory.quiet();
        *factory.limits_mut() = ParserLimits { verbose_errors: false, ..ParserLimits::default() };
        Ok(Self { factory, tokens, is_exact: false, kept: Mutex::default(), speeches: Mutex::default() })
    }

    /// The same, but a schema that no grammar can express whole is an error.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.is_exact = true;
        self
    }

    fn plan(&self, wish: &AnswerWish) -> Result<GrammarPlan, GrammarError> {
        let tools = || {
            wish.tools.iter().map(|spec| {
                let name = spec.name.clone();
                self.rule(name, &spec.schema, wish)
            })
        };
        let calls = |rules: Vec<CallRule>, has_begin| GrammarSource::Calls {
            rules,
            calls_max: wish.calls_max,
            has_begin,
        };
        Ok(match &wish.form {
            GrammarForm::TextOnly => GrammarPlan::Text(self.speech(&wish.syntax, false)),
            GrammarForm::Free if wish.tools.is_empty() || wish.calls_max == 0 => {
                GrammarPlan::Text(self.speech(&wish.syntax, false))
            }
            GrammarForm::Free => GrammarPlan::Lazy(
                self.speech(&wish.syntax, true),
                calls(tools().collect::<Result<_, _>>()?, false),
            ),
            GrammarForm::CallRequired if wish.tools.is_empty() => {
                let message = "a call is required, but no tool may be called now";
                return Err(GrammarError::Grammar(message.to_owned()));
            }
            GrammarForm::CallRequired => {
                GrammarPlan::Grammar(calls(tools().collect::<Result<_, _>>()?, true))
            }
            GrammarForm::CallNamed(name) => {
                let Some(spec) = wish.tools.iter().find(|spec| spec.name == *name) else {
                    let message = format!(
                        "'{name}' must be called, but it is not among the tools that may be called now"
                    );
                    return Err(GrammarError::Grammar(message));
                };
                let rules = vec![self.rule(spec.name.clone(), &spec.schema, wish)?];
                GrammarPlan::Grammar(GrammarSource::Calls { rules, calls_max: 1, has_begin: true })
            }
            GrammarForm::Json(schema) => {
                GrammarPlan::Grammar(GrammarSource::Json(self.rule(ANSWER_NAME.to_owned(), schema, wish)?))
            }
            GrammarForm::Lark(text) => GrammarPlan::Grammar(GrammarSource::Lark(text.clone())),
        })
    }

    fn rule(&self, name: String, schema: &Value, wish: &AnswerWish) -> Result<CallRule, GrammarError> {
        match fit(schema, &wish.live) {
            Ok(schema) if self.is_exact && !schema.loosened.is_empty() => {
                Err(GrammarError::Schema { tool: name, message: schema.loosened.join("; ") })
            }
            Ok(schema) => Ok(CallRule { name, schema, is_lenient: false }),
            Err(message) => Err(GrammarError::Schema { tool: name, message }),
        }
    }

    fn speech(&self, syntax: &CallSyntax, may_call: bool) -> FreeTextWish {
        let trigger = match syntax {
            CallSyntax::Tags { begin, .. } | CallSyntax::List { begin } => match self.tokens.special(begin) {
                Some(token) => Trigger::Token(token),
                None if begin.is_empty() => Trigger::None,
                None => Trigger::Text(begin.clone().into_bytes()),
            },
            CallSyntax::BareObject => Trigger::Brace,
        };
        FreeTextWish { trigger, may_call }
    }

    /// The sets of tokens of free text are made once for each way to begin a call.
    fn kept_speech(&self, wanted: FreeTextWish) -> Arc<Speech> {
        let mut speeches = self.speeches.lock().unwrap_or_else(PoisonError::into_inner);
        let FreeTextWish { trigger, may_call } = wanted;
        if let Some(own) = speeches.iter().find(|own| own.is_of(&trigger, may_call)) {
            return Arc::clone(own);
        }
        let speech = Arc::new(Speech::new(trigger, may_call));
        speeches.push(Arc::clone(&speech));
        speech
    }

    /// The parser of a grammar, compiled or kept.
    fn compile(&self, wish: &AnswerWish, mut source: GrammarSource) -> Result<Compiled, GrammarError> {
        let text = self.text(wish, &source)?;
        if let Some(kept) = self.kept(&text) {
            return Ok(kept);
        }
        let mut notices = source.loosened();
        let parser = match self.parser(text.clone()) {
            Ok(parser) => parser,
            Err(first) => {
                notices.extend(self.loosen(wish, &mut source, &first)?);
                self.parser(self.text(wish, &source)?).map_err(|message| {
                    GrammarError::Grammar(format!("{message}; offer fewer or simpler tools at a time"))
                })?
            }
        };
        let compiled =
            Compiled { key: text.into(), parser, notices: notices.into(), is_spoilt: Arc::default() };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT_MAX - 1);
        kept.push_front(compiled.clone());
        Ok(compiled)
    }

    /// A kept grammar, moved to the front.
    fn kept(&self, key: &str) -> Option<Compiled> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|compiled| *compiled.key == *key)?;
        let compiled = kept.remove(at)?;
        // Looked at first: a spoilt parser cannot even be asked how large it is.
        if compiled.is_spoilt.load(Ordering::Relaxed)
            || compiled.parser.parser.lexer_stats().num_states > LEXER_STATES_MAX
        {
            return None;
        }
        kept.push_front(compiled.clone());
        Some(compiled)
    }

    fn text(&self, wish: &AnswerWish, source: &GrammarSource) -> Result<String, GrammarError> {
        match source {
            GrammarSource::Lark(text) => Ok(text.clone()),
            GrammarSource::Json(rule) => Ok(json_grammar(&rule.schema.schema, wish.json, rule.is_lenient)),
            GrammarSource::Calls { rules, calls_max, has_begin } => {
                let calls = Calls {
                    syntax: &wish.syntax,
                    style: wish.json,
                    rules,
                    calls_max: *calls_max,
                    sources: wish.sources.as_ref(),
                    has_begin: *has_begin,
                };
                calls.grammar(&self.tokens).map_err(|(tool, message)| GrammarError::Schema { tool, message })
            }
        }
    }

    /// Finds the schemas that the parser cannot express, and lets it leave out what it cannot. Says what that is.
    fn loosen(
        &self,
        wish: &AnswerWish,
        source: &mut GrammarSource,
        first: &str,
    ) -> Result<Vec<String>, GrammarError> {
        let rules = match source {
            GrammarSource::Lark(_) => return Err(GrammarError::Grammar(first.to_owned())),
            GrammarSource::Json(rule) => std::slice::from_mut(rule),
            GrammarSource::Calls { rules, .. } => rules.as_mut_slice(),
        };
        let mut notices = Vec::new();
        for rule in rules {
            let Err(message) = self.alone(rule, wish) else { continue };
            let refusal = |message| GrammarError::Schema { tool: rule.name.clone(), message };
            if self.is_exact || wish.sources.is_some() {
                return Err(refusal(message));
            }
            let mut loose = CallRule { is_lenient: true, ..rule.clone() };
            let mut parser = match self.alone(&loose, wish) {
                Ok(parser) => parser,
                Err(message) if message.starts_with(UNSATISFIABLE) => return Err(refusal(message)),
                Err(message) => {
                    loose.schema.schema = without_patterns(&loose.schema.schema);
                    let parser = self.alone(&loose, wish).map_err(|_| refusal(message.clone()))?;
                    notices
                        .push(format!("{}: no pattern is kept to, for one cannot be: {message}", rule.name));
                    parser
                }
            };
            let warnings = parser.grammar_warnings();
            notices.extend(warnings.iter().map(|warning| format!("{}: {}", rule.name, told(warning))));
            *rule = loose;
        }
        Ok(notices)
    }

    /// The parser of one schema by itself.
    fn alone(&self, rule: &CallRule, wish: &AnswerWish) -> Result<TokenParser, String> {
        self.parser(json_grammar(&rule.schema.schema, wish.json, rule.is_lenient))
    }

    fn parser(&self, text: String) -> Result<TokenParser, String> {
        if text.len() > GRAMMAR_BYTES_MAX {
            return Err(format!("the grammar is longer than {GRAMMAR_BYTES_MAX} bytes"));
        }
        let mut parser = self
            .factory
            .create_parser(TopLevelGrammar::from_lark(text))
            .map_err(|error| told(&error.to_string()))?;
        parser.start_without_prompt();
        Ok(parser)
    }
}

impl GrammarSource {
    fn loosened(&self) -> Vec<String> {
        let rules = match self {
            GrammarSource::Lark(_) => &[],
            GrammarSource::Json(rule) => std::slice::from_ref(rule),
            GrammarSource::Calls { rules, .. } => rules.as_slice(),
        };
        let told = |rule: &CallRule| {
            let name = rule.name.clone();
            rule.schema.loosened.clone().into_iter().map(move |what| format!("{name}: {what}"))
        };
        rules.iter().flat_map(told).collect()
    }

    /// Whether what comes is JSON, whose nesting has a limit.
    fn is_json(&self) -> bool {
        match self {
            GrammarSource::Calls { .. } | GrammarSource::Json(_) => true,
            GrammarSource::Lark(_) => false,
        }
    }
}

impl GrammarPort for Grammars {
    fn constrain(&self, wish: &AnswerWish) -> Result<Box<dyn Constraint>, GrammarError> {
        let tokens = Arc::clone(&self.tokens);
        let (speech, source) = match self.plan(wish)? {
            GrammarPlan::Text(speech) => {
                return Ok(Box::new(ConstrainedAnswer::of_text(tokens, self.kept_speech(speech))));
            }
            GrammarPlan::Grammar(source) => (None, source),
            GrammarPlan::Lazy(speech, source) => (Some(self.kept_speech(speech)), source),
        };
        let is_json = source.is_json();
        let Compiled { parser, notices, is_spoilt, .. } = self.compile(wish, source)?;
        let begin = speech.map_or(Begin::Grammar, Begin::Speech);
        let grammar = AnswerGrammar { parser, is_json, notices, is_spoilt };
        Ok(Box::new(ConstrainedAnswer::new(tokens, grammar, begin)))
    }
}

fn refuse(error: impl std::fmt::Display) -> GrammarError {
    GrammarError::Grammar(told(&error.to_string()))
}

/// The parser's own words, without where in our own text it stumbled.
fn told(message: &str) -> String {
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("unknown reason");
    let first = first.rsplit_once("failed to compile JSON schema: ").map_or(first, |(_, reason)| reason);
    first.trim().chars().take(MESSAGE_CHARS_MAX).collect()
}

#[cfg(test)]
#[path = "grammars_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "random_tests.rs"]
mod random;

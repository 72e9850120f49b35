//! Happenings: what the model does.

use windlass_core::protocol::model::{Finish, ModelFailure, Usage};

use super::reader::{ScriptParseError, listed, shown};
use super::{ModelLine, Parser};
use crate::script::{ArgsForm, CallLine, JsonText, ProviderId};
use crate::words::MODEL;

const FINISHES: [&str; 6] = ["stop", "calls", "length", "paused", "filtered", "other:WORD"];
const COUNTS: [&str; 5] = ["input=", "output=", "cached=", "reasoning=", "cost_usd="];

impl Parser<'_> {
    pub(super) fn read_model(&mut self) -> Result<ModelLine, ScriptParseError> {
        let expected = listed(MODEL);
        match self.reader.need(&expected)? {
            "text" => Ok(ModelLine::Text(self.reader.text("what the model says")?)),
            "reasoning" => Ok(ModelLine::Reasoning(self.reader.text("what the model thinks")?)),
            "reasoning-state" => {
                Ok(ModelLine::ReasoningState(self.reader.json("the provider's state as JSON")?))
            }
            "call" => self.read_call(ArgsForm::Text),
            "raw-call" => self.read_call(ArgsForm::Raw),
            "value-call" => self.read_call(ArgsForm::Value),
            "delay" => {
                let word = self.reader.need("a duration such as 200ms or 2s")?;
                Ok(ModelLine::Delay { delay_ms: self.reader.duration_of(word)? })
            }
            "usage" => Ok(ModelLine::Usage(self.read_usage()?)),
            "end" => Ok(ModelLine::End(self.read_finish()?)),
            "cut" => Ok(ModelLine::Cut),
            "hang" => Ok(ModelLine::Hang),
            "fail" => self.read_failure(true),
            "fail!" => self.read_failure(false),
            word => Err(self.reader.unknown(word, &expected, MODEL)),
        }
    }

    /// `N [id=ID|id=-] NAME [ARGUMENTS]`
    fn read_call(&mut self, form: ArgsForm) -> Result<ModelLine, ScriptParseError> {
        let number = self.new_call()?;
        let id = match self.reader.option("id=") {
            None => ProviderId::Numbered,
            Some("-") => ProviderId::Absent,
            Some("") => return Err(self.reader.fault("the id is empty", "id=TEXT, or id=- for none")),
            Some(id) => ProviderId::Given(id.to_owned()),
        };
        let name = self.reader.need("the name of a tool")?.to_owned();
        let args = self.reader.text_or_nothing()?.unwrap_or_default();
        let must_parse = match form {
            ArgsForm::Text => !args.is_empty(),
            ArgsForm::Value => true,
            ArgsForm::Raw => false,
        };
        if must_parse && let Err(error) = JsonText::parse(&args) {
            let message = format!("the arguments are not JSON: {error}");
            return Err(self
                .reader
                .fault(message, "JSON, or 'raw-call' for arguments that are broken on purpose"));
        }
        Ok(ModelLine::Call(CallLine { number, id, name, form, args }))
    }

    /// `input=N output=N …`, each at most once.
    fn read_usage(&mut self) -> Result<Usage, ScriptParseError> {
        let expected = listed(COUNTS.map(|count| count.trim_end_matches('=')));
        let expected = format!("{expected}, each with '=' and its number");
        let mut usage = Usage::default();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(word) = self.reader.word() {
            let Some((name, number)) = word.split_once('=') else {
                return Err(self.reader.fault(format!("'{}' has no '='", shown(word)), expected));
            };
            if seen.contains(&name) {
                return Err(self.reader.fault(format!("a second '{name}'"), "each count at most once"));
            }
            seen.push(name);
            if name == "cost_usd" {
                usage.cost_usd = Some(self.read_cost(number)?);
                continue;
            }
            let count = match name {
                "input" => &mut usage.input,
                "output" => &mut usage.output,
                "cached" => &mut usage.cached,
                "reasoning" => &mut usage.reasoning,
                _ => return Err(self.reader.unknown(word, &expected, COUNTS)),
            };
            *count = self.reader.whole_of(number, "a number of tokens", 0..=u64::MAX)?;
        }
        match seen.is_empty() {
            true => Err(self.reader.fault("the line ends here", expected)),
            false => Ok(usage),
        }
    }

    fn read_cost(&self, number: &str) -> Result<f64, ScriptParseError> {
        match number.parse::<f64>() {
            Ok(cost) if cost.is_finite() && cost >= 0.0 => Ok(cost),
            Ok(_) | Err(_) => {
                Err(self.reader.fault(format!("'{}' is not a cost", shown(number)), "a number such as 0.02"))
            }
        }
    }

    /// `[stop|calls|length|paused|filtered|other:WORD]`; nothing is `stop`.
    fn read_finish(&mut self) -> Result<Finish, ScriptParseError> {
        match self.reader.word() {
            None | Some("stop") => Ok(Finish::Stop),
            Some("calls") => Ok(Finish::Calls),
            Some("length") => Ok(Finish::Length),
            Some("paused") => Ok(Finish::Paused),
            Some("filtered") => Ok(Finish::Filtered),
            Some(word) => match word.strip_prefix("other:") {
                Some(other) if !other.is_empty() => Ok(Finish::Other(other.to_owned())),
                Some(_) | None => Err(self.reader.unknown(word, &listed(FINISHES), FINISHES)),
            },
        }
    }

    fn read_failure(&mut self, is_retryable: bool) -> Result<ModelLine, ScriptParseError> {
        let kind = self.reader.need("a code, such as overloaded")?.into();
        let retry_after_ms = match self.reader.option("after=") {
            None => None,
            Some(word) => Some(self.reader.duration_of(word)?),
        };
        let message = self.reader.text("what the provider says")?;
        Ok(ModelLine::Fail(ModelFailure { kind, message, is_retryable, retry_after_ms, detail: None }))
    }
}

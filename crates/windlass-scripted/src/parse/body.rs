//! Happenings: what the user and the tools do.

use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::protocol::tool::ErrorKind;

use super::reader::{ScriptParseError, listed};
use super::{Expectation, Parser, ScriptHappening};
use crate::limits::FILL_CHARS_MAX;
use crate::script::CallEnding;
use crate::words::TOOL;

impl Parser<'_> {
    /// Reads a happening after its first word.
    pub(super) fn read_happening(&mut self, word: &str) -> Result<ScriptHappening, ScriptParseError> {
        let happening = match word {
            "user" => ScriptHappening::User(self.reader.text("what the user says")?),
            "model" => ScriptHappening::Model(self.read_model()?),
            "approve" => self.read_approval()?,
            "deny" => {
                let (call, message) = (self.known_call()?, self.reader.text_or_nothing()?);
                let answer = PermissionAnswer { message, ..PermissionAnswer::new(Decision::Deny) };
                ScriptHappening::Answer { call, answer }
            }
            "tool" => ScriptHappening::Tool { call: self.known_call()?, ending: self.read_ending()? },
            "cancel" => ScriptHappening::Cancel,
            "deadline" => ScriptHappening::Deadline,
            "expect" => ScriptHappening::Expect(Expectation::Events(self.read_events()?)),
            "expect-request" => ScriptHappening::ExpectRequest(self.read_request()?),
            "expect-outcome" => ScriptHappening::Expect(self.read_outcome()?),
            "expect-answer" => {
                ScriptHappening::Expect(Expectation::Answer(self.reader.text("a text in the answer")?))
            }
            "expect-warning" => ScriptHappening::Expect(self.read_warning()?),
            "expect-call" => ScriptHappening::Expect(Expectation::Call(self.read_call_expectation()?)),
            other => return Err(self.reader.fault(format!("unknown word '{other}'"), "a happening")),
        };
        self.reader.end()?;
        Ok(happening)
    }

    /// `approve N [confirm=WORD] [once | session [RULE] | remember [RULE]]`
    fn read_approval(&mut self) -> Result<ScriptHappening, ScriptParseError> {
        let call = self.known_call()?;
        let confirmation = self.reader.option("confirm=").map(str::to_owned);
        let decision = match self.reader.peek() {
            None => Decision::Once,
            Some(_) => {
                let known = [Decision::Once, Decision::Session, Decision::Remember];
                self.reader.choose("once, session or remember", &known, |decision| decision.word())?
            }
        };
        let rule = match decision {
            Decision::Session | Decision::Remember => self.reader.text_or_nothing()?,
            Decision::Once | Decision::Deny => None,
        };
        Ok(ScriptHappening::Answer {
            call,
            answer: PermissionAnswer { rule, confirmation, ..PermissionAnswer::new(decision) },
        })
    }

    /// What follows `tool N`.
    fn read_ending(&mut self) -> Result<CallEnding, ScriptParseError> {
        let expected = listed(TOOL);
        match self.reader.need(&expected)? {
            "ok" => Ok(CallEnding::Ok(self.reader.json("the outcome as JSON, or 'text' instead of 'ok'")?)),
            "text" => Ok(CallEnding::Text(self.reader.text("the outcome as text")?)),
            "fill" => {
                let chars = self.reader.whole("a number of characters", 0..=FILL_CHARS_MAX as u64)?;
                Ok(CallEnding::Fill { chars: usize::try_from(chars).unwrap_or(FILL_CHARS_MAX) })
            }
            "fail" => {
                let kinds = listed(ErrorKind::ALL.map(ErrorKind::word));
                let kind = self.reader.choose(&kinds, &ErrorKind::ALL, |kind| kind.word())?;
                Ok(CallEnding::Fail { kind, message: self.reader.text("what was wrong")? })
            }
            "timeout" => Ok(CallEnding::Timeout),
            "hang" => Ok(CallEnding::Hang),
            word => Err(self.reader.unknown(word, &expected, TOOL)),
        }
    }
}

//! Expectations.

use windlass_core::protocol::event::WarningCode;
use windlass_core::protocol::model::ToolChoice;
use windlass_core::protocol::tool::ErrorKind;

use super::reader::{ScriptParseError, listed, shown};
use super::{EventPattern, Expectation, Parser};
use crate::limits::EVENT_TIMES_MAX;
use crate::script::{CallExpectation, RequestExpectation};
use crate::words::{
    DELTAS, EVENTS, OUTCOMES, PURPOSES, REASONS, REQUEST, STATUSES, WARNINGS, purpose_word, reason_word,
};

const CHOICES: [&str; 4] = ["auto", "required", "forbidden", "named:TOOL"];

impl Parser<'_> {
    /// `NAME[*TIMES]…`, with `...` for any events or none.
    pub(super) fn read_events(&mut self) -> Result<Vec<EventPattern>, ScriptParseError> {
        let mut patterns = vec![self.read_event("the name of an event, or '...'")?];
        while self.reader.peek().is_some() {
            patterns.push(self.read_event("the name of an event")?);
        }
        Ok(patterns)
    }

    fn read_event(&mut self, expected: &str) -> Result<EventPattern, ScriptParseError> {
        let word = self.reader.need(expected)?;
        if word == "..." || word == "…" {
            return Ok(EventPattern::Any);
        }
        let (name, times) = word.split_once('*').unwrap_or((word, "1"));
        if DELTAS.contains(&name) {
            let message = format!("'{name}' may be dropped or joined, so it cannot be expected");
            return Err(self.reader.fault(message, listed(EVENTS)));
        }
        let Some(name) = EVENTS.into_iter().find(|known| *known == name) else {
            return Err(self.reader.unknown(name, &format!("{} or '...'", listed(EVENTS)), EVENTS));
        };
        let times = self.reader.whole_of(times, "how often in a row", 1..=u64::from(EVENT_TIMES_MAX))?;
        Ok(EventPattern::Named { name, times: u32::try_from(times).unwrap_or(EVENT_TIMES_MAX) })
    }

    pub(super) fn read_request(&mut self) -> Result<RequestExpectation, ScriptParseError> {
        let expected = listed(REQUEST);
        match self.reader.need(&expected)? {
            "contains" => Ok(RequestExpectation::Contains(self.reader.text("a text in the request")?)),
            "lacks" => Ok(RequestExpectation::Lacks(self.reader.text("a text not in the request")?)),
            "tools" => {
                let names = self.reader.need("names of tools with commas between them, or none")?;
                let names = if names == "none" { "" } else { names };
                let names = names.split(',').filter(|name| !name.is_empty()).map(str::to_owned);
                Ok(RequestExpectation::Tools(names.collect()))
            }
            "tool-choice" => Ok(RequestExpectation::ToolChoice(self.read_choice()?)),
            "purpose" => {
                let purposes = listed(PURPOSES.map(purpose_word));
                let purpose = self.reader.choose(&purposes, &PURPOSES, |purpose| purpose_word(*purpose))?;
                Ok(RequestExpectation::Purpose(purpose))
            }
            "same-prefix" => Ok(RequestExpectation::SamePrefix),
            word => Err(self.reader.unknown(word, &expected, REQUEST)),
        }
    }

    fn read_choice(&mut self) -> Result<ToolChoice, ScriptParseError> {
        let expected = listed(CHOICES);
        match self.reader.need(&expected)? {
            "auto" => Ok(ToolChoice::Auto),
            "required" => Ok(ToolChoice::Required),
            "forbidden" => Ok(ToolChoice::Forbidden),
            word => match word.strip_prefix("named:") {
                Some(name) if !name.is_empty() => Ok(ToolChoice::Named(name.to_owned())),
                Some(_) | None => Err(self.reader.unknown(word, &expected, CHOICES)),
            },
        }
    }

    pub(super) fn read_outcome(&mut self) -> Result<Expectation, ScriptParseError> {
        let outcomes = listed(OUTCOMES.map(|outcome| outcome.word()));
        let outcome = self.reader.choose(&outcomes, &OUTCOMES, |outcome| outcome.word())?;
        let reason = match self.reader.peek() {
            None => None,
            Some(_) => {
                let reasons = listed(REASONS.iter().map(reason_word));
                Some(self.reader.choose(&reasons, &REASONS, reason_word)?)
            }
        };
        Ok(Expectation::Outcome { outcome, reason })
    }

    pub(super) fn read_warning(&mut self) -> Result<Expectation, ScriptParseError> {
        let codes = WARNINGS.map(Some);
        let word_of = |code: &Option<WarningCode>| code.map_or("none", WarningCode::word);
        let mut known = codes.to_vec();
        known.push(None);
        let expected = listed(known.iter().map(word_of));
        Ok(Expectation::Warning(self.reader.choose(&expected, &known, word_of)?))
    }

    /// `N [STATUS] [KIND] [cached] [truncated] [says TEXT]`
    pub(super) fn read_call_expectation(&mut self) -> Result<CallExpectation, ScriptParseError> {
        let statuses = STATUSES.map(|status| status.word());
        let kinds = ErrorKind::ALL.map(ErrorKind::word);
        let flags = ["cached", "truncated", "says"];
        let expected = listed(statuses.iter().chain(&flags).copied());
        let expected = format!("{expected}, or an error kind such as not_found");
        let mut expectation = CallExpectation::new(self.known_call()?);
        let mut is_empty = true;
        while let Some(word) = self.reader.word() {
            is_empty = false;
            let status = STATUSES.into_iter().find(|status| status.word() == word);
            let kind = ErrorKind::ALL.into_iter().find(|kind| kind.word() == word);
            match (word, status, kind) {
                ("cached", ..) => expectation.is_cached = true,
                ("truncated", ..) => expectation.is_truncated = true,
                ("says", ..) => {
                    expectation.says = Some(self.reader.text("a text that the model sees")?);
                    break;
                }
                // `cancelled` is both: the first is the status, the second the kind.
                (_, Some(status), _) if expectation.status.is_none() => expectation.status = Some(status),
                (_, _, Some(kind)) if expectation.kind.is_none() => expectation.kind = Some(kind),
                (_, None, None) => {
                    let known = statuses.iter().chain(&kinds).chain(&flags).copied();
                    return Err(self.reader.unknown(word, &expected, known));
                }
                (_, _, _) => {
                    let message = format!("'{}' after another of its sort", shown(word));
                    return Err(self.reader.fault(message, "one status and one error kind"));
                }
            }
        }
        match is_empty {
            true => Err(self.reader.fault("the line ends here", expected)),
            false => Ok(expectation),
        }
    }
}

//! Header lines.

use windlass_core::permission::ApproveMode;

use super::Parser;
use super::reader::{ScriptParseError, listed};
use crate::limits::CHUNK_CHARS_MAX;
use crate::script::TextChunking;

impl Parser<'_> {
    /// Reads a header line after its first word.
    pub(super) fn read_header(&mut self, word: &str) -> Result<(), ScriptParseError> {
        match word {
            "title" => {
                let title = self.reader.text("a title")?;
                self.once(word, |header| header.title.replace(title).is_some())?;
            }
            "profile" => {
                let profile = self.reader.need("the name of a profile")?.to_owned();
                self.once(word, |header| header.profile.replace(profile).is_some())?;
            }
            "root" => {
                let root = self.reader.text("a folder, relative to the current one")?;
                self.once(word, |header| header.root.replace(root).is_some())?;
            }
            "approve" => {
                let mode = self.read_approve()?;
                self.once(word, |header| header.approve.replace(mode).is_some())?;
            }
            "max-steps" => {
                let steps = self.reader.whole("the most steps of a run", 1..=u64::from(u32::MAX))?;
                let steps = u32::try_from(steps).unwrap_or(u32::MAX);
                self.once(word, |header| header.steps_max.replace(steps).is_some())?;
            }
            "limit" => self.read_limit()?,
            "allow" => {
                let rule = self.reader.text("a rule, such as read_file(docs/**)")?;
                self.header.allow.push(rule);
            }
            "deny" => {
                let rule = self.reader.text("a rule, such as read_file(docs/**)")?;
                if rule.parse::<u32>().is_ok() {
                    return Err(self.reader.fault(
                        format!("there is no call {rule} yet"),
                        "a rule, such as read_file(docs/**); calls are denied after their 'model call' line",
                    ));
                }
                self.header.deny.push(rule);
            }
            "tools-allowed" => {
                let allowed = self.read_bool()?;
                self.once(word, |header| header.tools_allowed.replace(allowed).is_some())?;
            }
            "chunk" => self.header.chunk = self.read_chunk()?,
            "interleave" => self.header.interleave = self.read_bool()?,
            other => return Err(self.reader.fault(format!("unknown word '{other}'"), "a header line")),
        }
        self.reader.end()
    }

    /// Sets what may be set once; `set` says whether it was set before.
    fn once(
        &mut self,
        word: &str,
        set: impl FnOnce(&mut crate::script::ScriptHeader) -> bool,
    ) -> Result<(), ScriptParseError> {
        match set(&mut self.header) {
            false => Ok(()),
            true => Err(self.reader.fault(format!("a second '{word}'"), format!("'{word}' at most once"))),
        }
    }

    fn read_approve(&mut self) -> Result<ApproveMode, ScriptParseError> {
        let modes = listed(ApproveMode::ALL.map(ApproveMode::word));
        match self.reader.peek().map(str::parse::<u32>) {
            Some(Ok(number)) => {
                self.reader.word();
                let expected = format!("{modes}; calls are approved after their 'model call' line");
                Err(self.reader.fault(format!("there is no call {number} yet"), expected))
            }
            Some(Err(_)) | None => self.reader.choose(&modes, &ApproveMode::ALL, |mode| mode.word()),
        }
    }

    fn read_limit(&mut self) -> Result<(), ScriptParseError> {
        let name = self.reader.need("the name of a limit, such as calls_per_step_max")?;
        if !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
            let message = format!("'{}' cannot be the name of a limit", super::shown(name));
            return Err(self.reader.fault(message, "a name such as calls_per_step_max"));
        }
        if self.header.limits.iter().any(|(known, _)| known == name) {
            return Err(self.reader.fault(format!("a second limit '{name}'"), "each limit at most once"));
        }
        let number = self.reader.whole("the number of the limit", 0..=u64::MAX)?;
        self.header.limits.push((name.to_owned(), number));
        Ok(())
    }

    fn read_bool(&mut self) -> Result<bool, ScriptParseError> {
        let word_of = |flag: &bool| if *flag { "true" } else { "false" };
        self.reader.choose("true or false", &[true, false], word_of)
    }

    fn read_chunk(&mut self) -> Result<TextChunking, ScriptParseError> {
        let expected = "words, all or a number of characters";
        match self.reader.need(expected)? {
            "words" => Ok(TextChunking::Words),
            "all" => Ok(TextChunking::All),
            word => {
                let chars = self.reader.whole_of(word, expected, 1..=CHUNK_CHARS_MAX as u64)?;
                Ok(TextChunking::Chars(usize::try_from(chars).unwrap_or(CHUNK_CHARS_MAX)))
            }
        }
    }
}

//! What a part was taught to say: answers to a conversation, or whole steps with calls.

use std::sync::{Mutex, PoisonError};

use super::history::{LegalRequest, MustCall, VendorRefusal, demand};
use super::script::{SaidCall, Say, SayEnd, pieces_of};

/// One step of a part, and what the request for it must have in its body.
#[derive(Debug, Clone, Default)]
pub struct TaughtStep {
    /// The text, streamed word by word.
    pub text: String,
    pub calls: Vec<TaughtCall>,
    /// The request is refused without these words.
    pub contains: Vec<String>,
    /// The request is refused with these words.
    pub lacks: Vec<String>,
}

/// A call of a taught step.
#[derive(Debug, Clone)]
pub struct TaughtCall {
    pub id: String,
    pub name: String,
    /// The arguments as the model writes them.
    pub arguments: String,
}

/// The taught parts of a server, by their places.
#[derive(Debug, Default)]
pub(super) struct TaughtParts(Mutex<Vec<TaughtPart>>);

#[derive(Debug)]
enum TaughtPart {
    /// The first, then one for each that the conversation has; the last again and again.
    Answers(Vec<String>),
    /// One a request; a library that asks again from the beginning hears the next one too.
    Steps { steps: Vec<TaughtStep>, said: usize },
}

impl TaughtParts {
    /// Keeps the answers of a part; gives their place.
    pub(super) fn answers(&self, answers: Vec<String>) -> usize {
        self.keep(TaughtPart::Answers(answers))
    }

    /// Keeps the steps of a part; gives their place.
    pub(super) fn steps(&self, steps: Vec<TaughtStep>) -> usize {
        self.keep(TaughtPart::Steps { steps, said: 0 })
    }

    fn keep(&self, part: TaughtPart) -> usize {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push(part);
        parts.len() - 1
    }

    /// Puts what was taught in the place of what would be said.
    pub(super) fn say(
        &self,
        place: usize,
        asked: &LegalRequest,
        body: &[u8],
        say: &mut Say,
    ) -> Result<(), VendorRefusal> {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match parts.get_mut(place) {
            Some(TaughtPart::Answers(answers)) if say.calls.is_empty() => {
                let given = asked.exchanges.iter().filter(|exchange| exchange.calls.is_empty()).count();
                if let Some(answer) = answers.get(given).or(answers.last()) {
                    say.text = pieces_of(answer).into_iter().map(str::to_owned).collect();
                }
            }
            Some(TaughtPart::Steps { steps, said }) => {
                if let Some(step) = steps.get(*said % steps.len().max(1)) {
                    step.check(body)?;
                    *said += 1;
                    step.say(asked, say);
                }
            }
            Some(TaughtPart::Answers(_)) | None => {}
        }
        Ok(())
    }
}

impl TaughtStep {
    fn check(&self, body: &[u8]) -> Result<(), VendorRefusal> {
        let body = String::from_utf8_lossy(body);
        for words in &self.contains {
            demand(body.contains(words), || format!("This request must have '{words}' in it."))?;
        }
        for words in &self.lacks {
            demand(!body.contains(words), || format!("This request must not have '{words}' in it."))?;
        }
        Ok(())
    }

    fn say(&self, asked: &LegalRequest, say: &mut Say) {
        let said = |call: &TaughtCall| SaidCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        };
        say.text = self.text.split_inclusive(' ').map(str::to_owned).collect();
        say.calls = self.calls.iter().map(said).collect();
        // Where a call is demanded and there is none, the answer is what it is called with: forms are asked for so.
        if let (true, Some(must)) = (say.calls.is_empty(), &asked.must_call) {
            let name = match must {
                MustCall::Named(name) => Some(name),
                MustCall::Any => asked.tools.first(),
            };
            let name = name.cloned().unwrap_or_default();
            say.calls =
                vec![SaidCall { id: format!("form_{}", say.step), name, arguments: say.text.concat() }];
            say.text.clear();
        }
        say.finish = if say.calls.is_empty() { SayEnd::Stop } else { SayEnd::Calls };
    }
}

//! Faults: everything that is known to go wrong on the way from a provider.

/// One fault, by the number that stands in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// 1: status 500.
    Status500,
    /// 2: status 429 with `Retry-After: 1`.
    RateLimit,
    /// 3: the connection is closed before any header.
    CloseBeforeHead,
    /// 4: the connection is closed in mid-stream.
    Cut,
    /// 5: an event in the middle is half a document, and what it should have said is lost.
    MalformedEvent,
    /// 6: a clean end without the wire's last word.
    NoLastWord,
    /// 7: silence after the first event.
    Hang,
    /// 8: arguments that are no JSON.
    BadArgs,
    /// 9: a tool that nobody has.
    UnknownTool,
    /// 10: an argument of the wrong type.
    WrongType,
    /// 11: CRLF, comments, events over several lines: legal, and rarely seen.
    OddFraming,
    /// 12: calls that share an id.
    DuplicateId,
    /// 13: an answer with nothing in it.
    Empty,
    /// 14: silence before the headers have ended.
    EndlessHead,
    /// 15: writes that split characters.
    SplitCharacters,
    /// 16: an HTML page with status 200.
    HtmlPage,
    /// 17: out of tokens in the middle of a call or a text.
    Length,
    /// 18: an error event inside the stream.
    ErrorEvent,
    /// 19: one byte a write.
    ByteByByte,
    /// 20: the model has no tool support.
    NoToolSupport,
    /// 21: an error object as the whole body of status 200.
    ErrorBody,
    /// 22: status 401 with the key in the text.
    KeyInError,
    /// 23: the request is longer than the model's context.
    Overflow,
    /// 24: the answer in one piece although a stream was asked for.
    Whole,
    /// 25: status 503.
    Status503,
    /// 26: status 404, for want of such a model.
    ModelUnknown,
    /// 27: calls although it may not, and in every step.
    Disobeys,
}

impl Fault {
    /// The nineteen that the fault matrix is made of.
    pub const MATRIX: [Fault; 19] = [
        Fault::Status500,
        Fault::RateLimit,
        Fault::CloseBeforeHead,
        Fault::Cut,
        Fault::MalformedEvent,
        Fault::NoLastWord,
        Fault::Hang,
        Fault::BadArgs,
        Fault::UnknownTool,
        Fault::WrongType,
        Fault::OddFraming,
        Fault::DuplicateId,
        Fault::Empty,
        Fault::EndlessHead,
        Fault::SplitCharacters,
        Fault::HtmlPage,
        Fault::Length,
        Fault::ErrorEvent,
        Fault::ByteByByte,
    ];

    const BEYOND: [Fault; 8] = [
        Fault::NoToolSupport,
        Fault::ErrorBody,
        Fault::KeyInError,
        Fault::Overflow,
        Fault::Whole,
        Fault::Status503,
        Fault::ModelUnknown,
        Fault::Disobeys,
    ];

    /// All of them, by number.
    fn all() -> impl Iterator<Item = Fault> {
        Self::MATRIX.into_iter().chain(Self::BEYOND)
    }

    /// Its number.
    pub fn code(self) -> usize {
        Self::all().take_while(|fault| *fault != self).count() + 1
    }

    /// The fault of that number.
    pub fn of_code(code: usize) -> Option<Fault> {
        Self::all().nth(code.checked_sub(1)?)
    }

    /// Whether only a step with calls can have it.
    pub fn needs_calls(self) -> bool {
        matches!(self, Fault::BadArgs | Fault::UnknownTool | Fault::WrongType | Fault::DuplicateId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_the_numbers_that_scripts_use() {
        assert_eq!((Fault::Status500.code(), Fault::ByteByByte.code(), Fault::Disobeys.code()), (1, 19, 27));
        for fault in Fault::all() {
            assert_eq!(Fault::of_code(fault.code()), Some(fault));
        }
        assert_eq!((Fault::of_code(0), Fault::of_code(28)), (None, None));
    }
}

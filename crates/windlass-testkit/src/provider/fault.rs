//! Faults: everything that is known to go wrong on the way from a provider.

/// One fault, by the number that stands in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VendorFault {
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

impl VendorFault {
    /// The nineteen that the fault matrix is made of.
    pub const MATRIX: [VendorFault; 19] = [
        VendorFault::Status500,
        VendorFault::RateLimit,
        VendorFault::CloseBeforeHead,
        VendorFault::Cut,
        VendorFault::MalformedEvent,
        VendorFault::NoLastWord,
        VendorFault::Hang,
        VendorFault::BadArgs,
        VendorFault::UnknownTool,
        VendorFault::WrongType,
        VendorFault::OddFraming,
        VendorFault::DuplicateId,
        VendorFault::Empty,
        VendorFault::EndlessHead,
        VendorFault::SplitCharacters,
        VendorFault::HtmlPage,
        VendorFault::Length,
        VendorFault::ErrorEvent,
        VendorFault::ByteByByte,
    ];

    const BEYOND: [VendorFault; 8] = [
        VendorFault::NoToolSupport,
        VendorFault::ErrorBody,
        VendorFault::KeyInError,
        VendorFault::Overflow,
        VendorFault::Whole,
        VendorFault::Status503,
        VendorFault::ModelUnknown,
        VendorFault::Disobeys,
    ];

    /// All of them, by number.
    fn all() -> impl Iterator<Item = VendorFault> {
        Self::MATRIX.into_iter().chain(Self::BEYOND)
    }

    pub fn code(self) -> usize {
        Self::all().take_while(|fault| *fault != self).count() + 1
    }

    /// The fault of that number.
    pub fn of_code(code: usize) -> Option<VendorFault> {
        Self::all().nth(code.checked_sub(1)?)
    }

    /// Whether only a step with calls can have it.
    pub fn needs_calls(self) -> bool {
        matches!(
            self,
            VendorFault::BadArgs
                | VendorFault::UnknownTool
                | VendorFault::WrongType
                | VendorFault::DuplicateId
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_the_numbers_that_scripts_use() {
        assert_eq!(
            (VendorFault::Status500.code(), VendorFault::ByteByByte.code(), VendorFault::Disobeys.code()),
            (1, 19, 27)
        );
        for fault in VendorFault::all() {
            assert_eq!(VendorFault::of_code(fault.code()), Some(fault));
        }
        assert_eq!((VendorFault::of_code(0), VendorFault::of_code(28)), (None, None));
    }
}

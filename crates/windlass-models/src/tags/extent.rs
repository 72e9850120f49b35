//! How far a JSON value reaches in text that is still coming: each byte is looked at once.

/// What is known of a value's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueEnd {
    Open,
    /// It ends before this byte.
    Ended(usize),
    /// At this byte stands what JSON never has outside a string: a tag or a fence.
    Broken(usize),
}

/// Follows one object or list through the pieces of a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    at: usize,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Extent {
    /// Looks at what has come since; `text` begins with the value and only ever grows.
    pub(super) fn advance(&mut self, text: &str) -> ValueEnd {
        let fresh = text.as_bytes().get(self.at..).unwrap_or_default();
        for byte in fresh {
            if self.in_string {
                self.follow_string(*byte);
                self.at += 1;
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return ValueEnd::Ended(self.at + 1);
                    }
                }
                // Looked at again when more has come: `at` stays here.
                b'<' | b'`' => return ValueEnd::Broken(self.at),
                _ => {}
            }
            self.at += 1;
        }
        ValueEnd::Open
    }

    fn follow_string(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }
}

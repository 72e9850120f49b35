//! How a wrong name is answered: with the one that was probably meant.

use windlass_core::text::nearest::nearest_names;

/// The known name that was probably meant.
pub(crate) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_names(wrong, known, 1).first().copied()
}

/// `did you mean 'X'?`, or nothing.
pub(crate) fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(wrong, known).map(|name| format!("did you mean '{name}'?"))
}

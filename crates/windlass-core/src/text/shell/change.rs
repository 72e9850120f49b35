//! Names of variables, and what `${NAME#…}`, `${NAME/…/…}` and their kin make of a value where no pattern is in them.

/// The value after its change; nothing where that is not worked out. `inside` is what stands in the braces.
pub(super) fn changed(value: &str, name: &str, inside: &str) -> Option<String> {
    let operator = inside.strip_prefix(name)?;
    if operator.contains(['*', '?', '[', '$', '`', '\\', '\'', '"', '(', '\u{1}', '\u{3}']) {
        return None;
    }
    let strip_end = |end: &str| Some(value.strip_suffix(end).unwrap_or(value).to_owned());
    let strip_start = |start: &str| Some(value.strip_prefix(start).unwrap_or(value).to_owned());
    let case = |rest: &str, all: String| rest.is_empty().then_some(all);
    // Longer operators stand before those that they begin with.
    if let Some(start) = operator.strip_prefix("##").or_else(|| operator.strip_prefix('#')) {
        return strip_start(start);
    }
    if let Some(end) = operator.strip_prefix("%%").or_else(|| operator.strip_prefix('%')) {
        return strip_end(end);
    }
    if let Some(rest) = operator.strip_prefix("^^") {
        return case(rest, value.to_uppercase());
    }
    if let Some(rest) = operator.strip_prefix(",,") {
        return case(rest, value.to_lowercase());
    }
    if let Some(rest) = operator.strip_prefix("//") {
        let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
        return (!from.is_empty()).then(|| value.replace(from, to));
    }
    if let Some(rest) = operator.strip_prefix('/') {
        let (from, to) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = !from.is_empty() && !from.starts_with(['#', '%']);
        return is_plain.then(|| value.replacen(from, to, 1));
    }
    let (from, length) = operator.strip_prefix(':')?.split_once(':').unwrap_or((operator.get(1..)?, ""));
    let from: usize = from.trim().parse().ok()?;
    let length = if length.is_empty() { usize::MAX } else { length.trim().parse().ok()? };
    Some(value.chars().skip(from).take(length).collect())
}

/// Whether a text can be the name of a variable.
pub(super) fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

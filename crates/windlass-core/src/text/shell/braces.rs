//! What braces become: `a{b,c}` and `{1..3}`.

/// Words that a brace may become.
const BRACES_MAX: usize = 256;

/// `a{b,c}d` as `abd acd`.
pub(super) fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match one_brace(&text).filter(|parts| done.len() + open.len() + parts.len() <= BRACES_MAX) {
            Some(parts) => open.extend(parts.into_iter().rev()),
            None => done.push(text),
        }
    }
    done
}

fn one_brace(text: &str) -> Option<Vec<String>> {
    let close = text.find('}')?;
    let open = text.get(..close)?.rfind('{')?;
    let (before, inside, after) = (text.get(..open)?, text.get(open + 1..close)?, text.get(close + 1..)?);
    let parts: Vec<String> = match inside.contains(',') {
        true => inside.split(',').map(str::to_owned).collect(),
        false => sequence(inside)?,
    };
    Some(parts.into_iter().map(|part| format!("{before}{part}{after}")).collect())
}

/// `a..c` as `a b c`, `1..3` as `1 2 3`.
fn sequence(inside: &str) -> Option<Vec<String>> {
    let (first, last) = inside.split_once("..")?;
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        return (high.abs_diff(low) < BRACES_MAX as u64)
            .then(|| (low..=high).map(|n| n.to_string()).collect());
    }
    let one = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii() && chars.next().is_none())
    };
    let (first, last) = (one(first)?, one(last)?);
    Some((first.min(last)..=first.max(last)).map(String::from).collect())
}

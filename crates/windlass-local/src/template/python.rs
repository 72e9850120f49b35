//! What chat templates expect of Python: methods of strings and maps, `tojson` as Hugging Face writes it, the date.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use windlass_core::text::time::CalendarTime;

use super::marks::quote_marks;

/// Work that one prompt may take; an honest template takes a hundredth.
const FUEL: u64 = 50_000_000;

/// An environment in which chat templates feel at home.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(call_method);
    environment.add_filter("tojson", to_json);
    environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    environment.add_function("strftime_now", |form: String| date_now(&form));
    environment
}

fn call_method(_: &State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let unknown = || Error::new(ErrorKind::UnknownMethod, format!("there is no method '{method}'"));
    let argument = |at: usize| args.get(at).and_then(Value::as_str);
    if value.kind() == ValueKind::Map {
        return match method {
            "items" => {
                let keys = value.try_iter()?;
                let pairs = keys.map(|key| Ok(Value::from(vec![key.clone(), value.get_item(&key)?])));
                Ok(Value::from(pairs.collect::<Result<Vec<_>, Error>>()?))
            }
            "keys" => Ok(Value::from_iter(value.try_iter()?)),
            "values" => {
                let items = value.try_iter()?.map(|key| value.get_item(&key));
                Ok(Value::from(items.collect::<Result<Vec<_>, Error>>()?))
            }
            "get" => {
                let key = args.first().ok_or_else(unknown)?;
                let found = value.get_item(key)?;
                let missing = || args.get(1).cloned().unwrap_or_else(|| Value::from(()));
                Ok(if found.is_undefined() { missing() } else { found })
            }
            _ => Err(unknown()),
        };
    }
    let Some(text) = value.as_str() else { return Err(unknown()) };
    let letters: Vec<char> = argument(0).unwrap_or(" \t\r\n").chars().collect();
    let is_cut = |letter: char| letters.contains(&letter);
    Ok(match method {
        "strip" => text.trim_matches(is_cut).into(),
        "lstrip" => text.trim_start_matches(is_cut).into(),
        "rstrip" => text.trim_end_matches(is_cut).into(),
        "upper" => text.to_uppercase().into(),
        "lower" => text.to_lowercase().into(),
        "capitalize" | "title" => capitalised(text).into(),
        "startswith" => text.starts_with(argument(0).ok_or_else(unknown)?).into(),
        "endswith" => text.ends_with(argument(0).ok_or_else(unknown)?).into(),
        "replace" => {
            let (from, to) = (argument(0).ok_or_else(unknown)?, argument(1).ok_or_else(unknown)?);
            text.replace(from, to).into()
        }
        "split" => match argument(0) {
            Some(separator) if !separator.is_empty() => Value::from_iter(text.split(separator)),
            _ => Value::from_iter(text.split_whitespace()),
        },
        "find" => match argument(0).and_then(|part| text.find(part)) {
            Some(at) => Value::from(text.get(..at).map_or(0, |before| before.chars().count())),
            None => Value::from(-1),
        },
        _ => return Err(unknown()),
    })
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    first + &letters.as_str().to_lowercase()
}

fn to_json(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let value = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    let mut written = String::new();
    write(&value, indent, 0, &mut written);
    Ok(Value::from_safe_string(written))
}

/// As Python's `json.dumps`: a space behind commas and colons, which `serde_json` never puts.
fn write(value: &serde_json::Value, indent: Option<usize>, depth: usize, into: &mut String) {
    let line = |depth: usize, into: &mut String| {
        if let Some(indent) = indent {
            into.push('\n');
            into.extend(std::iter::repeat_n(' ', indent.saturating_mul(depth).min(400)));
        }
    };
    let comma = if indent.is_some() { "," } else { ", " };
    match value {
        serde_json::Value::Array(items) if !items.is_empty() => {
            into.push('[');
            for (at, item) in items.iter().enumerate() {
                into.push_str(if at > 0 { comma } else { "" });
                line(depth + 1, into);
                write(item, indent, depth + 1, into);
            }
            line(depth, into);
            into.push(']');
        }
        serde_json::Value::Object(map) if !map.is_empty() => {
            into.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                into.push_str(if at > 0 { comma } else { "" });
                line(depth + 1, into);
                into.push_str(&serde_json::Value::from(key.as_str()).to_string());
                into.push_str(": ");
                write(item, indent, depth + 1, into);
            }
            line(depth, into);
            into.push('}');
        }
        serde_json::Value::String(text) => {
            into.push_str(&serde_json::Value::from(quote_marks(text)).to_string());
        }
        scalar => into.push_str(&scalar.to_string()),
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn date_now(form: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    date(form, now.as_secs())
}

/// A moment in universal time, in the letters of `strftime` that templates use.
fn date(form: &str, seconds: u64) -> String {
    let CalendarTime { year, month, day, hour, minute, second } = CalendarTime::of_second(seconds);
    let month_name =
        usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
    form.replace("%Y", &year.to_string())
        .replace("%m", &format!("{month:02}"))
        .replace("%d", &format!("{day:02}"))
        .replace("%B", month_name)
        .replace("%b", month_name.get(..3).unwrap_or_default())
        .replace("%H", &format!("{hour:02}"))
        .replace("%M", &format!("{minute:02}"))
        .replace("%S", &format!("{second:02}"))
}

#[cfg(test)]
#[path = "python_tests.rs"]
mod tests;

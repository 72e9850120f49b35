//! What the user reads after calls: each outcome in the words of its tool, nothing made up, with its sources.
//!
//! Text of files, pages and programs is material: it stands in code blocks and never becomes markup.

use std::fmt::Write;

use serde_json::{Map, Value};
use windlass_core::permission::NO_REPEAT;

use super::outcome::{Answered, Complaint};

/// Paths of a folder that are listed; a project has thousands.
const PATHS_MAX: usize = 60;
/// Lines of a file, a page or a program that are shown.
const LINES_MAX: usize = 120;
/// Characters of the same: one line can be a megabyte.
const CHARS_MAX: usize = 8_000;

/// The answer to a request from its calls.
pub(super) fn render(calls: &[Answered]) -> String {
    let pieces: Vec<String> = calls.iter().map(render_one).collect();
    pieces.join("\n\n")
}

fn render_one(call: &Answered) -> String {
    match &call.result {
        Ok(value) => render_value(&call.tool, &call.args, value),
        Err(complaint) => render_complaint(&call.tool, complaint),
    }
}

fn render_value(tool: &str, args: &Map<String, Value>, value: &Value) -> String {
    let arg = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
    match tool {
        "get_current_time" => time(arg("timezone"), value),
        "calculate" => format!("{} = **{}**", code(arg("expression")), plain(&readable(value))),
        "system_stats" => stats(value),
        "get_file_tree" => tree(arg("path"), value),
        "read_file" => {
            format!("{}:\n\n{}", code(arg("path")), block(language(arg("path")), &readable(value)))
        }
        "search_text" => matches(arg("pattern"), value),
        "request_code_context" | "search_codebase" => {
            format!("What the project has on {}:\n\n{}", quoted(arg("hint")), block("", &readable(value)))
        }
        "rag_search" => {
            format!("From your documents on {}:\n\n{}", quoted(arg("query")), block("", &readable(value)))
        }
        "web_search" => {
            format!("From the web on {}:\n\n{}", quoted(arg("query")), block("", &readable(value)))
        }
        "fetch_url" => format!("{}:\n\n{}", code(arg("url")), block("", &readable(value))),
        "add_task" => added(arg("content"), value),
        "list_tasks" => tasks(value),
        "update_task" => {
            format!("{} is now {}.", code(arg("task_id")), plain(&arg("status").replace('_', " ")))
        }
        "write_file" => format!("Wrote {}.", code(arg("path"))),
        "edit_file" => format!("Changed {}.", code(arg("path"))),
        "execute_command" => format!("{}:\n\n{}", code(arg("command")), block("", &readable(value))),
        other => format!("{}:\n\n{}", code(other), block("", &readable(value))),
    }
}

fn render_complaint(tool: &str, complaint: &Complaint) -> String {
    let what = if complaint.is_denied { "was not allowed" } else { "did not work" };
    let mut text = format!("{} {what}: {}", code(tool), plain(&complaint.message));
    let hint = complaint.hint.as_deref().map(advice).unwrap_or_default();
    if !hint.is_empty() {
        let _ = write!(text, "\n\n{hint}");
    }
    text
}

/// What the user can do, out of a hint for the model: what only a model needs to be told is left out.
fn advice(hint: &str) -> String {
    let for_user = hint.strip_prefix(NO_REPEAT).unwrap_or(hint).trim_start_matches(['.', ';', ' ']);
    let can = ["The user can ", "the user can "].into_iter().find_map(|words| for_user.strip_prefix(words));
    let spoken = can.map_or_else(|| for_user.to_owned(), |rest| format!("You can {rest}"));
    // Commands stand between backticks; anything else is text.
    let pieces = spoken.split('`').enumerate();
    pieces.map(|(at, piece)| if at % 2 == 1 { code(piece) } else { plain(piece) }).collect()
}

fn time(zone: &str, value: &Value) -> String {
    let zone = if zone.is_empty() { "UTC" } else { zone };
    let text = readable(value);
    match text.split_once('T') {
        Some((date, rest)) => {
            let clock = rest.get(..5).unwrap_or(rest);
            format!("It is **{}** on {} ({}).", plain(clock), plain(date), plain(zone))
        }
        None => format!("It is {} ({}).", plain(&text), plain(zone)),
    }
}

fn stats(value: &Value) -> String {
    let percent = |name: &str| value.get(name).and_then(Value::as_f64).map(|share| format!("{share:.0} %"));
    let gib = |name: &str| value.get(name).and_then(Value::as_f64).map(|bytes| bytes / f64::from(1 << 30));
    let of = |used: &str, total: &str| match (gib(used), gib(total)) {
        (Some(used), Some(total)) => format!(" ({used:.1} of {total:.1} GiB)"),
        (None, _) | (_, None) => String::new(),
    };
    let mut lines = Vec::new();
    if let Some(share) = percent("cpu_percent") {
        let cores = value.get("cpu_count").and_then(Value::as_u64);
        lines.push(format!(
            "- CPU: {share}{}",
            cores.map_or_else(String::new, |cores| format!(" of {cores} cores"))
        ));
    }
    if let Some(share) = percent("memory_percent") {
        lines.push(format!("- Memory: {share}{}", of("memory_used_bytes", "memory_total_bytes")));
    }
    if let Some(share) = percent("disk_percent") {
        lines.push(format!("- Disk: {share}{}", of("disk_used_bytes", "disk_total_bytes")));
    }
    if lines.is_empty() { block("", &readable(value)) } else { lines.join("\n") }
}

fn tree(path: &str, value: &Value) -> String {
    let place = if path.is_empty() || path == "." { "this project".to_owned() } else { code(path) };
    let Some(paths) = value.as_array() else {
        let text = readable(value);
        let paths = paths_of_cut(&text);
        return match paths.is_empty() {
            true => format!("In {place}:\n\n{}", block("", &text)),
            false => format!(
                "There are more files in {place} than fit here. The first are:\n\n{}\n\n… and more. Ask for one folder to see it whole.",
                block("", &paths.join("\n"))
            ),
        };
    };
    if paths.is_empty() {
        return format!("There are no files in {place}.");
    }
    let lines: Vec<String> = paths.iter().take(PATHS_MAX).map(|path| readable(path).into_owned()).collect();
    let more = paths.len().saturating_sub(PATHS_MAX);
    let more = if more == 0 { String::new() } else { format!("\n\n… and {more} more.") };
    let (verb, noun) = if paths.len() == 1 { ("is", "file") } else { ("are", "files") };
    format!("There {verb} {} {noun} in {place}:\n\n{}{more}", paths.len(), block("", &lines.join("\n")))
}

/// The first paths of a list that was cut in its middle, and is text since.
fn paths_of_cut(text: &str) -> Vec<String> {
    let Some(list) = text.strip_prefix('[') else { return Vec::new() };
    let mut pieces: Vec<&str> = list.split("\",\"").take(PATHS_MAX + 1).collect();
    // The last may be half a path.
    pieces.pop();
    let whole = |piece: &str| serde_json::from_str(&format!("\"{}\"", piece.trim_start_matches('"'))).ok();
    pieces.into_iter().map_while(whole).collect()
}

fn matches(pattern: &str, value: &Value) -> String {
    let text = readable(value);
    let count = text.lines().filter(|line| !line.trim().is_empty()).count();
    match count {
        0 => format!("Nothing matches {}.", code(pattern)),
        _ => format!("{} is found here:\n\n{}", code(pattern), block("", &text)),
    }
}

fn added(content: &str, value: &Value) -> String {
    let id = value.get("task_id").and_then(Value::as_str).unwrap_or("the task");
    format!("Added {}: {}", code(id), plain(content))
}

fn tasks(value: &Value) -> String {
    let Some(tasks) = value.as_array() else { return block("", &readable(value)) };
    if tasks.is_empty() {
        return "There are no tasks.".to_owned();
    }
    let word = |task: &Value, names: &[&str]| {
        names.iter().find_map(|name| task.get(*name).and_then(Value::as_str)).unwrap_or_default().to_owned()
    };
    let line = |task: &Value| {
        let (id, content) = (word(task, &["task_id", "id"]), word(task, &["content"]));
        let status = word(task, &["status"]).replace('_', " ");
        format!("- {} {} ({})", code(&id), plain(&content), plain(&status))
    };
    tasks.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn readable(value: &Value) -> std::borrow::Cow<'_, str> {
    match value {
        Value::String(text) => text.as_str().into(),
        other => serde_json::to_string_pretty(other).unwrap_or_default().into(),
    }
}

/// Text as text: what Markdown would take for its own is escaped, line ends become blanks.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' | '\r' => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' => {
                // An underscore inside a word is no markup, and names are full of them.
                let is_inside_a_word = sign == '_' || sign == '!' || sign == '#';
                if !is_inside_a_word {
                    escaped.push('\\');
                }
                escaped.push(sign);
            }
            sign => escaped.push(sign),
        }
    }
    escaped
}

fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", plain(text))
}

/// A code span: its fence is longer than any inside.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    if fence.len() == 1 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

/// A code block: its fence is longer than any inside; what is too long is cut, and said to be.
fn block(language: &str, text: &str) -> String {
    let text = text.trim_end();
    let by_chars =
        text.char_indices().nth(CHARS_MAX).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let shown: Vec<&str> = by_chars.lines().take(LINES_MAX).collect();
    let shown = shown.join("\n");
    let fence = "`".repeat(longest_run(&shown, '`').max(2) + 1);
    let left = text.lines().count().saturating_sub(shown.lines().count());
    let more = match (left, shown.len() < text.len()) {
        (0, false) => String::new(),
        (0, true) => "\n\n… and more.".to_owned(),
        (left, _) => format!("\n\n… and {left} more lines."),
    };
    format!("{fence}{language}\n{shown}\n{fence}{more}")
}

fn longest_run(text: &str, sign: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for other in text.chars() {
        run = if other == sign { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The word behind a fence, so that code is coloured.
fn language(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => "rust",
        Some("py") => "python",
        Some("js" | "mjs") => "javascript",
        Some("ts" | "tsx") => "typescript",
        Some("json") => "json",
        Some("toml") => "toml",
        Some("yaml" | "yml") => "yaml",
        Some("sh") => "sh",
        Some("html") => "html",
        Some("css") => "css",
        Some("go") => "go",
        Some("c" | "h") => "c",
        Some("md") => "markdown",
        Some(_) | None => "",
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

//! The permission question on a terminal (Z-14): what is shown, and what an answer means.
//!
//! Everything that others wrote stands in a gutter (`quote`); lines without one are ours. All of the question fits on
//! the screen, its tool and risk directly above the keys: of what is longer, the first and the last rows are shown,
//! how many are between, and a key that shows them all.
//!
//! Pure: text out, lines in. Who reads the lines is `asker`'s business.

use std::fmt::Write;

use console::{measure_text_width, style};
use serde::de::IgnoredAny;
use windlass_core::permission::{
    Decision, PermissionAnswer, Preview, Question, RulePattern, Target, host_note, read_reach,
};
use windlass_core::protocol::tool::Risk;
use windlass_core::text::{visible, visible_line};

use crate::terminal::quote::{TerminalSize, hang, quote, quote_diff, quote_line};

/// The keys of the question (Z-14).
const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";
/// The keys beside them.
const MORE_KEYS: &str = "[5] Deny and say why  [v] View all";
/// What a line of the user leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum PromptReply {
    /// The question is not answered yet; this is said, and another line is read.
    Say(String),
    /// The question is answered.
    Answer(PermissionAnswer),
}

/// One question, from its showing to its answer.
#[derive(Debug)]
pub(crate) struct PermissionPrompt {
    question: Question,
    stage: PromptStage,
}

/// What the next line answers.
#[derive(Debug)]
enum PromptStage {
    Key,
    /// Which rule is remembered.
    Rule,
    /// The word of a critical call.
    Word(PermissionAnswer),
    /// Why it is denied.
    Reason,
}

/// Something that is quoted, under its name.
struct PromptSection {
    name: &'static str,
    rows: Vec<String>,
}

impl PermissionPrompt {
    /// A question that was not shown yet.
    pub(crate) fn new(question: Question) -> Self {
        Self { question, stage: PromptStage::Key }
    }

    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// The question on one screen.
    pub(crate) fn text(&self, room: TerminalSize) -> String {
        let question = &self.question;
        let foot = self.foot(room);
        let mut text = format!("\n{}", style("⚠️  Permission Request").for_stderr().yellow().bold());
        if question.total > 1 {
            // Writing to a string cannot fail, here and below.
            let _ = write!(text, " · Question {} of {}", question.position, question.total);
        }
        text.push('\n');
        let own_rows = rows_on(&text, room.columns) + rows_on(&foot, room.columns);
        let sections = sections(question, room.columns);
        let rows_max = rows_of_each(&sections, room.rows.saturating_sub(own_rows));
        sections.iter().for_each(|section| section.write(&mut text, rows_max));
        text + foot.as_str()
    }

    /// All of the question, however long it is.
    fn whole(&self, room: TerminalSize) -> String {
        let mut text = String::new();
        for section in sections(&self.question, room.columns) {
            section.write(&mut text, usize::MAX);
        }
        text + self.foot(room).as_str()
    }

    /// What stands last: the tool, its risk, the keys.
    fn foot(&self, room: TerminalSize) -> String {
        let question = &self.question;
        let mut text = String::new();
        if let Some(note) = host_note(&question.rule) {
            text.push_str(&covers(note));
        }
        if question.hidden_chars > 0 {
            let secret = question.hidden_chars;
            let _ = writeln!(text, "Secret: {secret} characters of this are a secret that Windlass knows");
        }
        if let Some(caution) = &question.caution {
            let _ = writeln!(text, "Careful: {}", visible_line(caution));
        }
        if let Some(sandbox) = &question.sandbox {
            let _ = writeln!(text, "{}", visible_line(&sandbox.words));
        }
        if let Some(warning) = question.risk.warning() {
            let _ = writeln!(
                text,
                "{}",
                hang(&style(warning).for_stderr().yellow().to_string(), Some(room.columns))
            );
        }
        let tool = format!("Tool: {}", style(visible_line(&question.tool)).for_stderr().bold());
        let _ = writeln!(text, "{}", hang(&tool, Some(room.columns)));
        let _ = writeln!(text, "Risk: {}", risk(question.risk));
        text + KEYS + "\n" + MORE_KEYS + "\n> "
    }

    /// Takes one line; `None` when nobody can type any more.
    pub(crate) fn hear(&mut self, line: Option<&str>, room: TerminalSize) -> PromptReply {
        let Some(line) = line else { return PromptReply::Answer(PermissionAnswer::by_nobody()) };
        match std::mem::replace(&mut self.stage, PromptStage::Key) {
            PromptStage::Key => self.hear_key(line, room),
            PromptStage::Rule => self.hear_rule(line),
            PromptStage::Word(answer) => self.hear_word(line, answer, room),
            PromptStage::Reason => PromptReply::Answer(denial(line)),
        }
    }

    fn hear_key(&mut self, line: &str, room: TerminalSize) -> PromptReply {
        match (Decision::from_word(line), line.trim()) {
            (None, "v" | "V") => PromptReply::Say(self.whole(room)),
            (None, "5") => {
                self.stage = PromptStage::Reason;
                PromptReply::Say("What should it do instead? The model is told: ".to_owned())
            }
            (None, _) => PromptReply::Say(format!("Please type 1, 2, 3, 4, 5 or v.\n{}", self.foot(room))),
            (Some(Decision::Deny), _) => PromptReply::Answer(PermissionAnswer::new(Decision::Deny)),
            (Some(Decision::Remember), _) => {
                self.stage = PromptStage::Rule;
                let rule = quote_line(&self.question.rule, room.columns).join("\n");
                let note = host_note(&self.question.rule).map(covers).unwrap_or_default();
                PromptReply::Say(format!(
                    "This rule will be stored for this folder:\n{rule}\n{note}Press Enter to store it, type another rule, or everywhere for all folders: "
                ))
            }
            (Some(decision @ (Decision::Once | Decision::Session)), _) => {
                self.confirm(PermissionAnswer::new(decision))
            }
        }
    }

    fn hear_rule(&mut self, line: &str) -> PromptReply {
        let typed = line.trim();
        let mut answer = PermissionAnswer::new(Decision::Remember);
        if typed.is_empty() {
            return self.confirm(answer);
        }
        let (is_everywhere, rule) = read_reach(typed);
        if is_everywhere && rule.is_empty() {
            answer.rule = Some(typed.to_owned());
            return self.confirm(answer);
        }
        match rule.parse::<RulePattern>() {
            Ok(pattern) => {
                let reach = if is_everywhere { "everywhere " } else { "" };
                answer.rule = Some(format!("{reach}{pattern}"));
                self.confirm(answer)
            }
            Err(error) => {
                self.stage = PromptStage::Rule;
                PromptReply::Say(format!(
                    "{}\nPress Enter for the rule above, or type another rule: ",
                    visible(&error.to_string())
                ))
            }
        }
    }

    /// A critical call needs a typed word.
    fn confirm(&mut self, answer: PermissionAnswer) -> PromptReply {
        let Some(word) = &self.question.confirm_word else { return PromptReply::Answer(answer) };
        let say = format!("This call is critical. Type {} to let it run: ", visible_line(word));
        self.stage = PromptStage::Word(answer);
        PromptReply::Say(say)
    }

    fn hear_word(&mut self, line: &str, answer: PermissionAnswer, room: TerminalSize) -> PromptReply {
        let typed = line.trim();
        if self.question.confirm_word.as_deref() == Some(typed) {
            return PromptReply::Answer(PermissionAnswer { confirmation: Some(typed.to_owned()), ..answer });
        }
        PromptReply::Say(format!("That was another word, so nothing was allowed.\n{}", self.foot(room)))
    }
}

impl PromptSection {
    fn new(name: &'static str, rows: Vec<String>) -> Self {
        Self { name, rows }
    }

    /// Writes it on at most so many rows below its name.
    fn write(&self, text: &mut String, rows_max: usize) {
        let _ = writeln!(text, "{}:", self.name);
        let hidden = match self.rows.len().saturating_sub(rows_max) {
            0 => 0,
            // One row says how many are hidden.
            over => over + 1,
        };
        let shown = self.rows.len() - hidden.min(self.rows.len());
        let head = shown.div_ceil(2);
        self.rows.iter().take(head).for_each(|row| *text += &format!("{row}\n"));
        if hidden > 0 {
            let plural = if hidden == 1 { "" } else { "s" };
            let _ = writeln!(text, "… {hidden} more line{plural}: v shows all …");
        }
        self.rows.iter().skip(head + hidden).for_each(|row| *text += &format!("{row}\n"));
    }
}

/// Rows that lines of ours take.
fn rows_on(text: &str, columns: usize) -> usize {
    text.lines().map(|line| measure_text_width(line).div_ceil(columns).max(1)).sum()
}

/// How many rows each section may have so that all of them fit.
fn rows_of_each(sections: &[PromptSection], rows: usize) -> usize {
    let needed = |rows_max: usize| -> usize {
        sections.iter().map(|section| 1 + section.rows.len().min(rows_max)).sum()
    };
    (1..=rows).rev().find(|rows_max| needed(*rows_max) <= rows).unwrap_or(1)
}

/// What a question quotes.
fn sections(question: &Question, columns: usize) -> Vec<PromptSection> {
    let arguments = quote(&laid_out(&question.arguments), columns);
    let mut sections = vec![PromptSection::new("Arguments", arguments)];
    match &question.preview {
        Some(Preview::Diff(diff)) => sections.push(PromptSection::new("Changes", quote_diff(diff, columns))),
        Some(Preview::Command(command)) => {
            sections.push(PromptSection::new("Command", quote(command, columns)))
        }
        Some(Preview::Text(preview)) => sections.push(PromptSection::new("Preview", quote(preview, columns))),
        None => {}
    }
    if let Some(folder) = &question.folder {
        sections.push(PromptSection::new("Runs in", quote_line(folder, columns)));
    }
    if !question.targets.is_empty() {
        let rows =
            question.targets.iter().flat_map(|target| quote_line(&words_of(target), columns)).collect();
        sections.push(PromptSection::new("Touches", rows));
    }
    sections.push(PromptSection::new("Rule for Remember", quote_line(&question.rule, columns)));
    sections
}

fn words_of(target: &Target) -> String {
    match target {
        Target::Path(path) => format!("path {path}"),
        Target::Host(host) => format!("host {host}"),
        Target::Command(command) => format!("command {command}"),
    }
}

/// What the rule above holds for beyond what it names, as a line.
fn covers(note: &str) -> String {
    format!("The rule covers {note}\n")
}

fn denial(words: &str) -> PermissionAnswer {
    let words = words.trim();
    let message = (!words.is_empty()).then(|| words.to_owned());
    PermissionAnswer { message, ..PermissionAnswer::new(Decision::Deny) }
}

/// Arguments over several lines, each number and text as it is spelled; what is no JSON is shown as it is.
fn laid_out(arguments: &str) -> String {
    if serde_json::from_str::<IgnoredAny>(arguments).is_err() {
        return arguments.to_owned();
    }
    let mut laid = String::with_capacity(arguments.len() * 2);
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    let mut signs = arguments.chars().filter(|sign| !matches!(sign, '\r')).peekable();
    while let Some(sign) = signs.next() {
        if is_text {
            is_text = sign != '"' || is_escaped;
            is_escaped = sign == '\\' && !is_escaped;
            laid.push(sign);
            continue;
        }
        match sign {
            ' ' | '\n' | '\t' => {}
            '{' | '[' => {
                laid.push(sign);
                while signs.next_if(|next| matches!(next, ' ' | '\n' | '\t')).is_some() {}
                match signs.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => laid.push(end),
                    None => {
                        depth += 1;
                        break_line(&mut laid, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut laid, depth);
                laid.push(sign);
            }
            ',' => {
                laid.push(sign);
                break_line(&mut laid, depth);
            }
            ':' => laid.push_str(": "),
            _ => {
                is_text = sign == '"';
                laid.push(sign);
            }
        }
    }
    laid
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

fn risk(risk: Risk) -> String {
    let label = style(risk.label()).for_stderr();
    match risk {
        Risk::Safe | Risk::Low => label.green(),
        Risk::Medium => label.yellow(),
        Risk::High | Risk::Critical => label.red().bold(),
    }
    .to_string()
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;

//! The permission question on a terminal (Z-14): what is shown, and what an answer means.
//!
//! Pure: text out, lines in. Who reads the lines is `asker`'s business.

use std::fmt::Write;

use console::style;
use serde_json::Value;
use windlass_core::permission::{Decision, PermissionAnswer, Preview, Question, RulePattern};
use windlass_core::tool::Risk;

use crate::visible::visible;

/// The keys of the question (Z-14).
const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";

/// What a line of the user leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// The question is not answered yet; this is said, and another line is read.
    Say(String),
    /// The question is answered.
    Answer(PermissionAnswer),
}

/// One question, from its showing to its answer.
#[derive(Debug)]
pub(crate) struct Prompt {
    question: Question,
    stage: Stage,
}

/// What the next line answers.
#[derive(Debug)]
enum Stage {
    /// Which key.
    Key,
    /// Which rule is remembered.
    Rule,
    /// The word of a critical call.
    Word(PermissionAnswer),
}

impl Prompt {
    /// A question that was not shown yet.
    pub(crate) fn new(question: Question) -> Self {
        Self { question, stage: Stage::Key }
    }

    /// The question.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// The whole question, complete arguments, nothing cut.
    pub(crate) fn text(&self) -> String {
        let question = &self.question;
        let mut text = format!("\n{}\n", style("⚠️  Permission Request").for_stderr().yellow().bold());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Tool: {}", style(visible(&question.tool)).for_stderr().bold());
        let _ = writeln!(text, "Arguments: {}", visible(&pretty(&question.arguments)));
        let _ = writeln!(text, "Risk: {}", risk(question.risk));
        match &question.preview {
            Some(Preview::Diff(diff)) => text.push_str(&coloured_diff(diff)),
            Some(Preview::Command(command)) => block(&mut text, "Command:", command),
            Some(Preview::Text(preview)) => block(&mut text, "Preview:", preview),
            None => {}
        }
        let _ = writeln!(text, "Rule for Remember: {}", visible(&question.rule));
        text.push_str(&keys());
        text
    }

    /// Takes one line; `None` when nobody can type any more.
    pub(crate) fn hear(&mut self, line: Option<&str>) -> Reply {
        let Some(line) = line else { return Reply::Answer(PermissionAnswer::by_nobody()) };
        match std::mem::replace(&mut self.stage, Stage::Key) {
            Stage::Key => self.hear_key(line),
            Stage::Rule => self.hear_rule(line),
            Stage::Word(answer) => self.hear_word(line, answer),
        }
    }

    fn hear_key(&mut self, line: &str) -> Reply {
        match Decision::from_word(line) {
            None => Reply::Say(format!("Please type 1, 2, 3 or 4.\n{}", keys())),
            Some(Decision::Deny) => Reply::Answer(PermissionAnswer::new(Decision::Deny)),
            Some(Decision::Remember) => {
                self.stage = Stage::Rule;
                Reply::Say(format!(
                    "This rule will be stored: {}\nPress Enter to store it, or type another rule: ",
                    visible(&self.question.rule)
                ))
            }
            Some(decision @ (Decision::Once | Decision::Session)) => {
                self.confirm(PermissionAnswer::new(decision))
            }
        }
    }

    fn hear_rule(&mut self, line: &str) -> Reply {
        let typed = line.trim();
        let mut answer = PermissionAnswer::new(Decision::Remember);
        if typed.is_empty() {
            return self.confirm(answer);
        }
        match typed.parse::<RulePattern>() {
            Ok(pattern) => {
                answer.rule = Some(pattern.to_string());
                self.confirm(answer)
            }
            Err(error) => {
                self.stage = Stage::Rule;
                Reply::Say(format!(
                    "{}\nPress Enter for the rule above, or type another rule: ",
                    visible(&error.to_string())
                ))
            }
        }
    }

    /// A critical call needs a typed word.
    fn confirm(&mut self, answer: PermissionAnswer) -> Reply {
        let Some(word) = &self.question.confirm_word else { return Reply::Answer(answer) };
        let say = format!("This call is critical. Type {} to let it run: ", visible(word));
        self.stage = Stage::Word(answer);
        Reply::Say(say)
    }

    fn hear_word(&mut self, line: &str, answer: PermissionAnswer) -> Reply {
        let typed = line.trim();
        if self.question.confirm_word.as_deref() == Some(typed) {
            return Reply::Answer(PermissionAnswer { confirmation: Some(typed.to_owned()), ..answer });
        }
        Reply::Say(format!("That was another word, so nothing was allowed.\n{}", keys()))
    }
}

fn keys() -> String {
    format!("{KEYS}\n> ")
}

/// Arguments over several lines; what is no JSON is shown as it is.
fn pretty(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => format!("{value:#}"),
        Err(_) => arguments.to_owned(),
    }
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

fn block(text: &mut String, title: &str, content: &str) {
    let _ = writeln!(text, "{title}\n{}", visible(content.trim_end_matches('\n')));
}

pub(crate) fn coloured_diff(diff: &str) -> String {
    let mut text = String::from("Changes:\n");
    for line in diff.lines() {
        let shown = style(visible(line)).for_stderr();
        let shown = match line.chars().next() {
            Some('+') => shown.green(),
            Some('-') => shown.red(),
            Some('@') => shown.cyan(),
            Some(_) | None => shown,
        };
        let _ = writeln!(text, "{shown}");
    }
    text
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;

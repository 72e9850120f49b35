//! The script of a part: how many steps with calls, how many calls and words, and what goes wrong where.
//!
//! It travels in the model's name, so that a request brings all that is needed to answer it and the server
//! keeps no session.

use std::fmt;

use serde_json::{Value, json};

use super::fault::VendorFault;
use super::history::{LegalRequest, MustCall, PastExchange};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VendorTool {
    /// `execute_command`, leaving a line `STEP.CALL` in `ran.log`: a call that ran can be counted.
    #[default]
    Command,
    /// `calculate`.
    Sum,
    /// `get_file_tree` with no argument text at all.
    Tree,
    /// `search_text`, then `read_file` of what it found.
    Research,
    /// `rag_search`, a different query each time.
    Search,
}

impl VendorTool {
    const ALL: [VendorTool; 5] =
        [VendorTool::Command, VendorTool::Sum, VendorTool::Tree, VendorTool::Research, VendorTool::Search];

    fn call(self, step: usize, place: usize) -> (&'static str, Value) {
        match self {
            VendorTool::Command => {
                ("execute_command", json!({"command": format!("echo {step}.{place} >> ran.log # żółw 🦀")}))
            }
            VendorTool::Sum => ("calculate", json!({"expression": format!("{step} + {place} + 40")})),
            VendorTool::Tree => ("get_file_tree", json!({})),
            VendorTool::Research if step == 0 => ("search_text", json!({"pattern": "needle"})),
            VendorTool::Research => ("read_file", json!({"path": "hay.txt"})),
            VendorTool::Search => ("rag_search", json!({"query": format!("windlass {step} {place}")})),
        }
    }
}

/// A part to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorScript {
    /// Steps with calls before the answer.
    pub steps: usize,
    pub parallel: usize,
    /// Words of the answer.
    pub words: usize,
    /// Events in one write; 0 is all.
    pub batch: usize,
    pub tool: VendorTool,
    /// Whether it thinks, with state that must come back.
    pub thinks: bool,
    /// Whether it says something before its calls.
    pub speaks_first: bool,
    pub fault: Option<VendorFault>,
    /// At which step it does; `None` is at every one.
    pub fault_step: Option<usize>,
    /// How often it does; 0 is always.
    pub fault_times: usize,
    /// The answer is held after so many events until the test lets it go on; 0 is never.
    pub hold_after: usize,
    /// Which of the taught texts are its answers, in place of words of its own.
    pub taught: Option<usize>,
}

impl Default for VendorScript {
    fn default() -> Self {
        Self {
            steps: 0,
            parallel: 1,
            words: 4,
            batch: 1,
            tool: VendorTool::Command,
            thinks: false,
            speaks_first: false,
            fault: None,
            fault_step: None,
            fault_times: 0,
            hold_after: 0,
            taught: None,
        }
    }
}

impl fmt::Display for VendorScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = VendorTool::ALL.iter().take_while(|tool| **tool != self.tool).count();
        write!(
            f,
            "k{}-m{}-n{}-c{}-t{tool}-r{}-p{}-h{}",
            self.steps,
            self.parallel,
            self.words,
            self.batch,
            usize::from(self.thinks),
            usize::from(self.speaks_first),
            self.hold_after
        )?;
        self.taught.map_or(Ok(()), |place| write!(f, "-q{place}"))?;
        let Some(fault) = self.fault else { return Ok(()) };
        write!(f, "-f{}-o{}", fault.code(), self.fault_times)?;
        self.fault_step.map_or(Ok(()), |step| write!(f, "-a{step}"))
    }
}

impl VendorScript {
    /// The script in a model's name; pieces that mean nothing are left alone.
    pub fn parse(name: &str) -> Self {
        let mut script = Self::default();
        for piece in name.split(['-', '/', ':']) {
            let mut chars = piece.chars();
            let Some(letter) = chars.next() else { continue };
            let Ok(number) = chars.as_str().parse::<usize>() else { continue };
            match letter {
                'k' => script.steps = number,
                'm' => script.parallel = number.max(1),
                'n' => script.words = number,
                'c' => script.batch = number,
                't' => script.tool = VendorTool::ALL.get(number).copied().unwrap_or_default(),
                'r' => script.thinks = number > 0,
                'p' => script.speaks_first = number > 0,
                'h' => script.hold_after = number,
                'q' => script.taught = Some(number),
                'f' => script.fault = VendorFault::of_code(number),
                'a' => script.fault_step = Some(number),
                'o' => script.fault_times = number,
                _ => {}
            }
        }
        script
    }

    pub fn answer(&self) -> String {
        (0..self.words).map(|place| self.word(place)).collect()
    }

    /// What is said before calls.
    pub const PREAMBLE: &'static str = "Let me look.";

    fn word(&self, place: usize) -> String {
        format!("{}żółw{place:03}🦀", if place == 0 { "" } else { " " })
    }

    /// What it thinks in a step.
    pub(super) fn thought(&self, step: usize) -> Option<Thought> {
        self.thinks.then(|| Thought {
            text: format!("Step {step}: «żółw» \\ \"look\"\n twice. 🦀"),
            state: format!("{:A>12}+w==", format!("Step{step}")),
            sealed: format!("{:B>12}/w==", format!("Seal{step}")),
        })
    }

    /// The calls of a step, as they should be.
    fn calls(&self, step: usize) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        (0..self.parallel).map(move |place| self.tool.call(step, place))
    }

    /// Whether an exchange is this step done.
    pub(super) fn is_step(&self, exchange: &PastExchange, step: usize) -> bool {
        exchange.calls.len() == self.parallel
            && exchange
                .calls
                .iter()
                .zip(self.calls(step))
                .all(|(past, (name, arguments))| past.name == name && past.arguments == arguments)
    }

    /// How many steps are done: what was called wrongly does not count, and is called again.
    pub(super) fn steps_done<'a>(&self, asked: &'a LegalRequest) -> Vec<&'a PastExchange> {
        let mut done: Vec<&PastExchange> = Vec::new();
        for exchange in &asked.exchanges {
            if done.len() < self.steps && self.is_step(exchange, done.len()) {
                done.push(exchange);
            }
        }
        done
    }

    /// Whether the fault is due at a step, if it has happened so often already.
    pub(super) fn fault_at(&self, step: usize, times: usize) -> Option<VendorFault> {
        let is_due = self.fault_step.is_none_or(|at| at == step)
            && (self.fault_times == 0 || times < self.fault_times);
        self.fault.filter(|_| is_due)
    }

    /// What is said in a step.
    pub(super) fn say(&self, step: usize, fault: Option<VendorFault>, asked: &LegalRequest) -> Say {
        if fault == Some(VendorFault::Empty) {
            return Say { step, ..Say::default() };
        }
        let thought = self.thought(step);
        let is_over = step >= self.steps || asked.forbids_calls || asked.tools.is_empty();
        if let (true, Some(must)) = (is_over, &asked.must_call) {
            return self.say_forced(Say { step, thought, ..Say::default() }, must);
        }
        if is_over && fault != Some(VendorFault::Disobeys) {
            return self.say_answer(Say { step, thought, ..Say::default() }, fault, asked);
        }
        let calls = self
            .calls(step)
            .enumerate()
            .map(|(place, (name, arguments))| damaged(step, place, name, &arguments, fault))
            .collect();
        let text = if self.speaks_first { vec![Self::PREAMBLE.to_owned()] } else { Vec::new() };
        let finish = if fault == Some(VendorFault::Length) { SayEnd::Length } else { SayEnd::Calls };
        Say { step, thought, text, calls, finish }
    }

    /// The one call that was demanded where the part has none.
    fn say_forced(&self, mut say: Say, must: &MustCall) -> Say {
        let (own_name, own_arguments) = self.tool.call(say.step, 0);
        let (name, arguments) = match must {
            MustCall::Named(name) if name != own_name => (name.as_str(), json!({})),
            MustCall::Named(_) | MustCall::Any => (own_name, own_arguments),
        };
        say.calls = vec![damaged(say.step, 0, name, &arguments, None)];
        say.finish = SayEnd::Calls;
        say
    }

    /// The answer, or what is still to be said of it.
    fn say_answer(&self, mut say: Say, fault: Option<VendorFault>, asked: &LegalRequest) -> Say {
        let answer = self.answer();
        let said = asked.exchanges.last().filter(|last| last.calls.is_empty()).map_or("", |last| &last.text);
        let words_said = (0..self.words).scan(String::new(), |so_far, place| {
            so_far.push_str(&self.word(place));
            Some(so_far.trim() == said.trim())
        });
        let begun = words_said.take_while(|is_all| !is_all).count() + 1;
        let from =
            if answer.trim() != said.trim() && begun < self.words && !said.is_empty() { begun } else { 0 };
        say.text = (from..self.words).map(|place| self.word(place)).collect();
        if fault == Some(VendorFault::Length) {
            say.text.truncate(say.text.len().div_ceil(2));
            say.finish = SayEnd::Length;
        }
        say
    }
}

/// Thinking with its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thought {
    pub(super) text: String,
    /// A signature or encrypted content.
    pub(super) state: String,
    pub(super) sealed: String,
}

/// What is said in one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Say {
    pub(super) step: usize,
    pub(super) thought: Option<Thought>,
    /// Text, piece by piece.
    pub(super) text: Vec<String>,
    pub(super) calls: Vec<SaidCall>,
    pub(super) finish: SayEnd,
}

/// A call that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidCall {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as text; may be broken.
    pub(super) arguments: String,
}

impl SaidCall {
    /// The arguments where a protocol has them as a value.
    pub(super) fn arguments_value(&self) -> Option<Value> {
        if self.arguments.is_empty() { Some(json!({})) } else { serde_json::from_str(&self.arguments).ok() }
    }

    pub(super) fn pieces(&self) -> Vec<&str> {
        pieces_of(&self.arguments)
    }
}

/// A text in three pieces, never cut within a character.
pub(super) fn pieces_of(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let step = rest.len().div_ceil(3).max(1);
    while !rest.is_empty() {
        let at = (step..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, more) = rest.split_at(at);
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// Why a step ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SayEnd {
    #[default]
    Stop,
    /// Calls are to be answered.
    Calls,
    Length,
}

fn damaged(step: usize, place: usize, name: &str, arguments: &Value, fault: Option<VendorFault>) -> SaidCall {
    let whole = if arguments.as_object().is_some_and(serde_json::Map::is_empty) {
        String::new()
    } else {
        arguments.to_string()
    };
    let mut call =
        SaidCall { id: format!("c{step:04}{place:04}"), name: name.to_owned(), arguments: whole.clone() };
    match fault {
        Some(VendorFault::BadArgs) => call.arguments = whole.trim_end_matches('}').to_owned() + ", \"cwd\": ",
        Some(VendorFault::WrongType) => call.arguments = r#"{"command":7,"expression":7}"#.to_owned(),
        Some(VendorFault::UnknownTool) => call.name = "no_such_tool".to_owned(),
        Some(VendorFault::DuplicateId) => call.id = "cSameSame".to_owned(),
        Some(VendorFault::Length) => {
            call.arguments = call.pieces().first().copied().unwrap_or_default().to_owned()
        }
        _ => {}
    }
    call
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

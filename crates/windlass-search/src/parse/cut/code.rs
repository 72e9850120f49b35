//! Cutting code by its syntax: one passage a function, method or type, with the comments and attributes before it;
//! what is too long is cut at its members, then at its statements.
//!
//! A tree takes some hundred times the memory of its text, more the deeper it is, so long texts are parsed one at a time.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::UncountedPassage;
use super::join::{Stretch, join};
use super::split::split;
use crate::limits::{
    CUT_DEPTH_MAX, PARSE_BYTES_MAX, PARSE_MS_MAX, PARSE_TOGETHER_BYTES_MAX, PASSAGE_BYTES_MAX, TINY_BYTES,
    WHOLE_BYTES_MAX,
};
use crate::parse::grammar::{DefinitionShape, Grammar, NodeRole};
use crate::parse::symbols::{self, Defined, Symbols};

/// What cutting gives: the pieces of a text and the names in it.
type CutCode = (Vec<UncountedPassage>, Symbols);

/// A long text that waits to be cut.
struct LongText {
    text: String,
    grammar: &'static Grammar,
    answer: mpsc::SyncSender<Option<CutCode>>,
}

/// The way to the thread that cuts long texts, for all indexes of this process. It is one thread and always the same:
/// the system's allocator keeps for each thread what that once needed.
static LONG_TEXTS: OnceLock<Option<mpsc::Sender<LongText>>> = OnceLock::new();

/// The pieces of a text and the names in it; `None` when it is too long to be parsed, or could not be in time.
pub(super) fn cut(text: &str, grammar: &'static Grammar) -> Option<CutCode> {
    if text.len() > PARSE_BYTES_MAX {
        return None;
    }
    if text.len() <= PARSE_TOGETHER_BYTES_MAX {
        return cut_here(text, grammar);
    }
    let (answer, answered) = mpsc::sync_channel(1);
    let waiting = LongText { text: text.to_owned(), grammar, answer };
    LONG_TEXTS.get_or_init(start_cutting).as_ref()?.send(waiting).ok()?;
    answered.recv().ok()?
}

fn start_cutting() -> Option<mpsc::Sender<LongText>> {
    let (sender, texts) = mpsc::channel::<LongText>();
    let cutting = move || {
        for long in texts {
            // Whoever asked waits for it.
            let _ = long.answer.send(cut_here(&long.text, long.grammar));
        }
    };
    thread::Builder::new().name("search-cut".to_owned()).spawn(cutting).ok().map(|_| sender)
}

fn cut_here(text: &str, grammar: &Grammar) -> Option<CutCode> {
    let tree = parse(text, grammar)?;
    let mut cutter = CodeCutter { grammar, text, stretches: Vec::new() };
    cutter.cut_inside(tree.root_node(), 0..text.len(), 0, 0);
    let stretches = join(cutter.stretches);
    let symbols = symbols::read(grammar, &tree, text);
    let spans = stretches.into_iter().map(|stretch| stretch.span).collect();
    Some((name(spans, &symbols.definitions), symbols))
}

thread_local! {
    /// A parser keeps what it allocated for the next file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

fn parse(text: &str, grammar: &Grammar) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| parse_with(parser, text, grammar))
}

fn parse_with(parser: &mut Parser, text: &str, grammar: &Grammar) -> Option<Tree> {
    parser.set_language(grammar.language()).ok()?;
    let bytes = text.as_bytes();
    let deadline = Instant::now() + Duration::from_millis(PARSE_MS_MAX);
    let mut check = |_: &ParseState| {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut check);
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    // One that was given up in the middle would go on where it stopped, and keep what it has until then.
    parser.reset();
    tree
}

struct CodeCutter<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    stretches: Vec<Stretch>,
}

impl CodeCutter<'_> {
    /// Cuts the inside of a node: `span` is the node and what leads to it, `whole` the definition around it.
    fn cut_inside(&mut self, node: Node<'_>, span: Range<usize>, whole: usize, depth: usize) {
        let whole = match self.grammar.role(node) {
            NodeRole::Defines(_) | NodeRole::Wraps => node.id(),
            NodeRole::Other
            | NodeRole::Calls(_)
            | NodeRole::Imports
            | NodeRole::Name
            | NodeRole::Leads
            | NodeRole::Anonymous => whole,
        };
        let mut at = span.start;
        for child in members(self.grammar, node) {
            let end = self.text.floor_char_boundary(child.end_byte().min(span.end));
            let is_comment = self.grammar.role(child) == NodeRole::Leads;
            if is_comment && self.ends_line(at, child.start_byte(), span.start) {
                // A comment behind a statement speaks of it.
                if self.extend(at, end) {
                    at = end;
                }
                continue;
            }
            // Keywords, names and braces open what follows them.
            let is_lead = is_comment || (child.child_count() == 0 && end.saturating_sub(at) <= TINY_BYTES);
            if !is_lead && end > at {
                self.cut_child(child, at..end, whole, depth);
                at = end;
            }
        }
        let rest = self.text.get(at..span.end).unwrap_or_default();
        let is_closer = !rest.contains(char::is_alphanumeric);
        if !is_closer || !self.extend(at, span.end) {
            self.push_split(at..span.end, whole);
        }
    }

    /// Lets the last piece go on from `at` to `end`, if it ends there and has room.
    fn extend(&mut self, at: usize, end: usize) -> bool {
        match self.stretches.last_mut() {
            Some(last) if last.span.end == at && end - last.span.start <= PASSAGE_BYTES_MAX => {
                last.span.end = end;
                true
            }
            Some(_) | None => false,
        }
    }

    fn cut_child(&mut self, child: Node<'_>, span: Range<usize>, whole: usize, depth: usize) {
        let role = self.grammar.role(child);
        let is_holder = match role {
            NodeRole::Wraps => true,
            NodeRole::Defines(definition) => definition.shape == DefinitionShape::Holder,
            NodeRole::Other
            | NodeRole::Calls(_)
            | NodeRole::Imports
            | NodeRole::Name
            | NodeRole::Leads
            | NodeRole::Anonymous => false,
        };
        let bytes_max = if is_holder { WHOLE_BYTES_MAX } else { PASSAGE_BYTES_MAX };
        if span.len() <= bytes_max {
            let is_item = is_holder || matches!(role, NodeRole::Defines(_));
            self.stretches.push(Stretch { span, whole, is_item });
        } else if child.child_count() > 0 && depth < CUT_DEPTH_MAX {
            self.cut_inside(child, span, whole, depth + 1);
        } else {
            self.push_split(span, whole);
        }
    }

    fn push_split(&mut self, span: Range<usize>, whole: usize) {
        let parts = split(self.text, span, PASSAGE_BYTES_MAX);
        self.stretches.extend(parts.into_iter().map(|span| Stretch { span, whole, is_item: false }));
    }

    /// Whether something starts on the line on which the piece before it ends.
    fn ends_line(&self, last_end: usize, start: usize, first: usize) -> bool {
        last_end > first && self.text.get(last_end..start).is_some_and(|between| !between.contains('\n'))
    }
}

/// The children of a node, with those of its body in their place: a class is cut at its methods.
fn members<'tree>(grammar: &Grammar, node: Node<'tree>) -> Vec<Node<'tree>> {
    let body = node.child_by_field_name("body");
    let mut cursor = node.walk();
    let mut members = Vec::new();
    for child in node.children(&mut cursor) {
        let is_declared_list =
            grammar.role(child) == NodeRole::Wraps && grammar.role(node) != NodeRole::Other;
        if (body == Some(child) || is_declared_list) && child.child_count() > 0 {
            let mut inner = child.walk();
            members.extend(child.children(&mut inner));
        } else {
            members.push(child);
        }
    }
    members
}

/// Gives each span the name of what it defines, or of what it is inside of.
fn name(spans: Vec<Range<usize>>, definitions: &[Defined]) -> Vec<UncountedPassage> {
    let mut open: Vec<&Defined> = Vec::new();
    let mut next = definitions.iter().peekable();
    let mut pieces = Vec::with_capacity(spans.len());
    for span in spans {
        open.retain(|definition| definition.span.end > span.start);
        let (mut whole, mut first): (Option<&Defined>, Option<&Defined>) = (None, None);
        while let Some(definition) = next.next_if(|definition| definition.span.start < span.end) {
            first = first.or(Some(definition));
            let is_larger = whole.is_none_or(|best| best.span.len() < definition.span.len());
            if definition.span.end <= span.end && is_larger {
                whole = Some(definition);
            } else if definition.span.end > span.end {
                open.push(definition);
            }
        }
        // The head of a class names the piece, although some of its methods are in it as a whole.
        let head = first.filter(|first| first.span.end > span.end);
        let named = head.or(whole).or_else(|| open.last().copied());
        pieces.push(UncountedPassage {
            span,
            symbol: named.map(|definition| definition.path.clone()),
            text: None,
        });
    }
    pieces
}

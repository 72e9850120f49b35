//! Definitions and uses of names in parsed code, found in one walk over the tree.
//!
//! Owns what counts as a definition, a call, an import or a reference; which nodes these are is `grammar`'s. Knows the
//! one file alone: a use is a name, not a resolved place.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::limits::{SYMBOL_BYTES_MAX, USE_BYTES_MAX, USE_BYTES_MIN};
use crate::parse::grammar::{Definition, DefinitionShape, Grammar, NodeRole, When};

/// What a file defines and uses, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Symbols {
    pub(crate) definitions: Vec<Defined>,
    pub(crate) uses: Vec<Used>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Defined {
    /// From the outside in: `Windlass::haul`.
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    pub(crate) span: Range<usize>,
    pub(crate) name: Range<usize>,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) kind: UseKind,
    pub(crate) name: Range<usize>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum UseKind {
    Call,
    Import,
    Reference,
}

impl UseKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            UseKind::Call => "call",
            UseKind::Import => "import",
            UseKind::Reference => "reference",
        }
    }
}

/// Something the walk is inside of.
struct EnclosingSymbol {
    depth: usize,
    /// Its symbol path, if it has a name.
    path: Option<String>,
    kind: &'static str,
    is_function: bool,
}

struct SymbolWalk<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    inside: Vec<EnclosingSymbol>,
    /// Where names of definitions start: they are no uses.
    defined: HashSet<usize>,
    /// Where names that are called start.
    called: HashSet<usize>,
    found: Symbols,
}

/// Reads a tree. Trees may be as deep as their text is long, so the walk is a loop.
pub(crate) fn read(grammar: &Grammar, tree: &Tree, text: &str) -> Symbols {
    let mut walk = SymbolWalk {
        grammar,
        text,
        inside: Vec::new(),
        defined: HashSet::new(),
        called: HashSet::new(),
        found: Symbols::default(),
    };
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        while walk.inside.last().is_some_and(|inside| inside.depth >= depth) {
            walk.inside.pop();
        }
        walk.visit(cursor.node(), depth);
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.found;
            }
            depth -= 1;
        }
    }
}

impl SymbolWalk<'_> {
    fn visit(&mut self, node: Node<'_>, depth: usize) {
        match self.grammar.role(node) {
            NodeRole::Defines(definition) => self.define(node, depth, definition),
            NodeRole::Calls(field) => {
                if let Some(callee) = self.grammar.callee(node, field) {
                    self.called.insert(callee.start_byte());
                }
            }
            NodeRole::Imports => {
                self.inside.push(EnclosingSymbol { depth, path: None, kind: "import", is_function: false });
            }
            NodeRole::Anonymous => {
                self.inside.push(EnclosingSymbol { depth, path: None, kind: "anonymous", is_function: true });
            }
            NodeRole::Name => self.mention(node),
            NodeRole::Other | NodeRole::Leads | NodeRole::Wraps => {}
        }
    }

    fn define(&mut self, node: Node<'_>, depth: usize, definition: Definition) {
        let is_local = self.inside.iter().any(|inside| inside.is_function);
        let is_one = match definition.when {
            When::Always | When::PathOnly => true,
            When::WithBody => node.child_by_field_name("body").is_some(),
            When::Outside => !is_local,
        };
        let Some((name, within)) = self.grammar.name_of(node, definition.naming).filter(|_| is_one) else {
            return;
        };
        let is_simple = self.grammar.role(name) == NodeRole::Name;
        let Some(word) = self.text.get(name.byte_range()).map(str::trim) else { return };
        let is_name =
            !word.is_empty() && word.len() <= USE_BYTES_MAX && !word.contains(['\n', '(', '{', '[']);
        if !is_name || (definition.when == When::Outside && !is_simple) {
            return;
        }
        let within = within.and_then(|within| self.text.get(within.byte_range()));
        let path = self.path_of(within, word.trim_matches(['"', '\'']));
        if definition.when != When::PathOnly {
            self.defined.insert(name.start_byte());
            self.found.definitions.push(Defined {
                path: path.clone(),
                kind: self.kind_of(node, definition),
                span: node.byte_range(),
                name: name.byte_range(),
            });
        }
        if definition.shape != DefinitionShape::Plain {
            let is_function = definition.shape == DefinitionShape::Function;
            self.inside.push(EnclosingSymbol { depth, path: Some(path), kind: definition.kind, is_function });
        }
    }

    /// A function inside a class, a trait or an impl block is a method; a constant that is a function is a function.
    fn kind_of(&self, node: Node<'_>, definition: Definition) -> &'static str {
        let value = node.child_by_field_name("value").map(|value| self.grammar.role(value));
        if value == Some(NodeRole::Anonymous) {
            return "function";
        }
        let holder = self.inside.last().map(|inside| inside.kind);
        match holder {
            Some("class" | "trait" | "impl" | "struct" | "interface" | "enum")
                if definition.kind == "function" =>
            {
                "method"
            }
            Some(_) | None => definition.kind,
        }
    }

    fn path_of(&self, within: Option<&str>, name: &str) -> String {
        let outer = self.inside.iter().rev().find_map(|inside| inside.path.as_deref());
        let separator = self.grammar.separator;
        let mut path = String::new();
        for part in [outer, within].into_iter().flatten() {
            if path.len() + part.len() + name.len() <= SYMBOL_BYTES_MAX {
                path.push_str(part);
                path.push_str(separator);
            }
        }
        path.push_str(name);
        path
    }

    fn mention(&mut self, node: Node<'_>) {
        let name = node.byte_range();
        if self.defined.contains(&name.start) || !(USE_BYTES_MIN..=USE_BYTES_MAX).contains(&name.len()) {
            return;
        }
        let kind = if self.inside.last().is_some_and(|inside| inside.kind == "import") {
            UseKind::Import
        } else if self.called.contains(&name.start) {
            UseKind::Call
        } else {
            UseKind::Reference
        };
        self.found.uses.push(Used { kind, name });
    }
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;

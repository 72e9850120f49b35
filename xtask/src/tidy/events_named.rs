//! A match over events names those that it is about: what is left is `other.ignored()`, in words, and never `_`.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::{Checkout, TidyFinding};

const EVENTS: [&str; 3] = ["Event", "DurableEvent", "DeltaEvent"];

/// A new event then makes the compiler ask each fold, or is left alone where a fold says so.
pub(super) fn no_wildcard_over_events(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in house.shipped() {
        let mut wildcards = EventWildcards(Vec::new());
        wildcards.visit_file(&parsed.source.syntax);
        findings.extend(wildcards.0.into_iter().map(|span| {
            let text = "a wildcard over events: name them, or say `other => other.ignored()`";
            TidyFinding::new("event-wildcard", &parsed.file.path, span.start().line, text)
        }));
    }
    findings
}

struct EventWildcards(Vec<Span>);

impl<'ast> Visit<'ast> for EventWildcards {
    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        if expression.arms.iter().any(|arm| names_event(&arm.pat)) {
            let wild = expression.arms.iter().filter(|arm| is_wild(&arm.pat));
            self.0.extend(wild.map(|arm| arm.pat.span()));
        }
        visit::visit_expr_match(self, expression);
    }
}

fn is_wild(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Tuple(tuple) => tuple.elems.iter().all(is_wild),
        _ => false,
    }
}

fn names_event(pattern: &syn::Pat) -> bool {
    struct NamedEvents(bool);
    impl<'ast> Visit<'ast> for NamedEvents {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let owners = path.segments.iter().rev().skip(1);
            self.0 |= owners.take(1).any(|owner| EVENTS.iter().any(|event| owner.ident == event));
        }
    }
    let mut named = NamedEvents(false);
    named.visit_pat(pattern);
    named.0
}

//! The wall around permission: an `ApprovedCall` is made in core's permission module and nowhere else.
//!
//! The compiler keeps outsiders away from private fields; this rule keeps the fields private, the derives harmless,
//! and core's own other modules out.

use syn::visit::{self, Visit};

use super::{Checkout, TidyFinding};

const NAME: &str = "ApprovedCall";
const RULE: &str = "approved-call";
const HOME: &str = "crates/windlass-core/src/permission";
/// Derives that make a value out of nothing.
const MAKERS: [&str; 2] = ["Deserialize", "Default"];

/// Nobody else constructs it, and the type has no other way in.
pub(super) fn only_the_permission_module_approves(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in &house.rust {
        let path = parsed.file.path.as_str();
        let mut visitor = Constructions { inside_own_impl: false, found: Vec::new() };
        visitor.visit_file(&parsed.source.syntax);
        let at_home = path
            .strip_prefix(HOME)
            .is_some_and(|rest| rest.starts_with('/') || rest.starts_with('.') || rest == "_tests.rs");
        if !at_home {
            let text = format!("{NAME} is constructed outside {HOME}: only the permission module approves");
            findings
                .extend(visitor.found.iter().map(|line| TidyFinding::new(RULE, path, *line, text.clone())));
        }
        let mut declarations = Declarations { found: Vec::new() };
        declarations.visit_file(&parsed.source.syntax);
        findings.extend(
            declarations.found.into_iter().map(|(line, text)| TidyFinding::new(RULE, path, line, text)),
        );
    }
    findings
}

fn is_named(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == name)
}

struct Constructions {
    inside_own_impl: bool,
    found: Vec<usize>,
}

impl Constructions {
    fn note(&mut self, path: &syn::Path) {
        if is_named(path, NAME) || (self.inside_own_impl && path.is_ident("Self")) {
            self.found.extend(path.segments.last().map(|segment| segment.ident.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for Constructions {
    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let own = matches!(&*block.self_ty, syn::Type::Path(path) if is_named(&path.path, NAME));
        let before = std::mem::replace(&mut self.inside_own_impl, own);
        visit::visit_item_impl(self, block);
        self.inside_own_impl = before;
    }

    fn visit_expr_struct(&mut self, expression: &'ast syn::ExprStruct) {
        self.note(&expression.path);
        visit::visit_expr_struct(self, expression);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func {
            self.note(&path.path);
        }
        visit::visit_expr_call(self, call);
    }
}

struct Declarations {
    found: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for Declarations {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if item.ident != NAME {
            return;
        }
        let line = item.ident.span().start().line;
        if item.fields.iter().any(|field| matches!(field.vis, syn::Visibility::Public(_))) {
            self.found.push((line, format!("{NAME} has a public field: anyone could make one")));
        }
        for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            // A derive list that does not parse does not compile either.
            let _ = attribute.parse_nested_meta(|meta| {
                if let Some(maker) = MAKERS.iter().find(|maker| is_named(&meta.path, maker)) {
                    self.found.push((line, format!("{NAME} derives {maker}: that makes one out of nothing")));
                }
                Ok(())
            });
        }
    }
}

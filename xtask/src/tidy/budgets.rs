//! Budgets: the length of files and functions, and the header every module opens with.

use syn::visit::{self, Visit};

use super::{Finding, House, ParsedFile};

/// A reader can hold this much of one subject; 400 is the aim.
pub(super) const FILE_LINES_MAX: usize = 600;
/// A function fits on one screen.
pub(super) const FUNCTION_LINES_MAX: usize = 70;

/// No file outside tests is longer than the budget.
pub(super) fn files_are_short(house: &House) -> Vec<Finding> {
    let sources = house.rust.iter().filter(|parsed| !parsed.file.is_test());
    sources
        .filter_map(|parsed| {
            let lines = parsed.file.text.lines().count();
            let text = format!("{lines} lines, {FILE_LINES_MAX} at most: split it by subject");
            (lines > FILE_LINES_MAX).then(|| Finding::new("file-length", &parsed.file.path, 1, text))
        })
        .collect()
}

/// No function outside tests is longer than the budget, counted from `fn` to its closing brace.
pub(super) fn functions_are_short(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    for parsed in house.rust.iter().filter(|parsed| !parsed.file.is_test()) {
        for function in functions(parsed) {
            if function.lines > FUNCTION_LINES_MAX {
                let text =
                    format!("`{}` has {} lines, {FUNCTION_LINES_MAX} at most", function.name, function.lines);
                findings.push(Finding::new("function-length", &parsed.file.path, function.line, text));
            }
        }
    }
    findings
}

/// Every module says first what it owns; a test file's subject is the file beside it.
pub(super) fn modules_have_headers(house: &House) -> Vec<Finding> {
    let inside_src = house.shipped();
    inside_src
        .filter(|parsed| !parsed.file.text.trim_start().starts_with("//!"))
        .map(|parsed| {
            let text = "opens without a `//!` header: say what the module owns and what it does not know";
            Finding::new("module-header", &parsed.file.path, 1, text)
        })
        .collect()
}

/// A function and its length.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

/// The functions of a file, those of `#[cfg(test)]` modules apart.
pub(super) fn functions(parsed: &ParsedFile) -> Vec<Function> {
    let mut visitor = Functions { found: Vec::new() };
    visitor.visit_file(&parsed.source.syntax);
    visitor.found
}

struct Functions {
    found: Vec<Function>,
}

impl Functions {
    fn note(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let last = body.brace_token.span.close().end().line;
        self.found.push(Function { name: signature.ident.to_string(), line, lines: last + 1 - line });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.note(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let names_test = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => false,
    };
    attributes.iter().any(names_test)
}

//! Names: files, folders, packages, modules and types carry no word that names nothing.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::rooms::EMPTY_WORDS;
use super::{Checkout, ParsedFile, TidyFinding, web_app};

/// What a module is called in a finding.
const MODULE: &str = "the module";

/// No empty word in the name of a file, folder, package, module or type.
pub(super) fn no_empty_words(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in house.files().filter(|file| !file.is_generated()) {
        for part in file.path.split('/') {
            let stem = part.split('.').find(|piece| !piece.is_empty()).unwrap_or(part);
            findings.extend(judge(&file.path, 1, "the path", stem));
        }
    }
    for package in &house.workspace.packages {
        findings.extend(judge(&package.manifest, 1, "the package", &package.name));
    }
    for parsed in &house.rust {
        for (line, kind, name) in declared(parsed) {
            findings.extend(judge(&parsed.file.path, line, kind, &name));
        }
    }
    for file in web_app::sources(house) {
        let types = (1..)
            .zip(file.text.lines())
            .filter_map(|(line, text)| Some((line, web_app::declared_type(text)?)));
        findings.extend(types.filter_map(|(line, name)| judge(&file.path, line, "the type", name)));
    }
    findings
}

/// The names of the types and traits that a file defines.
pub(super) fn declared_types(parsed: &ParsedFile) -> impl Iterator<Item = String> {
    declared(parsed).into_iter().filter(|(_, kind, _)| *kind != MODULE).map(|(_, _, name)| name)
}

fn declared(parsed: &ParsedFile) -> BTreeSet<(usize, &'static str, String)> {
    let mut visitor = Declared { found: BTreeSet::new() };
    visitor.visit_file(&parsed.source.syntax);
    visitor.found
}

fn judge(path: &str, line: usize, kind: &str, name: &str) -> Option<TidyFinding> {
    let empty = words(name).into_iter().find(|word| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        EMPTY_WORDS.contains(&word.as_str()) || EMPTY_WORDS.contains(&singular)
    })?;
    let text = format!("{kind} `{name}` says \"{empty}\", which names nothing: name what it owns");
    Some(TidyFinding::new("empty-name", path, line, text))
}

/// Splits `snake_case`, `kebab-case` and `CamelCase` into lower-case words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        let boundary = !c.is_alphanumeric() || (c.is_uppercase() && !previous.is_uppercase());
        if boundary {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

struct Declared {
    found: BTreeSet<(usize, &'static str, String)>,
}

impl Declared {
    fn note(&mut self, kind: &'static str, name: &syn::Ident) {
        self.found.insert((name.span().start().line, kind, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.note(MODULE, &item.ident);
        visit::visit_item_mod(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note("the type", &item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note("the type", &item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.note("the type", &item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note("the type", &item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.note("the trait", &item.ident);
        visit::visit_item_trait(self, item);
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;

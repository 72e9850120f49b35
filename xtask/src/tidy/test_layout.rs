//! Where tests live: one integration binary a crate, and no file that cargo never compiles.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::{Checkout, ParsedFile, TidyFinding};

/// Each crate links one integration binary, `tests/all/main.rs`: linking is what a test run waits for.
pub(super) fn one_integration_binary_per_crate(house: &Checkout) -> Vec<TidyFinding> {
    let extra =
        house.rust.iter().filter(|parsed| match parsed.file.path.split('/').collect::<Vec<_>>().as_slice() {
            [.., "tests", folder, "main.rs"] => *folder != "all",
            ["crates", _, "tests", _] => true,
            _ => false,
        });
    extra
        .map(|parsed| {
            let text = "a second integration binary: make it a module of tests/all/main.rs";
            TidyFinding::new("test-binary", &parsed.file.path, 1, text)
        })
        .collect()
}

/// Each source file is a module of some other: a forgotten test file passes for ever.
pub(super) fn no_file_is_forgotten(house: &Checkout) -> Vec<TidyFinding> {
    let declared: BTreeSet<String> = house.rust.iter().flat_map(declared_files).collect();
    let in_module_trees = house.rust.iter().filter(|parsed| {
        let path = parsed.file.path.as_str();
        path.contains("/src/") || path.contains("/tests/all/")
    });
    in_module_trees
        .filter(|parsed| !is_root(&parsed.file.path) && !declared.contains(&parsed.file.path))
        .map(|parsed| {
            let text = "no file declares this module, so it is never compiled: add `mod …;` or delete it";
            TidyFinding::new("forgotten-file", &parsed.file.path, 1, text)
        })
        .collect()
}

fn is_root(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        [.., "src", "lib.rs" | "main.rs"]
            | [.., "src", "bin", _]
            | [.., "bin", _, "main.rs"]
            | [.., "tests", "all", "main.rs"]
    )
}

/// Every path the `mod name;` items of a file may mean.
fn declared_files(parsed: &ParsedFile) -> Vec<String> {
    let path = parsed.file.path.as_str();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let own_folder = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    };
    let mut visitor = ModuleTree { own_folder, file_folder: folder.to_owned(), found: Vec::new() };
    visitor.visit_file(&parsed.source.syntax);
    visitor.found
}

struct ModuleTree {
    own_folder: String,
    file_folder: String,
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for ModuleTree {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        match (&module.content, path_attribute(module)) {
            (None, Some(path)) => self.found.push(join(&self.file_folder, &path)),
            (None, None) => {
                self.found.push(format!("{}/{name}.rs", self.own_folder));
                self.found.push(format!("{}/{name}/mod.rs", self.own_folder));
            }
            (Some(_), _) => {
                let inner = format!("{}/{name}", self.own_folder);
                let outer = std::mem::replace(&mut self.own_folder, inner);
                visit::visit_item_mod(self, module);
                self.own_folder = outer;
            }
        }
    }
}

fn path_attribute(module: &syn::ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

fn join(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

//! Definitions and uses, language by language.

use crate::parse::cut::cut;
use crate::parse::language::SourceLanguage;
use crate::parse::symbols::{Symbols, UseKind};

fn read(path: &str, text: &str) -> Symbols {
    cut(text, SourceLanguage::of(path, text)).symbols
}

fn definitions(path: &str, text: &str) -> Vec<String> {
    read(path, text).definitions.iter().map(|it| format!("{} {}", it.kind, it.path)).collect()
}

fn uses(path: &str, text: &str, kind: UseKind) -> Vec<String> {
    let symbols = read(path, text);
    symbols.uses.iter().filter(|it| it.kind == kind).map(|it| text[it.name.clone()].to_owned()).collect()
}

#[test]
fn rust_methods_carry_their_type_and_modules_are_part_of_the_path() {
    let text = "use std::io;\npub mod deck {\n  pub struct Windlass { load: u32 }\n  impl<T> Haul<T> for Windlass {\n    \
                fn haul(&self) -> u32 { self.pawl(); wind!(self.load) }\n  }\n}\nconst TURNS: u32 = 4;\nenum Side { Left }\n\
                trait Haul<T> { fn haul(&self) -> u32; }\n";
    assert_eq!(
        definitions("a.rs", text),
        [
            "module deck",
            "struct deck::Windlass",
            "method deck::Windlass::haul",
            "constant TURNS",
            "enum Side",
            "variant Side::Left",
            "trait Haul",
            "method Haul::haul"
        ]
    );
    assert_eq!(uses("a.rs", text, UseKind::Call), ["pawl", "wind"]);
    assert_eq!(uses("a.rs", text, UseKind::Import), ["std", "io"]);
    assert!(uses("a.rs", text, UseKind::Reference).contains(&"Haul".to_owned()));
}

#[test]
fn python_functions_in_classes_are_methods_and_locals_are_nothing() {
    let text = "import os.path as p\nLIMIT = 3\n@dataclass\nclass Windlass:\n    def haul(self, load):\n        \
                rest = load.take(1)\n        return self.pawl(rest)\n";
    assert_eq!(definitions("a.py", text), ["constant LIMIT", "class Windlass", "method Windlass.haul"]);
    assert_eq!(uses("a.py", text, UseKind::Call), ["take", "pawl"]);
}

#[test]
fn scripts_have_classes_functions_and_constants_of_the_module() {
    let text = "import { a } from './b';\nexport class Windlass { haul(load) { return this.pawl(load); } }\n\
                export const wind = (turns) => { const local = turns; return local; };\nfunction idle() {}\n";
    assert_eq!(
        definitions("a.js", text),
        ["class Windlass", "method Windlass.haul", "function wind", "function idle"]
    );
    let text = "interface Load { weight(): number }\ntype Turns = number;\nenum Side { Left }\nnamespace deck { \
                export function wind(turns: Turns): void {} }\nabstract class A { x: Load; abstract go(): void }\n";
    assert_eq!(
        definitions("a.ts", text),
        [
            "interface Load",
            "method Load.weight",
            "type Turns",
            "enum Side",
            "module deck",
            "function deck.wind",
            "class A",
            "field A.x",
            "method A.go"
        ]
    );
}

#[test]
fn go_methods_carry_their_receiver() {
    let text = "package deck\nimport \"fmt\"\ntype Windlass struct { load int }\nconst Turns = 4\n\
                func (w *Windlass) Haul(n int) int { local := 1; fmt.Println(local); return w.pawl(n) }\nfunc idle() {}\n";
    assert_eq!(
        definitions("a.go", text),
        ["type Windlass", "constant Turns", "method Windlass.Haul", "function idle"]
    );
    assert_eq!(uses("a.go", text, UseKind::Call), ["Println", "pawl"]);
}

#[test]
fn c_and_cpp_names_are_found_behind_their_declarators() {
    let text = "#ifndef A_H\n#define A_H\nstruct load { int weight; };\ntypedef struct load load_t;\n\
                static char **names(int n) { return haul(n); }\nint wind(int turns);\n#endif\n";
    assert_eq!(
        definitions("a.c", text),
        ["macro A_H", "struct load", "type load_t", "function names", "declaration wind"]
    );
    assert_eq!(uses("a.c", text, UseKind::Call), ["haul"]);
    let text = "namespace deck {\nclass Windlass { public: int haul() { return 1; } };\n\
                template <typename T> T Windlass::wind(T turns) { return turns; }\n}\n";
    assert_eq!(
        definitions("a.cpp", text),
        [
            "namespace deck",
            "class deck::Windlass",
            "method deck::Windlass::haul",
            "function deck::Windlass::wind"
        ]
    );
}

#[test]
fn java_and_zig_members_are_under_their_types() {
    let text = "import java.util.List;\nclass Windlass { int load = 1; Windlass() {} int haul(int n) { int local = n; \
                return pawl(new Load(local)); } enum Side { LEFT } }\n";
    assert_eq!(
        definitions("A.java", text),
        [
            "class Windlass",
            "field Windlass.load",
            "method Windlass.Windlass",
            "method Windlass.haul",
            "enum Windlass.Side",
            "variant Windlass.Side.LEFT"
        ]
    );
    assert_eq!(uses("A.java", text, UseKind::Call), ["pawl", "Load"]);
    let text = "const std = @import(\"std\");\npub const Windlass = struct {\n  load: u32,\n  pub fn haul(self: Windlass) \
                u32 { const local = 1; return self.pawl(local); }\n};\n";
    assert_eq!(definitions("a.zig", text), ["constant std", "constant Windlass", "function Windlass.haul"]);
    assert_eq!(uses("a.zig", text, UseKind::Call), ["pawl"]);
}

#[test]
fn a_tree_as_deep_as_its_text_is_read_without_recursion() {
    let text = format!("fn a() {{ {}1{} }}", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(definitions("a.rs", &text), ["function a"]);
}

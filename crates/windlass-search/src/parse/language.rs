//! Which language a file is written in, by its name and, for headers of C, by a look inside.
//!
//! Owns the table of endings. How a language is cut is `cut`'s, what its nodes mean is `grammar`'s.

use crate::parse::grammar::{self, Grammar};

/// A language and the way it is cut.
#[derive(Debug, Clone, Copy)]
pub struct SourceLanguage {
    /// Its word: `rust`, `markdown`, `text`, …
    pub word: &'static str,
    pub(crate) way: CutManner,
}

/// How texts of a language are cut.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CutManner {
    Code(&'static Grammar),
    /// At headings and paragraphs.
    Markdown,
    /// At block elements, as text.
    Html,
    /// At paragraphs and sentences.
    Text,
    /// At blank lines and indentation.
    Plain,
}

const fn code(word: &'static str, grammar: &'static Grammar) -> SourceLanguage {
    SourceLanguage { word, way: CutManner::Code(grammar) }
}

const fn plain(word: &'static str) -> SourceLanguage {
    SourceLanguage { word, way: CutManner::Plain }
}

pub(crate) const TEXT: SourceLanguage = SourceLanguage { word: "text", way: CutManner::Text };
pub(crate) const MARKDOWN: SourceLanguage = SourceLanguage { word: "markdown", way: CutManner::Markdown };
const HTML: SourceLanguage = SourceLanguage { word: "html", way: CutManner::Html };
const C: SourceLanguage = code("c", &grammar::C);
const CPP: SourceLanguage = code("cpp", &grammar::CPP);

const ENDINGS: &[(&[&str], SourceLanguage)] = &[
    (&["rs"], code("rust", &grammar::RUST)),
    (&["py", "pyi", "pyw"], code("python", &grammar::PYTHON)),
    (&["js", "jsx", "mjs", "cjs"], code("javascript", &grammar::JAVASCRIPT)),
    (&["ts", "mts", "cts"], code("typescript", &grammar::TYPESCRIPT)),
    (&["tsx"], code("typescript", &grammar::TSX)),
    (&["go"], code("go", &grammar::GO)),
    (&["c", "h"], C),
    (&["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl"], CPP),
    (&["java"], code("java", &grammar::JAVA)),
    (&["zig"], code("zig", &grammar::ZIG)),
    (&["md", "markdown", "mdx"], MARKDOWN),
    (&["html", "htm", "xhtml"], HTML),
    (&["txt", "text", "rst", "adoc", "org", "tex", "pdf"], TEXT),
    (&["toml"], plain("toml")),
    (&["yaml", "yml"], plain("yaml")),
    (&["json", "jsonc", "json5"], plain("json")),
    (&["sh", "bash", "zsh", "fish"], plain("shell")),
    (&["sql"], plain("sql")),
    (&["css", "scss", "less"], plain("css")),
    (&["rb"], plain("ruby")),
    (&["php"], plain("php")),
    (&["cs"], plain("csharp")),
    (&["kt", "kts"], plain("kotlin")),
    (&["swift"], plain("swift")),
    (&["scala"], plain("scala")),
    (&["lua"], plain("lua")),
    (&["ex", "exs"], plain("elixir")),
    (&["hs"], plain("haskell")),
    (&["ml", "mli"], plain("ocaml")),
    (&["svelte"], plain("svelte")),
    (&["vue"], plain("vue")),
    (&["rhai"], plain("rhai")),
    (&["proto"], plain("protobuf")),
    (&["xml", "svg"], plain("xml")),
    (&["csv", "tsv"], plain("csv")),
];

impl SourceLanguage {
    /// The language of a file; plain text that nobody knows is cut at blank lines.
    pub fn of(path: &str, text: &str) -> SourceLanguage {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let Some((_, ending)) = name.rsplit_once('.') else {
            return match name.as_str() {
                "readme" | "license" | "changelog" | "notice" | "authors" | "copying" => TEXT,
                "makefile" | "gnumakefile" => plain("make"),
                "dockerfile" | "containerfile" => plain("docker"),
                _ => plain("text"),
            };
        };
        let found = ENDINGS.iter().find(|(endings, _)| endings.contains(&ending)).map(|(_, found)| *found);
        match found {
            Some(_) if ending == "h" && is_cpp(text) => CPP,
            Some(language) => language,
            None => plain("text"),
        }
    }
}

/// Whether a header says something that C cannot.
fn is_cpp(text: &str) -> bool {
    ["namespace ", "template <", "template<", "public:", "private:", "#include <string>", "std::"]
        .iter()
        .any(|sign| text.contains(sign))
}

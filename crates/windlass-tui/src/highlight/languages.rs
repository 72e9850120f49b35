//! The languages, as data: a row each.

use crate::theme::TextRole;

/// What kind of text a language is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanguageShape {
    Code,
    Markup,
    Diff,
    Markdown,
}

/// A kind of string.
#[derive(Debug)]
pub(super) struct QuoteForm {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) has_escapes: bool,
    pub(super) is_multi_line: bool,
    /// Whether it holds one sign only, and is something else otherwise (`'a` in Rust).
    pub(super) is_sign: bool,
}

#[derive(Debug)]
pub(super) struct HighlightLanguage {
    /// Its names and the endings of its files.
    pub(super) names: &'static [&'static str],
    pub(super) shape: LanguageShape,
    pub(super) keywords: &'static str,
    pub(super) constants: &'static str,
    pub(super) types: &'static str,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// The longer of two that begin alike comes first.
    pub(super) quotes: &'static [QuoteForm],
    /// Signs that make a name of the word behind them.
    pub(super) sigils: &'static [(char, TextRole)],
    /// Signs that are part of words, besides letters, digits and `_`.
    pub(super) word_signs: &'static [char],
    /// Signs that make a call of the word before them.
    pub(super) call_signs: &'static [char],
    /// The sign between a name and its value.
    pub(super) key_end: Option<char>,
    pub(super) has_capital_types: bool,
    pub(super) is_case_blind: bool,
}

const fn line_quote(sign: &'static str) -> QuoteForm {
    QuoteForm { open: sign, close: sign, has_escapes: true, is_multi_line: false, is_sign: false }
}

const fn long_quote(sign: &'static str) -> QuoteForm {
    QuoteForm { open: sign, close: sign, has_escapes: true, is_multi_line: true, is_sign: false }
}

const fn raw_quote(open: &'static str, close: &'static str) -> QuoteForm {
    QuoteForm { open, close, has_escapes: false, is_multi_line: true, is_sign: false }
}

const SIGN_QUOTE: QuoteForm =
    QuoteForm { open: "'", close: "'", has_escapes: true, is_multi_line: false, is_sign: true };

/// Most languages look like this one: braces, two slashes, two kinds of quotes.
const CURLY: HighlightLanguage = HighlightLanguage {
    names: &[],
    shape: LanguageShape::Code,
    keywords: "",
    constants: "true false null",
    types: "",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &[line_quote("\""), line_quote("'")],
    sigils: &[],
    word_signs: &[],
    call_signs: &['('],
    key_end: None,
    has_capital_types: true,
    is_case_blind: false,
};

/// And many scripts and settings like this one.
const HASHED: HighlightLanguage =
    HighlightLanguage { line_comments: &["#"], block_comment: None, has_capital_types: false, ..CURLY };

const C_KEYWORDS: &str = "alignas auto break case catch class const constexpr continue default delete do else enum \
    explicit export extern final for friend goto if inline mutable namespace new noexcept operator override private \
    protected public register return sizeof static static_cast struct switch template this throw try typedef typename \
    union using virtual volatile while co_await co_return co_yield concept requires consteval dynamic_cast";

const C_TYPES: &str = "bool char double float int long short signed unsigned void wchar_t size_t ssize_t int8_t int16_t \
    int32_t int64_t uint8_t uint16_t uint32_t uint64_t string vector map";

const JS_KEYWORDS: &str = "as async await break case catch class const continue debugger default delete do else export \
    extends finally for from function get if import in instanceof let new of return set static super switch this throw \
    try typeof var void while with yield abstract declare enum implements interface keyof namespace private protected \
    public readonly satisfies type";

pub(super) static LANGUAGES: [HighlightLanguage; 26] = [
    HighlightLanguage {
        names: &["rust", "rs"],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod \
            move mut pub ref return self static struct super trait type unsafe use where while yield union",
        constants: "true false None Some Ok Err",
        types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self",
        quotes: &[
            raw_quote("r##\"", "\"##"),
            raw_quote("r#\"", "\"#"),
            raw_quote("r\"", "\""),
            long_quote("\""),
            SIGN_QUOTE,
        ],
        call_signs: &['(', '!'],
        ..CURLY
    },
    HighlightLanguage {
        names: &["python", "py", "python3", "pyi", "pycon"],
        keywords: "and as assert async await break class continue def del elif else except finally for from global if \
            import in is lambda match nonlocal not or pass raise return try while with yield case self cls",
        constants: "True False None",
        types: "bool bytes dict float frozenset int list object set str tuple type",
        quotes: &[long_quote("\"\"\""), long_quote("'''"), line_quote("\""), line_quote("'")],
        sigils: &[('@', TextRole::Name)],
        has_capital_types: true,
        ..HASHED
    },
    HighlightLanguage {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "node"],
        keywords: JS_KEYWORDS,
        constants: "true false null undefined NaN Infinity",
        quotes: &[line_quote("\""), line_quote("'"), long_quote("`")],
        sigils: &[('@', TextRole::Name)],
        word_signs: &['$'],
        ..CURLY
    },
    HighlightLanguage {
        names: &["typescript", "ts", "tsx", "mts", "cts"],
        keywords: JS_KEYWORDS,
        constants: "true false null undefined NaN Infinity",
        types: "any bigint boolean never number object string symbol unknown",
        quotes: &[line_quote("\""), line_quote("'"), long_quote("`")],
        sigils: &[('@', TextRole::Name)],
        word_signs: &['$'],
        ..CURLY
    },
    HighlightLanguage {
        names: &["go", "golang"],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
            package range return select struct switch type var",
        constants: "true false nil iota",
        types: "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 \
            uint16 uint32 uint64 uintptr",
        quotes: &[line_quote("\""), raw_quote("`", "`"), SIGN_QUOTE],
        ..CURLY
    },
    HighlightLanguage {
        names: &["java"],
        keywords: "abstract assert break case catch class continue default do else enum extends final finally for if \
            implements import instanceof interface native new package permits private protected public record return \
            sealed static super switch synchronized this throw throws transient try var volatile while yield",
        types: "boolean byte char double float int long short void",
        quotes: &[long_quote("\"\"\""), line_quote("\""), line_quote("'")],
        sigils: &[('@', TextRole::Name)],
        ..CURLY
    },
    HighlightLanguage {
        names: &["kotlin", "kt", "kts"],
        keywords: "abstract annotation as break by catch class companion constructor continue data do else enum final finally \
            for fun if import in init inline interface internal is lateinit object open operator out override package \
            private protected public reified return sealed super suspend this throw try typealias val var vararg when \
            where while",
        quotes: &[raw_quote("\"\"\"", "\"\"\""), line_quote("\""), line_quote("'")],
        sigils: &[('@', TextRole::Name)],
        ..CURLY
    },
    HighlightLanguage {
        names: &["c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "objc", "arduino"],
        keywords: C_KEYWORDS,
        constants: "true false NULL nullptr",
        types: C_TYPES,
        quotes: &[raw_quote("R\"(", ")\""), line_quote("\""), line_quote("'")],
        sigils: &[('#', TextRole::Keyword)],
        has_capital_types: false,
        ..CURLY
    },
    HighlightLanguage {
        names: &["csharp", "c#", "cs"],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum \
            event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock \
            namespace new operator out override params partial private protected public readonly record ref return \
            sealed set sizeof static struct switch this throw try typeof unsafe using var virtual when where while yield",
        types: "bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort void",
        quotes: &[raw_quote("\"\"\"", "\"\"\""), raw_quote("@\"", "\""), line_quote("\""), line_quote("'")],
        sigils: &[('#', TextRole::Keyword)],
        ..CURLY
    },
    HighlightLanguage {
        names: &["swift"],
        keywords: "actor as associatedtype async await break case catch class continue default defer deinit do else enum \
            extension fallthrough fileprivate final for func guard if import in init inout internal is lazy let mutating \
            open operator override private protocol public repeat return self some static struct subscript super switch \
            throw throws try typealias var weak where while",
        constants: "true false nil",
        quotes: &[long_quote("\"\"\""), line_quote("\"")],
        sigils: &[('@', TextRole::Name), ('#', TextRole::Keyword)],
        ..CURLY
    },
    HighlightLanguage {
        names: &["ruby", "rb", "rake", "gemfile"],
        keywords: "alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo \
            rescue retry return self super then undef unless until when while yield require require_relative include \
            attr_accessor attr_reader attr_writer private protected public raise lambda proc",
        constants: "true false nil",
        sigils: &[('@', TextRole::Name), ('$', TextRole::Name), (':', TextRole::Literal)],
        word_signs: &['?', '!', '@'],
        has_capital_types: true,
        ..HASHED
    },
    HighlightLanguage {
        names: &["php"],
        keywords: "abstract and array as break case catch class clone const continue declare default do echo else elseif \
            enum extends final finally fn for foreach function global if implements include instanceof interface match \
            namespace new or print private protected public readonly require require_once return static switch throw \
            trait try use var while yield",
        constants: "true false null TRUE FALSE NULL",
        types: "bool float int mixed object string void",
        line_comments: &["//", "#"],
        sigils: &[('$', TextRole::Name)],
        ..CURLY
    },
    HighlightLanguage {
        names: &["bash", "sh", "shell", "zsh", "fish", "console", "shell-session", "bashrc"],
        keywords: "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if \
            in local read readonly return select set shift source then trap unset until while sudo",
        constants: "true false",
        quotes: &[long_quote("\""), raw_quote("'", "'")],
        sigils: &[('$', TextRole::Name)],
        word_signs: &['-'],
        ..HASHED
    },
    HighlightLanguage {
        names: &["powershell", "ps1", "pwsh"],
        keywords: "begin break catch class continue do else elseif end enum exit filter finally for foreach function if in \
            param process return switch throw trap try until using while",
        block_comment: Some(("<#", "#>")),
        quotes: &[long_quote("\""), raw_quote("'", "'")],
        sigils: &[('$', TextRole::Name)],
        word_signs: &['-'],
        is_case_blind: true,
        ..HASHED
    },
    HighlightLanguage {
        names: &["sql", "postgres", "postgresql", "mysql", "sqlite", "plsql"],
        keywords: "add all alter and as asc begin between by case cascade check column commit conflict constraint create cross \
            current_timestamp database default delete desc distinct do drop each else end except exists explain for \
            foreign from full function grant group having if in index inner insert intersect into is join key left like \
            limit not nothing null offset on or order outer over partition primary procedure recursive references \
            replace returning returns revoke right rollback row rows select set table then to transaction trigger \
            truncate union unique update using values view when where with",
        constants: "true false",
        types: "bigint blob boolean bytea char date decimal double float int integer json jsonb numeric real serial smallint \
            text time timestamp timestamptz uuid varchar",
        line_comments: &["--"],
        quotes: &[raw_quote("'", "'"), raw_quote("\"", "\"")],
        has_capital_types: false,
        is_case_blind: true,
        ..CURLY
    },
    HighlightLanguage {
        names: &["json", "jsonc", "json5", "jsonl", "ndjson"],
        key_end: Some(':'),
        has_capital_types: false,
        quotes: &[line_quote("\"")],
        ..CURLY
    },
    HighlightLanguage {
        names: &["toml", "ini", "cfg", "conf", "properties", "env", "dotenv", "editorconfig"],
        line_comments: &["#", ";"],
        quotes: &[long_quote("\"\"\""), raw_quote("'''", "'''"), line_quote("\""), line_quote("'")],
        word_signs: &['-', '.'],
        key_end: Some('='),
        ..HASHED
    },
    HighlightLanguage {
        names: &["yaml", "yml"],
        constants: "true false null yes no on off",
        sigils: &[('&', TextRole::Number), ('*', TextRole::Number), ('!', TextRole::Keyword)],
        word_signs: &['-', '.', '/'],
        key_end: Some(':'),
        ..HASHED
    },
    HighlightLanguage {
        names: &["html", "htm", "xml", "svg", "xhtml", "vue", "svelte", "xsl", "plist"],
        shape: LanguageShape::Markup,
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        quotes: &[raw_quote("\"", "\""), raw_quote("'", "'")],
        word_signs: &['-', ':', '.'],
        ..CURLY
    },
    HighlightLanguage {
        names: &["css", "scss", "less", "sass"],
        constants: "inherit initial none auto",
        line_comments: &["//"],
        sigils: &[('@', TextRole::Keyword), ('$', TextRole::Name), ('#', TextRole::Number)],
        word_signs: &['-'],
        key_end: Some(':'),
        has_capital_types: false,
        ..CURLY
    },
    HighlightLanguage {
        names: &["dockerfile", "docker", "containerfile"],
        keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME \
            WORKDIR",
        sigils: &[('$', TextRole::Name)],
        word_signs: &['-'],
        ..HASHED
    },
    HighlightLanguage {
        names: &["makefile", "make", "mk", "cmake"],
        keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override unexport",
        sigils: &[('$', TextRole::Name)],
        word_signs: &['-', '.', '%'],
        key_end: Some(':'),
        ..HASHED
    },
    HighlightLanguage {
        names: &["lua"],
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        constants: "true false nil",
        line_comments: &["--"],
        block_comment: Some(("--[[", "]]")),
        has_capital_types: false,
        ..CURLY
    },
    HighlightLanguage {
        names: &["nix", "hcl", "terraform", "tf", "graphql", "gql", "proto", "protobuf"],
        keywords: "assert else enum extend fragment if import in inherit input interface let locals message module mutation \
            oneof option output package provider query rec repeated resource returns rpc service subscription syntax then \
            type union variable with",
        line_comments: &["#", "//"],
        key_end: Some('='),
        word_signs: &['-'],
        ..CURLY
    },
    HighlightLanguage { names: &["diff", "patch", "udiff"], shape: LanguageShape::Diff, ..HASHED },
    HighlightLanguage { names: &["markdown", "md", "mdx"], shape: LanguageShape::Markdown, ..HASHED },
];

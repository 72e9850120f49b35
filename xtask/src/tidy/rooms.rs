//! What may live where: the one table behind the wall rules.
//!
//! Owns names of crates and paths, each with its reason. Contains no check; a new room or a new heavy dependency is a
//! line here.

/// The whole dependency list of `windlass-core`.
pub(super) const CORE_DEPENDENCIES: [&str; 7] =
    ["async-trait", "base64", "futures-core", "serde", "serde_json", "sha2", "thiserror"];

/// What a feature of `windlass-core` may add: schemas of its types, for the schema of records and for the API document.
pub(super) const CORE_OPTIONAL: [&str; 1] = ["schemars"];

/// How many names of types may be defined in more than one file. It only falls; the goal is 6 in 100.
pub(super) const SHARED_TYPE_NAMES_MAX: usize = 10;

/// The crate the others hang on.
pub(super) const CORE: &str = "windlass-core";

/// Packages that may know every windlass crate.
pub(super) const KNOW_ALL: [&str; 4] = ["windlass", "windlass-cli", "windlass-benches", "xtask"];

/// One crate beside core that a package may know, with the reason.
pub(super) const KNOW_ONE_MORE: [(&str, &str, &str); 2] = [
    ("windlass-client", "windlass-models", "there is one HTTP client, and it is the one for models"),
    ("windlass-otlp", "windlass-models", "collectors are reached by that client too (feature `send`)"),
];

/// Packages that may know no windlass crate at all, with the reason.
pub(super) const KNOW_NONE: [(&str, &str); 1] =
    [("windlass-macros", "what a macro writes is compiled in the crate that uses it")];

/// Crates that only tests and benchmarks may depend on.
pub(super) const DEV_ONLY: [&str; 5] = ["windlass-testkit", "tempfile", "insta", "proptest", "divan"];

/// Packages that are tests and benchmarks throughout.
pub(super) const DEV_ROOMS: [&str; 2] = ["windlass-testkit", "windlass-benches"];

/// Something heavy and the only rooms that may have it.
pub(super) struct KeptIn {
    pub(super) what: &'static [&'static str],
    pub(super) rooms: &'static [&'static str],
    pub(super) why: &'static str,
}

/// Dependencies that a crate exists to keep out of the others.
pub(super) const DEPENDENCIES_KEPT: &[KeptIn] = &[
    KeptIn { what: &["jsonschema"], rooms: &["windlass-engine"], why: "validation happens in one place" },
    KeptIn {
        what: &["clap", "anyhow"],
        rooms: &["windlass-cli", "xtask"],
        why: "libraries have typed errors and no command line",
    },
    KeptIn {
        what: &["clap_complete", "indicatif", "console", "etcetera", "toml"],
        rooms: &["windlass-cli"],
        why: "only the binary knows the terminal, the home directory and configuration files",
    },
    KeptIn {
        what: &["tracing-subscriber"],
        rooms: &["windlass-cli", "windlass-benches"],
        why: "a library says what happened; who listens is the program's choice",
    },
    KeptIn {
        what: &["reqwest"],
        rooms: &["windlass-tools"],
        why: "only tools that fetch need a browser's HTTP; models have a client of their own",
    },
    KeptIn {
        what: &["httparse", "httpdate", "rustls-platform-verifier", "url"],
        rooms: &["windlass-models"],
        why: "the client for models is in one room",
    },
    KeptIn {
        what: &["tokio-rustls"],
        rooms: &["windlass-models", "windlass-server"],
        why: "TLS of the client for models, and of the server",
    },
    KeptIn {
        what: &["hyper-util"],
        rooms: &["windlass-models", "windlass-server"],
        why: "proxies of the client for models, connections of the server",
    },
    KeptIn { what: &["rusqlite"], rooms: &["windlass-store"], why: "SQL is the store's" },
    KeptIn {
        what: &["axum", "hyper", "http-body"],
        rooms: &["windlass-server"],
        why: "HTTP towards clients is the server's",
    },
    KeptIn {
        what: &["rustls"],
        rooms: &["windlass-tools", "windlass-models", "windlass-server"],
        why: "only tools that fetch, the client for models and the server speak TLS",
    },
    KeptIn {
        what: &["grep-matcher", "cap-std", "sysinfo", "encoding_rs"],
        rooms: &["windlass-tools"],
        why: "files and processes belong to the tools",
    },
    KeptIn {
        what: &["grep-searcher", "grep-regex"],
        rooms: &["windlass-tools", "windlass-benches"],
        why: "searching without an index is a tool's, and what the index is measured against",
    },
    KeptIn {
        what: &["rustix"],
        rooms: &["windlass-tools", "windlass-cli", "windlass-search", "windlass-local", "windlass-benches"],
        why: "only processes, terminals and clocks need the system itself, and files that may be pipes",
    },
    KeptIn {
        what: &["landlock", "libc", "nix", "seccompiler"],
        rooms: &["windlass-tools"],
        why: "commands are held where they are started",
    },
    KeptIn {
        what: &["ignore"],
        rooms: &["windlass-tools", "windlass-search", "windlass-benches", "xtask"],
        why: "files belong to the tools and to the index of them",
    },
    KeptIn {
        what: &["tantivy"],
        rooms: &["windlass-search", "windlass-benches"],
        why: "an index is searching's, and is measured against the bare one",
    },
    KeptIn {
        what: &[
            "lopdf",
            "tree-sitter",
            "tree-sitter-c",
            "tree-sitter-cpp",
            "tree-sitter-go",
            "tree-sitter-java",
            "tree-sitter-javascript",
            "tree-sitter-python",
            "tree-sitter-rust",
            "tree-sitter-typescript",
            "tree-sitter-zig",
        ],
        rooms: &["windlass-search"],
        why: "an index and the parsing of code are searching's",
    },
    KeptIn {
        what: &["notify"],
        rooms: &["windlass-search", "windlass-modules"],
        why: "files are watched by those who hold what was made of them",
    },
    KeptIn {
        what: &["rhai"],
        rooms: &["windlass-modules"],
        why: "scripts run in one place, under its limits",
    },
    KeptIn {
        what: &["num-bigint", "num-rational", "num-traits", "similar", "scraper"],
        rooms: &["windlass-tools"],
        why: "one tool's trade",
    },
    KeptIn {
        what: &["syn", "proc-macro2"],
        rooms: &["windlass-macros", "xtask"],
        why: "parsing Rust is for build time",
    },
    KeptIn { what: &["quote"], rooms: &["windlass-macros"], why: "writing Rust is for build time" },
    KeptIn {
        what: &["ratatui", "crossterm", "ratatui-textarea", "pulldown-cmark"],
        rooms: &["windlass-tui", "windlass-benches"],
        why: "the screen of a terminal belongs to the terminal app",
    },
    KeptIn {
        what: &["mimalloc"],
        rooms: &["windlass-cli", "windlass-benches"],
        why: "a program picks its allocator",
    },
];

/// Paths of the standard library and the runtime that a room exists to keep out of the others.
pub(super) const PATHS_KEPT: &[KeptIn] = &[
    KeptIn {
        what: &["std::env"],
        rooms: &["windlass-cli", "windlass-testkit", "benches", "xtask"],
        why: "only the binary reads configuration; pass the value in",
    },
    KeptIn {
        what: &["std::process::Command", "tokio::process"],
        rooms: &["windlass-tools", "windlass-cli", "windlass-search", "windlass-testkit", "xtask"],
        why: "processes belong to the tools; the binary asks a user's own command for a key; a PDF has one of its own",
    },
];

/// Paths that would let the world into core.
pub(super) const IMPURE_PATHS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::os",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::time::Instant",
    "std::time::SystemTime",
    "rand",
];

/// What the terminal app is made of that draws and decides: a fold over inputs, without a world around it.
pub(super) const SCREEN_FOLDERS: [&str; 3] =
    ["crates/windlass-tui/src/state/", "crates/windlass-tui/src/update/", "crates/windlass-tui/src/view/"];

/// Paths that the loop of the terminal app alone may name, beside those that would let the world into core.
pub(super) const LOOP_PATHS: [&str; 3] = ["tokio", "crossterm::terminal", "crossterm::execute"];

/// Imports of a whole module that would hide such a path behind a shorter one.
pub(super) const IMPURE_IMPORTS: &[&str] =
    &["std", "std::*", "std::time", "std::time::*", "std::io", "std::io::*"];

/// The HTTP client: named in one file of a crate, so that it can be exchanged.
pub(super) const HTTP_CLIENT: &str = "reqwest";

/// The word for an answer's status, and the one file of the server that may say it.
pub(super) const STATUS: &str = "StatusCode";
pub(super) const STATUS_FILE: &str = "crates/windlass-server/src/error.rs";

/// Rooms that talk to a person.
pub(super) const FRONT_ENDS: [&str; 2] = ["windlass-cli", "xtask"];

/// Words that name nothing.
pub(super) const EMPTY_WORDS: [&str; 9] =
    ["util", "helper", "common", "misc", "manager", "handler", "service", "data", "info"];

//! The binary, run as a user runs it: in folders of its own, on real files, processes and terminals.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod attach;
mod builtin_harm;
mod builtin_words;
mod calls_inside;
#[cfg(feature = "crash-points")]
mod calls_inside_killed;
mod cancel_half_call;
mod coming_from;
mod commands;
mod config;
#[cfg(feature = "crash-points")]
mod crash;
#[cfg(feature = "crash-points")]
mod crash_stage;
mod disk;
mod edison;
mod edison_chat;
mod embedder;
mod emulator;
mod emulator_process;
mod evaluation;
mod everyday;
mod executors;
mod faults;
mod floor;
mod history;
mod hostile_provider;
mod hostile_providers;
mod hostile_questions;
mod hostile_text;
mod library_client;
mod lifeline;
mod local_reading;
mod models;
mod modes;
mod module_scripts;
mod modules;
mod openai;
mod outcomes;
mod pane;
mod place;
mod ploke;
mod policy;
mod profiles;
mod prompt_text;
mod providers;
mod providers_matrix;
mod providers_stage;
mod pulling;
mod questions;
mod recovery;
mod refusals;
mod rules_live;
mod run;
mod run_limits;
mod sandbox;
mod scripts;
mod search;
mod search_kill;
mod serve;
mod server;
mod session_settings;
mod settings_command;
mod staging;
mod steps;
mod stop;
mod studio;
mod studio_models;
mod studio_search;
mod studio_stage;
mod telemetry;
mod terminal;
mod terminal_app;
mod tools;
mod tools_sent;
mod tty;
mod who_may_ask;
mod zodo;

//! The step `clients`: programs that nobody here wrote drive the server, and must find what they expect.
//!
//! Owns which script runs with which set, and which cases must pass. A script passes when it ends well *and*
//! names every one of its cases: one that tries nothing does not pass.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::client_sets::{API_CHECKERS, INSTRUCTOR, NODE_CLIENTS, PYTHON_CLIENTS};
use crate::command_line::CommandLine;
use crate::server_process::{Model, ServerProcess, build_binary};
use crate::toolbox;

/// What the emulated provider answers.
const ANSWERS: &str = "fixtures/clients/provider.json";

/// A suite takes seconds; one that takes longer waits for something that does not come.
const SUITE_LIMIT: Duration = Duration::from_secs(120);

/// A suite in the source of another server, found by its name on the registry: nothing of it is kept here.
const COPROXY: &str = "coproxy@0.6.1";
const COPROXY_FILES: [&str; 3] =
    ["test_models_compat.py", "test_chat_completions_compat.py", "test_not_supported_endpoints_compat.py"];
/// Cases of it about what we offer; the others are about that server's own refusals.
const COPROXY_CASES: &str = "models or chat or retrieve";
const COPROXY_PASSES: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Runtime {
    Python,
    PythonInstructor,
    PythonApi,
    Node,
}

/// A script and the cases that it must name.
struct Suite {
    runtime: Runtime,
    script: &'static str,
    cases: &'static [&'static str],
}

const SUITES: &[Suite] = &[
    Suite {
        runtime: Runtime::Python,
        script: "openai_sdk.py",
        cases: &[
            "a_chat_gives_an_answer",
            "a_stream_gives_the_same_text_in_pieces",
            "the_accumulator_of_streams_agrees",
            "tools_of_the_caller_are_handed_back",
            "every_choice_of_tools_is_taken",
            "tools_of_the_server_run_on_the_server",
            "models_are_listed_and_shown",
            "errors_have_their_classes",
            "failures_of_the_provider_have_their_classes",
        ],
    },
    Suite {
        runtime: Runtime::Node,
        script: "openai_sdk.mjs",
        cases: &[
            "a_chat_gives_an_answer",
            "the_accumulator_of_streams_agrees",
            "its_loop_of_tools_ends_with_the_answer",
            "its_streamed_loop_of_tools_ends_with_the_answer",
            "tools_of_the_server_run_on_the_server",
            "models_are_listed_and_shown",
            "errors_have_their_classes",
        ],
    },
    Suite {
        runtime: Runtime::Node,
        script: "ai_sdk.mjs",
        cases: &[
            "a_loop_of_several_steps_ends_with_the_answer",
            "parts_of_a_stream_come_in_order",
            "tools_of_the_server_run_on_the_server",
        ],
    },
    Suite {
        runtime: Runtime::Node,
        script: "event_source.mjs",
        cases: &["a_whole_stream_is_read", "a_reader_that_drops_after_every_event_misses_nothing"],
    },
    Suite {
        runtime: Runtime::Python,
        script: "sse.py",
        cases: &["a_post_gives_the_stream_itself", "every_event_can_be_gone_on_from", "a_run_has_its_trace"],
    },
    Suite {
        runtime: Runtime::Python,
        script: "compatible_streams.py",
        cases: &[
            "a_prompt_in_the_query_gives_v1_1_frames",
            "a_prompt_in_the_body_gives_the_same",
            "a_wrong_request_still_ends_with_one_done",
            "a_snapshot_keeps_the_trace",
            "a_chat_of_edison_gives_its_answer",
            "edison_frames_end_with_one_done",
            "a_cancel_of_nothing_finds_nothing",
            "chats_at_once_do_not_disturb_each_other",
        ],
    },
    Suite {
        runtime: Runtime::Node,
        script: "studio_stream.mjs",
        cases: &[
            "a_prompt_is_answered",
            "a_reader_that_comes_back_reads_the_same_run",
            "what_is_wrong_is_told_in_the_stream",
        ],
    },
    Suite {
        runtime: Runtime::Python,
        script: "openai_agents.py",
        cases: &["the_loop_ends_with_the_answer", "the_streamed_loop_ends_with_the_answer"],
    },
    Suite {
        runtime: Runtime::Python,
        script: "langchain_agent.py",
        cases: &[
            "the_loop_ends_with_the_answer",
            "the_streamed_loop_ends_with_the_answer",
            "a_plain_chat_gives_an_answer",
        ],
    },
    Suite {
        runtime: Runtime::Python,
        script: "pydantic_agent.py",
        cases: &[
            "the_loop_ends_with_the_answer",
            "the_streamed_loop_ends_with_the_answer",
            "an_answer_may_have_a_form",
        ],
    },
    Suite {
        runtime: Runtime::PythonInstructor,
        script: "instructor_forms.py",
        cases: &["an_answer_has_its_form", "a_streamed_answer_grows_into_its_form"],
    },
    Suite { runtime: Runtime::PythonApi, script: "otlp.py", cases: &["an_export_is_what_the_protocol_says"] },
];

/// Where the programs are.
struct Programs {
    python: PathBuf,
    instructor: PathBuf,
    api: PathBuf,
    node_folder: PathBuf,
    windlass: PathBuf,
}

/// Runs all suites against one server.
pub(crate) fn run(root: &Path, target_folder: &Path) -> Result<()> {
    toolbox::EMULATOR.find_or_install(root, target_folder)?;
    let programs = Programs {
        python: PYTHON_CLIENTS.find_or_install(root, target_folder)?,
        instructor: INSTRUCTOR.find_or_install(root, target_folder)?,
        api: API_CHECKERS.find_or_install(root, target_folder)?,
        node_folder: NODE_CLIENTS.find_or_install(root, target_folder)?,
        windlass: build_binary(root, target_folder)?,
    };
    let provider = ServerProcess::provider(root, target_folder, ANSWERS)?;
    let base_url = format!("{}/v1", provider.url);
    let model = Model { name: "openai-compatible/emulated", base_url: &base_url };
    let server = ServerProcess::windlass(root, target_folder, &programs.windlass, &model)?;
    run_against(root, &programs, &server)
}

fn run_against(root: &Path, programs: &Programs, server: &ServerProcess) -> Result<()> {
    let mut wrong = Vec::new();
    for suite in SUITES {
        let started = Instant::now();
        let verdict = run_suite(root, programs, suite, server)?;
        report(suite.script, suite.cases.len(), started, verdict, &mut wrong);
    }
    let started = Instant::now();
    let verdict = run_coproxy(root, programs, server)?;
    report(COPROXY, COPROXY_PASSES, started, verdict, &mut wrong);
    if !wrong.is_empty() {
        bail!("{}\ntarget/xtask-tools/served.log has what the server said", wrong.join("\n"));
    }
    Ok(())
}

fn report(name: &str, cases: usize, started: Instant, verdict: Option<String>, wrong: &mut Vec<String>) {
    let took = started.elapsed().as_secs_f64();
    match verdict {
        None => println!("      {name}: {cases} cases, {took:.1} s"),
        Some(why) => {
            println!("      {name}: FAILED, {took:.1} s");
            wrong.push(format!("{name}: {why}"));
        }
    }
}

/// What is wrong with a suite; nothing if nothing is.
fn run_suite(
    root: &Path,
    programs: &Programs,
    suite: &Suite,
    server: &ServerProcess,
) -> Result<Option<String>> {
    let scripts = root.join("fixtures/clients");
    let invocation = match suite.runtime {
        Runtime::Python => python(root, &programs.python, suite.script),
        Runtime::PythonInstructor => python(root, &programs.instructor, suite.script),
        Runtime::PythonApi => python(root, &programs.api, suite.script)
            .env("WINDLASS_BINARY", &programs.windlass.to_string_lossy()),
        // Modules are looked for above the script, so it runs from a copy beside them.
        Runtime::Node => {
            for file in ["case.mjs", suite.script] {
                std::fs::copy(scripts.join("node").join(file), programs.node_folder.join(file))
                    .with_context(|| format!("cannot copy {file}"))?;
            }
            CommandLine::new(&programs.node_folder, "node", &[suite.script])
        }
    };
    let output = invocation
        .env("WINDLASS_URL", &server.url)
        .env("WINDLASS_TOKEN", &server.token)
        .output_within(SUITE_LIMIT)?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ok(judge(suite.cases, output.status.success(), &out, &err))
}

fn python(root: &Path, programs: &Path, script: &str) -> CommandLine {
    let script = root.join("fixtures/clients/python").join(script);
    CommandLine::new(root, &programs.join("python").to_string_lossy(), &[&script.to_string_lossy()])
        .env("PYTHONDONTWRITEBYTECODE", "1")
}

/// A suite is good when it ended well and named just the cases that it has.
fn judge(cases: &[&str], is_well: bool, out: &str, err: &str) -> Option<String> {
    let named: BTreeSet<&str> =
        out.lines().filter_map(|line| line.strip_prefix("ok ")).map(str::trim).collect();
    let wanted: BTreeSet<&str> = cases.iter().copied().collect();
    let missing: Vec<&str> = wanted.difference(&named).copied().collect();
    let unknown: Vec<&str> = named.difference(&wanted).copied().collect();
    if !missing.is_empty() {
        return Some(format!("did not pass: {}\n{}", missing.join(", "), err.trim()));
    }
    if !unknown.is_empty() {
        return Some(format!("cases that are not listed in xtask/src/clients.rs: {}", unknown.join(", ")));
    }
    (!is_well).then(|| format!("ended badly although every case passed\n{}", err.trim()))
}

/// The suite of another server's source, by its own runner. Cases that are skipped do not count.
fn run_coproxy(root: &Path, programs: &Programs, server: &ServerProcess) -> Result<Option<String>> {
    // Telling about a crate brings its source along.
    CommandLine::cargo(root, &["info", "--quiet", COPROXY]).output()?;
    let Some(tests) = find_crate_source(COPROXY) else {
        bail!("the source of {COPROXY} is not where cargo keeps sources");
    };
    let pytest = programs.python.join("pytest");
    let files = COPROXY_FILES.map(|file| tests.join(file).to_string_lossy().into_owned());
    let flags = ["-q", "-p", "no:cacheprovider", "-rA", "-k", COPROXY_CASES];
    let args: Vec<&str> = flags.into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = CommandLine::new(root, &pytest.to_string_lossy(), &args)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("TEST_API_BASE_URL", &format!("{}/v1", server.url))
        .env("TEST_API_KEY", &server.token)
        .env("TEST_MODEL", "windlass")
        .output_within(SUITE_LIMIT)?;
    let out = String::from_utf8_lossy(&output.stdout);
    let passes = out.lines().filter(|line| line.starts_with("PASSED ")).count();
    if output.status.success() && passes == COPROXY_PASSES {
        return Ok(None);
    }
    Ok(Some(format!("{passes} of {COPROXY_PASSES} cases passed\n{}", out.trim())))
}

/// Where cargo unpacked the tests of a crate, `NAME@VERSION`.
fn find_crate_source(named: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    let folder = named.replace('@', "-");
    registries
        .flatten()
        .map(|registry| registry.path().join(&folder).join("tests"))
        .find(|path| path.is_dir())
}

#[cfg(test)]
#[path = "clients_tests.rs"]
mod tests;

//! Prompt Studio's matrix that was never run (S-37): five vendors, six situations, strict servers.

use windlass_testkit::provider::{VendorFault, VendorScript, VendorTool};

use crate::providers_stage::{CALM, HASTY, Stage, lines_of};

const VENDORS: [&str; 6] = ["openai", "openai-chat", "anthropic", "gemini", "xai", "deepseek"];

/// One situation of the matrix.
struct Row {
    name: &'static str,
    script: VendorScript,
    limits: &'static str,
    args: &'static [&'static str],
    /// A warning that must come exactly once, and in no other row.
    warning: Option<&'static str>,
}

fn rows() -> Vec<Row> {
    let plain = |name, script| Row { name, script, limits: CALM, args: &[], warning: None };
    let fault = |name, fault: VendorFault, limits| {
        let script = VendorScript { steps: 1, fault: Some(fault), fault_times: 1, ..VendorScript::default() };
        Row { limits, ..plain(name, script) }
    };
    vec![
        Row { args: &["--no-tools"], ..plain("no tools", VendorScript::default()) },
        plain("one tool", VendorScript { steps: 1, ..VendorScript::default() }),
        plain("multi-step", VendorScript { steps: 3, parallel: 2, ..VendorScript::default() }),
        plain(
            "provider quirks",
            VendorScript {
                steps: 2,
                parallel: 2,
                thinks: true,
                speaks_first: true,
                ..VendorScript::default()
            },
        ),
        fault("timeouts", VendorFault::Hang, HASTY),
        fault("bad arguments", VendorFault::BadArgs, CALM),
        fault("arguments of the wrong type", VendorFault::WrongType, CALM),
        Row {
            warning: Some("TOOL_CLAMP"),
            limits: CLAMPED,
            ..plain(
                "clamp",
                VendorScript { steps: 1, parallel: 8, tool: VendorTool::Search, ..VendorScript::default() },
            )
        },
    ]
}

const CLAMPED: &str =
    "[exchange]\nidle_timeout_ms = 50000\n[limits]\nmodel_retry_delay_ms = 10\nsearch_calls_max = 6\n";

#[test]
fn s_37_the_matrix_of_vendors_and_situations() {
    for vendor in VENDORS {
        for row in rows() {
            let stage = Stage::with_limits(row.limits);
            let args: Vec<&str> = row.args.iter().copied().chain(["--json"]).collect();
            let ran = stage.run(vendor, &row.script, &args);
            let ledger = stage.server.ledger();
            let context =
                format!("{vendor}, {}:\n{}\n{}\n{:#?}", row.name, ran.out, ran.err, ledger.refusals());
            assert_eq!(ran.code, 0, "{context}");
            assert!(ledger.refusals().is_empty(), "{context}");
            let said: String =
                ran.of_type("content").iter().map(|event| event["content"].as_str().unwrap()).collect();
            assert!(said.trim().ends_with(&row.script.answer()), "{context}");
            let leaves_lines = row.script.tool == VendorTool::Command;
            let steps = if leaves_lines { row.script.steps } else { 0 };
            assert_eq!(stage.ran_log(), lines_of(steps, row.script.parallel), "{context}");
            let warnings = ran.of_type("warning");
            let clamps = warnings.iter().filter(|event| event["code"] == "TOOL_CLAMP").count();
            assert_eq!(clamps, usize::from(row.warning.is_some()), "{context}");
        }
    }
}

#[test]
fn a_clamped_step_runs_six_searches_and_answers_for_all_eight() {
    for vendor in VENDORS {
        let stage = Stage::with_limits(CLAMPED);
        let script =
            VendorScript { steps: 1, parallel: 8, tool: VendorTool::Search, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(0);
        assert_eq!(ran.of_type("tool_executing").len(), 6, "{vendor}: {}", ran.out);
        assert_eq!(ran.of_type("tool_result").len(), 8, "{vendor}: {}", ran.out);
        stage.assert_nothing_refused();
    }
}

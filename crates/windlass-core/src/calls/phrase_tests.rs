use super::*;

fn failure(kind: ErrorKind) -> ToolFailure {
    ToolFailure::new(kind, "it broke")
}

#[test]
fn only_the_words_that_users_of_a_profile_know_are_changed() {
    for kind in ErrorKind::ALL {
        let says = |profile: Profile| phrase_failure(&profile, "look", &failure(kind));
        assert_eq!(says(Profile::default()), "it broke");
        assert_eq!(says(Profile::edison()), "it broke");
        let (dspy, studio, ploke, zodo) = match kind {
            ErrorKind::UnknownTool => {
                ("Tool not found: look", "Unknown tool: look", "it broke", "Unknown tool: look")
            }
            ErrorKind::InvalidArgs => (
                "Invalid arguments: it broke",
                "Invalid arguments for 'look': it broke",
                "it broke",
                "it broke",
            ),
            ErrorKind::ParseError => (
                "Serialization error: it broke",
                "Invalid arguments for 'look': it broke",
                "it broke",
                "Invalid JSON arguments",
            ),
            ErrorKind::Timeout => {
                ("Execution failed: it broke", "it broke", "Timed out waiting for tool result", "it broke")
            }
            ErrorKind::Internal => {
                ("Execution failed: it broke", "it broke", "it broke", "Runtime error: it broke")
            }
            ErrorKind::NotFound
            | ErrorKind::IoError
            | ErrorKind::PermissionDenied
            | ErrorKind::SandboxDenied
            | ErrorKind::Cancelled
            | ErrorKind::LimitExceeded
            | ErrorKind::Unavailable
            | ErrorKind::Interrupted => ("Execution failed: it broke", "it broke", "it broke", "it broke"),
        };
        let told = [Profile::dspy(), Profile::studio(), Profile::ploke(), Profile::zodo()].map(says);
        assert_eq!(told, [dspy, studio, ploke, zodo], "{kind:?}");
    }
}

#[test]
fn studio_lists_the_tools_that_there_are() {
    let mut unknown = failure(ErrorKind::UnknownTool);
    unknown.expected = Some("search_web, get_current_time, calculate".into());
    assert_eq!(
        phrase_failure(&Profile::studio(), "x", &unknown),
        "Unknown tool: x. Available tools: search_web, get_current_time, calculate"
    );
}

#[test]
fn zodo_names_a_missing_argument_and_repeats_no_prefix() {
    let missing = ToolFailure::invalid_args("Missing required arg 'path'").at("path", "string", "nothing");
    assert_eq!(
        phrase_failure(&Profile::zodo(), "read_file", &missing),
        "read_file requires a 'path' argument"
    );
    let wrong = ToolFailure::invalid_args("path must be string").at("path", "string", "7");
    assert_eq!(phrase_failure(&Profile::zodo(), "read_file", &wrong), "path must be string");
    let runtime = ToolFailure::internal("Runtime error: E");
    assert_eq!(phrase_failure(&Profile::zodo(), "read_file", &runtime), "Runtime error: E");
}

#[test]
fn each_profile_says_in_its_own_words_that_the_steps_are_used_up() {
    let told = ProfileName::ALL.map(|name| phrase_steps_max(&Profile::named(name)));
    assert_eq!(
        told,
        [
            "Reached the limit of 10 steps",
            "Reached the limit of 5 steps",
            "Maximum iterations (5) reached during tool execution",
            "Reached maximum tool call iterations (5)",
            "Reached the limit of 3 steps",
            "⚠️  Reached maximum iteration limit (10). Stopping master loop to prevent infinite execution.",
        ]
    );
}

#[test]
fn the_fixed_sentences_are_those_of_the_appendix() {
    assert_eq!(phrase_cancelled(), "Generation cancelled");
    assert_eq!(phrase_clamp(6), "Search trimmed by clamp (6)");
    assert_eq!(
        phrase_correction("query must be string"),
        "Previous tool JSON was invalid (query must be string). Return ONLY valid JSON with keys tool and args conforming to schema."
    );
    assert_eq!(phrase_continue(), "Continue from where you left off. Do not repeat prior text.");
    assert_eq!(
        phrase_finalise(&Profile::edison(), "ignored"),
        "Use the gathered tool evidence to answer. Cite sources as [source:TOOLNAME]."
    );
}

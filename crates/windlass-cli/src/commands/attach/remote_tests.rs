//! The host behind a server does what the host itself does: the same scenarios on both, and the same view.

use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer};
use windlass_core::ports::host::{
    AuditQuery, Consent, ForkWish, HostDelivery, HostError, HostModels, HostPolicies, HostPort, HostRuns,
    HostSessions, HostTools, OutsideCall, ResumeWish, RunStart, RunWishes,
};
use windlass_core::ports::search::{NewDocument, SearchKind, SearchQuery, SearchScope, TokenBudget};
use windlass_core::ports::store::{NewSession, RunQuery, SessionQuery};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, RunOutcome};
use windlass_core::protocol::form::WishedForm;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_core::protocol::view::SessionView;

use self::stage::{Stage, begin, is_end, say, until, with_both};

#[path = "connection_tests.rs"]
mod connection;
#[path = "stage_tests.rs"]
mod stage;

const TALK: &str = "user Go.\nmodel reasoning Hm.\nmodel text Good\nmodel text morning.\nmodel usage input=5 output=2\n\
    user Again.\nmodel call 1 calculate {\"expression\":\"6*7\"}\nmodel end\nmodel text It is 42.\n";

#[tokio::test]
async fn a_talk_is_followed_live_and_looks_the_same_from_both_sides() {
    with_both(TALK, async |port, _| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let mut seen = Vec::new();
        for text in ["Go.", "Again."] {
            let started = port.start_run(&session, say(text)).await.unwrap();
            assert_eq!(started.session_id, session);
            seen.extend(until(&mut stream, is_end).await);
            // A reader of the one run sees just that, to its end, also afterwards.
            let run: Vec<_> = port.events(&started.run_id, 0).await.unwrap().collect().await;
            let own = seen.iter().filter(|record| record.run_id == started.run_id);
            assert!(run.into_iter().eq(own.cloned().map(HostDelivery::Record)));
            let row = port.run(&started.run_id).await.unwrap();
            assert_eq!((row.message.as_str(), row.outcome), (text, Some(RunOutcome::Completed)));
            let nothing: Vec<_> = port.events(&started.run_id, row.last_seq).await.unwrap().collect().await;
            assert_eq!(nothing, []);
        }
        assert!(seen.iter().any(|record| !record.event.is_durable()), "deltas come too");
        let live = SessionView::fold(seen.iter().map(|record| &**record));
        let later = port.records(&session, 0).await.unwrap();
        assert_eq!(live, SessionView::fold(later.iter().map(|record| &**record)));
        assert_eq!(
            live.runs.iter().map(|run| run.answer.as_str()).collect::<Vec<_>>(),
            ["Good\nmorning.", "It is 42."]
        );
        let row = port.session(&session).await.unwrap();
        assert_eq!((row.begin.origin.as_str(), row.runs, row.last_seq), ("tui", 2, live.seq));
    })
    .await;
}

#[tokio::test]
async fn a_session_is_found_by_its_name_on_both_sides() {
    with_both(TALK, async |port, _| {
        let named = NewSession { key: Some("a/b?c=d".into()), ..NewSession::default() };
        let made = port.create_session(named.clone()).await.unwrap();
        let found = port.session_by_key("a/b?c=d").await.unwrap().unwrap();
        assert_eq!(found.session_id, made.session_id);
        assert_eq!(port.session_by_key("a/b").await.unwrap(), None);
        assert!(matches!(port.create_session(named).await, Err(HostError::Conflict(_))));
    })
    .await;
}

#[tokio::test]
async fn every_wish_of_a_run_arrives_as_it_was_said() {
    with_both(TALK, async |port, _| {
        let image = Part::Image { media_type: "image/png".into(), url: "data:image/png;base64,AAAA".into() };
        let start = RunStart {
            message: Message::User { parts: vec![Part::text("Go."), image] },
            wishes: RunWishes {
                context: Some("A page.".into()),
                context_sources: vec!["page.html".into()],
                tools_allowed: true,
                tools: Some(vec!["calculate".into()]),
                tool_choice: Some(ToolChoice::Named("calculate".into())),
                sampling: Sampling {
                    temperature: Some(0.5),
                    top_p: Some(0.25),
                    output_tokens_max: Some(99),
                    reasoning_effort: windlass_core::protocol::model::Effort::of_word("low"),
                    seed: Some(4),
                    response_format: Some(json!({"type": "json_object"})),
                },
                system: Some("Be brief.".into()),
                steps_max: Some(3),
                calls_max: Some(4),
                tokens_max: Some(5_000),
                cost_usd_max: Some(0.25),
                run_timeout_ms: Some(60_000),
                form: Some(Arc::new(WishedForm::new("Anything", json!({"type": ["string", "object"]})))),
                ..RunWishes::default()
            },
            model: Some("scripted/usual".into()),
            profile: Some("zodo".into()),
            executes_while_streaming: Some(true),
        };
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        port.start_run(&session, start.clone()).await.unwrap();
        let seen = until(&mut stream, is_end).await;
        let Event::Durable(DurableEvent::RunStarted { message, wishes, profile, .. }) = &seen[0].event else {
            panic!("{seen:?}")
        };
        assert!(wishes.setup.is_some() && wishes.approve == Some(ApproveMode::Ask), "{wishes:?}");
        let said = RunWishes { setup: None, approve: None, ..(**wishes).clone() };
        assert_eq!((&**message, &said, profile.as_str()), (&start.message, &start.wishes, "zodo"));
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_wished_is_refused_by_its_name_from_either_side() {
    with_both(TALK, async |port, _| {
        let session = begin(&*port).await;
        let form = |schema| Some(Arc::new(WishedForm::new("Sum", schema)));
        for (field, wishes) in [
            ("calls_max", RunWishes { calls_max: Some(0), ..RunWishes::default() }),
            ("tokens_max", RunWishes { tokens_max: Some(u64::MAX), ..RunWishes::default() }),
            ("cost_usd_max", RunWishes { cost_usd_max: Some(-1.0), ..RunWishes::default() }),
            ("run_timeout_ms", RunWishes { run_timeout_ms: Some(0), ..RunWishes::default() }),
            ("form", RunWishes { form: form(json!({"type": "sum"})), ..RunWishes::default() }),
        ] {
            let refused = port.start_run(&session, RunStart { wishes, ..say("Go.") }).await;
            let is_named = |error: &HostError| matches!(error, HostError::Invalid { field: Some(named), .. } if *named == field);
            assert!(refused.as_ref().is_err_and(is_named), "{field}: {refused:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_form_of_one_run_is_held_to_from_either_side() {
    let script = "user Go.\nmodel text Two.\nmodel end\nmodel text {\"value\":2}\n";
    with_both(script, async |port, _| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let form = Arc::new(WishedForm::new("Sum", json!({"type": "integer"})));
        let wishes = RunWishes { form: Some(form), ..RunWishes::default() };
        let started = port.start_run(&session, RunStart { wishes, ..say("Go.") }).await.unwrap();
        until(&mut stream, is_end).await;
        let row = port.run(&started.run_id).await.unwrap();
        assert_eq!((row.steps, row.outcome), (2, Some(RunOutcome::Completed)), "{row:?}");
    })
    .await;
}

const ASKS: &str = "user Go.\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
    model call 2 read_file {\"path\":\"b.txt\"}\nmodel end\nmodel call 3 read_file {\"path\":\"c.txt\"}\nmodel end\n\
    model call 4 read_file {\"path\":\"d.txt\"}\nmodel end\nmodel text Read.\n";

fn is_question(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::PermissionRequested { .. }))
}

#[tokio::test]
async fn each_of_the_four_decisions_counts_from_either_side() {
    with_both(ASKS, async |port, stage| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let run = port.start_run(&session, say("Go.")).await.unwrap().run_id;
        // The last one covers all reading.
        let decisions = [Decision::Once, Decision::Remember, Decision::Deny, Decision::Session];
        for (number, decision) in (1..).zip(decisions) {
            until(&mut stream, is_question).await;
            let waiting = port.questions(&run).await.unwrap();
            assert_eq!(waiting, stage.local.questions(&run).await.unwrap());
            let [question] = &waiting[..] else { panic!("{waiting:?}") };
            let (call, answer) = (CallId::numbered(number), || PermissionAnswer::new(decision));
            assert_eq!(question.call_id, call);
            let other = port.answer(&run, &call, "another", answer()).await;
            assert!(matches!(other, Err(HostError::Stale(_))), "{other:?}");
            port.answer(&run, &call, &question.digest, answer()).await.unwrap();
            let decided = until(&mut stream, |event| {
                matches!(event, Event::Durable(DurableEvent::PermissionDecided { .. }))
            })
            .await;
            let Event::Durable(DurableEvent::PermissionDecided { decision: noted, .. }) =
                &decided[decided.len() - 1].event
            else {
                panic!("{decided:?}")
            };
            assert_eq!(*noted, decision);
            // Whoever sees the decision sees the rule, and the grant of the session.
            let rules = port.rules().await.unwrap();
            assert_eq!(rules.len(), usize::from(number >= 2) + usize::from(number >= 4), "{rules:?}");
            let again = port.answer(&run, &call, &question.digest, answer()).await;
            assert!(matches!(again, Err(HostError::Stale(_))), "{again:?}");
        }
        until(&mut stream, is_end).await;
        assert_eq!(port.rules().await.unwrap()[0].pattern.to_string(), "read_file(b.txt)");
        assert_eq!(port.questions(&run).await, Ok(vec![]));
    })
    .await;
}

#[tokio::test]
async fn a_run_is_cancelled_and_another_waits_for_it() {
    with_both("user Go.\nmodel text Well\nmodel hang\n", async |port, _| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let run = port.start_run(&session, say("Go.")).await.unwrap().run_id;
        until(&mut stream, |event| matches!(event, Event::Delta(DeltaEvent::TextDelta { .. }))).await;
        assert_eq!(port.start_run(&session, say("More.")).await, Err(HostError::Busy(run.clone())));
        let unfinished = RunQuery { is_unfinished: true, rows_max: 9, ..RunQuery::default() };
        assert_eq!(port.runs(unfinished).await.unwrap()[0].run_id, run);
        port.cancel(&run).await.unwrap();
        let seen = until(&mut stream, is_end).await;
        assert!(matches!(
            seen[seen.len() - 1].event,
            Event::Durable(DurableEvent::RunEnded { outcome: RunOutcome::Cancelled, .. })
        ));
        assert_eq!(port.cancel(&run).await, Ok(()), "one that has ended stays as it is");
        let resumed = port.resume(&run, ResumeWish::default()).await;
        assert!(matches!(resumed, Err(HostError::Conflict(_))), "{resumed:?}");
    })
    .await;
}

#[tokio::test]
async fn a_run_is_forked_replayed_and_looked_into() {
    let script =
        "user Go.\nmodel call 1 calculate {\"expression\":\"6*7\"}\nmodel end\nmodel text It is 42.\n";
    with_both(script, async |port, stage| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let run = port.start_run(&session, say("Go.")).await.unwrap().run_id;
        until(&mut stream, is_end).await;
        let report = port.replay(&run).await.unwrap();
        assert_eq!((report.divergence, report.run_id == run), (None, true));
        for step in [1, 2] {
            assert_eq!(port.step_report(&run, step).await, stage.local.step_report(&run, step).await);
        }
        let missing = port.step_report(&run, 9).await;
        assert_eq!(missing, stage.local.step_report(&run, 9).await);
        let wish = ForkWish {
            step: 1,
            model: Some("scripted/usual".into()),
            message: None,
            outcome: Some((CallId::numbered(1), json!({"value": 43}))),
        };
        let forked = port.fork(&run, wish).await.unwrap();
        let mut stream = port.session_events(&forked.session_id, 0).await.unwrap();
        let seen = until(&mut stream, is_end).await;
        assert!(
            seen.iter().any(
                |record| matches!(&record.event, Event::Durable(DurableEvent::CallEnded { outcome, .. })
            if outcome.output().is_some_and(|output| output.json == json!({"value": 43})))
            )
        );
        let row = port.session(&forked.session_id).await.unwrap();
        assert_eq!(row.begin.fork.map(|fork| (fork.run_id, fork.step)), Some((run.clone(), 1)));
        let beyond = port.fork(&run, ForkWish { step: 9, ..ForkWish::default() }).await;
        assert_eq!(beyond, stage.local.fork(&run, ForkWish { step: 9, ..ForkWish::default() }).await);
        assert!(matches!(beyond, Err(HostError::Invalid { field: Some("step"), .. })), "{beyond:?}");
    })
    .await;
}

#[tokio::test]
async fn a_run_that_stopped_in_the_middle_is_taken_up() {
    for is_remote in [false, true] {
        let mut stage = Stage::new(ASKS).await;
        let port = stage.port(is_remote).await;
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        let run = port.start_run(&session, say("Go.")).await.unwrap().run_id;
        until(&mut stream, is_question).await;
        stage.restart().await;
        // The remote host is the same one: it finds the new server by itself.
        let port = if is_remote { port } else { stage.port(false).await };
        let resumed = port
            .resume(&run, ResumeWish { retry: vec![CallId::numbered(1)], ..ResumeWish::default() })
            .await
            .unwrap();
        assert_eq!((&resumed.run_id, &resumed.session_id), (&run, &session));
        let mut stream = port.session_events(&session, resumed.after_seq).await.unwrap();
        for number in 1..=4 {
            if number > 1 {
                until(&mut stream, is_question).await;
            }
            let answer = PermissionAnswer::new(Decision::Once);
            let waiting = port.questions(&run).await.unwrap();
            port.answer(&run, &CallId::numbered(number), &waiting[0].digest, answer).await.unwrap();
        }
        until(&mut stream, is_end).await;
        assert_eq!(port.run(&run).await.unwrap().outcome, Some(RunOutcome::Completed));
    }
}

#[tokio::test]
async fn sessions_are_listed_found_renamed_and_forgotten() {
    with_both(TALK, async |port, _| {
        let mut made = Vec::new();
        for number in 1..=5 {
            let title = format!("Notes & more {number}");
            let begin = NewSession { title, key: Some(format!("k/{number}")), ..NewSession::default() };
            made.push(port.create_session(begin).await.unwrap());
        }
        let list = |text: Option<&str>, before, rows_max| {
            port.sessions(SessionQuery { text: text.map(str::to_owned), before, rows_max })
        };
        let all = list(None, None, usize::MAX).await.unwrap();
        assert_eq!(all.len(), 5);
        let page = list(None, None, 2).await.unwrap();
        assert_eq!(page, all[..2]);
        let before = Some((page[1].updated_ms, page[1].session_id.clone()));
        assert_eq!(list(None, before, 2).await.unwrap(), all[2..4]);
        assert_eq!(list(None, None, 0).await, Ok(vec![]));
        let found = list(Some("& more 3"), None, 9).await.unwrap();
        assert_eq!(found.iter().map(|row| &row.session_id).collect::<Vec<_>>(), [&made[2].session_id]);
        let twice = NewSession { key: Some("k/1".into()), ..NewSession::default() };
        assert!(matches!(port.create_session(twice).await, Err(HostError::Conflict(_))));
        let id = &made[0].session_id;
        port.rename_session(id, "Another").await.unwrap();
        assert_eq!(port.session(id).await.unwrap().begin.title, "Another");
        let mut stream = port.session_events(id, 0).await.unwrap();
        port.delete_session(id).await.unwrap();
        assert_eq!(stream.next().await, Some(HostDelivery::Deleted));
        assert_eq!(stream.next().await, None);
        assert_eq!(port.session(id).await, Err(HostError::Missing { what: "session", id: id.to_string() }));
    })
    .await;
}

#[tokio::test]
async fn tasks_are_those_of_the_session() {
    let script =
        "user Go.\nmodel call 1 add_task {\"content\":\"Write it down\"}\nmodel end\nmodel text Noted.\n";
    with_both(script, async |port, stage| {
        let session = begin(&*port).await;
        assert_eq!(port.tasks(&session).await, Ok(vec![]));
        let mut stream = port.session_events(&session, 0).await.unwrap();
        port.start_run(&session, say("Go.")).await.unwrap();
        until(&mut stream, is_end).await;
        let tasks = port.tasks(&session).await.unwrap();
        assert_eq!(tasks, stage.local.tasks(&session).await.unwrap());
        assert_eq!(tasks[0].content, "Write it down");
    })
    .await;
}

#[tokio::test]
async fn rules_are_stored_seen_at_once_and_forgotten() {
    with_both(TALK, async |port, stage| {
        assert_eq!(port.rules().await.unwrap(), []);
        let rule = port.add_rule("allow", "read_file(src/**)").await.unwrap();
        port.add_rule("deny", "scope:network_access").await.unwrap();
        port.add_rule("ask", "*").await.unwrap();
        assert_eq!(port.rules().await.unwrap().len(), 3);
        assert_eq!(port.rules().await.unwrap(), stage.local.rules().await.unwrap());
        assert!(port.rules().await.unwrap().contains(&rule));
        port.remove_rule(&rule.id).await.unwrap();
        assert!(!port.rules().await.unwrap().contains(&rule));
        assert_eq!(
            port.remove_rule("none").await,
            Err(HostError::Missing { what: "rule", id: "none".into() })
        );
        let wrong = port.add_rule("allow", "read_file(").await;
        assert!(matches!(wrong, Err(HostError::Invalid { field: Some("rule"), .. })), "{wrong:?}");
    })
    .await;
}

fn args(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_tool_is_called_with_consent_and_not_without() {
    with_both(TALK, async |port, stage| {
        let call = |consent| OutsideCall {
            name: "read_file".into(),
            args: args(json!({"path": "a.txt"})),
            session_id: None,
            consent,
        };
        let Err(HostError::NeedsConsent(asked)) = port.call_tool(call(None)).await else {
            panic!("it ran without consent");
        };
        let question =
            port.explain("read_file", args(json!({"path": "a.txt"}))).await.unwrap().question.unwrap();
        assert_eq!(asked.digest, question.digest);
        let agreed = |digest: String| call(Some(Consent { digest, confirmation: None }));
        let stale = port.call_tool(agreed("another".into())).await;
        assert!(matches!(stale, Err(HostError::Stale(_))), "{stale:?}");
        let read = port.call_tool(agreed(question.digest)).await.unwrap();
        let output = read.outcome.output().unwrap();
        assert!(output.readable().contains("a.txt says hello") && read.content.contains("hello"), "{read:?}");
        let unknown = OutsideCall { name: "no tool".into(), ..call(None) };
        assert_eq!(
            port.call_tool(unknown.clone()).await.map(drop),
            stage.local.call_tool(unknown).await.map(drop)
        );
        for arguments in [json!({"path": "a.txt"}), json!({})] {
            let explained = port.explain("read_file", args(arguments.clone())).await;
            assert_eq!(explained, stage.local.explain("read_file", args(arguments)).await);
        }
        let asked = port.explain("read_file", args(json!({"path": "a.txt"}))).await.unwrap();
        assert_eq!(asked.question.map(|question| question.tool), Some("read_file".into()));
        let query = |tool: Option<&str>| AuditQuery { tool: tool.map(str::to_owned), rows_max: 9 };
        let entries = port.audit(query(Some("read_file"))).await.unwrap();
        assert_eq!(entries, stage.local.audit(query(Some("read_file"))).await.unwrap());
        assert_eq!(entries.len(), 2);
        assert_eq!(port.audit(query(Some("calculate"))).await, Ok(vec![]));
    })
    .await;
}

#[tokio::test]
async fn models_tools_and_defaults_are_those_of_the_host() {
    with_both(TALK, async |port, stage| {
        assert_eq!(port.models().await, stage.local.models().await);
        assert_eq!(
            port.examine_model("scripted/usual").await,
            stage.local.examine_model("scripted/usual").await
        );
        assert_eq!(port.examine_model("a/b").await, stage.local.examine_model("a/b").await);
        assert_eq!(port.tools(), stage.local.tools());
        assert_eq!(port.defaults(), stage.local.defaults());
    })
    .await;
}

#[tokio::test]
async fn what_is_not_there_or_cannot_be_is_told_in_the_same_way() {
    with_both(TALK, async |port, stage| {
        let local = &stage.local;
        let (session, run) = (SessionId::from("no/such"), RunId::from("no such"));
        let gone = HostError::Missing { what: "session", id: "no/such".into() };
        assert_eq!(port.session(&session).await.unwrap_err(), gone);
        assert_eq!(port.records(&session, 0).await.unwrap_err(), gone);
        assert_eq!(port.session_events(&session, 0).await.map(drop).unwrap_err(), gone);
        assert_eq!(port.rename_session(&session, "x").await.unwrap_err(), gone);
        assert_eq!(port.delete_session(&session).await.unwrap_err(), gone);
        assert_eq!(port.start_run(&session, say("Go.")).await.unwrap_err(), gone);
        assert_eq!(port.tasks(&session).await, local.tasks(&session).await);
        let gone = HostError::Missing { what: "run", id: "no such".into() };
        assert_eq!(port.run(&run).await.unwrap_err(), gone);
        assert_eq!(port.events(&run, 0).await.map(drop).unwrap_err(), gone);
        assert_eq!(port.cancel(&run).await.unwrap_err(), gone);
        assert_eq!(port.questions(&run).await.unwrap_err(), gone);
        let answer =
            port.answer(&run, &CallId::numbered(1), "any", PermissionAnswer::new(Decision::Once)).await;
        assert_eq!(answer.unwrap_err(), gone);
        assert_eq!(port.replay(&run).await.unwrap_err(), gone);
        assert_eq!(port.fork(&run, ForkWish::default()).await.unwrap_err(), gone);
        for begin in [
            NewSession { model: "a/b".into(), ..NewSession::default() },
            NewSession { profile: "none".into(), ..NewSession::default() },
            NewSession { root: "/elsewhere".into(), ..NewSession::default() },
        ] {
            assert_eq!(port.create_session(begin.clone()).await, local.create_session(begin).await);
        }
    })
    .await;
}

/// Nothing of a session can be lost on the way, however large.
#[tokio::test]
async fn a_session_of_many_records_is_read_in_pages() {
    let script: String = (0..40).map(|run| format!("user {run}\nmodel text Hello.\n")).collect();
    with_both(&script, async |port, _| {
        let session = begin(&*port).await;
        let mut stream = port.session_events(&session, 0).await.unwrap();
        for run in 0..40 {
            port.start_run(&session, say(&run.to_string())).await.unwrap();
            until(&mut stream, is_end).await;
        }
        let port: Arc<dyn HostPort> = port;
        assert_eq!(
            SessionView::fold(port.records(&session, 0).await.unwrap().iter().map(|one| &**one)).runs.len(),
            40
        );
    })
    .await;
}

#[tokio::test]
async fn the_project_is_searched_from_both_sides() {
    with_both(TALK, async |port, _| {
        let missing = port.index_status().await.unwrap_err();
        assert!(
            matches!(missing, HostError::Missing { what: "index", .. }),
            "nobody has searched yet: {missing:?}"
        );
        let query = |text: &str, kind| SearchQuery {
            text: text.to_owned(),
            top_k: 2,
            kind,
            scope: SearchScope::Project,
            budget: TokenBudget::default(),
        };
        let found = port.search(query("c.txt says hello & more?", SearchKind::Hybrid)).await.unwrap();
        assert_eq!((found.passages.len(), found.passages[0].path.as_str()), (2, "c.txt"));
        assert!(found.passages[0].parts.lexical.is_some() && found.indexing.is_none(), "{found:?}");
        assert_eq!(port.search(query("xylophone", SearchKind::Lexical)).await.unwrap().passages, []);
        let wrong = port.search(query(" ", SearchKind::Hybrid)).await.unwrap_err();
        assert!(matches!(wrong, HostError::Invalid { field: Some("q"), .. }), "{wrong:?}");
        assert_eq!(port.index_status().await.unwrap().files, 4);
        let note = NewDocument { name: "note.md".into(), session_id: None, bytes: b"# Xylophone".to_vec() };
        let row = port.add_document(note).await.unwrap();
        assert_eq!(port.documents().await.unwrap(), std::slice::from_ref(&row));
        let everywhere =
            SearchQuery { scope: SearchScope::Everything, ..query("xylophone", SearchKind::Lexical) };
        let found = port.search(everywhere).await.unwrap().passages;
        assert_eq!(found[0].document_id.as_deref(), Some(row.document_id.as_str()));
        assert_eq!(port.search(query("xylophone", SearchKind::Lexical)).await.unwrap().passages, []);
        port.remove_document(&row.document_id).await.unwrap();
        let gone = port.remove_document(&row.document_id).await.unwrap_err();
        assert!(matches!(gone, HostError::Missing { what: "document", .. }), "{gone:?}");
    })
    .await;
}

use std::fs;

use tempfile::TempDir;
use windlass_core::limits::Limits;

use super::*;
use crate::trust::brought::Brought;
use crate::trust::trust_file::{TrustFile, TrustedFolder};

/// A folder with a user's file, a project's file and an environment.
struct Case {
    folder: TempDir,
    vars: BTreeMap<String, String>,
    flags: Flags,
    can_ask: bool,
}

impl Case {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("project/.windlass")).unwrap();
        fs::create_dir_all(folder.path().join("project/inner")).unwrap();
        let mut flags = Flags::default();
        flags.global.config = Some(folder.path().join("config.toml"));
        flags.global.data = Some(folder.path().join("data"));
        fs::write(folder.path().join("config.toml"), "").unwrap();
        Self { folder, vars: BTreeMap::new(), flags, can_ask: false }
    }

    fn user(self, text: &str) -> Self {
        fs::write(self.folder.path().join("config.toml"), text).unwrap();
        self
    }

    fn project(self, text: &str) -> Self {
        fs::write(self.folder.path().join("project/.windlass/config.toml"), text).unwrap();
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.folder.path().join("project").join(name), text).unwrap();
        self
    }

    fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.into(), value.into());
        self
    }

    fn flag(mut self, set: impl FnOnce(&mut Flags)) -> Self {
        set(&mut self.flags);
        self
    }

    /// The user trusts what the project brings.
    fn resolve(&self) -> Result<CliConfig> {
        let folder = self.folder.path().join("project").canonicalize().unwrap();
        let brought = Brought::read(&folder).unwrap();
        let mut trusted = TrustFile::read(&self.folder.path().join("data")).0;
        trusted.put(TrustedFolder::of(&folder, &brought, 1)).unwrap();
        let surroundings = ProcessEnvironment { vars: self.vars.clone(), folder, can_ask: self.can_ask };
        CliConfig::resolve(&surroundings, &self.flags)
    }

    fn config(&self) -> CliConfig {
        self.resolve().unwrap_or_else(|complaint| panic!("{complaint}"))
    }

    fn complaint(&self) -> String {
        self.resolve().map(|_| ()).unwrap_err().to_string()
    }
}

fn shown(config: &CliConfig, name: &str) -> String {
    let setting = config.settings.get(name).unwrap();
    let source = match &setting.source {
        SettingSource::File(path, line) => {
            let kind = if path.ends_with(".windlass/config.toml") { "project" } else { "user" };
            format!("{kind}:{line}")
        }
        other => other.to_string(),
    };
    format!("{} from {source}", setting.value)
}

#[test]
fn each_layer_is_stronger_than_the_one_before() {
    let case = Case::new();
    assert_eq!(shown(&case.config(), "limits.steps_max"), "10 from profile default");
    let case = case.user("# mine\n[limits]\nsteps_max = 11\n");
    assert_eq!(shown(&case.config(), "limits.steps_max"), "11 from user:3");
    let case = case.project("limits.steps_max = 9");
    assert_eq!(shown(&case.config(), "limits.steps_max"), "9 from project:1");
    let case = case.var("WINDLASS_LIMITS_STEPS_MAX", "13");
    assert_eq!(shown(&case.config(), "limits.steps_max"), "13 from environment WINDLASS_LIMITS_STEPS_MAX");
    let case = case
        .file("a.script", "max-steps 14\nuser hi\nmodel text ho\n")
        .var("WINDLASS_MODEL", "scripted/a.script");
    assert_eq!(shown(&case.config(), "limits.steps_max"), "14 from script a.script");
    let case = case.flag(|flags| flags.steps_max = Some(15));
    assert_eq!(shown(&case.config(), "limits.steps_max"), "15 from --max-steps");
    assert_eq!(case.config().profile.limits.steps_max, 15);
}

#[test]
fn every_limit_is_a_key_and_reaches_the_profile() {
    let fields = serde_json::to_value(Limits::default()).unwrap();
    for (field, value) in fields.as_object().unwrap() {
        let number = value.as_u64().unwrap_or(1_000) + 1;
        let config = Case::new().user(&format!("limits.{field} = {number}")).config();
        let applied = serde_json::to_value(&config.profile.limits).unwrap();
        assert_eq!(applied[field].as_f64(), Some(number as f64), "{field}");
    }
}

#[test]
fn a_profile_brings_its_own_limits_and_settings_change_them() {
    let config = Case::new().user("profile = \"studio\"").config();
    assert_eq!(shown(&config, "limits.search_calls_max"), "6 from profile studio");
    let config = Case::new().user("profile = \"studio\"\nlimits.search_calls_max = \"none\"").config();
    assert_eq!(
        (shown(&config, "limits.search_calls_max").as_str(), config.profile.limits.search_calls_max),
        ("(none) from user:2", None)
    );
    let config = Case::new().user("limits.call_timeout_ms = \"1m30s\"").config();
    assert_eq!(config.profile.limits.call_timeout_ms, 90_000);
}

#[test]
fn a_short_run_keeps_most_of_its_time_for_work() {
    let config = Case::new().flag(|flags| flags.timeout_ms = Some(4_000)).config();
    assert_eq!(shown(&config, "limits.run_timeout_ms"), "4000 from --timeout");
    assert_eq!(shown(&config, "limits.final_reserve_ms"), "1000 from follows from limits.run_timeout_ms");
    assert_eq!(config.profile.limits.final_reserve_ms, 1_000);
    let own = Case::new().user("limits.run_timeout_ms = 4000\nlimits.final_reserve_ms = 3000").config();
    assert_eq!(own.profile.limits.final_reserve_ms, 3_000);
}

#[test]
fn a_small_run_keeps_most_of_its_tokens_for_work() {
    let config = Case::new().flag(|flags| flags.tokens_max = Some(1_000)).config();
    assert_eq!(shown(&config, "limits.tokens_max"), "1000 from --max-tokens");
    assert_eq!(shown(&config, "limits.final_reserve_tokens"), "250 from follows from limits.tokens_max");
    assert_eq!(config.profile.limits.final_reserve_tokens, 250);
    let own = Case::new().user("limits.tokens_max = 1000\nlimits.final_reserve_tokens = 900").config();
    assert_eq!(own.profile.limits.final_reserve_tokens, 900);
}

#[test]
fn a_budget_of_money_is_an_amount_of_dollars_or_none() {
    let limit = |config: &CliConfig| config.profile.limits.cost_usd_max;
    let usual = Case::new().config();
    assert_eq!(
        (shown(&usual, "limits.cost_usd_max").as_str(), limit(&usual)),
        ("(none) from profile default", None)
    );
    let case = Case::new().user("limits.cost_usd_max = 0.5");
    assert_eq!(limit(&case.config()), Some(0.5));
    assert_eq!(limit(&Case::new().user("limits.cost_usd_max = 2").config()), Some(2.0));
    let case = case.var("WINDLASS_LIMITS_COST_USD_MAX", "none");
    assert_eq!(limit(&case.config()), None);
    let case = case.flag(|flags| flags.cost_usd_max = Some(0.25));
    assert_eq!(shown(&case.config(), "limits.cost_usd_max"), "0.25 from --max-cost");
    assert_eq!(limit(&case.config()), Some(0.25));
}

#[test]
fn unknown_keys_are_errors_with_the_nearest_name() {
    for (text, name, meant) in [
        ("modle = \"x\"", "modle", "model"),
        ("[limits]\nstep_max = 3", "limits.step_max", "limits.steps_max"),
        ("steps_max = 3", "steps_max", "limits.steps_max"),
        ("[fetch]\nallow_host = []", "fetch.allow_host", "fetch.allow_hosts"),
    ] {
        let complaint = Case::new().user(text).complaint();
        assert!(complaint.contains(&format!("there is no setting '{name}'")), "{complaint}");
        assert!(complaint.contains(&format!("did you mean '{meant}'?")), "{complaint}");
        assert!(complaint.contains("config.toml:"), "{complaint}");
    }
    let complaint = Case::new().user("zzz = 1").complaint();
    assert!(complaint.contains("windlass config explain"), "{complaint}");
}

#[test]
fn wrong_values_say_what_was_expected_and_where() {
    for (text, expected) in [
        ("model = 3", "'model' must be text"),
        ("\n\nlimits.steps_max = \"many\"", "'limits.steps_max' must be a whole number\n"),
        ("limits.steps_max = -1", "must be a whole number"),
        ("limits.call_timeout_ms = \"soon\"", "a duration such as"),
        ("approve = \"maybe\"", "one of read_only, ask, edit, all, never, safe, stage"),
        ("tool_loop_v2 = 1", "true or false"),
        ("fetch.allow_hosts = \"a\"", "a list of texts"),
        ("limits = 3", "there is no setting 'limits'"),
        ("model = ", "is no TOML"),
        ("limits.steps_max = 99999999999", "out of range"),
        (
            "limits.cost_usd_max = -1.0",
            "an amount of US dollars, more than 0 and at most 100000, or \"none\"",
        ),
        ("limits.cost_usd_max = 0", "an amount of US dollars"),
        ("limits.cost_usd_max = nan", "an amount of US dollars"),
        ("limits.cost_usd_max = \"much\"", "an amount of US dollars"),
    ] {
        let complaint = Case::new().user(text).complaint();
        assert!(complaint.contains(expected), "{text}: {complaint}");
    }
    let complaint = Case::new().var("WINDLASS_APPROVE", "maybe").complaint();
    assert!(complaint.contains("environment WINDLASS_APPROVE"), "{complaint}");
    let complaint = Case::new().var("WINDLASS_TOOL_LOOP_V2", "maybe").complaint();
    assert!(complaint.contains("true or false, not 'maybe'"), "{complaint}");
}

#[test]
fn tool_loop_v2_is_on_for_the_words_that_mean_yes() {
    for (word, is_on) in [
        ("1", true),
        ("true", true),
        ("YES", true),
        ("on", true),
        ("0", false),
        ("", false),
        ("2", false),
        ("off", false),
    ] {
        let config = Case::new().var("TOOL_LOOP_V2", word).config();
        assert_eq!(config.profile.executes_while_streaming, is_on, "{word}");
    }
    let config = Case::new().var("TOOL_LOOP_V2", "1").var("WINDLASS_TOOL_LOOP_V2", "0").config();
    assert!(!config.profile.executes_while_streaming);
    assert!(Case::new().user("tool_loop_v2 = true").config().profile.executes_while_streaming);
}

#[test]
fn unknown_variables_of_ours_are_told_and_ignored() {
    let config = Case::new().var("WINDLASS_MODLE", "x").var("WINDLASS_LOG", "debug").config();
    assert_eq!(config.warnings.len(), 1);
    assert!(config.warnings[0].contains("did you mean WINDLASS_MODEL?"), "{:?}", config.warnings);
}

#[test]
fn a_project_can_tighten_and_never_loosen() {
    let refused = |text: &str, user: &str| {
        let config = Case::new().user(user).project(text).config();
        assert_eq!(config.warnings.len(), 1, "{text}: {:?}", config.warnings);
        config
    };
    let config = refused("approve = \"all\"", "");
    assert_eq!(config.approve, ApproveMode::Never);
    assert_eq!(refused("approve = \"safe\"", "approve = \"ask\"").approve, ApproveMode::Never);
    assert_eq!(refused("approve = \"ask\"", "approve = \"safe\"").approve, ApproveMode::Safe);
    for text in [
        "fetch.allow_hosts = [\"127.0.0.1\"]",
        "fetch.stay_on_host = false",
        "base_url = \"http://evil.example\"",
        "web_search.base_url = \"http://evil.example\"",
        "web_search.api_key = \"k\"",
        "image.base_url = \"http://evil.example\"",
        "model = \"scripted/evil.script\"",
        "model = \"ollama/evil\"",
        "model = \"builtin\"",
        "limits.steps_max = 11",
        "root = \"..\"",
        "root = \"/\"",
        "permissions.allow = [\"*\"]",
    ] {
        let config = refused(text, "");
        let key = text.split(" =").next().unwrap();
        let is_default = config.settings.get(key).is_none_or(|setting| !setting.source.is_set());
        assert!(is_default, "{text}");
    }
}

#[test]
fn what_a_project_tightens_holds() {
    let case = Case::new().user("approve = \"all\"").project(
        "approve = \"never\"\nroot = \"inner\"\nfetch.stay_on_host = true\npermissions.deny = [\"execute_command\"]\nprofile = \"zodo\"",
    );
    let config = case.config();
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert_eq!(config.approve, ApproveMode::Never);
    assert!(config.root.ends_with("project/inner"));
    assert!(config.settings.is_on("fetch.stay_on_host"));
    assert_eq!(config.settings.items("permissions.deny"), ["execute_command"]);
    assert_eq!(config.profile.name, ProfileName::Zodo);
}

#[test]
fn rules_of_a_project_do_not_belong_in_the_users_file() {
    let complaint = Case::new().user("permissions.deny = [\"x\"]").complaint();
    assert!(
        complaint.contains("belongs in a project's") && complaint.contains("windlass policy deny"),
        "{complaint}"
    );
}

#[test]
fn what_needs_asking_is_denied_where_nobody_can_be_asked() {
    let mut case = Case::new();
    assert_eq!(case.config().approve, ApproveMode::Never);
    case = case.flag(|flags| flags.approve = Some("ask"));
    let config = case.config();
    assert_eq!((config.approve, config.warnings.len()), (ApproveMode::Never, 1));
    assert!(config.warnings[0].starts_with("--approve: nobody can be asked"), "{:?}", config.warnings);
    case.can_ask = true;
    assert_eq!(case.config().approve, ApproveMode::Ask);
    assert_eq!(Case { can_ask: true, ..Case::new() }.config().approve, ApproveMode::Ask);
    let script = "user hi\nmodel call 1 read_file {\"path\":\"a\"}\napprove 1\nmodel text ho\n";
    let case = Case::new()
        .file("a.script", script)
        .flag(|flags| flags.global.model = Some("scripted/a.script".into()));
    assert_eq!(case.config().approve, ApproveMode::Ask);
}

#[test]
fn the_header_of_a_script_is_a_layer() {
    let script = "profile zodo\nroot inner\napprove all\nlimit calls_per_run_max 7\nuser hi\nmodel text ho\n";
    let case = Case::new()
        .file("a.script", script)
        .flag(|flags| flags.global.model = Some("scripted/a.script".into()));
    let config = case.config();
    assert_eq!((config.profile.name, config.approve), (ProfileName::Zodo, ApproveMode::All));
    assert!(config.root.ends_with("project/inner"));
    assert_eq!(config.profile.limits.calls_per_run_max, 7);
    let config = case.flag(|flags| flags.global.profile = Some("ploke".into())).config();
    assert_eq!(config.profile.name, ProfileName::Ploke);
}

#[test]
fn a_script_that_cannot_be_played_says_where() {
    let play = |script: Option<&str>| {
        let case = Case::new().flag(|flags| flags.global.model = Some("scripted/a.script".into()));
        match script {
            Some(text) => case.file("a.script", text).complaint(),
            None => case.complaint(),
        }
    };
    assert!(play(None).contains("the script 'a.script' cannot be read"));
    let complaint = play(Some("user hi\nmodle text ho\n"));
    assert!(complaint.contains("a.script:2:1") && complaint.contains("did you mean 'model'?"), "{complaint}");
    let complaint = play(Some("limit step_max 3\nuser hi\nmodel text ho\n"));
    assert!(complaint.contains("no limit 'step_max'") && complaint.contains("'steps_max'"), "{complaint}");
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let at = |root: &str| {
        Case::new().file("a.txt", "").flag(|flags| flags.global.root = Some(root.into())).complaint()
    };
    assert!(at("nowhere").contains("the root 'nowhere' cannot be used"));
    assert!(at("a.txt").contains("is no folder"));
}

#[test]
fn an_unknown_profile_suggests_the_nearest() {
    let complaint = Case::new().flag(|flags| flags.global.profile = Some("edisn".into())).complaint();
    assert!(complaint.contains("did you mean 'edison'?") && complaint.contains("--profile"), "{complaint}");
    let words: Vec<&str> = ProfileName::ALL.into_iter().map(ProfileName::word).collect();
    let Some(value::SettingKind::Word(known)) = key::find("profile").map(|key| key.kind) else {
        panic!("profile has words")
    };
    assert_eq!(known, words);
}

#[test]
fn secrets_are_never_shown() {
    let config =
        Case::new().user("web_search.api_key = \"s3cret\"").var("WINDLASS_IMAGE_API_KEY", "s3cret").config();
    for name in ["web_search.api_key", "image.api_key"] {
        let setting = config.settings.get(name).unwrap();
        assert_eq!((setting.value.to_string().as_str(), setting.value.to_json()), ("***", "***".into()));
        assert_eq!(config.settings.text(name), Some("s3cret"));
    }
}

#[test]
fn a_named_file_must_exist_and_the_usual_one_need_not() {
    let case = Case::new().flag(|flags| flags.global.config = Some("/nowhere/config.toml".into()));
    assert!(case.complaint().contains("does not exist"));
}

#[test]
fn the_template_names_every_key_and_can_be_used() {
    let text = template();
    let all: String = text
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix('#').filter(|l| !l.starts_with(' ')).unwrap_or(line)))
        .collect();
    let case = Case::new().user(&text);
    assert!(case.config().warnings.is_empty());
    let document: toml::Table = all.parse().unwrap();
    for key in KEYS.iter().filter(|key| !key.is_project_only) {
        let mut names = key.name.split('.');
        let first = names.next().and_then(|name| document.get(name));
        let value = names.fold(first, |table, name| table.and_then(|table| table.get(name)));
        assert!(value.is_some(), "{}", key.name);
    }
}

#[test]
fn providers_are_configured_by_name_in_files_and_in_the_environment() {
    let file = "[providers.my-box]\nbase_url = \"http://10.0.0.7:9000/v1\"\nwire = \"chat\"\ncontext_tokens = 8192\n\
                key_command = [\"pass\", \"box\"]\nprices = { input = 1, output = 2.5 }\n\
                [providers.my-box.headers]\nx-team = \"blue\"\n[providers.my-box.quirks]\nchoice = \"words\"\n";
    let config = Case::new().user(file).var("WINDLASS_PROVIDERS_MY_BOX_WIRE", "responses").config();
    let overrides = config.overrides("my-box").unwrap();
    assert_eq!(overrides.base_url.as_deref(), Some("http://10.0.0.7:9000/v1"));
    assert_eq!(overrides.wire.map(windlass_models::WireKind::word), Some("responses"));
    assert_eq!(overrides.abilities.context_tokens, Some(8_192));
    let prices = overrides.abilities.prices.unwrap();
    assert_eq!((prices.input, prices.cached, prices.output), (1.0, 1.0, 2.5));
    assert_eq!(overrides.headers, [("x-team".to_owned(), "blue".to_owned())]);
    assert_eq!(overrides.quirks[0]["choice"], "words");
    assert_eq!(config.configured_providers(), ["my-box"]);
    assert_eq!(
        shown(&config, "providers.my-box.wire"),
        "\"responses\" from environment WINDLASS_PROVIDERS_MY_BOX_WIRE"
    );
    assert_eq!(shown(&config, "providers.my-box.headers"), "{\"x-team\":\"***\"} from user:7");
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
}

#[test]
fn wrong_settings_of_providers_say_what_was_meant() {
    for (text, expected) in [
        ("providers.box.bas_url = \"x\"", "did you mean 'providers.box.base_url'?"),
        ("providers.box.wire = \"grpc\"", "one of chat, responses, messages, gemini, ollama"),
        ("providers.box = 3", "there is no setting 'providers.box'"),
        ("providers.box.headers.x = 3", "'providers.box.headers' must be a table of texts"),
        ("temperature = 3", "a number from 0 to 2"),
        ("reasoning_effort = \"huge\"", "one of low, medium, high, auto"),
        ("calls = \"xml\"", "one of native, tags, text"),
    ] {
        let complaint = Case::new().user(text).complaint();
        assert!(complaint.contains(expected), "{text}: {complaint}");
    }
    let config = Case::new().user("providers.box.prices = { inptu = 1 }").config();
    assert!(config.overrides("box").unwrap_err().to_string().contains("no price 'inptu'"));
    let config = Case::new().user("providers.box.prices = { input = 1 }").config();
    assert!(config.overrides("box").unwrap_err().to_string().contains("input = 2.0, cached = 0.2"));
}

#[test]
fn a_project_says_nothing_of_where_messages_and_keys_go() {
    for text in [
        "providers.openai.base_url = \"http://evil.example\"",
        "providers.openai.key_command = [\"sh\"]",
        "providers.openai.headers = { x = \"y\" }",
        "providers.openai.quirks = { streams = false }",
        "ca_file = \"ca.pem\"",
        "models.fast = \"openai/x\"",
    ] {
        let config = Case::new().project(text).config();
        assert_eq!(config.warnings.len(), 1, "{text}");
        assert!(config.warnings[0].contains("where your messages and keys go"), "{:?}", config.warnings);
        assert!(config.configured_providers().is_empty(), "{text}");
    }
    let config = Case::new().project("temperature = 0.5\nreasoning_effort = \"low\"").config();
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
}

#[test]
fn wishes_and_times_come_from_files_variables_and_flags() {
    let case = Case::new()
        .user("temperature = 1\nmax_output_tokens = 100\nseed = 7\nexchange.idle_timeout_ms = \"5s\"")
        .var("WINDLASS_TOP_P", "0.25")
        .flag(|flags| {
            flags.effort = Some("high".into());
            flags.temperature = Some(0.5);
            flags.output_tokens_max = Some(50);
        });
    let config = case.config();
    let sampling = config.sampling();
    assert_eq!((sampling.temperature, sampling.top_p, sampling.seed), (Some(0.5), Some(0.25), Some(7)));
    assert_eq!(
        (
            sampling.output_tokens_max,
            sampling.reasoning_effort.map(windlass_core::protocol::model::Effort::word)
        ),
        (Some(50), Some("high"))
    );
    assert_eq!(config.exchange_limits().idle_timeout_ms, 5_000);
    assert_eq!(config.exchange_limits().connect_timeout_ms, 10_000);
    assert_eq!(shown(&config, "temperature"), "0.5 from --temperature");
}

#[test]
fn a_limit_of_a_project_lowers_and_never_raises_in_any_profile() {
    let case = Case::new().user("limits.calls_per_step_max = 4").project(
        "[limits]\nsteps_max = 7\ncalls_per_step_max = 5\nrun_timeout_ms = \"10s\"\ncost_usd_max = \"none\"",
    );
    let config = case.config();
    let limits = &config.profile.limits;
    assert_eq!((limits.steps_max, limits.calls_per_step_max, limits.run_timeout_ms), (7, 4, 10_000));
    assert!(
        config.warnings.iter().any(|warning| warning.contains("can only lower")),
        "{:?}",
        config.warnings
    );
    // A profile that is chosen later may have less than what was lower before.
    assert_eq!(config.profile_named("ploke").unwrap().limits.steps_max, 3);
    assert_eq!(config.profile_named("zodo").unwrap().limits.steps_max, 7);
}

#[test]
fn of_a_project_that_nobody_trusts_only_what_tightens_counts() {
    let text = "model = \"deep\"\nsystem = \"Obey.\"\nprofile = \"zodo\"\ncalls = \"text\"\nroot = \"inner\"\napprove = \"never\"\n\
                [limits]\nsteps_max = 1\n[permissions]\ndeny = [\"fetch_url\"]\nask = [\"read_file\"]\n";
    let case = Case::new().user("approve = \"all\"").project(text);
    case.config();
    let data = case.folder.path().join("data");
    let root = case.folder.path().join("project").canonicalize().unwrap();
    assert!(TrustFile::read(&data).0.remove(&root.display().to_string()).unwrap());
    let surroundings = ProcessEnvironment { vars: BTreeMap::new(), folder: root.clone(), can_ask: false };
    let config = CliConfig::resolve(&surroundings, &case.flags).unwrap();
    for key in ["model", "system", "calls"] {
        assert!(config.settings.get(key).is_none(), "{key}");
    }
    assert_eq!((config.profile.name, config.profile.limits.steps_max), (ProfileName::Default, 10));
    assert_eq!((config.approve, &config.root), (ApproveMode::Never, &root));
    assert_eq!(config.settings.items("permissions.deny"), ["fetch_url"]);
    assert_eq!(config.settings.items("permissions.ask"), ["read_file"]);
    assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
    assert!(config.warnings[0].contains("6 settings"), "{:?}", config.warnings);
}

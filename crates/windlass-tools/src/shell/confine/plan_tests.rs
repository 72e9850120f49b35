use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// A home with a project in it, and the plan for commands of that project.
pub(crate) struct PlanPlace {
    pub(crate) folder: TempDir,
    pub(crate) config: SandboxConfig,
}

impl PlanPlace {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        for name in ["project/src", ".ssh", ".config/gh", "data", "cache/.git"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        for name in [".netrc", "project/.env", "project/.env.example", "project/src/key.pem", "id_rsa"] {
            fs::write(home.join(name), "x").unwrap();
        }
        let config = SandboxConfig {
            home: Some(home.clone()),
            hidden: vec![home.join("data")],
            write: vec![home.join("cache"), home.join("none")],
            helper: Some(home.join("windlass")),
            scratch: home.join("data/sandbox"),
            ..SandboxConfig::default()
        };
        Self { folder, config }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn plan(&self) -> ConfinePlan {
        let proven = ProvenSandbox {
            by: ConfinedBy::Bubblewrap,
            program: Some("/usr/bin/bwrap".into()),
            weaknesses: Vec::new(),
            failed: Vec::new(),
            hosts_problem: None,
        };
        ConfinePlan::of(&self.config, &proven, &self.home().join("project")).unwrap()
    }
}

#[test]
fn hosts_are_reached_with_bubblewrap_alone_and_only_where_the_proxy_was_seen_to_hold() {
    let mut place = PlanPlace::new();
    let plan_by = |place: &PlanPlace, by, hosts_problem: Option<&str>| {
        let proven = ProvenSandbox {
            by,
            program: None,
            weaknesses: Vec::new(),
            failed: Vec::new(),
            hosts_problem: hosts_problem.map(str::to_owned),
        };
        ConfinePlan::of(&place.config, &proven, &place.home().join("project")).unwrap()
    };
    let none = plan_by(&place, ConfinedBy::Landlock, None);
    assert!(none.hosts.is_empty() && none.no_hosts.is_none(), "nobody named any");
    place.config.hosts = vec!["a.example".parse().unwrap()];
    let held = plan_by(&place, ConfinedBy::Bubblewrap, None);
    assert!(held.hosts.len() == 1 && held.no_hosts.is_none());
    for (by, problem, words) in [
        (ConfinedBy::Bubblewrap, Some("it does not hold: x"), "does not work here (it does not hold: x)"),
        (ConfinedBy::Landlock, None, "with bubblewrap alone"),
        (ConfinedBy::Seatbelt, None, "with bubblewrap alone"),
    ] {
        let plan = plan_by(&place, by, problem);
        let said = plan.no_hosts.clone().unwrap_or_default();
        assert!(plan.hosts.is_empty() && said.ends_with(words), "{by:?}: {said}");
    }
}

#[test]
fn what_is_obeyed_is_closed_and_what_is_secret_is_hidden() {
    let place = PlanPlace::new();
    let home = place.home();
    fs::create_dir_all(home.join("project/.git/hooks")).unwrap();
    let plan = place.plan();
    let has = |closed: ClosedPlace| plan.closed.contains(&closed);
    assert!(has(ClosedPlace::ReadOnly(home.join("project/.git"))), "{:?}", plan.closed);
    assert!(has(ClosedPlace::Missing(home.join("project/.windlass"))));
    for name in [".ssh", ".config/gh", "data"] {
        assert!(has(ClosedPlace::HiddenFolder(home.join(name))), "{name}: {:?}", plan.closed);
    }
    for name in [".netrc", "id_rsa", "project/.env"] {
        assert!(has(ClosedPlace::HiddenFile(home.join(name))), "{name}: {:?}", plan.closed);
    }
    let text = format!("{:?}", plan.closed);
    assert!(!text.contains(".env.example") && !text.contains("key.pem") && !text.contains("none"), "{text}");
    assert!(has(ClosedPlace::Missing(home.join("cache/.git"))), "an empty one is as good as none");
    assert!(!has(ClosedPlace::Missing(home.join("cache/.windlass"))), "{text}");
    assert!(plan.closes_what_is_obeyed() && plan.not_held().is_empty());
}

#[test]
fn a_repository_behind_a_link_is_said_to_be_open() {
    let place = PlanPlace::new();
    fs::create_dir_all(place.home().join("elsewhere/hooks")).unwrap();
    symlink(place.home().join("elsewhere"), place.home().join("project/.git")).unwrap();
    let plan = place.plan();
    assert!(!plan.closes_what_is_obeyed());
    assert!(plan.not_held()[0].contains("is a link"), "{:?}", plan.not_held());
}

#[test]
fn a_folder_that_holds_the_project_is_not_hidden() {
    let mut place = PlanPlace::new();
    place.config.hidden.push(place.home());
    let plan = place.plan();
    assert!(!plan.closed.contains(&ClosedPlace::HiddenFolder(place.home())));
    place.config.confinement = Confinement::ReadOnly;
    let plan = place.plan();
    assert!(plan.missing().is_empty(), "nothing can be made there anyway: {:?}", plan.closed);
}

#[test]
fn what_may_be_written_is_told_by_the_path() {
    let place = PlanPlace::new();
    let (plan, home) = (place.plan(), place.home());
    for (path, may) in [
        ("project/src/main.rs", true),
        ("cache/x", true),
        ("project/.git/hooks/pre-commit", false),
        ("project/.windlass", false),
        ("project/.env", false),
    ] {
        assert_eq!(plan.may_write(&home.join(path)), may, "{path}");
    }
    assert!(!plan.may_write(Path::new("/etc/passwd")) && plan.may_write(Path::new("/dev/null")));
}

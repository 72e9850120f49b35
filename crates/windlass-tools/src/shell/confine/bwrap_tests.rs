use windlass_core::permission::Confinement;

use super::super::plan::tests::PlanPlace;
use super::*;

fn text(plan: &ConfinePlan, home: &Path) -> String {
    let words: Vec<String> = arguments(plan).iter().map(|word| word.to_string_lossy().into_owned()).collect();
    words.join(" ").replace(&home.display().to_string(), "HOME")
}

#[test]
fn the_arguments_close_after_they_open_and_leave_no_capability() {
    let place = PlanPlace::new();
    let text = text(&place.plan(), &place.home());
    let at = |piece: &str| text.find(piece).unwrap_or_else(|| panic!("no '{piece}' in {text}"));
    assert!(at("--ro-bind / /") < at("--tmpfs /tmp"));
    assert!(at("--tmpfs /tmp") < at("--bind HOME/project HOME/project"));
    let open = at("--bind HOME/project HOME/project");
    for closed in [
        "--tmpfs HOME/project/.git --remount-ro HOME/project/.git",
        "--tmpfs HOME/project/.windlass --remount-ro HOME/project/.windlass",
        "--tmpfs HOME/.ssh --remount-ro HOME/.ssh",
        "--ro-bind /dev/null HOME/.netrc",
        "--ro-bind /dev/null HOME/project/.env",
    ] {
        assert!(open < at(closed), "{closed}");
    }
    let end = "--unshare-user --unshare-pid --unshare-ipc --unshare-net --unshare-uts --cap-drop ALL --disable-userns \
               --die-with-parent --new-session --";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_sandbox_that_only_reads_opens_nothing() {
    let mut place = PlanPlace::new();
    place.config.confinement = Confinement::ReadOnly;
    let text = text(&place.plan(), &place.home());
    assert!(text.contains("--ro-bind HOME/project HOME/project"), "{text}");
    assert!(!text.contains(" --bind "), "{text}");
}

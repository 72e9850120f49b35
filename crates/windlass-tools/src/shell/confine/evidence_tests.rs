use super::super::plan::tests::PlanPlace;
use super::*;

fn found(line: &str) -> bool {
    let place = PlanPlace::new();
    let folder = place.home().join("project");
    let line = line.replace("HOME", &place.home().display().to_string());
    find(&place.plan(), &folder, ["", &format!("before\n{line}\n")]).is_some()
}

#[test]
fn what_only_a_sandbox_says_is_evidence() {
    for line in [
        "touch: cannot touch '/etc/x': Read-only file system",
        "error: could not lock config file .git/config: Read-only file system",
        "curl: (6) Could not resolve host: example.com",
        "ping: connect: Network is unreachable",
        "OSError: [Errno 30] EROFS",
    ] {
        assert!(found(line), "{line}");
    }
}

#[test]
fn what_is_said_of_other_files_too_counts_only_for_closed_places() {
    for (line, is_evidence) in [
        ("cat: HOME/.netrc: Permission denied", true),
        ("mv: cannot move 'x' to '../x': Permission denied", true),
        ("bash: /etc/passwd: Permission denied", true),
        ("PermissionError: [Errno 1] Operation not permitted: '.git/hooks/x'", true),
        ("permission denied while trying to connect to the docker API at unix:///var/run/docker.sock", true),
        ("mv: cannot move '.git' to 'moved': Device or resource busy", true),
        ("ln: failed to create hard link '../x': Invalid cross-device link", true),
        ("umount: build: Device or resource busy", false),
        ("sh: ./script: Permission denied", false),
        ("assertion failed: expected Permission denied", false),
        ("rm: cannot remove 'build/x': Operation not permitted", false),
        ("error[E0425]: cannot find value `x` in this scope", false),
        ("", false),
    ] {
        assert_eq!(found(line), is_evidence, "{line}");
    }
}

use super::*;

fn fits(pattern: &str, line: &str) -> bool {
    let pieces: Vec<PatternPiece> =
        pattern.chars().map(|c| if c == '*' { PatternPiece::Any } else { PatternPiece::Char(c) }).collect();
    could_be(&pieces, line)
}

#[test]
fn gaps_of_pattern_and_line_are_anything() {
    for (pattern, line) in [
        ("rm *", "rm x"),
        ("rm *", "r? x"),
        ("rm *", "r[mn] x"),
        ("rm *", "* x"),
        ("rm *", "\u{1} x"),
        ("rm *", "\u{1}"),
        ("git push *", "git \u{1} "),
        ("git push *", "git {a,b} x"),
        ("*push*", "git p\u{3}"),
        ("rm", "\u{2}rm"),
    ] {
        assert!(fits(pattern, line), "{pattern} {line}");
    }
    for (pattern, line) in [
        ("rm *", "rmdir x"),
        ("rm *", "ls *"),
        ("git push *", "git status \u{1}"),
        ("rm *", "[ -f x ]"),
        ("rm x", "rm y"),
    ] {
        assert!(!fits(pattern, line), "{pattern} {line}");
    }
}

#[test]
fn a_long_run_costs_little_and_its_end_can_be_anything() {
    let long = format!("echo {}", "a".repeat(100_000));
    assert!(!fits("rm *", &long));
    assert!(fits("*z", &long));
}

/// Spellings of `rm x` that hide it from a reader of words: each must be denied.
const HIDDEN: [&str; 92] = [
    "r{m,} x",
    "{rm,x}",
    "r{m..m} x",
    "/bin/r[m] x",
    "/bin/?m x",
    "r* x",
    "$X x",
    "r${Z}m x",
    "A=xrm; ${A#x} y",
    "A=RM; ${A,,} x",
    "A=r; A+=m; $A x",
    "A=ls; if b; then A=rm; fi; $A x",
    "A=rm; false && A=ls; $A x",
    "A=rm; f() { A=ls; }; $A x",
    "for c in ls rm; do $c x; done",
    "while true; do $A x; A=rm; done",
    "set -- a rm x; shift; \"$@\"",
    "A=ls; read -r A B <<< 'rm x'; $A",
    "A=ls; printf -v A rm; $A x",
    "X=1; ${X:+rm} y",
    "X=; ${X:-rm} y",
    "${SHELL:-ls} -c 'rm x'",
    "IFS=,; X=rm,y; $X",
    "declare -l A=RM; $A x",
    "alias x=rm; x y",
    "hash -p /bin/rm ls; ls x",
    "f() { \"$@\"; }; f rm x",
    "echo $(case x in x) rm y;; esac)",
    "case $(rm x) in a) ;; esac",
    "echo $(( $(rm x) ))",
    "echo ${X/a/$(rm x)}",
    "echo ${X:={}; rm y; echo }",
    "echo \"${X:-'}\"; rm y; echo \"'}\"",
    "`echo \\'; rm x; echo \\'`",
    "cat <<'a b'\nfoo\na b\nrm x",
    "cat <<\"E\"F\nq'\nEF\nrm x\n",
    "{fd}>f rm x",
    "2>f rm x",
    "a[0]=x rm y",
    "$'rm\\0zz' x",
    "$'\\162\\155' x",
    "FOO=1\u{a0}2 rm x",
    "coproc N { rm x; }",
    "/bin/@(rm) x",
    "timeout --sign KILL 5 rm x",
    "exec -la name rm x",
    "env -vS 'rm x'",
    "env -S'rm x'",
    "env --split-string='rm x'",
    "env -iu X rm x",
    "xargs --max-args 1 rm",
    "xargs -i rm {}",
    "bash -oc pipefail 'rm x'",
    "bash -c -e 'rm x'",
    "cat x | sh",
    "echo x | sed s/x/rm/ | sh",
    "printf 'xrm y' | tail -c 4 | sh",
    "printf '%s%s %s' r m x | sh",
    "echo RM x | tr '[:upper:]' '[:lower:]' | sh",
    "tee >(sh) <<< 'rm x'",
    "sh < f",
    "echo 'rm x' > s.sh; sh s.sh",
    "echo 'rm x' > s.sh; . ./s.sh",
    "cat > s.sh <<E\nrm x\nE\nsh ./s.sh",
    "find /bin -name rm -exec {} x \\;",
    "find . -execdir rm {} +",
    "git -c alias.x='!rm y' x",
    "git bisect run rm x",
    "git submodule foreach 'rm x'",
    "git rebase -x 'rm x' main",
    "tar --checkpoint=1 --checkpoint-action=exec='rm x' -cf a b",
    "rsync -e 'rm x' a b",
    "awk 'BEGIN{system(\"rm x\")}'",
    "python3 -c '__import__(\"o\"+\"s\").system(\"r\"+\"m x\")'",
    "python3 <<E\nimport os\nos.system('rm x')\nE",
    "perl -ne 'system(\"rm x\")'",
    "vim -c '!rm x'",
    "sed '1e rm x' f",
    "parallel rm ::: x",
    "setpriv --reuid 1 rm x",
    "setarch x86_64 rm x",
    "runuser -u x -- rm y",
    "su -c'rm x'",
    "script -qc 'rm x' f",
    "tmux new -d 'rm x'",
    "trap 'rm x' EXIT",
    "PS4='$(rm x)'; set -x; ls",
    "GIT_PAGER='rm x' git log",
    "ls 'unclosed",
    "echo $(ls",
    "sh -c \"$(printf 'rm x')\"",
    "eval r\\\nm x",
];

#[test]
fn what_hides_a_command_or_cannot_be_read_is_denied_and_never_allowed() {
    let target = |line: &str| super::super::Target::Command(line.to_owned());
    let rule = super::super::TargetPattern::parse("rm *").unwrap();
    let missed: Vec<&str> = HIDDEN.into_iter().filter(|line| !rule.touches(&target(line))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let mut deep = "rm x".to_owned();
    for _ in 0..14 {
        deep = format!("echo $({deep})");
    }
    assert!(rule.touches(&target(&deep)));
    for (allowed, line) in [
        ("git *", "git status; rm x"),
        ("git *", "git -c alias.x='!rm y' x"),
        ("find *", "find . -exec rm {} +"),
        ("find *", "find . -name a -exec {} +"),
        ("git *", "git 'unclosed"),
        ("awk *", "awk 'BEGIN{system(\"rm x\")}'"),
    ] {
        assert!(!super::super::TargetPattern::parse(allowed).unwrap().covers(&target(line)), "{line}");
    }
    for (allowed, line) in [
        ("git *", "git log $HOME"),
        ("find *", "find . -exec find {} +"),
        ("sudo apt *", "sudo apt update"),
        ("make *", "make -j4"),
    ] {
        assert!(super::super::TargetPattern::parse(allowed).unwrap().covers(&target(line)), "{line}");
    }
}

#[test]
fn what_is_no_denied_command_stays_as_it_was() {
    let rule = |text: &str| super::super::TargetPattern::parse(text).unwrap();
    for line in [
        "ls rm",
        "git rm x",
        "rmdir x",
        "echo $HOME $X \"$(date)\"",
        "for f in a b; do echo $f; done",
        "if [ -f x ]; then cat x; fi",
        "[[ -n $X ]] && echo y",
        "find . -name '*.rs' -exec grep rm {} +",
        "python3 -c 'print(1)'",
        "cargo test -- --nocapture 2>&1 | tail -n 20",
        "sed -e 's/a/b/g' -e '/x/d' f",
        "git commit -m 'fix * and rm'",
        "awk '{print $1}' f",
        "A=1 make -j$(nproc)",
        "sh build.sh",
        "echo $((1 + 2))",
        "tar -czf a.tgz b",
        "case $X in a) ls;; *) cat y;; esac",
        "env -i A=1 grep rm x",
        "timeout -k 1 5 grep rm x",
        "ls {a,b}/*.rs",
        "printf '%s\\n' a b",
    ] {
        assert!(!rule("rm *").touches(&super::super::Target::Command(line.to_owned())), "{line}");
    }
    for line in ["git -C sub push x", "git --no-pager push", "/usr/bin/git push", "git $X"] {
        assert!(rule("git push *").touches(&super::super::Target::Command(line.to_owned())), "{line}");
    }
    assert!(!rule("git push *").touches(&super::super::Target::Command("git -C sub status".to_owned())));
}

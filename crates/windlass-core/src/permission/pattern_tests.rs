use super::super::case::{command, host, path};
use super::*;

/// Checks both directions at once: for paths they agree, but for `..`.
fn check_paths(pattern: &str, hits: &[&str], misses: &[&str]) {
    let pattern = TargetPattern::parse(pattern).unwrap();
    for hit in hits {
        assert!(pattern.covers(&path(hit)), "{pattern} should cover '{hit}'");
        assert!(pattern.touches(&path(hit)), "{pattern} should touch '{hit}'");
    }
    for miss in misses {
        assert!(!pattern.covers(&path(miss)), "{pattern} should not cover '{miss}'");
        assert!(!pattern.touches(&path(miss)), "{pattern} should not touch '{miss}'");
    }
}

#[test]
fn r_50_dir_glob_does_not_match_dirty() {
    check_paths("dir/**", &["dir", "dir/x", "dir/x/y"], &["dirty/x", "dirty", "di", "a/dir/x", ""]);
    check_paths("dir/", &["dir", "dir/x", "dir/x/y"], &["dirty/x", "dirty", "a/dir/x"]);
}

#[test]
fn r_50_two_dots_inside_a_name_are_an_ordinary_name() {
    check_paths("a..b", &["a..b"], &["a.b", "axxb"]);
    check_paths("src/**", &["src/a..b"], &[]);
}

#[test]
fn a_path_with_parent_steps_is_never_allowed_but_still_denied() {
    let pattern = TargetPattern::parse("src/**").unwrap();
    assert!(!pattern.covers(&path("src/../etc/passwd")));
    assert!(pattern.touches(&path("src/../etc/passwd")));
}

#[test]
fn a_star_stays_within_a_name() {
    check_paths("src/*", &["src/a.rs", "src/b"], &["src/x/a.rs", "src", "lib/a.rs"]);
    check_paths("src/*.rs", &["src/a.rs", "src/.rs"], &["src/a.rsx", "src/x/a.rs", "a.rs"]);
    check_paths("a*c*e", &["ace", "abcde", "acce"], &["abde", "xace", "acex", "ae"]);
    check_paths("ab*b", &["abb", "abxb"], &["ab", "abx"]);
    check_paths("a*b*b", &["abb", "axbyb"], &["ab", "axb"]);
}

#[test]
fn two_stars_between_slashes_cross_folders() {
    check_paths("**/a.rs", &["a.rs", "x/a.rs", "x/y/a.rs"], &["xa.rs", "a.rs/x", "b.rs"]);
    check_paths("a/**/z", &["a/z", "a/b/z", "a/b/c/z"], &["a", "z", "a/z/b", "b/z", "az"]);
    check_paths("a/**/m/**/z", &["a/m/z", "a/x/m/y/z", "a/m/m/z"], &["a/z", "a/x/z", "a/m", "m/z", "a/mm/z"]);
    check_paths("a/**/m/n/**/z", &["a/m/n/z", "a/m/m/n/z"], &["a/m/z", "a/n/m/z", "a/m/x/n/z", "a/n/z"]);
    check_paths("a/**/m/**/m/**", &["a/m/m", "a/x/m/y/m/z"], &["a/m", "a/x/m/z"]);
    check_paths("a/**/**/b", &["a/b", "a/x/b"], &["a", "b", "a/bb"]);
    check_paths("**", &["", ".", "a", "a/b"], &[]);
    check_paths("a/b/**/b/c", &["a/b/b/c", "a/b/x/b/c"], &["a/b/c", "a/b"]);
}

#[test]
fn two_stars_inside_a_name_do_not_cross_folders() {
    check_paths("src**", &["src", "src1"], &["src/a"]);
}

#[test]
fn an_ending_is_meant_at_any_depth() {
    check_paths("*.pem", &["a.pem", "keys/a.pem", "keys/old/.pem"], &["a.pem.txt", "apem", "a.pem/x"]);
    check_paths("./*.md", &["a.md"], &["docs/a.md"]);
    check_paths("*rc", &["rc", "vimrc"], &["home/vimrc"]);
    check_paths("x.pem", &["x.pem"], &["a/x.pem"]);
}

#[test]
fn a_star_alone_is_everything() {
    check_paths("*", &["", "a", "a/b/c"], &[]);
    let all = TargetPattern::parse("*").unwrap();
    assert!(all.covers(&host("example.com:81")) && all.touches(&host("example.com:81")));
    assert!(all.covers(&command("ls -l")) && all.touches(&command("ls; rm x")));
    assert!(!all.covers(&command("ls; rm x")));
}

#[test]
fn an_exact_path_is_that_path_alone() {
    check_paths("src/main.rs", &["src/main.rs"], &["src/main.rs/x", "src", "src/main_rs", "x/src/main.rs"]);
    check_paths("./src/main.rs", &["src/main.rs"], &["./x"]);
    check_paths(".", &["", "."], &["a"]);
    check_paths("/etc/**", &["/etc/passwd"], &["etc/passwd"]);
}

#[test]
fn a_backslash_makes_the_next_character_literal() {
    check_paths(r"src/\*", &["src/*"], &["src/a"]);
    check_paths(r"a\\b", &[r"a\b"], &["ab", r"a\\b"]);
    check_paths(r"\ a\ ", &[" a "], &["a"]);
    check_paths(r"\*.pem", &["*.pem"], &["x.pem", "a/x.pem"]);
}

#[test]
fn patterns_that_could_never_match_are_refused() {
    assert_eq!(TargetPattern::parse(""), Err(RuleError::EmptyPattern));
    assert_eq!(TargetPattern::parse(" a"), Err(RuleError::OuterSpace(" a".into())));
    assert_eq!(TargetPattern::parse("a "), Err(RuleError::OuterSpace("a ".into())));
    assert_eq!(TargetPattern::parse("a\\"), Err(RuleError::LoneEscape("a\\".into())));
    assert!(TargetPattern::parse("a b").is_ok());
    assert!(TargetPattern::parse(r"a \ ").is_ok());
}

fn covers(pattern: &str, target: Target) -> bool {
    TargetPattern::parse(pattern).unwrap().covers(&target)
}

fn touches(pattern: &str, target: Target) -> bool {
    TargetPattern::parse(pattern).unwrap().touches(&target)
}

#[test]
fn hosts_are_exact_and_know_their_port() {
    assert!(covers("example.com", host("example.com")));
    assert!(covers("Example.COM", host("example.com")));
    assert!(!covers("example.com", host("www.example.com")));
    assert!(!covers("example.com", host("example.com.evil.net")));
    assert!(!covers("example.com", host("example.com:8080")));
    assert!(covers("example.com:8080", host("example.com:8080")));
    assert!(!covers("example.com:8080", host("example.com")));
}

#[test]
fn a_host_suffix_means_every_host_below_it() {
    assert!(covers("*.example.com", host("www.example.com")));
    assert!(covers("*.Example.com", host("a.b.example.com")));
    assert!(!covers("*.example.com", host("example.com")));
    assert!(!covers("*.example.com", host("badexample.com")));
    assert!(!covers("*.example.com", host("www.example.com:8080")));
    assert!(covers("*.example.com:8080", host("www.example.com:8080")));
}

#[test]
fn a_star_elsewhere_in_a_host_allows_nothing_but_still_denies() {
    for (pattern, name) in [
        ("example.*", "example.evil.net"),
        ("*example.com", "badexample.com"),
        ("api.*.com", "api.evil.com"),
        ("*.a.*", "x.a.evil"),
    ] {
        assert!(!covers(pattern, host(name)), "{pattern}");
        assert!(touches(pattern, host(name)), "{pattern}");
    }
}

#[test]
fn to_deny_a_host_is_to_deny_all_its_ports() {
    assert!(touches("example.com", host("example.com:8080")));
    assert!(touches("EXAMPLE.com", host("example.com")));
    assert!(touches("*.example.com", host("www.example.com:8080")));
    assert!(!touches("example.com:81", host("example.com")));
    assert!(!touches("example.com:81", host("example.com:82")));
    assert!(touches("[::1]", host("[::1]:8080")));
    assert!(!touches("[:", host("[::1]")));
    assert!(!touches("example.com", host("example.org")));
}

#[test]
fn a_command_prefix_is_whole_words() {
    assert!(covers("git *", command("git")));
    assert!(covers("git *", command("git status -s")));
    assert!(!covers("git *", command("gitk")));
    assert!(!covers("git *", command("gitk --all")));
    assert!(covers("git status *", command("git status")));
    assert!(covers("git status *", command("git status -s")));
    assert!(!covers("git status *", command("git statusx")));
    assert!(!covers("git status *", command("git push")));
    assert!(!covers("git status *", command("git")));
    assert!(!covers("git status", command("git status -s")));
    assert!(covers("git*", command("gitk")));
}

#[test]
fn a_compound_line_is_only_covered_exactly() {
    for line in [
        "git status; rm x",
        "git status && rm x",
        "git status & rm x",
        "git status | sh",
        "git status $(rm x)",
        "git status `rm x`",
        "git status\nrm x",
        "git status\rrm x",
        "git status > x",
        "git status < x",
    ] {
        assert!(!covers("git status *", command(line)), "{line}");
        assert!(!covers("git *", command(line)), "{line}");
        assert!(TargetPattern::exact(&command(line)).covers(&command(line)), "{line}");
    }
    assert!(covers("git *", command("git log $HOME")));
    assert!(covers("git *", command("git log '--format=%(refname)'")));
    // No shell reads this: a bracket without quotes is an error there.
    assert!(!covers("git *", command("git log --format=%(refname)")));
}

#[test]
fn an_exact_command_with_a_star_is_no_prefix() {
    let exact = TargetPattern::exact(&command("rm *"));
    assert_eq!(exact.to_string(), r"rm \*");
    assert!(exact.covers(&command("rm *")));
    assert!(!exact.covers(&command("rm x")));
    assert!(!exact.covers(&command("rm")));
}

#[test]
fn to_deny_a_command_is_to_deny_it_in_any_part_of_a_line() {
    for line in [
        "rm -rf x",
        "rm",
        "rm   -rf x",
        "ls; rm -rf x",
        "ls && rm x",
        "ls & rm x",
        "ls | rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "ls\nrm x",
        "ls\rrm x",
        "cat <(rm x)",
        "ls >(rm x)",
        "{ rm x; }",
        "(rm x)",
        "{rm x}",
        "cat <rm x",
        "A=1 B=2 rm x",
        "/bin/rm x",
        "ls; ../bin/rm x y",
        "\"rm\" x",
        "r''m x",
        "env rm x",
        "sudo rm x",
        "sh -c 'rm x'",
        "bash -lc \"ls; rm x\"",
        "time rm x",
        "! rm x",
        "if true; then rm x; fi",
        "A=rm; $A x",
        "ls | xargs rm",
    ] {
        assert!(touches("rm *", command(line)), "{line}");
    }
    for line in ["rmdir x", "ls rm", "git rm x", "/rm/ls x", "echo a/rm"] {
        assert!(!touches("rm *", command(line)), "{line}");
    }
    assert!(touches("rm x", command("ls; rm x")));
    assert!(touches("/bin/rm *", command("/bin/rm x")));
    assert!(touches("rm a b", command("/bin/rm a b")));
    assert!(touches("ls && rm x", command("ls && rm x")));
    assert!(!touches("rm x", command("rm x y")));
}

#[test]
fn kinds_are_told_apart() {
    assert!(!covers("src/**", host("src")));
    assert!(!covers("*.example.com", command("curl")));
    assert!(!touches("src/x", command("src/y")));
}

#[test]
fn r_48_an_exact_pattern_reads_back_as_itself_whatever_the_target() {
    for text in [
        "a",
        "a b",
        " a",
        "a ",
        "  a  ",
        " ",
        "\t",
        "*",
        "**",
        "src/*",
        "src/**",
        "*.rs",
        r"a\b",
        r"a\",
        r"\*",
        "a)",
        "(a)",
        "a)(b",
        "a)((b",
        ")(",
        r")\(",
        "ä*ö",
        "a\nb",
        "\n",
        "...",
        "..a",
        "a?[b]{c}",
        "rm *",
        "ls | wc",
        "[::1]:80",
        " ä ",
        "\u{2003}x\u{2003}",
    ] {
        for target in [path(text), host(text), command(text)] {
            let exact = TargetPattern::exact(&target);
            let read = TargetPattern::parse(&exact.to_string());
            assert_eq!(read.as_ref(), Ok(&exact), "{text:?}");
            assert!(exact.covers(&target), "{text:?}");
            assert!(!exact.to_string().contains(")("), "{text:?}");
            for other in ["x", "src/x", "rm x", "a/b/c.rs"] {
                assert!(!exact.covers(&path(other)), "{text:?} covers {other}");
                assert!(!exact.covers(&command(other)), "{text:?} covers {other}");
            }
        }
    }
}

#[test]
fn an_exact_pattern_escapes_no_more_than_it_must() {
    let text = |text: &str| TargetPattern::exact(&path(text)).to_string();
    assert_eq!(text("src/main.rs"), "src/main.rs");
    assert_eq!(text("a b(c)"), "a b(c)");
    assert_eq!(text("  a b  "), r"\ \ a b\ \ ");
    assert_eq!(text("a)(b"), r"a)\(b");
    assert_eq!(text(r"a\b*"), r"a\\b\*");
    assert_eq!(text(" "), r"\ ");
}

#[test]
fn an_exact_pattern_never_reaches_below_its_path() {
    let exact = TargetPattern::exact(&path("src/"));
    assert_eq!(exact.to_string(), "src");
    assert!(!exact.covers(&path("src/a")));
    let root = TargetPattern::exact(&path(""));
    assert_eq!(root.to_string(), ".");
    assert!(root.covers(&path("")) && root.covers(&path(".")) && !root.covers(&path("a")));
    let nothing = TargetPattern::exact(&command(""));
    assert!(!nothing.covers(&command("")) && !nothing.covers(&command("ls")));
}

use super::*;

const TOOLS: [&str; 10] = [
    "read_file",
    "write_file",
    "edit_file",
    "search_text",
    "web_search",
    "get_current_time",
    "execute_command",
    "list_tasks",
    "update_task",
    "read_result",
];

fn near(name: &str) -> Vec<&'static str> {
    nearest_names(name, TOOLS, 3)
}

#[test]
fn case_and_separators_do_not_count() {
    for name in ["ReadFile", "readfile", "READ-FILE", "read.file", "read file", "read_file"] {
        assert_eq!(near(name).first(), Some(&"read_file"), "{name}");
    }
}

#[test]
fn slips_of_the_pen_are_seen_through() {
    for (name, meant) in [
        ("raed_file", "read_file"),
        ("serach_text", "search_text"),
        ("list_task", "list_tasks"),
        ("get_curent_time", "get_current_time"),
        ("exec_command", "execute_command"),
    ] {
        assert_eq!(near(name).first(), Some(&meant), "{name}");
    }
}

#[test]
fn the_order_of_words_does_not_count_much() {
    assert_eq!(near("file_read").first(), Some(&"read_file"));
    assert_eq!(near("searchWeb").first(), Some(&"web_search"));
    assert_eq!(near("TaskUpdate").first(), Some(&"update_task"));
}

#[test]
fn a_part_of_a_name_suggests_the_names_that_have_it() {
    assert_eq!(near("search"), ["web_search", "search_text"]);
    assert_eq!(near("time"), ["get_current_time"]);
    assert_eq!(nearest_names("read_file_lines", TOOLS, 1), ["read_file"]);
}

#[test]
fn names_like_no_other_suggest_nothing() {
    for name in ["banana", "", "___", "x", "a"] {
        assert_eq!(near(name), Vec::<&str>::new(), "{name:?}");
    }
    assert_eq!(nearest_names("read_file", [], 3), Vec::<&str>::new());
    assert_eq!(nearest_names("read_file", TOOLS, 0), Vec::<&str>::new());
}

#[test]
fn the_order_is_stable_and_each_name_comes_once() {
    assert_eq!(nearest_names("ab", ["ac", "ad", "ac"], 3), ["ac", "ad"]);
    assert_eq!(nearest_names("ab", ["ad", "ac"], 3), ["ac", "ad"]);
}

#[test]
fn endless_names_are_compared_in_bounded_time() {
    let endless = "x".repeat(10_000_000);
    assert_eq!(near(&endless), Vec::<&str>::new());
    assert_eq!(nearest_names("read_file", [endless.as_str(), "read_file"], 3), ["read_file"]);
}

#[test]
fn names_in_any_script_are_compared() {
    assert_eq!(nearest_names("größe_lesen", ["groesse", "GRÖSSE_LESEN", "größe_lesn"], 1), ["größe_lesn"]);
}

#[test]
fn the_distance_counts_each_slip_once() {
    let count =
        |from: &str, to: &str| distance(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>());
    for (from, to, slips) in [
        ("", "", 0),
        ("a", "", 1),
        ("", "ab", 2),
        ("ab", "ba", 1),
        ("kitten", "sitting", 3),
        ("abcd", "acbd", 1),
    ] {
        assert_eq!(count(from, to), slips, "{from} {to}");
        assert_eq!(count(to, from), slips, "{to} {from}");
    }
}

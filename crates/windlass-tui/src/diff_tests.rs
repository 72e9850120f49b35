use super::*;

const DIFF: &str = "\
diff --git a/src/main.rs b/src/main.rs
--- a/src/main.rs
+++ b/src/main.rs
@@ -8,4 +8,4 @@ fn main() {
 fn main() {
--- a query
+    let count = 2;
-    say(\"one line that is rather long\");
+\tsay(\"another line that is rather long\");
 }
\\ No newline at end of file
@@ -98 +98,2 @@
-old
+new
+漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字
";

fn shown(text: &str, width: u16) -> String {
    render(text, width, Theme::default())
        .iter()
        .map(|line| format!("{}\n", line.to_string().trim_end()))
        .collect()
}

#[test]
fn changes_have_the_numbers_of_their_lines() {
    let expected = "\
diff --git a/src/main.rs b/src/main.rs
--- a/src/main.rs
+++ b/src/main.rs
@@ -8,4 +8,4 @@ fn main() {
 8   fn main() {
 9 - -- a query
 9 +     let count = 2;
10 -     say(\"one line that is rather long\");
10 +     say(\"another line that is rather long\");
11   }
\\ No newline at end of file
@@ -98 +98,2 @@
98 - old
98 + new
99 + 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字
";
    assert_eq!(shown(DIFF, 80), expected);
}

#[test]
fn wide_lines_go_on_behind_the_gutter() {
    let narrow = shown(DIFF, 30);
    assert!(narrow.contains("10 -     say(\"one line that is\n   ╰  rather long\");\n"), "{narrow}");
    assert!(narrow.contains("99 + 漢字漢字漢字漢字漢字漢字\n   ╰ 漢字漢字漢字漢字漢字漢字\n"), "{narrow}");
    assert!(narrow.lines().all(|line| crate::text::width(line) <= 30), "{narrow}");
}

#[test]
fn a_change_has_its_colour_and_its_sign() {
    let theme = Theme::default();
    let lines = render("@@ -1 +1 @@\n-a\n+b", 80, theme);
    assert_eq!(lines[0].spans[0].style, theme.style(TextRole::Place));
    assert_eq!(lines[1].spans[1], Span::styled("- ", theme.style(TextRole::Removed)));
    assert_eq!(lines[2].spans[2], Span::styled("b", theme.style(TextRole::Added)));
}

#[test]
fn what_is_no_proper_diff_is_shown_too() {
    assert_eq!(shown("+a\n-b\nc\n\u{1b}[31m", 80), "+ a\n- b\n  c\n  \\u{1b}[31m\n");
    assert_eq!(shown("@@ what @@\n-b", 80), "  @@ what @@\n- b\n");
    assert_eq!(shown("@@ -99999999999999999999,1 +1 @@\n", 80), "  @@ -99999999999999999999,1 +1 @@\n");
    assert_eq!(shown("@@ -18446744073709551615 +1 @@\n-a\n-b", 80).lines().count(), 3);
    assert_eq!(shown("", 80), "");
    for width in 0..12 {
        assert!(shown(DIFF, width).contains('漢'));
    }
}

use super::*;

fn clear(path: &str, change: Change) -> EditWish {
    EditWish::Clear(Edit { path: path.to_owned(), change })
}

fn append(text: &str) -> Change {
    Change::Append(text.to_owned())
}

fn replace(old: &str, new: &str, is_everywhere: bool) -> Change {
    Change::Replace { old: old.to_owned(), new: new.to_owned(), is_everywhere }
}

#[test]
fn what_is_spelled_out_is_read() {
    for (text, expected) in [
        ("append hello world to notes.txt", clear("notes.txt", append("hello world"))),
        ("append \"hello world\" to notes.txt", clear("notes.txt", append("hello world"))),
        ("could you append the line hello to a.txt please", clear("a.txt", append("hello"))),
        ("add the line \"x = 1\" to config.ini", clear("config.ini", append("x = 1"))),
        ("add \"x = 1\" at the end of config.ini", clear("config.ini", append("x = 1"))),
        ("add to notes.txt: buy milk", clear("notes.txt", append("buy milk"))),
        ("prepend # Title to README.md", clear("README.md", Change::Prepend("# Title".to_owned()))),
        ("replace foo with bar in a.txt", clear("a.txt", replace("foo", "bar", false))),
        ("in a.txt, replace \"foo bar\" with \"baz\"", clear("a.txt", replace("foo bar", "baz", false))),
        ("replace all occurrences of foo with bar in a.txt", clear("a.txt", replace("foo", "bar", true))),
        ("change colour to color in src/main.rs", clear("src/main.rs", replace("colour", "color", false))),
    ] {
        assert_eq!(EditWish::of(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_spelled_out_is_not_made_up() {
    for text in [
        "add error handling to main.rs",
        "append a section about tests to README.md",
        "delete a.txt",
        "edit a.txt",
    ] {
        assert_eq!(EditWish::of(text), EditWish::Unclear, "{text}");
    }
    for text in [
        "overwrite a.txt with hello",
        "replace the contents of a.txt with hello",
        "replace a.txt with hello",
        "add buy milk to my list",
        "add a file a.txt with hello",
        "add up the numbers in a.txt",
        "read a.txt",
    ] {
        assert_eq!(EditWish::of(text), EditWish::None, "{text}");
    }
}

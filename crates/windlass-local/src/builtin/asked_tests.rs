use super::*;

fn asked(text: &str) -> RequestScope {
    RequestScope::of(&[text.into()])
}

fn after(before: &str, text: &str) -> RequestScope {
    RequestScope::of(&[before.into(), text.into()])
}

#[track_caller]
fn allows(tool: &str, texts: &[&str]) {
    for text in texts {
        assert!(asked(text).allows(tool, 0), "{tool} is asked for by: {text}");
    }
}

#[track_caller]
fn forbids(tool: &str, texts: &[&str]) {
    for text in texts {
        assert!(!asked(text).allows(tool, 0), "{tool} is not asked for by: {text}");
    }
}

#[test]
fn a_file_is_written_where_words_say_what_and_where() {
    allows(
        "write_file",
        &[
            "write hello to a.txt",
            "please save \"hello there\" in notes/b.md",
            "create lyrics.txt: la la la under the bridge",
            "overwrite the file .nvmrc so that it says v20",
            "new file Procfile with web: gunicorn",
            "could you put 'x' into a.txt?",
            "fill CODEOWNERS with * @me",
            "list the tasks, then write x to a.txt",
            "set the content of a.json to {}",
            "in a file called a.txt, write hello",
            "a.txt does not exist yet, create it with hello",
            "can we save hello to a.txt",
            "overwrite whatever is in a.txt with hello",
            "I need this in a.txt: hello",
            "another file: a.txt with hello",
            "\"hello\" into a.txt",
            "the line \"hello\" goes into a.txt",
        ],
    );
    forbids(
        "write_file",
        &[
            "read docs/index.rst",
            "search for want_bytes",
            "read README.md lines 5 to 10",
            "explain what write_file does",
            "who wrote a.txt?",
            "how do I write hello to a.txt?",
            "what happens if I save x to a.txt and then write y to b.txt",
            "do not write anything to a.txt, just read it",
            "write a summary of notes.txt",
            "read the file called write.txt",
            "is it possible to put x into a.txt?",
            "write me a poem",
            "add up the numbers in a.txt",
            "schreibe hallo in a.txt",
            "put it on my list: read a.txt",
            "I need a bug fixed in main.rs",
            "I need help in a.txt",
            "the file a.txt with the bug crashed",
            "replace is a method in strings.py, show it",
        ],
    );
}

#[test]
fn a_command_is_run_where_words_name_it() {
    allows(
        "execute_command",
        &[
            "run ls -l",
            "execute git status please",
            "$ make all",
            "run: zig build test",
            "git diff HEAD~1, execute it please",
            "try running bundle exec rspec",
            "kick off ./run.sh 500",
            "type latexmk -pdf thesis.tex in the terminal",
            "open Makefile and after that run make all",
            "what is the output of `git log`?",
            "show me the output of npm run build",
            "git status please",
            "run make all and let me know if it fails",
            "try `npm run build` and see what happens",
            "I don't have a shell here, run ls -la for me",
        ],
    );
    forbids(
        "execute_command",
        &[
            "what does `rm notes.txt` do?",
            "what does `rm notes.txt` print?",
            "explain `rm notes.txt`",
            "what does `git push` print?",
            "git is hard",
            "is git in the shell?",
            "I don't want you to run ls",
            "run the tests",
            "gotta run, talk later",
            "never run ls",
            "why do the tests run slowly?",
            "read run.sh",
            "should I run make?",
            "can I run ls here?",
            "how much memory",
            "lance ls",
        ],
    );
}

#[test]
fn small_effects_need_their_words_too() {
    allows(
        "add_task",
        &[
            "add buy milk to my list",
            "remind me to call Ada",
            "to do: send the bill",
            "I must call Ada, add it",
        ],
    );
    forbids("add_task", &["show my tasks", "what is on my list?", "read a.txt"]);
    allows("update_task", &["mark task 3 as done", "task_6 = in_progress", "the second one is done"]);
    forbids("update_task", &["is task 3 done?", "what is the status of task 3?"]);
    allows("generate_image", &["draw a fox", "a barn owl, make an image of it"]);
    forbids("generate_image", &["quelle heure est-il ?", "what time is it", "read a.txt"]);
    allows("fetch_url", &["open https://example.com", "what does example.org/a say"]);
    forbids(
        "fetch_url",
        &["read a.txt", "don't open https://example.com", "lis https://example.com dans le fichier"],
    );
    allows("web_search", &["google can horses eat pears", "will it rain tomorrow?"]);
    forbids(
        "web_search",
        &["search for want_bytes", "find x in the project", "don't search the web", "qu'est-ce que c'est ?"],
    );
    forbids("calculate", &["how much memory", "read a.txt"]);
    allows("calculate", &["2+2", "seven times eight"]);
    allows("read_file", &["anything at all"]);
}

#[test]
fn things_are_counted() {
    let count = |text: &str| asked(text).things;
    for one in [
        "read docs/index.rst",
        "how much memory",
        "search for salt and pepper",
        "Makefile, show it",
        "read README.md lines 5 to 10",
        "hello, read a.txt please",
        "in a.txt, replace x with y",
        "average of 18, 23 and 41",
    ] {
        assert_eq!(count(one), 1, "{one}");
    }
    for two in [
        "read a.txt and b.txt",
        "run git fetch and then git merge origin/main",
        "list the files, then read a.txt",
        "set task 1 to completed and task 5 to in progress",
        "time in paris and tokyo",
    ] {
        assert_eq!(count(two), 2, "{two}");
    }
    assert!(!asked("write x to a.txt").allows("write_file", 1), "one was asked for");
}

#[test]
fn a_request_may_lean_on_the_one_before_it() {
    assert!(after("run ls", "and pwd").allows("execute_command", 0));
    assert!(after("add buy milk to my list", "also call Ada").allows("add_task", 0));
    assert!(after("what is 3 * 4", "and times 3?").allows("calculate", 0));
    assert!(
        !after("write x to a.txt", "and b.txt").allows("write_file", 0),
        "a file is never written by a hint"
    );
    assert!(!after("run ls", "now read a.txt").allows("execute_command", 0));
    assert!(!after("run ls", "don't run anything again").allows("execute_command", 0));
    assert!(!after("run ls", "thank you very much for all of that").allows("execute_command", 0));
    assert!(after("run ls", "again").is_again);
}

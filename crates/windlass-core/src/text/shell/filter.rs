//! What simple programs print, where that follows from the line alone.

use super::lex::unescape;
use super::walk::CommandInput;
use crate::text::base64;

/// Programs that bring text from elsewhere, or make text readable that was not.
const STRANGE_SOURCES: [&str; 24] = [
    "curl", "wget", "fetch", "aria2c", "nc", "ncat", "socat", "http", "https", "lynx", "w3m", "ssh",
    "base64", "base32", "xxd", "openssl", "gpg", "uudecode", "zcat", "gunzip", "gzip", "xz", "xzcat",
    "bzcat",
];

/// Characters that are worked out of what `printf` prints: more is no command line.
const PRINTED_MAX: usize = 16_384;

pub(super) fn is_source_of_strange_text(program: &str) -> bool {
    STRANGE_SOURCES.contains(&program)
}

/// Whether what is worked out of a program's output is all that it can be, in every shell.
pub(super) fn prints_exactly(program: &str, args: &[String]) -> bool {
    match program {
        // Shells differ in whether they read escapes, and flags.
        "echo" => {
            !args.iter().any(|arg| arg.contains('\\'))
                && !args.first().is_some_and(|arg| arg.starts_with('-'))
        }
        "head" | "tail" | "sort" | "uniq" => false,
        "tr" => !args.iter().any(|arg| arg.contains(['[', '\\'])),
        _ => true,
    }
}

/// What a program prints, if that is known.
pub(super) fn printed(
    program: &str,
    args: &[String],
    input: &CommandInput,
    folder: Option<&str>,
) -> Option<String> {
    let read = || match input {
        CommandInput::Known(text) => Some(text.clone()),
        CommandInput::Nothing | CommandInput::Unknown | CommandInput::Strange => None,
    };
    let has = |flags: &[&str]| args.iter().any(|arg| flags.contains(&arg.as_str()));
    match program {
        "echo" => Some(echo(args)),
        "printf" => printf(args),
        "pwd" => folder.map(str::to_owned),
        "cat" | "tee" if args.iter().all(|arg| arg.starts_with('-')) || program == "tee" => read(),
        "true" | ":" | "cd" | "export" | "set" => Some(String::new()),
        "rev" => {
            let text = read()?;
            Some(text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect())
        }
        "base64" if has(&["-d", "-D", "--decode", "-di", "-id"]) => {
            String::from_utf8(base64::decode(&read()?)?).ok()
        }
        "xxd" if has(&["-r", "-rp", "-pr"]) => unhex(&read()?),
        "tr" => transliterated(args, &read()?),
        // What they leave out or move is not worked out: all of it is looked at.
        "head" | "tail" | "sort" | "uniq" | "tac" if args.iter().all(|arg| arg.starts_with('-')) => read(),
        _ => None,
    }
}

fn echo(args: &[String]) -> String {
    let is_flag = |arg: &&String| matches!(arg.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
    let flags = args.iter().take_while(is_flag).count();
    let has_escapes = args.iter().take(flags).any(|arg| arg.contains('e'));
    let text = args.iter().skip(flags).map(String::as_str).collect::<Vec<_>>().join(" ");
    // Some shells read escapes without `-e`, too.
    let text = if has_escapes || text.contains('\\') { unescaped(&text) } else { text };
    text + "\n"
}

/// The format with its arguments in their places.
fn printf(args: &[String]) -> Option<String> {
    let (format, args) = args.split_first()?;
    let mut args = args.iter();
    let (format, mut text) = (unescaped(format), String::new());
    // The format is used again until no argument is left.
    loop {
        let left = args.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '%' => match chars.next() {
                    Some('%') => text.push('%'),
                    Some('s' | 'b' | 'd' | 'q') => {
                        text.push_str(&args.next().map(|arg| unescaped(arg)).unwrap_or_default())
                    }
                    Some(_) | None => return None,
                },
                c => text.push(c),
            }
        }
        if args.len() == 0 || args.len() == left || text.len() > PRINTED_MAX {
            break;
        }
    }
    Some(text)
}

fn unescaped(text: &str) -> String {
    let (mut read, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('\\') {
        read.push_str(before);
        let ahead: String = after.chars().take(9).collect();
        let (c, taken) = unescape(&ahead);
        read.extend(c);
        rest = after.get(after.chars().take(taken).map(char::len_utf8).sum::<usize>()..).unwrap_or_default();
    }
    read + rest
}

fn unhex(text: &str) -> Option<String> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit) as u8);
    String::from_utf8(bytes.collect()).ok()
}

/// `tr SET SET` and `tr -d SET` with sets that are written out.
fn transliterated(args: &[String], text: &str) -> Option<String> {
    let letters = |set: &str| {
        let mut letters: Vec<char> = Vec::new();
        let mut chars = set.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.clone().nth(1)) {
                (first, Some(last)) if chars.peek() == Some(&'-') => {
                    letters.extend(first..=last);
                    chars.nth(1);
                }
                (c, _) => letters.push(c),
            }
        }
        letters
    };
    match args {
        [flag, set] if flag == "-d" => {
            let gone = letters(set);
            Some(text.chars().filter(|c| !gone.contains(c)).collect())
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (letters(from), letters(to));
            let put = |c: char| match from.iter().position(|own| *own == c) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                None => c,
            };
            Some(text.chars().map(put).collect())
        }
        _ => None,
    }
}

use super::*;

#[test]
fn each_decision_is_one_line_whatever_it_contains() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::new(folder.path().join("deep/audit.log"));
    audit.append_line("one").unwrap();
    audit.append_line("two\nforged line\r\n").unwrap();
    let text = fs::read_to_string(audit.path()).unwrap();
    assert_eq!(text, "one\ntwo forged line  \n");
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::new(folder.path().join("audit.log"));
    audit.append_line("x").unwrap();
    assert_eq!(fs::metadata(audit.path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_full_file_is_kept_once_and_a_new_one_begun() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::with_bytes_max(folder.path().join("audit.log"), 100);
    for number in 0..50 {
        audit.append_line(&format!("decision {number:02}")).unwrap();
    }
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    let (now, before) = (read(audit.path().into()), read(audit.beside(".1")));
    assert!(now.len() <= 100 && before.len() <= 100);
    assert!(now.ends_with("decision 49\n"));
    let joined = before + &now;
    let numbers: Vec<u32> = joined.lines().map(|line| line[9..].parse().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "nothing is lost between the two");
}

#[test]
fn a_line_larger_than_the_bound_is_still_written() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::with_bytes_max(folder.path().join("audit.log"), 10);
    audit.append_line(&"x".repeat(50)).unwrap();
    audit.append_line("y").unwrap();
    assert_eq!(fs::read_to_string(audit.path()).unwrap(), "y\n");
}

#[test]
fn writers_at_once_do_not_mix_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::with_bytes_max(folder.path().join("audit.log"), 1 << 20);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let audit = &audit;
            scope.spawn(move || {
                (0..25).for_each(|_| audit.append_line(&thread.to_string().repeat(200)).unwrap())
            });
        }
    });
    let text = fs::read_to_string(audit.path()).unwrap();
    assert_eq!(text.lines().count(), 100);
    assert!(text.lines().all(|line| line.len() == 200 && line.chars().all(|c| line.starts_with(c))));
}

#[test]
fn a_file_that_cannot_be_written_names_itself() {
    let folder = tempfile::tempdir().unwrap();
    let error = AuditFile::new(folder.path()).append_line("x").unwrap_err();
    assert!(error.to_string().starts_with("the audit file "), "{error}");
}

#[test]
fn the_newest_lines_are_read_back_across_the_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::with_bytes_max(folder.path().join("audit.log"), 100);
    let numbers = |rows_max, keep: fn(&str) -> bool| {
        let number = |line: &str| keep(line).then(|| line[9..].to_owned());
        audit.newest_lines(rows_max, number).unwrap()
    };
    assert!(numbers(5, |_| true).is_empty(), "there is no file yet");
    for number in 0..20 {
        audit.append_line(&format!("decision {number:02}")).unwrap();
    }
    assert!(fs::read_to_string(audit.path()).unwrap().lines().count() < 6);
    assert_eq!(numbers(6, |_| true), ["19", "18", "17", "16", "15", "14"]);
    assert_eq!(numbers(2, |line| line.ends_with('5')), ["15"], "what was rotated twice is gone");
    assert_eq!(numbers(0, |_| true), [] as [&str; 0]);
}

#[test]
fn a_long_file_is_read_from_its_end_and_in_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::new(folder.path().join("audit.log"));
    let line = format!("{}\n", "x".repeat(1_000));
    let lines = usize::try_from(AUDIT_READ_BYTES_MAX).unwrap() / line.len() + 10;
    fs::write(audit.path(), line.repeat(lines)).unwrap();
    let read = audit.newest_lines(usize::MAX, |line| Some(line.len())).unwrap();
    assert!(read.len() < lines && read.iter().all(|length| *length == 1_000));
}

use super::*;

fn desk(folder: &Path) -> AppFiles {
    AppFiles {
        history_file: folder.join("data/history.jsonl"),
        config_file: folder.join("config.toml"),
        folder: folder.to_owned(),
        project: None,
    }
}

#[test]
fn what_was_typed_is_there_the_next_time_and_for_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let desk = desk(folder.path());
    assert!(desk.history().is_empty());
    for line in ["first", "two\nlines \"quoted\""] {
        desk.remember(line).unwrap();
    }
    desk.remember(&"x".repeat(HISTORY_BYTES_MAX + 1)).unwrap();
    assert_eq!(desk.history(), ["first", "two\nlines \"quoted\""]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join("data/history.jsonl")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

#[test]
fn a_broken_line_of_history_loses_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let desk = desk(folder.path());
    desk.remember("whole").unwrap();
    let file = folder.path().join("data/history.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\"cut of\n\"after\"\n")).unwrap();
    assert_eq!(desk.history(), ["whole", "after"]);
}

#[test]
fn an_export_never_writes_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let desk = desk(folder.path());
    let place = desk.export("talk.md", "# Talk").unwrap();
    assert_eq!(std::fs::read_to_string(&place).unwrap(), "# Talk");
    let again = desk.export("talk.md", "other").unwrap_err();
    assert!(again.0.contains("is there already"), "{again}");
    assert_eq!(std::fs::read_to_string(&place).unwrap(), "# Talk");
    let lost = desk.export("no/such/folder.md", "x").unwrap_err();
    assert!(lost.0.contains("cannot be written"), "{lost}");
}

#[test]
fn a_theme_is_kept_in_the_configuration_and_a_broken_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let desk = desk(folder.path());
    let file = folder.path().join("config.toml");
    for theme in ThemeKind::ALL {
        desk.keep_theme(theme).unwrap();
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            format!("[terminal]\ntheme = \"{}\"\n", theme.word())
        );
    }
    std::fs::write(&file, "model =\n").unwrap();
    let lost = desk.keep_theme(ThemeKind::Dark).unwrap_err();
    assert!(lost.0.contains("config.toml:1"), "{lost}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "model =\n");
}

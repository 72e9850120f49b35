use super::*;

fn kept(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, text).unwrap();
    keep_word(&file, "terminal", "theme", "light").unwrap();
    fs::read_to_string(&file).unwrap()
}

#[test]
fn a_word_takes_the_place_of_the_old_one_and_all_else_stays() {
    let rows = [
        ("[terminal]\ntheme = 'dark' # mine\n", "[terminal]\ntheme = \"light\" # mine\n"),
        (
            "model = \"builtin\"\nterminal.theme=\"plain\"\n",
            "model = \"builtin\"\nterminal.theme=\"light\"\n",
        ),
        ("terminal = { theme = \"dark\" }\n", "terminal = { theme = \"light\" }\n"),
        (
            "# top\n[terminal] # colours\n#theme = \"dark\"\n\n[fetch]\nstay_on_host = false\n",
            "# top\n[terminal] # colours\ntheme = \"light\"\n#theme = \"dark\"\n\n[fetch]\nstay_on_host = false\n",
        ),
        ("[terminal]", "[terminal]\ntheme = \"light\"\n"),
        ("[fetch]\nstay_on_host = false", "[fetch]\nstay_on_host = false\n\n[terminal]\ntheme = \"light\"\n"),
        ("", "[terminal]\ntheme = \"light\"\n"),
    ];
    for (text, wanted) in rows {
        assert_eq!(kept(text), wanted);
    }
}

#[test]
fn the_first_configuration_file_takes_it_and_so_does_none() {
    let text = kept(&crate::config::template());
    assert!(text.contains("[terminal]\ntheme = \"light\"\n"), "{text}");
    assert_eq!(text.replacen("theme = \"light\"\n", "", 1), crate::config::template());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("not/yet/config.toml");
    keep_word(&file, "terminal", "theme", "plain").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[terminal]\ntheme = \"plain\"\n");
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing lies beside it");
}

#[test]
fn a_file_that_is_broken_or_has_no_place_for_it_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    for text in
        ["model = \n", "nobody = 1\n", "terminal = {}\n", "text = \"\"\"\n[terminal]\n\"\"\"\n", "\u{0}"]
    {
        fs::write(&file, text).unwrap();
        let complaint = keep_word(&file, "terminal", "theme", "light").unwrap_err();
        assert!(complaint.to_string().contains("config"), "{complaint}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_nobody_may_write_stays_and_a_link_stays_a_link() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("dotfile.toml"), folder.path().join("config.toml"));
    fs::write(&file, "[terminal]\n").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let complaint = keep_word(&link, "terminal", "theme", "light").unwrap_err();
    assert!(complaint.to_string().contains("could not be written"), "{complaint}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[terminal]\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    keep_word(&link, "terminal", "theme", "light").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(&file).unwrap(), "[terminal]\ntheme = \"light\"\n");
}

use super::*;

#[test]
fn the_apps_own_paths_are_told_from_all_others() {
    for path in ["/", "/s/s1", "/runs/r1", "/tools", "/tools/read_file", "/saves/x", "/compare"] {
        assert!(is_page(path) && is_public(path), "{path}");
    }
    for path in ["", "/s", "/s/", "/s/a/b", "/runs", "/api/sessions", "/docs", "/assets", "//", "/metrics"] {
        assert!(!is_page(path) && !is_public(path), "{path}");
    }
    assert!(is_public("/assets/app.js") && !is_page("/assets/app.js"));
    assert!(is_public("/favicon.svg"));
}

#[test]
fn files_have_the_media_type_of_their_ending() {
    assert_eq!(kind_of("index.html"), ("text/html", true));
    assert_eq!(kind_of("assets/app-B1.js"), ("text/javascript", true));
    assert_eq!(kind_of("assets/text.woff2"), ("font/woff2", false));
    assert_eq!(kind_of("manifest.webmanifest"), ("application/manifest+json", true));
    assert_eq!(kind_of("LICENSE"), ("application/octet-stream", false));
    assert_eq!(kind_of("a.b/c"), ("application/octet-stream", false));
}

#[test]
fn an_entity_is_known_by_any_of_the_tags_that_were_sent() {
    let asked = |value: &'static str| {
        HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(value))])
    };
    for sent in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
        assert!(is_known(&asked(sent), "\"a\""), "{sent}");
    }
    assert!(!is_known(&asked("\"a-gzip\""), "\"a\""));
    assert!(!is_known(&HeaderMap::new(), "\"a\""));
}

fn made(content: &'static str) -> File {
    File {
        content: Bytes::from_static(content.as_bytes()),
        gzip: OnceLock::new(),
        tag: "t".into(),
        media_type: "text/css; charset=utf-8".into(),
        is_compressible: true,
        is_hashed: true,
    }
}

#[test]
fn a_file_is_compressed_once_and_only_if_that_makes_it_smaller() {
    let long = made("main { color: red } main { color: red } main { color: red } main { color: red }");
    let first = long.compressed().unwrap().clone();
    assert!(first.len() < long.content.len() && first.starts_with(&[0x1f, 0x8b]));
    assert_eq!(first.as_ptr(), long.compressed().unwrap().as_ptr());
    assert!(made("a{}").compressed().is_none());
}

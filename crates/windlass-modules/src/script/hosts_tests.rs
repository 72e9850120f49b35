use super::*;

#[test]
fn a_plain_address_has_a_host_and_any_other_has_none() {
    for (url, host) in [
        ("https://Example.com/a?b#c", "example.com"),
        ("http://api.example.com:8080", "api.example.com"),
        ("HTTPS://1.2.3.4/", "1.2.3.4"),
    ] {
        assert_eq!(host_of(url).as_deref(), Some(host), "{url}");
    }
    for url in [
        "ftp://example.com/",
        "example.com",
        "https://",
        "https://user@example.com/",
        "https://a:b@example.com/",
        "https://example.com\\@other.com/",
        "https://example.com /",
        "https://[::1]/",
        "https://exam%70le.com/",
        "https://example.com:port/",
        "https://example.com:/",
        "https://exämple.com/",
        "https://a\tb/",
        "file:///etc",
    ] {
        assert_eq!(host_of(url), None, "{url}");
    }
}

#[test]
fn a_grant_is_for_a_host_its_subdomains_or_all() {
    let grants =
        |hosts: &[&str]| ScriptGrants { http_hosts: hosts.iter().map(|host| (*host).into()).collect() };
    assert!(!grants(&[]).allows("example.com"));
    assert!(grants(&["Example.com"]).allows("example.com"));
    assert!(!grants(&["example.com"]).allows("a.example.com"));
    assert!(grants(&["*.example.com"]).allows("a.b.example.com"));
    for host in ["example.com", "evilexample.com", ".example.com"] {
        assert!(!grants(&["*.example.com"]).allows(host), "{host}");
    }
    assert!(grants(&["*"]).allows("anything.at.all"));
}

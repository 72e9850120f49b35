use super::*;

fn granted(text: &str) -> GrantedHost {
    text.parse().unwrap()
}

#[test]
fn a_host_covers_itself_on_its_ports_and_nothing_else() {
    let plain = granted("Crates.IO.");
    assert_eq!(plain.to_string(), "crates.io");
    assert!(plain.covers("crates.io", 443) && plain.covers("crates.io", 80));
    for (host, port) in
        [("crates.io", 8443), ("static.crates.io", 443), ("xcrates.io", 443), ("crates.io.x", 443)]
    {
        assert!(!plain.covers(host, port), "{host}:{port}");
    }
    let with_port = granted("pypi.org:8443");
    assert!(with_port.covers("pypi.org", 8443) && !with_port.covers("pypi.org", 443));
}

#[test]
fn a_star_covers_what_is_below_and_not_the_name_itself() {
    let below = granted("*.crates.io");
    assert!(below.covers("static.crates.io", 443) && below.covers("a.b.crates.io", 80));
    for host in ["crates.io", ".crates.io", "xcrates.io", "crates.io.evil.org"] {
        assert!(!below.covers(host, 443), "{host}");
    }
    assert_eq!(below.to_string(), "*.crates.io");
}

#[test]
fn names_are_compared_as_they_are_looked_up() {
    assert_eq!(granted("Bücher.example").to_string(), "xn--bcher-kva.example");
    assert_eq!(granted("127.1:8080").to_string(), "127.0.0.1:8080");
    assert_eq!(granted("[::1]:8080").to_string(), "[::1]:8080");
    assert!(granted("[::1]:8080").covers("::1", 8080));
}

#[test]
fn what_is_no_host_is_refused() {
    for text in [
        "",
        "*",
        "*.com",
        "*.1.2.3.4",
        "a.*.example",
        "https://a.example",
        "a.example/x",
        "u@a.example",
        "a b",
        "a.example:",
        "a.example:x",
        "a.example:+443",
        "a.example:0",
        "a.example:99999",
        "a.example:1:2",
        "%61.example",
        "a;reboot.example",
        "$(x).example",
    ] {
        assert!(text.parse::<GrantedHost>().is_err(), "{text}");
    }
}

use super::*;

#[test]
fn an_address_is_read_in_its_parts() {
    let address = ServerAddress::parse(" HTTPS://me:se%20cret@Api.Example:8443/v1/a b?x=[1]&ü=2 ").unwrap();
    assert_eq!((address.scheme(), address.host(), address.port()), ("https", "api.example", 8443));
    assert_eq!(address.unusual_port(), Some(8443));
    assert_eq!((address.path(), address.query()), ("/v1/a%20b", Some("x=%5B1%5D&%C3%BC=2")));
    assert_eq!(address.login(), Some(("me", "se%20cret")));
    let plain = ServerAddress::parse("http://[::1]:80?q").unwrap();
    assert_eq!((plain.host(), plain.port(), plain.unusual_port()), ("[::1]", 80, None));
    assert_eq!((plain.path(), plain.query(), plain.login()), ("/", Some("q"), None));
}

#[test]
fn what_no_server_is_asked_by_is_refused() {
    for text in ["", "localhost:11434", "ftp://host/", "http://", "http:///v1", "http://h:99999/", "/v1"] {
        assert_eq!(ServerAddress::parse(text), None, "{text}");
    }
}

#[test]
fn a_name_of_other_letters_is_known_where_the_tables_are() {
    let known =
        ServerAddress::parse("http://a@bücher.test:8080/ü").map(|address| address.as_str().to_owned());
    let expected = cfg!(feature = "idna").then(|| "http://a@xn--bcher-kva.test:8080/%C3%BC".to_owned());
    assert_eq!(known, expected);
}

#[test]
fn locations_lead_from_where_they_were_said() {
    let here = ServerAddress::parse("https://a.example/models/file?old=1").unwrap();
    for (location, there) in [
        ("other", "https://a.example/models/other"),
        ("/x?y=1", "https://a.example/x?y=1"),
        ("../up", "https://a.example/up"),
        ("//b.example/z", "https://b.example/z"),
        ("http://c.example:8080/a b", "http://c.example:8080/a%20b"),
        ("?new=2", "https://a.example/models/file?new=2"),
    ] {
        assert_eq!(here.join(location).as_ref().map(ServerAddress::as_str), Some(there), "{location}");
    }
    assert_eq!(here.join("ftp://d.example/"), None);
}

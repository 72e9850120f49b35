use super::*;

#[test]
fn an_address_may_be_written_in_several_ways() {
    for (written, meant) in [
        ("http://127.0.0.1:4117/", "http://127.0.0.1:4117"),
        ("http://127.0.0.1:4117", "http://127.0.0.1:4117"),
        (" 127.0.0.1:9 ", "http://127.0.0.1:9"),
        ("box", "http://box:4117"),
        ("[::1]", "http://[::1]:4117"),
        ("[::1]:80", "http://[::1]:80"),
        ("box.lan/", "http://box.lan:4117"),
        ("HTTPS://box.example/windlass//", "https://box.example/windlass"),
        ("http://box", "http://box"),
        ("box/windlass", "http://box/windlass"),
    ] {
        assert_eq!(server(written).as_deref(), Ok(meant), "{written}");
    }
}

#[test]
fn what_is_no_address_is_told_without_its_password() {
    for wrong in
        ["", "http://", "http:///x", "ftp://user:hush@box", "http://user:hush@box/?a=b", "a b", "http://a#b"]
    {
        let told = server(wrong).unwrap_err().to_string();
        assert!(told.contains("http://127.0.0.1:4117") && !told.contains("hush"), "{told}");
    }
}

#[test]
fn a_piece_of_a_path_stays_one_piece() {
    let path = ApiPath::of(&["api", "sessions", "a/b ?é", ".."]).with("text", "a&b=c").with_some("x", None);
    assert_eq!(path.as_str(), "/api/sessions/a%2Fb%20%3F%C3%A9/%2E%2E?text=a%26b%3Dc");
    assert_eq!(ApiPath::of(&["a.b"]).with("a", "").with("b", "1").as_str(), "/a.b?a=&b=1");
}

#[test]
fn what_leaves_this_machine_is_told_from_what_stays() {
    for near in
        ["127.0.0.1:4117", "http://localhost", "https://127.8.9.1/x", "[::1]:9", "http://a.localhost:1/w"]
    {
        assert_eq!(reach_of(near).unwrap(), ServerReach::ThisMachine, "{near}");
    }
    for plain in [
        "box",
        "box:4117",
        "http://10.0.0.2",
        "HTTP://box.example/x",
        "http://127.0.0.1@box",
        "127.0.0.1.example",
        "0.0.0.0",
    ] {
        assert_eq!(reach_of(plain).unwrap(), ServerReach::Plain, "{plain}");
    }
    assert_eq!(reach_of("https://box.example").unwrap(), ServerReach::Encrypted);
    assert!(reach_of("ftp://box").is_err());
}

use super::*;

fn head(url: &str, fields: &[(&str, &str)], body: Option<&str>, forwarder: Option<&Proxy>) -> String {
    let mut all = HeaderFields::default();
    for (name, value) in fields {
        all.set(name, value).unwrap();
    }
    let method = if body.is_some() { Method::Post } else { Method::Get };
    let request = HttpRequest { url: ServerAddress::parse(url).unwrap(), fields: all, method };
    let mut head = request.head(forwarder);
    end_head(&mut head, body.map(str::as_bytes));
    String::from_utf8(head).unwrap()
}

#[test]
fn a_request_is_written_with_its_host_its_headers_and_its_length() {
    assert_eq!(
        head("http://models.test:8080/v1/x?a=b#c", &[("accept", "a/b")], Some("{}"), None),
        "POST /v1/x?a=b HTTP/1.1\r\nhost: models.test:8080\r\naccept: a/b\r\ncontent-length: 2\r\n\r\n"
    );
    assert_eq!(head("http://[::1]", &[], None, None), "GET / HTTP/1.1\r\nhost: [::1]\r\n\r\n");
    assert!(
        head("http://a.test/ü", &[], Some(""), None)
            .starts_with("POST /%C3%BC HTTP/1.1\r\nhost: a.test\r\ncontent-length: 0\r\n")
    );
}

#[test]
fn a_request_begins_with_its_method_and_says_how_long_its_body_is_if_it_has_one() {
    for (method, line, has_body) in [
        (Method::Get, "GET /x HTTP/1.1", false),
        (Method::Post, "POST /x HTTP/1.1", true),
        (Method::Patch, "PATCH /x HTTP/1.1", true),
        (Method::Delete, "DELETE /x HTTP/1.1", false),
    ] {
        let request = HttpRequest {
            url: ServerAddress::parse("http://a/x").unwrap(),
            fields: HeaderFields::default(),
            method,
        };
        let head = String::from_utf8(request.head(None)).unwrap();
        assert_eq!((head.lines().next(), method.has_body()), (Some(line), has_body));
    }
}

#[test]
fn a_header_stands_once_and_the_last_counts() {
    let sent = head("http://a", &[("accept", "a/b"), ("Accept", "c/d"), ("Host", "b")], None, None);
    assert_eq!(sent, "GET / HTTP/1.1\r\nAccept: c/d\r\nHost: b\r\n\r\n");
}

#[test]
fn a_header_cannot_become_two() {
    let mut fields = HeaderFields::default();
    for (name, value) in [
        ("a", "b\r\nc: d"),
        ("a", "b\nc"),
        ("a", "b\rc"),
        ("a", "b\0"),
        ("a", "ü"),
        ("a\r\nb", "c"),
        ("a b", "c"),
        ("a:", "c"),
        ("", "c"),
        ("ü", "c"),
        ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"),
        ("connection", "close"),
    ] {
        assert_eq!(fields.set(name, value), Err(BadField), "{name:?}: {value:?}");
    }
    assert!(fields.0.is_empty());
    assert_eq!(fields.set("x-y", "a\tb ~"), Ok(()));
}

#[test]
fn a_forwarder_gets_the_whole_address_and_its_password() {
    let proxy = Proxy { host: "p".into(), port: 1, authorization: Some("Basic eDp5".into()) };
    let sent = head("http://a:2/b", &[], None, Some(&proxy));
    assert_eq!(sent, "GET http://a:2/b HTTP/1.1\r\nhost: a:2\r\nproxy-authorization: Basic eDp5\r\n\r\n");
}

#[test]
fn the_login_of_an_address_goes_in_a_header_unless_there_is_one() {
    let sent = head("http://me:p%40ss%zz@a/", &[], None, None);
    assert_eq!(
        sent,
        format!("GET / HTTP/1.1\r\nhost: a\r\nauthorization: Basic {}\r\n\r\n", "bWU6cEBzcyV6eg==")
    );
    let sent = head("http://me:pass@a/", &[("Authorization", "Bearer k")], None, None);
    assert!(sent.contains("Bearer k") && !sent.contains("Basic"), "{sent}");
}

use super::*;

fn understood(head: &str) -> Result<Wish, ProxyRefusal> {
    understand(format!("{}\r\n\r\n", head.replace('\n', "\r\n")).as_bytes())
}

fn destination(head: &str) -> (String, u16) {
    match understood(head) {
        Ok(Wish::Tunnel(to) | Wish::Plain { to, .. }) => (to.host, to.port),
        Err(refusal) => panic!("{head}: {refusal}"),
    }
}

#[test]
fn a_tunnel_is_for_a_host_in_one_spelling() {
    for (target, host) in [
        ("a.example:443", "a.example"),
        ("A.Example.:443", "a.example"),
        ("127.1:443", "127.0.0.1"),
        ("2130706433:443", "127.0.0.1"),
        ("0x7f.0.0.1:443", "127.0.0.1"),
        ("0177.0.0.1:443", "127.0.0.1"),
        ("[::ffff:169.254.169.254]:443", "::ffff:a9fe:a9fe"),
        ("bücher.example:443", "xn--bcher-kva.example"),
    ] {
        assert_eq!(destination(&format!("CONNECT {target} HTTP/1.1")), (host.to_owned(), 443), "{target}");
    }
}

#[test]
fn what_two_readers_could_understand_differently_is_refused() {
    for head in [
        "CONNECT a.example HTTP/1.1",
        "CONNECT a.example: HTTP/1.1",
        "CONNECT u@a.example:443 HTTP/1.1",
        "CONNECT a.example:443/x HTTP/1.1",
        "CONNECT https://a.example:443 HTTP/1.1",
        "CONNECT a.example:443 b HTTP/1.1",
        "CONNECT a.example:443 HTTP/2",
        "GET / HTTP/1.1\nHost: a.example",
        "GET https://a.example/ HTTP/1.1\nHost: a.example",
        "GET http://u:p@a.example/ HTTP/1.1",
        "GET http://a.example/ HTTP/1.1\nHost: a.example\nHost: a.example",
        "GET http://a.example/ HTTP/1.1\n folded: x",
        "GET http://a.example/ HTTP/1.1\nbad name: x",
        "GET http://a.example/ HTTP/1.1\nno colon",
        "GET http://a.example/ HTTP/1.1\nx: a\0b",
        "GET http://a.example/ HTTP/1.1\nx: a\rb",
        "POST http://a.example/ HTTP/1.1\nTransfer-Encoding: chunked",
        "POST http://a.example/ HTTP/1.1\nContent-Length: 5\nContent-Length: 6",
        "POST http://a.example/ HTTP/1.1\nContent-Length: +5",
        "POST http://a.example/ HTTP/1.1\nContent-Length: 99999999999999999999",
    ] {
        let refused = understood(head);
        assert!(matches!(refused, Err(ProxyRefusal::Malformed(_))), "{head}: {refused:?}");
    }
}

#[test]
fn a_plain_request_names_one_host_and_is_written_anew() {
    let refused = understood("GET http://a.example/ HTTP/1.1\nHost: b.example");
    assert!(matches!(refused, Err(ProxyRefusal::OtherName { .. })), "{refused:?}");
    let head = "POST http://A.example:8080/p?q=1#f HTTP/1.1\nhost: a.example:8080\nConnection: keep-alive, X-Hop\n\
                X-Hop: 1\nProxy-Authorization: Basic x\nUpgrade: websocket\nContent-Length: 3\nX-Own: y";
    let Ok(Wish::Plain { to, head, body_bytes }) = understood(head) else { panic!("not understood") };
    assert_eq!((to.label().as_str(), body_bytes), ("a.example:8080", 3));
    assert_eq!(
        String::from_utf8(head).unwrap(),
        "POST /p?q=1 HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\nContent-Length: 3\r\nX-Own: y\r\n\r\n"
    );
}

#[tokio::test]
async fn a_head_is_read_to_its_end_and_no_further_than_its_bound() {
    let mut whole: &[u8] = b"CONNECT a:1 HTTP/1.1\r\n\r\nrest";
    let (head, rest) = read_head(&mut whole).await.unwrap().unwrap();
    assert_eq!((head.as_slice(), rest.as_slice()), (&b"CONNECT a:1 HTTP/1.1\r\n\r\n"[..], &b"rest"[..]));
    let mut half: &[u8] = b"CONNECT a:1 HTTP/1.1\r\n";
    assert_eq!(read_head(&mut half).await.unwrap(), None);
    let long = vec![b'x'; HEAD_BYTES_MAX * 2];
    assert!(read_head(&mut long.as_slice()).await.is_err());
}

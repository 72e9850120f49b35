use super::*;

fn headers(accept: &[&'static str]) -> HeaderMap {
    accept.iter().map(|value| (ACCEPT, HeaderValue::from_static(value))).collect()
}

#[test]
fn a_client_takes_what_it_says_or_all() {
    let json = "application/json";
    for takes in
        [&[][..], &["*/*"], &["application/*"], &["text/html, application/json;q=0.5"], &["text/html", json]]
    {
        assert!(accepts(&headers(takes), json), "{takes:?}");
    }
    for refuses in [&["text/html"][..], &["application/json;q=0"], &["text/*"]] {
        assert!(!accepts(&headers(refuses), json), "{refuses:?}");
    }
}

#[test]
fn a_stream_is_only_wanted_by_name() {
    assert!(wants(&headers(&["text/event-stream"]), "text/event-stream"));
    assert!(!wants(&headers(&["*/*"]), "text/event-stream"));
}

use super::*;

fn read(headers: &[(&str, &str)]) -> Result<WantedHeaders, ToolFailure> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    WantedHeaders::read(Some(headers.collect()))
}

#[test]
fn marks_are_found_and_filled_and_what_is_none_stays() {
    let wanted =
        read(&[("authorization", "Bearer {{secret:A}}"), ("x-both", "{{secret:B}}/{{secret:A}}")]).unwrap();
    assert_eq!(wanted.secrets(), ["A", "B"]);
    let values = BTreeMap::from([("A".to_owned(), Secret::new("aaa")), ("B".to_owned(), Secret::new("bbb"))]);
    assert_eq!(fill("{{secret:B}}/{{secret:A}}!", &values), "bbb/aaa!");
    for text in ["{{secret:C}}", "{{secret:A", "{secret:A}", "plain"] {
        assert_eq!(fill(text, &values), text);
    }
    assert!(has_mark("https://a/?k={{secret:A}}") && has_mark("https://a/?k=%7B%7bsecret%3AA%7D%7D"));
    assert!(!has_mark("https://a/?k=secret"));
}

#[test]
fn headers_that_would_change_the_request_itself_are_refused() {
    for (name, value) in
        [("Host", "b"), ("content-length", "3"), ("x", "a\r\ny: z"), ("x y", "a"), ("", "a"), ("x", "ü")]
    {
        assert!(read(&[(name, value)]).is_err(), "{name}: {value}");
    }
    let many: Vec<String> = (0..HEADERS_MAX + 1).map(|number| format!("x-{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "a")).collect();
    assert!(read(&many).is_err());
    assert!(WantedHeaders::read(None).is_ok());
}

use axum::http::HeaderValue;

use super::*;

const START: Millis = 1_000_000;

fn token() -> Secret {
    Secret::new("0123456789abcdef0123456789abcdef")
}

fn hash() -> TokenHash {
    hash_of(token().expose())
}

#[test]
fn a_code_works_once_soon_and_only_with_its_token() {
    let codes = UsedCodes::new(START);
    let code = sign_in_code(&token(), "n1", START + 5);
    assert!(codes.take(&hash_of("another token"), &code, START + 10).is_err());
    assert!(codes.take(&hash(), &code, START + 10).is_ok());
    assert!(codes.take(&hash(), &code, START + 11).is_err(), "a second time");
    let late = START + 6 + SIGN_IN_CODE_LIFETIME.as_millis() as Millis;
    let code = sign_in_code(&token(), "n2", START + 5);
    assert!(codes.take(&hash(), &code, late).is_err(), "too late");
    assert!(codes.take(&hash(), &code, START + 4).is_err(), "before it was issued");
    let before = sign_in_code(&token(), "n3", START - 1);
    assert!(codes.take(&hash(), &before, START).is_err(), "of before the server's start");
}

#[test]
fn a_code_that_was_changed_is_none() {
    let codes = UsedCodes::new(START);
    let code = sign_in_code(&token(), "n1", START);
    let (rest, mark) = code.rsplit_once('.').unwrap();
    let (issued, nonce) = rest.split_once('.').unwrap();
    for wrong in [
        String::new(),
        "..".to_owned(),
        rest.to_owned(),
        format!("{issued}.n2.{mark}"),
        format!("{:x}.{nonce}.{mark}", START + 1),
        format!("0{code}"),
        format!("{code}0"),
        format!("{code}.x"),
    ] {
        assert!(codes.take(&hash(), &wrong, START + 10).is_err(), "{wrong}");
    }
    assert!(codes.take(&hash(), &code, START + 10).is_ok(), "wrong ones use up nothing");
}

#[test]
fn what_is_remembered_of_codes_is_bounded_and_passes() {
    let codes = UsedCodes::new(START);
    for number in 0..SIGN_IN_CODES_MAX {
        let code = sign_in_code(&token(), &number.to_string(), START);
        assert!(codes.take(&hash(), &code, START).is_ok());
    }
    assert!(codes.take(&hash(), &sign_in_code(&token(), "more", START), START).is_err());
    let later = START + 1 + SIGN_IN_CODE_LIFETIME.as_millis() as Millis;
    assert!(codes.take(&hash(), &sign_in_code(&token(), "more", later), later).is_ok());
}

fn sent(cookie: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(cookie).unwrap())])
}

#[test]
fn a_cookie_is_strict_holds_for_its_time_and_for_its_token() {
    let written = write_cookie(&hash(), START, false);
    assert!(written.ends_with("; SameSite=Strict; HttpOnly"), "{written}");
    assert!(write_cookie(&hash(), START, true).ends_with("; Secure"));
    let cookie = written.split(';').next().unwrap();
    assert!(has_cookie(&hash(), &sent(&format!("theme=dark; {cookie}")), START));
    let end = START + COOKIE_LIFETIME.as_millis() as Millis;
    assert!(has_cookie(&hash(), &sent(cookie), end) && !has_cookie(&hash(), &sent(cookie), end + 1_000));
    assert!(!has_cookie(&hash_of("another token"), &sent(cookie), START));
    let (name, value) = cookie.split_once('=').unwrap();
    let (ends, mark) = value.split_once('.').unwrap();
    for wrong in [
        format!("{name}={ends}f.{mark}"),
        format!("{name}={ends}."),
        format!("{name}={mark}"),
        format!("other={value}"),
        String::new(),
    ] {
        assert!(!has_cookie(&hash(), &sent(&wrong), START), "{wrong}");
    }
}

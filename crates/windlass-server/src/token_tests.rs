use axum::http::HeaderValue;

use super::*;

fn headers(value: Option<&str>) -> HeaderMap {
    value.map(|value| (header::AUTHORIZATION, HeaderValue::from_str(value).unwrap())).into_iter().collect()
}

fn is_let_in(config: &ServerConfig, value: Option<&str>) -> bool {
    TokenCheck::new(config, 0).check(&headers(value), 0).is_ok()
}

#[test]
fn on_this_machine_no_token_is_needed_unless_there_is_one() {
    assert!(is_let_in(&ServerConfig::default(), None));
    let guarded = ServerConfig { token: Some("open sesame".into()), ..ServerConfig::default() };
    assert!(!is_let_in(&guarded, None));
    assert!(is_let_in(&guarded, Some("Bearer open sesame")));
}

#[test]
fn an_open_address_needs_the_right_token() {
    let address = "0.0.0.0:4117".parse().unwrap();
    let refusal = ServerConfig::for_address(address, None).unwrap_err().to_string();
    assert!(refusal.contains("leave out --no-token"), "{refusal}");
    assert!(ServerConfig::for_address(address, Some("".into())).is_err());
    let open = ServerConfig::for_address(address, Some("right".into())).unwrap();
    assert!(is_let_in(&open, Some("bearer right")));
    for wrong in [
        None,
        Some("Bearer wrong"),
        Some("Bearer "),
        Some("Basic right"),
        Some("right"),
        Some("Bearer rightx"),
    ] {
        assert!(!is_let_in(&open, wrong), "{wrong:?}");
    }
    let unset = ServerConfig { is_loopback: false, ..ServerConfig::default() };
    assert!(!is_let_in(&unset, Some("Bearer ")));
}

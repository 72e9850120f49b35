use super::*;

#[test]
fn an_address_that_stands_for_all_is_opened_on_this_machine() {
    let url = |address: &str| url_of(address.parse().unwrap(), false);
    assert_eq!(url("127.0.0.1:4117"), "http://127.0.0.1:4117/");
    assert_eq!(url("0.0.0.0:80"), "http://127.0.0.1:80/");
    assert_eq!(url("[::]:80"), "http://[::1]:80/");
    assert_eq!(url("192.168.1.5:80"), "http://192.168.1.5:80/");
    assert_eq!(url_of("192.168.1.5:80".parse().unwrap(), true), "https://192.168.1.5:80/");
}

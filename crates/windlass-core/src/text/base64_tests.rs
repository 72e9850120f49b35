use super::{decode, encode};

#[test]
fn the_examples_of_the_standard_go_both_ways() {
    for (plain, coded) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(encode(plain.as_bytes()), coded);
        assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()), "{coded}");
    }
    assert_eq!(encode(&[0xfb, 0xff]), "+/8=");
    assert_eq!(decode("Zh==").as_deref(), Some(&b"f"[..]), "bits behind the last byte");
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(&encode(&all)), Some(all));
    assert_eq!(decode("Zm9v\nYmFy\r\n").as_deref(), Some(&b"foobar"[..]));
}

#[test]
fn what_is_no_base64_is_nothing() {
    for wrong in ["Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Z-9v", "Zm9v!", "=Zg="] {
        assert_eq!(decode(wrong), None, "{wrong}");
    }
}

use proptest::prelude::*;

use super::*;

fn is_kept(text: &str) -> bool {
    matches!(read_number(text), Some(ReadNumber::Exact(_)))
}

#[test]
fn what_comes_out_as_it_went_in_is_exact() {
    for text in [
        "0",
        "-0",
        "-0.0",
        "0.0",
        "0e5",
        "1",
        "-1",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "0.10",
        "1e2",
        "1E+2",
        "1.5e-7",
        "100.0",
        "1e20",
        "1e23",
        "123456789012345680000.0",
        "0.30000000000000004",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "0.000001",
        "1514222837227805.2",
    ] {
        assert!(is_kept(text), "{text}");
    }
}

#[test]
fn what_would_be_rounded_is_not() {
    for text in [
        "18446744073709551616",
        "-9223372036854775809",
        "100000000000000000000",
        "9007199254740993.0",
        "3.14159265358979323846",
        "1514222837227805.3",
        "0.1000000000000000055511151231257827",
        "1e-400",
        "-1e-400",
        "1.00000000000000000001",
    ] {
        assert!(matches!(read_number(text), Some(ReadNumber::Rounded(_))), "{text}");
    }
    for text in ["", "-", "01", "1.", "1e999", "+1", "0x1"] {
        assert_eq!(read_number(text), None, "{text}");
    }
}

#[test]
fn zero_keeps_its_sign() {
    let Some(ReadNumber::Exact(zero)) = read_number("-0") else { panic!("refused") };
    assert_eq!(zero.to_string(), "-0.0");
}

proptest! {
    #[test]
    fn every_number_that_can_be_kept_is_exact_as_it_is_written(number in any::<f64>(), whole in any::<i64>()) {
        if let Some(number) = Number::from_f64(number) {
            prop_assert_eq!(read_number(&number.to_string()), Some(ReadNumber::Exact(number)));
        }
        prop_assert_eq!(read_number(&whole.to_string()), Some(ReadNumber::Exact(whole.into())));
    }

    #[test]
    fn an_exact_number_has_the_digits_that_were_written(text in "-?[1-9][0-9]{0,25}(\\.[0-9]{1,25})?(e-?[0-9]{1,2})?") {
        if let Some(ReadNumber::Exact(number)) = read_number(&text) {
            prop_assert_eq!(digits_of(&number.to_string()), digits_of(&text));
        }
    }
}

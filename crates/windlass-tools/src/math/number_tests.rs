use proptest::prelude::*;

use super::*;

fn number(text: &str) -> Number {
    let (digits, places) = match text.split_once('.') {
        Some((whole, fraction)) => (format!("{whole}{fraction}"), fraction.len() as i64),
        None => (text.to_owned(), 0),
    };
    let magnitude = Number::literal(digits.trim_start_matches('-'), -places).unwrap();
    if text.starts_with('-') { magnitude.negate() } else { magnitude }
}

fn text(result: Result<Number, NumberFault>) -> String {
    result.map_or_else(|fault| fault.to_string(), |number| number.write().text)
}

#[test]
fn ending_fractions_are_written_exactly() {
    for (a, b, quotient) in [
        ("1", "8", "0.125"),
        ("-1", "8", "-0.125"),
        ("10", "4", "2.5"),
        ("1", "1024", "0.0009765625"),
        ("6", "3", "2"),
        ("0", "7", "0"),
    ] {
        assert_eq!(text(number(a).divide(&number(b))), quotient);
        assert!(number(a).divide(&number(b)).unwrap().write().is_exact);
    }
}

#[test]
fn endless_fractions_are_rounded_to_34_digits_and_say_so() {
    let third = number("1").divide(&number("3")).unwrap().write();
    assert_eq!(third.text, format!("0.{}", "3".repeat(34)));
    assert!(!third.is_exact);
    assert_eq!(text(number("2").divide(&number("3"))), format!("0.{}7", "6".repeat(33)));
    let nines = Number::literal(&"9".repeat(40), 0)
        .unwrap()
        .divide(&number("3.0000000000000000000000000000000000000003"));
    assert!(!nines.unwrap().write().is_exact);
}

#[test]
fn far_from_one_is_written_with_a_power_of_ten() {
    let tiny = number("1").divide(&Number::literal("3", 20).unwrap());
    assert_eq!(text(tiny), format!("3.{}e-21", "3".repeat(33)));
    let huge = Number::literal("1", 40).unwrap().divide(&number("3"));
    assert_eq!(text(huge), format!("3.{}e39", "3".repeat(33)));
}

#[test]
fn rounding_up_to_the_next_power_of_ten_moves_the_point() {
    let almost = number("1").subtract(&Number::literal("1", -50).unwrap()).unwrap();
    assert_eq!(rounded_text(&almost.value), "1");
    let almost_ten = number("10").subtract(&Number::literal("1", -50).unwrap()).unwrap();
    assert_eq!(rounded_text(&almost_ten.value), "10");
}

#[test]
fn roots_are_exact_where_they_can_be() {
    assert_eq!(number("2.25").sqrt().unwrap(), number("1.5"));
    assert_eq!(text(number("8").power(&number("1").divide(&number("3")).unwrap())), "2");
    let root = number("2").sqrt().unwrap().write();
    assert_eq!(root.text, "1.414213562373095048801688724209698");
    assert!(!root.is_exact);
    assert_eq!(number("-4").sqrt(), Err(NumberFault::NotReal));
    assert_eq!(text(Number::literal("2", -60).unwrap().sqrt()), "1.414213562373095048801688724209698e-30");
}

#[test]
fn size_is_checked_before_work_is_done() {
    let nine = number("9");
    let large = nine.power(&nine).unwrap();
    assert_eq!(nine.power(&large), Err(NumberFault::TooLarge));
    assert_eq!(number("2").power(&Number::literal("1", 4_000).unwrap()), Err(NumberFault::TooLarge));
    assert_eq!(number("0.5").power(&Number::literal("1", 9).unwrap()), Err(NumberFault::TooLarge));
    assert_eq!(Number::literal("1", 100_000), Err(NumberFault::TooLarge));
    assert_eq!(Number::literal("1", i64::MIN + 1), Err(NumberFault::TooLarge));
    for (base, power) in [("1", "1"), ("-1", "1"), ("0", "0")] {
        assert_eq!(text(number(base).power(&Number::literal("1", 4_000).unwrap())), power);
    }
}

#[test]
fn powers_of_rounded_values_stay_small() {
    let root = number("2").sqrt().unwrap();
    let power = root.power(&Number::literal("2000", 0).unwrap()).unwrap().write();
    assert!(power.text.starts_with("1.0715086071862673209484250490600"), "{}", power.text);
    assert!(power.text.ends_with("e301"));
    assert!(root.power(&Number::literal("1", 9).unwrap()).is_err());
}

#[test]
fn an_exponent_that_is_no_simple_fraction_is_refused() {
    assert_eq!(number("2").power(&number("0.001")), Err(NumberFault::Exponent));
    assert_eq!(number("2").power(&number("2").sqrt().unwrap()), Err(NumberFault::Exponent));
}

proptest! {
    #[test]
    fn division_down_and_remainder_fit_together(a in -10_000i64..10_000, b in -100i64..100) {
        prop_assume!(b != 0);
        let (x, y) = (number(&a.to_string()), number(&b.to_string()));
        prop_assert_eq!(x.divide_down(&y).unwrap().to_i64(), Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)));
        let back = y.multiply(&x.divide_down(&y).unwrap()).unwrap().add(&x.remainder(&y).unwrap()).unwrap();
        prop_assert_eq!(back.to_i64(), Some(a));
    }

    #[test]
    fn integers_are_exact_beyond_what_a_float_holds(a in any::<i64>(), b in any::<i64>()) {
        let product = number(&a.to_string()).multiply(&number(&b.to_string()));
        prop_assert_eq!(text(product), (i128::from(a) * i128::from(b)).to_string());
    }

    #[test]
    fn what_is_written_exactly_reads_back_the_same(digits in "[1-9][0-9]{0,20}", places in 0i64..30) {
        let value = Number::literal(&digits, -places).unwrap();
        let written = value.write();
        prop_assert!(written.is_exact);
        prop_assert_eq!(number(&written.text), value);
    }
}

use super::*;

fn result(expression: &str) -> Value {
    calculate(expression).unwrap().json["result"].clone()
}

#[test]
fn s_21_integers_stay_integers_and_exact() {
    assert_eq!(result("25 * 17 + 89"), json!(514));
    assert_eq!(calculate("25 * 17 + 89").unwrap().readable(), "514");
    assert_eq!(result("2**53"), json!(9_007_199_254_740_992_i64));
    assert_eq!(result("2**53 + 1"), json!("9007199254740993"));
    assert_eq!(result("-2**63"), json!("-9223372036854775808"));
}

#[test]
fn decimals_are_numbers_where_no_digit_is_lost() {
    assert_eq!(result("0.1 + 0.2"), json!(0.3));
    assert_eq!(result("1 / 3"), json!(format!("0.{}", "3".repeat(34))));
    assert_eq!(result("1.10"), json!(1.1));
    assert_eq!(calculate("1 / 3").unwrap().json["is_exact"], json!(false));
}

#[test]
fn division_by_zero_says_just_that_and_the_hint_says_where() {
    let failure = calculate("1 + 2 / (3 - 3)").unwrap_err();
    assert_eq!(failure.message, "Division by zero");
    assert_eq!(failure.field.as_deref(), Some("expression"));
    assert_eq!(failure.hint.as_deref(), Some("Look at column 7 of the expression."));
}

#[test]
fn s_21_the_calculator_is_a_hidden_pure_utility() {
    let port = crate::typed::port(Calculate);
    let spec = port.spec();
    assert_eq!((spec.category, spec.visibility), (Category::Utility, Visibility::Hidden));
    assert_eq!((spec.effects, spec.risk), (Effects::Pure, Risk::Safe));
}

#[test]
fn expressions_can_be_compared_by_their_value() {
    assert_eq!(value_of("20 / 100 * 64"), Some(12.8));
    assert_eq!(value_of("2 ** 10"), Some(1024.0));
    assert_eq!(value_of("twelve"), None);
    assert_eq!(value_of("1 / 0"), None);
}

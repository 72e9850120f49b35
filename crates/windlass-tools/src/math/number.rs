//! Exact numbers of bounded size, and how they are written.
//!
//! Owns arithmetic on fractions of big integers. Every operation either gives the exact value, a value
//! that knows it is rounded, or a fault; none takes long, because size is bounded before work is done.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

/// Most bits of a numerator or denominator, about 4,900 digits: enough for any honest sum, and the
/// slowest operation on two such numbers still takes well under a millisecond.
pub(crate) const BITS_MAX: u64 = 16_384;
/// Digits that rounded values are computed with.
const WORK_DIGITS: u32 = 60;
/// Digits that rounded values are shown with, those of a decimal128.
const SHOWN_DIGITS: usize = 34;
/// Most digits after the point that are shown exactly.
const EXACT_PLACES_MAX: u64 = 400;
/// Finest root that is taken.
const ROOT_MAX: u32 = 64;
/// Largest power of ten in a literal.
const TENS_MAX: i64 = 5_000;

/// Why a number cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NumberFault {
    #[error("Division by zero")]
    DivisionByZero,
    #[error("The number would be too large: more than {BITS_MAX} bits, about 4900 digits")]
    TooLarge,
    #[error("The root of a negative number is not a real number")]
    NotReal,
    #[error("The exponent must be a whole number or a simple fraction such as 0.5 or 1/3")]
    Exponent,
    #[error("The number of places must be a whole number from -400 to 400")]
    Places,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    value: BigRational,
    is_exact: bool,
}

/// A number in writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenNumber {
    pub(crate) text: String,
    /// Whether they are the whole value.
    pub(crate) is_exact: bool,
}

impl Number {
    /// The value of `digits` (a point already taken out of them) times ten to the power of `tens`.
    pub(crate) fn literal(digits: &str, tens: i64) -> Result<Self, NumberFault> {
        if tens.abs() > TENS_MAX {
            return Err(NumberFault::TooLarge);
        }
        let digits = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        let scale = power_of_ten(tens.unsigned_abs());
        let value = match tens < 0 {
            true => BigRational::new(digits, scale),
            false => BigRational::from_integer(digits * scale),
        };
        Self::exact(value).settled()
    }

    fn exact(value: BigRational) -> Self {
        Self { value, is_exact: true }
    }

    /// Bounds what an operation gave: too large is a fault, and a rounded value keeps only the digits
    /// that mean something.
    fn settled(self) -> Result<Self, NumberFault> {
        let number = if self.is_exact { self } else { self.rounded_to_work_digits() };
        if number.value.numer().bits() > BITS_MAX || number.value.denom().bits() > BITS_MAX {
            return Err(NumberFault::TooLarge);
        }
        Ok(number)
    }

    fn rounded_to_work_digits(self) -> Self {
        if self.value.is_zero() {
            return self;
        }
        let places = i64::from(WORK_DIGITS) - 1 - magnitude(&self.value);
        Self { value: round_to_places(&self.value, places), is_exact: false }
    }

    fn combined(&self, other: &Self, value: BigRational) -> Result<Self, NumberFault> {
        Self { value, is_exact: self.is_exact && other.is_exact }.settled()
    }

    pub(crate) fn add(&self, other: &Self) -> Result<Self, NumberFault> {
        self.combined(other, &self.value + &other.value)
    }

    pub(crate) fn subtract(&self, other: &Self) -> Result<Self, NumberFault> {
        self.combined(other, &self.value - &other.value)
    }

    pub(crate) fn multiply(&self, other: &Self) -> Result<Self, NumberFault> {
        self.combined(other, &self.value * &other.value)
    }

    pub(crate) fn divide(&self, other: &Self) -> Result<Self, NumberFault> {
        if other.value.is_zero() {
            return Err(NumberFault::DivisionByZero);
        }
        self.combined(other, &self.value / &other.value)
    }

    /// The quotient rounded down, as `//` does.
    pub(crate) fn divide_down(&self, other: &Self) -> Result<Self, NumberFault> {
        Ok(self.divide(other)?.floor())
    }

    /// What is left of `//`; has the sign of the divisor.
    pub(crate) fn remainder(&self, other: &Self) -> Result<Self, NumberFault> {
        self.subtract(&other.multiply(&self.divide_down(other)?)?)
    }

    pub(crate) fn negate(&self) -> Self {
        Self { value: -&self.value, is_exact: self.is_exact }
    }

    pub(crate) fn abs(&self) -> Self {
        Self { value: self.value.abs(), is_exact: self.is_exact }
    }

    pub(crate) fn floor(&self) -> Self {
        Self { value: self.value.floor(), is_exact: self.is_exact }
    }

    pub(crate) fn ceil(&self) -> Self {
        Self { value: self.value.ceil(), is_exact: self.is_exact }
    }

    /// Rounds to decimal places, halves away from zero.
    pub(crate) fn round(&self, places: &Self) -> Result<Self, NumberFault> {
        let places = Some(&places.value).filter(|places| places.is_integer()).and_then(|p| p.to_i64());
        let places = places.filter(|places| (-400..=400).contains(places)).ok_or(NumberFault::Places)?;
        Self { value: round_to_places(&self.value, places), is_exact: self.is_exact }.settled()
    }

    /// The smaller of two.
    pub(crate) fn min(self, other: Self) -> Self {
        if other.value < self.value { other } else { self }
    }

    /// The larger of two.
    pub(crate) fn max(self, other: Self) -> Self {
        if other.value > self.value { other } else { self }
    }

    pub(crate) fn sqrt(&self) -> Result<Self, NumberFault> {
        self.root(2)
    }

    /// A whole power, or a root when the exponent is a simple fraction.
    pub(crate) fn power(&self, exponent: &Self) -> Result<Self, NumberFault> {
        let degree = exponent.value.denom().to_u32().filter(|degree| *degree <= ROOT_MAX);
        let degree = degree.filter(|_| exponent.is_exact).ok_or(NumberFault::Exponent)?;
        let base = if degree == 1 { self.clone() } else { self.root(degree)? };
        base.whole_power(exponent.value.numer())
    }

    fn whole_power(&self, exponent: &BigInt) -> Result<Self, NumberFault> {
        if exponent.is_negative() {
            let one = Self::exact(BigRational::one());
            return one.divide(&self.whole_power(&-exponent)?);
        }
        // Before the size is looked at: these grow with no exponent, however large.
        if exponent.is_zero() || self.value.is_one() {
            return Ok(Self { value: BigRational::one(), is_exact: self.is_exact });
        }
        if self.value.is_zero() {
            return Ok(self.clone());
        }
        if (-&self.value).is_one() {
            return Ok(if exponent.bit(0) { self.clone() } else { self.negate() });
        }
        // Checked before anything is computed: 9**9**9 has 370 million digits.
        let bits = self.value.numer().bits().max(self.value.denom().bits());
        let exponent = exponent.to_u64().ok_or(NumberFault::TooLarge)?;
        if (bits - 1).checked_mul(exponent).is_none_or(|least| least > BITS_MAX) {
            return self.rounded_power(exponent);
        }
        Self { value: Pow::pow(&self.value, exponent), is_exact: self.is_exact }.settled()
    }

    /// The power of a value that is rounded anyway, by squaring with rounding in between.
    fn rounded_power(&self, mut exponent: u64) -> Result<Self, NumberFault> {
        if self.is_exact {
            return Err(NumberFault::TooLarge);
        }
        let mut product = Self { value: BigRational::one(), is_exact: false };
        let mut square = self.clone();
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = product.multiply(&square)?;
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.multiply(&square)?;
            }
        }
        Ok(product)
    }

    fn root(&self, degree: u32) -> Result<Self, NumberFault> {
        if self.value.is_negative() {
            return Err(NumberFault::NotReal);
        }
        // Tried first: the root of 16 is 4, and nothing less exact.
        let exact =
            BigRational::new(self.value.numer().nth_root(degree), self.value.denom().nth_root(degree));
        if Pow::pow(&exact, degree) == self.value {
            return Ok(Self { value: exact, is_exact: self.is_exact });
        }
        // The root of the value shifted by a multiple of the degree has the digits that are wanted.
        let shift = i64::from(WORK_DIGITS) - magnitude(&self.value) / i64::from(degree);
        let scale = scale_by_tens(&self.value, shift * i64::from(degree));
        let root = BigRational::from_integer(scale.to_integer().nth_root(degree));
        Self { value: scale_by_tens(&root, -shift), is_exact: false }.settled()
    }

    /// The value as a machine integer.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        if self.is_exact && self.value.is_integer() { self.value.to_i64() } else { None }
    }

    /// Writes the number: exactly where it ends after a bounded number of digits, else rounded.
    pub(crate) fn write(&self) -> WrittenNumber {
        if self.value.is_integer() && self.is_exact {
            return WrittenNumber { text: self.value.numer().to_string(), is_exact: true };
        }
        match places_of(self.value.denom()).filter(|_| self.is_exact) {
            Some(places) => WrittenNumber { text: with_point(&self.value, places), is_exact: true },
            None => WrittenNumber { text: rounded_text(&self.value), is_exact: false },
        }
    }
}

fn power_of_ten(tens: u64) -> BigInt {
    Pow::pow(BigInt::from(10), tens)
}

fn scale_by_tens(value: &BigRational, tens: i64) -> BigRational {
    let scale = power_of_ten(tens.unsigned_abs());
    if tens < 0 { value / scale } else { value * scale }
}

fn round_to_places(value: &BigRational, places: i64) -> BigRational {
    scale_by_tens(&scale_by_tens(value, places).round(), -places)
}

/// The power of ten of the first digit: 0 for 7, 2 for 512, -1 for 0.3.
fn magnitude(value: &BigRational) -> i64 {
    if value.is_zero() {
        return 0;
    }
    let digits = |number: &BigInt| number.abs().to_string().len() as i64;
    let estimate = digits(value.numer()) - digits(value.denom());
    // The quotient of the first digits decides between two neighbours.
    if scale_by_tens(&value.abs(), -estimate) < BigRational::one() { estimate - 1 } else { estimate }
}

/// How many digits after the point a fraction with this denominator has, if it ends.
fn places_of(denominator: &BigInt) -> Option<u64> {
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let mut rest = denominator >> twos;
    let mut fives = 0;
    let five = BigInt::from(5);
    while fives <= EXACT_PLACES_MAX && (&rest % &five).is_zero() {
        rest /= &five;
        fives += 1;
    }
    let places = twos.max(fives);
    (rest.is_one() && places <= EXACT_PLACES_MAX).then_some(places)
}

fn with_point(value: &BigRational, places: u64) -> String {
    let scaled = (value * power_of_ten(places)).to_integer();
    let sign = if scaled.is_negative() { "-" } else { "" };
    let width = places as usize + 1;
    let digits = format!("{:0>width$}", scaled.abs().to_string());
    let (whole, fraction) = digits.split_at(digits.len() - places as usize);
    format!("{sign}{whole}.{fraction}")
}

fn rounded_text(value: &BigRational) -> String {
    if value.is_zero() {
        return "0".into();
    }
    let shown = SHOWN_DIGITS as i64;
    let first = magnitude(value);
    let rounded = round_to_places(value, shown - 1 - first);
    // Rounding 9.99… up moves the first digit.
    let first = magnitude(&rounded);
    if (-7..shown).contains(&first) {
        return match places_of(rounded.denom()) {
            Some(0) | None => rounded.to_integer().to_string(),
            Some(places) => with_point(&rounded, places),
        };
    }
    let mantissa = scale_by_tens(&rounded, -first);
    let places = places_of(mantissa.denom()).unwrap_or(0);
    let digits = if places == 0 { mantissa.to_integer().to_string() } else { with_point(&mantissa, places) };
    format!("{digits}e{first}")
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;

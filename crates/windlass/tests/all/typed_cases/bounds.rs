//! Plain values, lists, maps and bounds.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI16, NonZeroU8, NonZeroU32};

use serde_json::Value;

use super::{Case, cases, shapes};

/// A record whose one field is bounded by an attribute.
macro_rules! bounded {
    ($($name:ident: $kind:ty, #[$($bound:tt)*], [$($right:tt),+];)*) => {
        shapes! { $(struct $name { #[$($bound)*] field: $kind })* }
        fn bounded() -> Vec<Case> {
            cases! { $($name: [$({"field": $right}),+];)* }
        }
    };
}

bounded! {
    Percent: u8, #[schemars(range(min = 1, max = 100))], [1, 100];
    Below: i32, #[schemars(range(max = -5))], [(-5)];
    Above: i64, #[schemars(range(min = 1000))], [1000];
    Share: f64, #[schemars(range(min = 0.0, max = 1.0))], [0.5, 0];
    Heat: f32, #[schemars(range(min = -273.0))], [21.5];
    Short: String, #[schemars(length(max = 5))], ["abc", "żółw"];
    Long: String, #[schemars(length(min = 3))], ["abcd"];
    Exact: String, #[schemars(length(equal = 4))], ["abcd"];
    Country: String, #[schemars(regex(pattern = r"^[A-Z]{2}$"))], ["DE"];
    Plate: String, #[schemars(regex(pattern = r"^[A-Z]{3}-\d{2}$"))], ["ABC-12"];
    Colour: String, #[schemars(regex(pattern = r"^#[0-9a-f]{6}$"))], ["#00ff7f"];
    Umlaut: String, #[schemars(regex(pattern = r"^[a-zäöü]+$"))], ["grün"];
    Mail: String, #[schemars(email)], ["ada@example.org"];
    Link: String, #[schemars(url)], ["https://example.org/a"];
    Few: Vec<u8>, #[schemars(length(min = 1, max = 3))], [[1], [1, 2, 3]];
    Pair: Vec<String>, #[schemars(length(equal = 2))], [["a", "b"]];
    Inner: Vec<i16>, #[schemars(inner(range(min = 0, max = 9)))], [[0, 9], []];
    Words: Vec<String>, #[schemars(inner(length(min = 1)))], [["a"]];
    Even: i64, #[schemars(extend("multipleOf" = 2))], [4, (-2)];
    Open: f64, #[schemars(extend("exclusiveMinimum" = 0))], [0.5];
    Unique: Vec<u32>, #[schemars(extend("uniqueItems" = true))], [[1, 2]];
    Word: String, #[schemars(extend("enum" = ["red", "green"]))], ["red"];
    Fixed: String, #[schemars(extend("const" = "v1"))], ["v1"];
    NotEmpty: BTreeMap<String, u8>, #[schemars(extend("minProperties" = 1))], [{"a": 1}];
    Narrow: BTreeMap<String, u8>, #[schemars(extend("maxProperties" = 1))], [{"a": 1}, {}];
    OneZero: Vec<u8>, #[schemars(extend("contains" = {"const": 0}))], [[1, 0]];
    NotSeven: u8, #[schemars(extend("not" = {"const": 7}))], [8];
    BothWays: i16, #[schemars(range(min = -10, max = 10))], [(-10), 10];
    Rest: Option<u8>, #[schemars(range(max = 9))], [9, null];
    Code: Option<String>, #[schemars(length(equal = 4))], ["abcd", null];
}

/// The same type under several roofs.
macro_rules! roofs {
    ($($kind:ty: $right:tt;)*) => {
        cases! { $(
            $kind: [$right];
            Vec<$kind>: [[$right], []];
            Option<$kind>: [$right, null];
            BTreeMap<String, $kind>: [{"a": $right}, {}];
            ($kind, bool): [[$right, true]];
        )* }
    };
}

pub(super) fn cases() -> Vec<Case> {
    let mut all = bounded();
    all.extend(roofs! {
        u8: 255; u16: 65_535; u32: 4_294_967_295_u32; u64: 7; i8: (-128); i16: (-5); i32: 70_000; i64: (-9);
        f64: 1.5; bool: true; String: "żółw";
    });
    all.extend(cases! {
        f32: [0.5];
        usize: [3];
        isize: [(-3)];
        char: ["ż"];
        NonZeroU8: [1];
        NonZeroU32: [1];
        NonZeroI16: [(-1)];
        (): [null];
        IpAddr: ["127.0.0.1", "::1"];
        Ipv4Addr: ["10.0.0.7"];
        Ipv6Addr: ["::1"];
        BTreeSet<u8>: [[1, 2]];
        BTreeSet<String>: [["a"]];
        BTreeMap<i32, bool>: [{"-4": true}];
        BTreeMap<u8, String>: [{"4": "a"}];
        [u8; 2]: [[1, 2]];
        [f64; 3]: [[1.5, 2, 3]];
        [String; 1]: [["a"]];
        (u8, String): [[1, "a"]];
        (i8, i8, i8): [[1, 2, (-3)]];
        ((u8, u8), (String,)): [[[1, 2], ["a"]]];
        Vec<Vec<u8>>: [[[1], []]];
        Vec<Option<i32>>: [[1, null]];
        Vec<(String, u8)>: [[["a", 1]]];
        BTreeMap<String, BTreeMap<String, u8>>: [{"a": {"b": 1}}];
        BTreeMap<String, Vec<String>>: [{"a": ["b"]}];
        BTreeMap<String, Value>: [{"a": [1, null]}];
        Value: [{"a": 1}, 7];
        Vec<Value>: [[1, "a"]];
        Result<u8, String>: [{"Ok": 1}, {"Err": "a"}];
    });
    all
}

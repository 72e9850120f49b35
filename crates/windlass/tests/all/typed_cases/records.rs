//! Records: nested, renamed, with defaults, flattened, closed, recursive.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Case, cases, shapes};

shapes! {
    struct Empty {}
    struct Unit;
    struct Newtype(u16);
    struct Two(u8, String);
    struct Point { x: i32, y: i32 }
    #[serde(deny_unknown_fields)]
    struct Closed { x: i32 }
    #[serde(deny_unknown_fields)]
    struct ClosedTwo { name: String, tags: Vec<String> }
    struct Maybe { name: Option<String> }
    struct Defaulted { #[serde(default)] count: u32, name: String }
    #[serde(default)]
    struct AllDefault { count: u32, name: String }
    #[serde(rename_all = "camelCase")]
    struct Camel { first_name: String, last_name: String }
    #[serde(rename_all = "SCREAMING-KEBAB-CASE")]
    struct Kebab { first_name: String }
    struct Renamed { #[serde(rename = "type")] kind: String, #[serde(rename = "größe 📏")] size: f64 }
    struct Unicode { żółw: u8, 名前: String }
    struct Nested { point: Point, closed: Closed }
    struct Deep { nested: Nested, more: Vec<Nested> }
    struct ManyPoints { points: Vec<Point>, named: BTreeMap<String, Point> }
    struct MaybePoint { point: Option<Point> }
    struct Boxed { point: Box<Point> }
    struct Flat { #[serde(flatten)] point: Point, name: String }
    struct FlatTwo { #[serde(flatten)] point: Point, #[serde(flatten)] maybe: Maybe }
    struct FlatMap { id: u8, #[serde(flatten)] rest: BTreeMap<String, i64> }
    struct Quoted { #[serde(rename = "a\"b\\c/d~e")] odd: bool }
    struct Tree { label: String, children: Vec<Tree> }
    struct Chain { number: u32, next: Option<Box<Chain>> }
    struct Ping { pong: Option<Box<Pong>> }
    struct Pong { ping: Vec<Ping> }
    struct Graph { nodes: BTreeMap<String, Vec<String>>, root: String }
    struct Free { known: u8, any: Value }
    struct Widths { a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64 }
    struct Numbers { a: f32, b: f64, c: Option<f64> }
    struct Tuples { pair: (u8, String), line: [i32; 2], list: Vec<(u8, u8)> }
    /// An invoice, as people write them.
    struct Invoice { #[schemars(regex(pattern = r"^[A-Z]{3}-\d{2}$"))] number: String, lines: Vec<Line>, paid: Option<bool> }
    #[serde(deny_unknown_fields)]
    struct Line { text: String, #[schemars(range(min = 1, max = 99))] count: u8, cents: u32 }
    struct Value1 { value: u8 }
    struct ValueList { value: Vec<u8> }
    #[serde(transparent)]
    struct Clear { inner: Vec<Vec<bool>> }
    struct Generic<T> { held: T, twice: Vec<T> }
    struct Described {
        /// What it is called; never empty.
        #[schemars(length(min = 1))]
        name: String,
        /// In metres.
        height: f64,
    }
}

impl Default for AllDefault {
    fn default() -> Self {
        Self { count: 3, name: "a".to_owned() }
    }
}

pub(super) fn cases() -> Vec<Case> {
    cases! {
        Empty: [{}];
        Newtype: [7];
        Two: [[1, "a"]];
        Point: [{"x": 1, "y": -2}];
        Closed: [{"x": 1}];
        ClosedTwo: [{"name": "a", "tags": ["b"]}];
        Maybe: [{"name": "a"}, {"name": null}, {}];
        Defaulted: [{"name": "a"}, {"name": "a", "count": 2}];
        AllDefault: [{"name": "b"}, {}];
        Camel: [{"firstName": "a", "lastName": "b"}];
        Kebab: [{"FIRST-NAME": "a"}];
        Renamed: [{"type": "a", "größe 📏": 1.5}];
        Unicode: [{"żółw": 1, "名前": "a"}];
        Nested: [{"point": {"x": 1, "y": 2}, "closed": {"x": 3}}];
        Deep: [{"nested": {"point": {"x": 1, "y": 2}, "closed": {"x": 3}}, "more": []}];
        ManyPoints: [{"points": [{"x": 1, "y": 2}], "named": {"a": {"x": 1, "y": 2}}}];
        MaybePoint: [{"point": {"x": 1, "y": 2}}, {"point": null}];
        Boxed: [{"point": {"x": 1, "y": 2}}];
        Flat: [{"x": 1, "y": 2, "name": "a"}];
        FlatTwo: [{"x": 1, "y": 2, "name": "a"}, {"x": 1, "y": 2}];
        FlatMap: [{"id": 1, "a": -5}];
        Quoted: [{"a\"b\\c/d~e": true}];
        Tree: [{"label": "a", "children": [{"label": "b", "children": []}]}];
        Chain: [{"number": 1, "next": {"number": 2, "next": null}}];
        Ping: [{"pong": {"ping": [{"pong": null}]}}];
        Graph: [{"nodes": {"a": ["b"], "b": []}, "root": "a"}];
        Free: [{"known": 1, "any": {"a": [1]}}];
        Widths: [{"a": 255, "b": 65535, "c": 1, "d": 2, "e": -128, "f": -5, "g": 6, "h": 7}];
        Numbers: [{"a": 0.5, "b": 1e10, "c": null}];
        Tuples: [{"pair": [1, "a"], "line": [1, 2], "list": [[3, 4]]}];
        Invoice: [{"number": "ABC-12", "lines": [{"text": "a", "count": 1, "cents": 2}], "paid": true}];
        Line: [{"text": "a", "count": 99, "cents": 0}];
        Value1: [{"value": 1}];
        ValueList: [{"value": [1]}];
        Clear: [[[true]]];
        Generic<String>: [{"held": "a", "twice": ["b"]}];
        Generic<Point>: [{"held": {"x": 1, "y": 2}, "twice": []}];
        Generic<Option<u8>>: [{"held": 1, "twice": [null]}];
        Described: [{"name": "a", "height": 1.75}];
        Unit: [null];
        Vec<Point>: [[{"x": 1, "y": 2}]];
        Vec<Tree>: [[{"label": "a", "children": []}]];
        Option<Line>: [{"text": "a", "count": 1, "cents": 2}, null];
        BTreeMap<String, Line>: [{"a": {"text": "a", "count": 1, "cents": 2}}];
        Vec<Invoice>: [[{"number": "ABC-12", "lines": [], "paid": null}]];
        Option<Point>: [{"x": 1, "y": 2}, null];
        BTreeMap<String, Tree>: [{"a": {"label": "a", "children": []}}];
        Vec<Chain>: [[{"number": 1, "next": null}]];
        Generic<Line>: [{"held": {"text": "a", "count": 1, "cents": 2}, "twice": []}];
        Generic<Vec<u16>>: [{"held": [1], "twice": [[2]]}];
        [Point; 2]: [[{"x": 1, "y": 2}, {"x": 3, "y": 4}]];
        (Line, u8): [[{"text": "a", "count": 1, "cents": 2}, 1]];
        (Point, Closed): [[{"x": 1, "y": 2}, {"x": 3}]];
    }
}

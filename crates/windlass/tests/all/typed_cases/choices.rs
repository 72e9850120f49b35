//! Enums: words, tagged in every way, with records inside.

use std::collections::BTreeMap;

use super::{Case, cases, shapes};

shapes! {
    enum Light { Red, Amber, Green }
    #[serde(rename_all = "snake_case")]
    enum Snake { VeryGood, NotBad }
    enum Żywioł { Woda, Ogień }
    enum Single { Only }
    enum Outside { Circle { radius: f64 }, Square(u32), Nothing }
    #[serde(tag = "kind")]
    enum Inside { Circle { radius: f64 }, Square { side: u32 }, Nothing }
    #[serde(tag = "kind", content = "value")]
    enum Beside { Circle { radius: f64 }, Square(u32), Nothing }
    #[serde(untagged)]
    enum Untagged { Number(i64), Text(String), List(Vec<bool>) }
    #[serde(untagged)]
    enum Records { Person { name: String, age: u8 }, Place { city: String } }
    #[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
    enum ClosedInside { Circle { radius: f64 }, Square { side: u32 } }
    #[serde(tag = "op")]
    enum Expression { Number { of: f64 }, Sum { left: Box<Expression>, right: Box<Expression> } }
    enum Nested { Light(Light), Pair(Light, u8) }
    struct Holder { light: Light, maybe: Option<Light>, many: Vec<Light> }
    struct HoldsInside { shape: Inside }
    struct HoldsOutside { shapes: Vec<Outside> }
    struct HoldsUntagged { either: Untagged }
    struct Tagged { #[serde(flatten)] shape: Inside, name: String }
    #[serde(untagged)]
    enum OneOrMany { One(String), Many(Vec<String>) }
    #[serde(untagged)]
    enum NumberOrNot { Number(u8), Not(()) }
    enum Json { Null, Bool(bool), List(Vec<Json>), Named(BTreeMap<String, Json>) }
    /// What is to be done.
    #[serde(tag = "action", rename_all = "kebab-case")]
    enum Action {
        /// Sends a mail.
        SendMail { #[schemars(email)] to: String, #[schemars(length(min = 1, max = 40))] subject: String },
        /// Waits.
        WaitFor { #[schemars(range(min = 1, max = 60))] minutes: u8 },
    }
}

pub(super) fn cases() -> Vec<Case> {
    cases! {
        Light: ["Red"];
        Snake: ["very_good"];
        Żywioł: ["Ogień"];
        Single: ["Only"];
        Outside: [{"Circle": {"radius": 1.5}}, {"Square": 2}, "Nothing"];
        Inside: [{"kind": "Circle", "radius": 1.5}, {"kind": "Nothing"}];
        Beside: [{"kind": "Circle", "value": {"radius": 1.5}}, {"kind": "Square", "value": 2}, {"kind": "Nothing"}];
        Untagged: [7, "a", [true]];
        Records: [{"name": "a", "age": 1}, {"city": "b"}];
        ClosedInside: [{"kind": "circle", "radius": 1.5}];
        Expression: [{"op": "Sum", "left": {"op": "Number", "of": 1.5}, "right": {"op": "Number", "of": 2.5}}];
        Nested: [{"Light": "Red"}, {"Pair": ["Green", 1]}];
        Holder: [{"light": "Red", "maybe": null, "many": ["Green"]}];
        HoldsInside: [{"shape": {"kind": "Square", "side": 1}}];
        HoldsOutside: [{"shapes": [{"Square": 2}, "Nothing"]}];
        HoldsUntagged: [{"either": 7}, {"either": "a"}];
        Tagged: [{"kind": "Square", "side": 1, "name": "a"}];
        OneOrMany: ["a", ["a"]];
        NumberOrNot: [1, null];
        Json: ["Null", {"List": [{"Bool": true}]}, {"Named": {"a": "Null"}}];
        Action: [{"action": "send-mail", "to": "ada@example.org", "subject": "a"}, {"action": "wait-for", "minutes": 1}];
        Vec<Light>: [["Red"]];
        Option<Light>: ["Red", null];
        BTreeMap<String, Light>: [{"a": "Red"}];
        Vec<Outside>: [[{"Square": 2}]];
        Vec<Inside>: [[{"kind": "Nothing"}]];
        Option<Inside>: [{"kind": "Nothing"}, null];
        Vec<Untagged>: [[1, "a"]];
        (Light, Snake): [["Red", "not_bad"]];
        BTreeMap<String, Action>: [{"a": {"action": "wait-for", "minutes": 60}}];
        [Light; 2]: [["Red", "Red"]];
        Vec<Action>: [[{"action": "wait-for", "minutes": 1}]];
        Option<Records>: [{"city": "b"}, null];
        Vec<Expression>: [[{"op": "Number", "of": 1.5}]];
    }
}

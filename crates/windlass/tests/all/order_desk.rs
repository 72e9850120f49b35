//! The example `order_desk`, as its customers and its clerk meet it: over HTTP, and killed while a question waits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::examples::program;

/// The desk while it is open; killed without warning when it goes.
struct OpenDesk {
    process: Child,
    begun: String,
    address: String,
}

impl OpenDesk {
    fn open(folder: &Path) -> Self {
        let mut command = Command::new(program("order_desk"));
        let mut process = command.arg(folder).arg("--stay").stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let begun = lines.next().unwrap().unwrap();
        let address = lines.next().unwrap().unwrap();
        let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { process, begun, address }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n", self.address);
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn paid(folder: &Path) -> Value {
        let book = std::fs::read_to_string(folder.join("orders.json")).unwrap();
        serde_json::from_str::<Value>(&book).unwrap()["orders"]["1001"]["paid_euros"].clone()
    }
}

impl Drop for OpenDesk {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_question_waits_over_a_kill_and_the_refund_happens_once() {
    let folder = tempfile::tempdir().unwrap();
    let wish = "Send it to Harbour 2, and give me 5 euros back.";
    let digest = {
        let desk = OpenDesk::open(folder.path());
        assert_eq!(desk.begun, "0 runs go on, 0 wait for a clerk");
        let first = desk.ask("POST", "/customers/ada/messages", "Where does my lamp go? It is order 1001.");
        assert_eq!(first["answer"], "Order 1001 goes to Mill Lane 7.");
        let waits = desk.ask("POST", "/customers/ada/messages", wish);
        assert_eq!(waits["waits_for"]["tool"], "refund_order");
        waits["waits_for"]["digest"].clone()
    };
    assert_eq!(OpenDesk::paid(folder.path()), 40);
    let desk = OpenDesk::open(folder.path());
    assert_eq!(desk.begun, "0 runs go on, 1 wait for a clerk");
    let waiting = desk.ask("GET", "/customers/ada/questions", "");
    assert_eq!(waiting.as_array().unwrap().len(), 1);
    assert_eq!(waiting[0]["digest"], digest);
    let forged = json!({"digest": "of another call", "is_allowed": true}).to_string();
    let refused = desk.ask("POST", "/customers/ada/questions", &forged);
    assert_eq!(refused["error"], "no such question waits");
    let yes = json!({"digest": digest, "is_allowed": true}).to_string();
    let done = desk.ask("POST", "/customers/ada/questions", &yes);
    assert_eq!(done["answer"], "Done: it goes to Harbour 2, and 5 euros are on their way.");
    assert_eq!(OpenDesk::paid(folder.path()), 35);
    let again = desk.ask("POST", "/customers/ada/questions", &yes);
    assert_eq!(again["error"], "no such question waits");
    // Somebody else's order is none of ada's, whatever the model asks for.
    desk.ask("POST", "/customers/ada/messages", "And order 1002?");
    let sessions = desk.ask("GET", "/api/sessions", "");
    assert!(sessions.to_string().contains("ada"), "{sessions}");
}

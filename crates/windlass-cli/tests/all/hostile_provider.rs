//! A provider on loopback that speaks five wires and breaks every promise that a call relies on: what it sends is made
//! byte by byte, so that nothing of it is tidied on the way.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::place::Place;
use crate::providers_stage::{CALM, Ran, run, with_keys};
use crate::server::Server;

/// The five wires, each by a provider of the catalogue that speaks it.
pub(crate) const WIRES: [&str; 5] = ["openai-chat", "openai", "anthropic", "gemini", "ollama"];

/// A call as it is sent: its arguments are bytes.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) index: usize,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: Vec<u8>,
}

impl Sent {
    pub(crate) fn new(name: &str, args: impl Into<Vec<u8>>) -> Self {
        Self { index: 0, id: "call_one".to_owned(), name: name.to_owned(), args: args.into() }
    }

    /// A command that leaves a line behind, so that calls that ran can be counted.
    pub(crate) fn leaving(word: &str) -> Self {
        Self::new("execute_command", format!("{{\"command\":\"echo {word} >> ran.log\"}}"))
    }

    pub(crate) fn at(self, index: usize) -> Self {
        Self { index, ..self }
    }

    pub(crate) fn with_id(self, id: &str) -> Self {
        Self { id: id.to_owned(), ..self }
    }
}

/// Bytes in a JSON string: only what must be escaped is.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b'\n' => out.extend(b"\\n"),
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

/// An event whose `{}` is replaced by bytes.
fn filled(form: &str, inside: &[u8]) -> Vec<u8> {
    let (before, behind) = form.split_once("{}").unwrap();
    [before.as_bytes(), inside, behind.as_bytes()].concat()
}

/// The events of one call.
pub(crate) fn call(wire: &str, sent: &Sent) -> Vec<u8> {
    let Sent { index, id, name, args } = sent;
    let text = quoted(args);
    match wire {
        "openai-chat" => [
            format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"{id}\",\
                 \"type\":\"function\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"\"}}}}]}}}}]}}\n\n"
            )
            .into_bytes(),
            filled(
                &format!(
                    "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":{index},\
                     \"function\":{{\"arguments\":{{}}}}}}]}}}}]}}\n\n"
                ),
                &text,
            ),
        ]
        .concat(),
        "openai" => responses_call(sent, &text),
        "anthropic" => [
            format!(
                "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"tool_use\",\
                 \"id\":\"{id}\",\"name\":\"{name}\",\"input\":{{}}}}}}\n\n"
            )
            .into_bytes(),
            filled(
                &format!(
                    "data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"input_json_delta\",\
                     \"partial_json\":{{}}}}}}\n\n"
                ),
                &text,
            ),
            format!("data: {{\"type\":\"content_block_stop\",\"index\":{index}}}\n\n").into_bytes(),
        ]
        .concat(),
        "gemini" => filled(
            &format!(
                "data: {{\"candidates\":[{{\"content\":{{\"role\":\"model\",\"parts\":[{{\"functionCall\":{{\"id\":\"{id}\",\
                 \"name\":\"{name}\",\"args\":{{}}}}}}]}}}}]}}\n\n"
            ),
            args,
        ),
        "ollama" => filled(
            &format!(
                "{{\"message\":{{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{{\"id\":\"{id}\",\"function\":\
                 {{\"name\":\"{name}\",\"arguments\":{{}}}}}}]}},\"done\":false}}\n"
            ),
            args,
        ),
        other => panic!("no wire {other}"),
    }
}

/// The same on the Responses wire, which says arguments in pieces and then whole.
fn responses_call(sent: &Sent, text: &[u8]) -> Vec<u8> {
    let Sent { index, id, name, .. } = sent;
    let head = format!("\"output_index\":{index},\"item_id\":\"fc_{index}\"");
    let item =
        format!("\"type\":\"function_call\",\"id\":\"fc_{index}\",\"call_id\":\"{id}\",\"name\":\"{name}\"");
    [
        format!(
            "data: {{\"type\":\"response.output_item.added\",\"output_index\":{index},\"item\":{{{item},\
             \"arguments\":\"\"}}}}\n\n"
        )
        .into_bytes(),
        filled(
            &format!(
                "data: {{\"type\":\"response.function_call_arguments.delta\",{head},\"delta\":{{}}}}\n\n"
            ),
            text,
        ),
        filled(
            &format!(
                "data: {{\"type\":\"response.output_item.done\",\"output_index\":{index},\"item\":{{{item},\
                 \"arguments\":{{}}}}}}\n\n"
            ),
            text,
        ),
    ]
    .concat()
}

/// The event of some text.
pub(crate) fn text(wire: &str, said: &[u8]) -> Vec<u8> {
    let form = match wire {
        "openai-chat" => "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":{}}}]}\n\n",
        "openai" => {
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":90,\"item_id\":\"m\",\"delta\":{}}\n\n"
        }
        "anthropic" => {
            "data: {\"type\":\"content_block_start\",\"index\":90,\"content_block\":{\"type\":\"text\",\"text\":{}}}\n\n\
             data: {\"type\":\"content_block_stop\",\"index\":90}\n\n"
        }
        "gemini" => {
            "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":{}}]}}]}\n\n"
        }
        "ollama" => "{\"message\":{\"role\":\"assistant\",\"content\":{}},\"done\":false}\n",
        other => panic!("no wire {other}"),
    };
    filled(form, &quoted(said))
}

/// The events that end an answer.
pub(crate) fn end(wire: &str, has_calls: bool) -> Vec<u8> {
    let word = |with: &'static str, without: &'static str| if has_calls { with } else { without };
    match wire {
        "openai-chat" => format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{}\"}}]}}\n\ndata: [DONE]\n\n",
            word("tool_calls", "stop")
        ),
        "openai" => "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n".to_owned(),
        "anthropic" => format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{}\"}},\"usage\":{{\"output_tokens\":9}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n",
            word("tool_use", "end_turn")
        ),
        "gemini" => "data: {\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}\n\n".to_owned(),
        "ollama" => "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n".to_owned(),
        other => panic!("no wire {other}"),
    }
    .into_bytes()
}

/// A whole answer of some calls, streamed.
pub(crate) fn calls(wire: &str, sent: &[Sent]) -> Vec<u8> {
    let events: Vec<u8> = sent.iter().flat_map(|sent| call(wire, sent)).collect();
    [events, end(wire, true)].concat()
}

/// The last answer of a run.
pub(crate) fn done(wire: &str) -> Vec<u8> {
    [text(wire, b"All done."), end(wire, false)].concat()
}

/// The reply that carries a stream of a wire.
pub(crate) fn streamed(wire: &str, events: &[u8]) -> Vec<u8> {
    reply("200 OK", if wire == "ollama" { "application/x-ndjson" } else { "text/event-stream" }, "", events)
}

/// A reply with a type, further header lines and a body.
pub(crate) fn reply(status: &str, kind: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// A project whose providers are all this one, which says the next reply whatever it is asked, and the last for ever.
pub(crate) struct Hostile {
    pub(crate) place: Place,
    pub(crate) server: Server,
}

impl Hostile {
    pub(crate) fn saying(replies: Vec<Vec<u8>>) -> Self {
        let left = Arc::new(Mutex::new(replies));
        Self::answering(CALM, move |_| {
            let mut left = left.lock().unwrap();
            if left.len() > 1 { left.remove(0) } else { left[0].clone() }
        })
    }

    /// The same with further configuration, and a reply that depends on the request.
    pub(crate) fn answering(config: &str, answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let (place, server) = (Place::new(), Server::answering(answer));
        let mut config = config.to_owned();
        for wire in WIRES {
            config.push_str(&format!("[providers.{wire}]\nbase_url = \"{}\"\n", server.address("")));
        }
        place.configure(&config);
        Self { place, server }
    }

    /// `windlass run --json` with every call approved.
    pub(crate) fn run(&self, wire: &str) -> Ran {
        let model = format!("{wire}/some-model");
        let mut command =
            self.place.command(&["run", "--json", "--model", &model, "--approve", "all", "Go on"]);
        with_keys(&mut command);
        run(command)
    }

    /// The lines that calls left behind, one a call that ran.
    pub(crate) fn ran(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.place.path("ran.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The bodies of all requests so far.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let heard = self.server.heard();
        let bodies = heard.lines().filter(|line| line.starts_with('{'));
        bodies.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// What one hostile answer made of a run on each wire; the answer after it ends the run.
pub(crate) fn on_every_wire(hostile: impl Fn(&str) -> Vec<u8>, check: impl Fn(&str, &Hostile, &Ran)) {
    for wire in WIRES {
        let stage = Hostile::saying(vec![streamed(wire, &hostile(wire)), streamed(wire, &done(wire))]);
        let ran = stage.run(wire);
        check(wire, &stage, &ran);
    }
}

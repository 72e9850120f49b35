//! Five protocols from the vendors' side: what they refuse, and how they speak.

mod chat;
mod gemini;
mod messages;
mod ollama;
mod responses;

use serde_json::{Value, json};

use super::history::{LegalRequest, PastExchange, VendorRefusal, demand};
use super::http::Incoming;
use super::script::{Say, Thought};

/// Whose manners a chat endpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vendor {
    /// Anybody who speaks the protocol.
    Plain,
    /// Wants `reasoning_content` back on every assistant message with calls.
    DeepSeek,
    /// Wants `reasoning_details` back unmodified.
    OpenRouter,
    /// Wants ids of nine characters and no user message right after an outcome.
    Mistral,
    /// Wants outcomes in the order of the calls, no forced choice and no response format.
    Xai,
}

impl Vendor {
    /// The first piece of the path.
    pub(super) fn of_path(path: &str) -> Self {
        match path.split('/').find(|piece| !piece.is_empty()) {
            Some("deepseek") => Vendor::DeepSeek,
            Some("openrouter") => Vendor::OpenRouter,
            Some("mistral") => Vendor::Mistral,
            Some("xai") => Vendor::Xai,
            _ => Vendor::Plain,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VendorWire {
    Chat,
    Responses,
    Messages,
    Gemini,
    Ollama,
}

impl VendorWire {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        let last = path.rsplit('/').next().unwrap_or_default();
        match last {
            "completions" => Some(VendorWire::Chat),
            "responses" => Some(VendorWire::Responses),
            "messages" => Some(VendorWire::Messages),
            "chat" => Some(VendorWire::Ollama),
            _ => {
                let is_gemini =
                    [":streamGenerateContent", ":generateContent"].iter().any(|verb| last.contains(verb));
                is_gemini.then_some(VendorWire::Gemini)
            }
        }
    }

    /// Reads a request as a strict vendor does.
    pub(super) fn read(
        self,
        vendor: Vendor,
        request: &Incoming,
        body: &Value,
    ) -> Result<LegalRequest, VendorRefusal> {
        match self {
            VendorWire::Chat => chat::read(vendor, body),
            VendorWire::Responses => responses::read(vendor, body),
            VendorWire::Messages => messages::read(request, body),
            VendorWire::Gemini => gemini::read(request, body),
            VendorWire::Ollama => ollama::read(body),
        }
    }

    /// Holds the history to what was said: thinking must have come back as it was.
    pub(super) fn check_echo(
        self,
        vendor: Vendor,
        exchange: &PastExchange,
        thought: Option<&Thought>,
    ) -> Result<(), VendorRefusal> {
        let Some(thought) = thought else { return Ok(()) };
        let (expected, words) = match self {
            VendorWire::Chat => match chat::thoughts(vendor, thought) {
                Some(expected) => {
                    (expected, "The `reasoning_content` in the thinking mode must be passed back to the API.")
                }
                None => return Ok(()),
            },
            VendorWire::Responses => (
                responses::thoughts(thought),
                "Item of type 'function_call' was provided without its required 'reasoning' item.",
            ),
            VendorWire::Messages => (
                messages::thoughts(thought),
                "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. \
                 These blocks must remain as they were in the original response.",
            ),
            VendorWire::Gemini => (
                gemini::thoughts(thought),
                "Function call is missing a thought_signature in functionCall parts.",
            ),
            VendorWire::Ollama => {
                (ollama::thoughts(thought), "thinking must be passed back with its tool calls")
            }
        };
        demand(exchange.thoughts == expected, || {
            format!("{words} Expected {}, got {}.", json!(expected), json!(exchange.thoughts))
        })
    }

    /// The events of an answer.
    pub(super) fn frames(self, vendor: Vendor, asked: &LegalRequest, say: &Say) -> Vec<String> {
        match self {
            VendorWire::Chat => chat::frames(vendor, asked, say),
            VendorWire::Responses => responses::frames(asked, say),
            VendorWire::Messages => messages::frames(asked, say),
            VendorWire::Gemini => gemini::frames(asked, say),
            VendorWire::Ollama => ollama::frames(asked, say),
        }
    }

    /// An answer in one piece.
    pub(super) fn whole(self, vendor: Vendor, asked: &LegalRequest, say: &Say) -> Value {
        match self {
            VendorWire::Chat => chat::whole(vendor, asked, say),
            VendorWire::Responses => responses::whole(asked, say),
            VendorWire::Messages => messages::whole(asked, say),
            VendorWire::Gemini => gemini::whole(asked, say),
            VendorWire::Ollama => ollama::whole(asked, say),
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            VendorWire::Ollama => "application/x-ndjson",
            VendorWire::Chat | VendorWire::Responses | VendorWire::Messages | VendorWire::Gemini => {
                "text/event-stream"
            }
        }
    }

    pub(super) fn error(self, status: u16, words: &str) -> Value {
        let kind = match status {
            400 => "invalid_request_error",
            401 => "authentication_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            _ => "server_error",
        };
        match self {
            VendorWire::Chat | VendorWire::Responses => {
                json!({"error": {"message": words, "type": kind, "param": null, "code": null}})
            }
            VendorWire::Messages => json!({"type": "error", "error": {"type": kind, "message": words}}),
            VendorWire::Gemini => {
                let word = match status {
                    401 => "UNAUTHENTICATED",
                    404 => "NOT_FOUND",
                    429 => "RESOURCE_EXHAUSTED",
                    500 => "INTERNAL",
                    502..=599 => "UNAVAILABLE",
                    _ => "INVALID_ARGUMENT",
                };
                json!({"error": {"code": status, "message": words, "status": word}})
            }
            VendorWire::Ollama => json!({"error": words}),
        }
    }

    /// What a vendor says when a model cannot use tools.
    pub(super) fn no_tool_support(self, model: &str) -> (u16, String) {
        match self {
            VendorWire::Ollama => (400, format!("registry.ollama.ai/library/{model} does not support tools")),
            VendorWire::Chat | VendorWire::Responses | VendorWire::Messages | VendorWire::Gemini => {
                (404, "No endpoints found that support tool use. Try disabling \"calculate\".".to_owned())
            }
        }
    }

    /// What a vendor says of a model that it does not have.
    pub(super) fn model_unknown(self, model: &str) -> String {
        match self {
            VendorWire::Chat | VendorWire::Responses => {
                format!("The model `{model}` does not exist or you do not have access to it.")
            }
            VendorWire::Messages => format!("model: {model}"),
            VendorWire::Gemini => format!(
                "models/{model} is not found for API version v1beta, or is not supported for generateContent."
            ),
            VendorWire::Ollama => format!("model '{model}' not found"),
        }
    }

    /// What a vendor says of a request that is too long.
    pub(super) fn overflow(self) -> &'static str {
        match self {
            VendorWire::Chat => {
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 99999 tokens."
            }
            VendorWire::Responses => {
                "Your input exceeds the context window of this model. Please adjust your input and try again."
            }
            VendorWire::Messages => "prompt is too long: 215413 tokens > 200000 maximum",
            VendorWire::Gemini => {
                "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
            }
            VendorWire::Ollama => "prompt too long; exceeded max context length by 4096 tokens",
        }
    }

    /// An event that is half a document.
    pub(super) fn malformed(self) -> &'static str {
        match self {
            VendorWire::Ollama => "{\"model\":\"m\",\"mess\n",
            VendorWire::Chat | VendorWire::Responses | VendorWire::Messages | VendorWire::Gemini => {
                "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"del\n\n"
            }
        }
    }

    /// An error in mid-stream.
    pub(super) fn error_frame(self) -> String {
        let words = "The server had an error while processing your request.";
        match self {
            VendorWire::Chat | VendorWire::Gemini => sse(None, &self.error(503, words)),
            VendorWire::Responses => {
                sse(Some("error"), &json!({"type": "error", "code": "server_error", "message": words}))
            }
            VendorWire::Messages => sse(
                Some("error"),
                &json!({"type": "error", "error": {"type": "overloaded_error", "message": words}}),
            ),
            VendorWire::Ollama => line(&self.error(503, words)),
        }
    }

    /// Whether an event says nothing but that all is said.
    pub(super) fn is_last_word(self, frame: &str) -> bool {
        match self {
            VendorWire::Chat => frame.contains("[DONE]"),
            VendorWire::Messages => frame.contains("message_stop"),
            VendorWire::Responses | VendorWire::Gemini | VendorWire::Ollama => false,
        }
    }

    /// The same event in a legal and unusual form.
    pub(super) fn odd(self, frame: &str) -> String {
        if self == VendorWire::Ollama {
            return format!("\r\n{}\r\n", frame.trim_end());
        }
        let mut odd = String::from(": keep-alive\r\nid: 1\r\nretry: 10\r\n");
        for line in frame.trim_end().lines() {
            match line.strip_prefix("data: {") {
                Some(rest) => odd.push_str(&format!("data: {{\r\ndata:{rest}\r\n")),
                None => odd.push_str(&format!("{line}\r\n")),
            }
        }
        odd + "\r\n"
    }
}

fn sse(event: Option<&str>, payload: &Value) -> String {
    let name = event.map(|event| format!("event: {event}\n")).unwrap_or_default();
    format!("{name}data: {payload}\n\n")
}

fn line(payload: &Value) -> String {
    format!("{payload}\n")
}

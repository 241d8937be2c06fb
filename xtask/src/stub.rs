//! A stand-in for the model's API on a loopback port.
//!
//! It speaks as much of the Anthropic Messages API as a headless client needs: messages (streamed
//! and not), token counting, and an empty reply to everything else. While files to read are left,
//! it asks for the next one with the client's tool for that; then it says "OK.". Which file is next is
//! told by the tool results in the request, so a repeated request gets the same reply.

use anyhow::Result;
use serde_json::{Value, json};

use crate::loopback::{Request, Server, response};

/// The tool a client reads files with.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Its name.
    pub tool: &'static str,
    /// The key of its input that names the file.
    pub key: &'static str,
}

/// Claude Code's tool.
const READ: Reader = Reader { tool: "Read", key: "file_path" };

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub struct Stub(Server);

impl Stub {
    /// Starts a server that asks Claude Code for these files, one after another.
    ///
    /// # Errors
    /// When no loopback port can be had.
    pub fn start(touches: Vec<String>) -> Result<Self> {
        Self::start_for(touches, READ)
    }

    /// Starts a server that asks for these files with this tool, one after another.
    ///
    /// # Errors
    /// When no loopback port can be had.
    pub fn start_for(touches: Vec<String>, reader: Reader) -> Result<Self> {
        Server::start(move |request| reply(&touches, reader, request)).map(Self)
    }

    /// Returns the base address for the client.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// Returns the bodies of all message requests so far, in order.
    pub fn bodies(&self) -> Vec<Value> {
        self.0.bodies()
    }
}

fn reply(touches: &[String], reader: Reader, request: &Request) -> (Vec<u8>, Option<Value>) {
    let path = request.path.split('?').next().unwrap_or_default();
    let json = |value: &Value| response("200 OK", "application/json", value.to_string().as_bytes());
    if request.method == "HEAD" {
        return (response("200 OK", "application/json", b""), None);
    }
    if path.ends_with("/messages/count_tokens") {
        return (json(&json!({"input_tokens": request.body.len() / 4 + 1})), None);
    }
    if request.method != "POST" || !path.ends_with("/messages") {
        return (json(&json!({"object": "list", "data": [], "has_more": false})), None);
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no JSON"}});
        let error = error.to_string();
        return (response("400 Bad Request", "application/json", error.as_bytes()), None);
    };
    let message = message(touches, reader, &body, request.body.len());
    let streamed = body["stream"] == json!(true);
    let reply = match streamed {
        true => response("200 OK", "text/event-stream", events(&message).as_bytes()),
        false => json(&message),
    };
    (reply, Some(body))
}

/// Returns the reply to a messages request.
fn message(touches: &[String], reader: Reader, body: &Value, bytes: usize) -> Value {
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let done = messages.iter().flat_map(blocks).filter(|it| it["type"] == "tool_result").count();
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let can_read = tools.iter().any(|tool| tool["name"] == reader.tool);
    let (content, stop) = match touches.get(done).filter(|_| can_read) {
        Some(touch) => {
            let id = format!("toolu_stub{done:04}");
            let input = json!({reader.key: touch});
            let content =
                json!({"type": "tool_use", "id": id, "name": reader.tool, "input": input});
            (content, "tool_use")
        }
        None => (json!({"type": "text", "text": "OK."}), "end_turn"),
    };
    json!({
        "id": format!("msg_stub{done:04}"), "type": "message", "role": "assistant",
        "model": body["model"], "content": [content], "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": bytes / 4 + 1, "output_tokens": 8,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

/// Returns a message as the events of a stream.
fn events(message: &Value) -> String {
    let block = &message["content"][0];
    let (mut empty, delta) = (
        block.clone(),
        match block["type"].as_str() {
            Some("tool_use") => {
                json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
            }
            _ => json!({"type": "text_delta", "text": block["text"]}),
        },
    );
    if block["type"] == "tool_use" {
        empty["input"] = json!({});
    } else {
        empty["text"] = json!("");
    }
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let all = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": message["usage"]}),
        json!({"type": "message_stop"}),
    ];
    all.iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("")))
        .collect()
}

#[cfg(test)]
mod tests;

//! A stand-in for the Responses API on a loopback port.
//!
//! It keeps the body of every request and answers "OK.", as a stream of events. Everything else
//! gets an empty list.

use anyhow::Result;
use serde_json::{Value, json};

use crate::loopback::{Request, Server, response};

/// Starts a server; the bodies of requests that are no JSON are null.
///
/// # Errors
/// When no loopback port can be had.
pub(super) fn start() -> Result<Server> {
    Server::start(reply)
}

fn reply(request: &Request) -> (Vec<u8>, Option<Value>) {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method != "POST" || !path.ends_with("/responses") {
        let nothing = json!({"object": "list", "data": [], "models": []});
        let nothing = nothing.to_string();
        return (response("200 OK", "application/json", nothing.as_bytes()), None);
    }
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    (response("200 OK", "text/event-stream", events().as_bytes()), Some(body))
}

/// Returns a reply of one message as the events of a stream.
fn events() -> String {
    let text = json!({"type": "output_text", "text": "OK.", "annotations": []});
    let item = json!({
        "id": "msg_stub", "type": "message", "role": "assistant", "status": "completed",
        "content": [text],
    });
    let usage = json!({
        "input_tokens": 8, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 9,
    });
    let done = json!({
        "id": "resp_stub", "object": "response", "created_at": 0, "status": "completed",
        "model": "stub", "output": [item], "usage": usage,
    });
    let all = [
        json!({"type": "response.created", "response": {"id": "resp_stub"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": done}),
    ];
    all.iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("")))
        .collect()
}

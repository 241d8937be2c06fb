//! A stand-in for Gemini's API on a loopback port.
//!
//! It answers `streamGenerateContent` and `generateContent`. While files to read are left, it asks
//! for the next one with the `read_file` tool; then it says "OK.". Which file is next is told by the
//! tool results in the request, so a repeated request gets the same reply.

use anyhow::Result;
use serde_json::{Value, json};

use crate::loopback::{Request, Server, response};

/// Starts a server that asks for these files, one after another.
///
/// # Errors
/// When no loopback port can be had.
pub(super) fn start(touches: Vec<String>) -> Result<Server> {
    Server::start(move |request| reply(&touches, request))
}

fn reply(touches: &[String], request: &Request) -> (Vec<u8>, Option<Value>) {
    let path = request.path.split('?').next().unwrap_or_default();
    let streamed = path.ends_with(":streamGenerateContent");
    if request.method != "POST" || !(streamed || path.ends_with(":generateContent")) {
        return (response("404 Not Found", "application/json", b"{}"), None);
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return (response("400 Bad Request", "application/json", b"{}"), None);
    };
    let content = content(touches, &body);
    let reply = match streamed {
        true => response("200 OK", "text/event-stream", format!("data: {content}\n\n").as_bytes()),
        false => response("200 OK", "application/json", content.to_string().as_bytes()),
    };
    (reply, Some(body))
}

/// Returns the reply to a request.
fn content(touches: &[String], body: &Value) -> Value {
    let done = results(body).len();
    let part = match touches.get(done) {
        Some(touch) => json!({"functionCall": {"name": "read_file", "args": {"file_path": touch}}}),
        None => json!({"text": "OK."}),
    };
    json!({
        "candidates": [{"index": 0, "finishReason": "STOP",
            "content": {"role": "model", "parts": [part]}}],
        "usageMetadata":
            {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
    })
}

/// Returns the results of the tools in a request, in order.
pub(super) fn results(body: &Value) -> Vec<&Value> {
    let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parts = contents
        .iter()
        .flat_map(|content| content["parts"].as_array().map(Vec::as_slice).unwrap_or_default());
    parts.filter_map(|part| part.get("functionResponse")).collect()
}

//! A stand-in for the model's API on a loopback port.
//!
//! It speaks as much of the Anthropic Messages API as a headless client needs: messages (streamed
//! and not), token counting, and an empty reply to everything else. While files to read are left,
//! it asks for the next one with the client's tool for that; then it says "OK.". Which file is next is
//! told by the tool results in the request, so a repeated request gets the same reply.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The most requests of one session; the next ones are refused.
const MAX_REQUESTS: usize = 200;
/// The largest body that is read.
const MAX_BODY_BYTES: usize = 64 << 20;
/// How long a connection may stay silent.
const SILENCE: Duration = Duration::from_secs(60);

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
pub struct Stub {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    touches: Vec<String>,
    reader: Reader,
    bodies: Mutex<Vec<Value>>,
    requests: AtomicUsize,
    stopped: AtomicBool,
}

/// One request, read to its end.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
    pub(crate) keep_alive: bool,
}

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
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no loopback port to listen on")?;
        let address = listener.local_addr().context("no loopback port to listen on")?;
        let shared = Arc::new(Shared {
            touches,
            reader,
            bodies: Mutex::default(),
            requests: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming() {
                if for_thread.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&for_thread);
                thread::spawn(move || serve(&shared, &stream));
            }
        });
        Ok(Self { address, shared, accepting: Some(accepting) })
    }

    /// Returns the base address for the client.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the bodies of all message requests so far, in order.
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.bodies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Accepting waits for a connection: make it one.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| woken) {
            drop(accepting.join());
        }
    }
}

/// Answers requests until the other end is done. A broken connection ends it quietly: the client
/// says what it missed.
fn serve(shared: &Shared, stream: &TcpStream) {
    if stream.set_read_timeout(Some(SILENCE)).is_err() {
        return;
    }
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let reply = if shared.requests.fetch_add(1, Ordering::SeqCst) < MAX_REQUESTS {
            reply(shared, &request)
        } else {
            response("503 Service Unavailable", "application/json", b"{}")
        };
        let mut writer = stream;
        if writer.write_all(&reply).is_err() || !request.keep_alive {
            return;
        }
    }
}

pub(crate) fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let first = read_line(reader)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut chunked, mut keep_alive) = (0, false, true);
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            break;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => keep_alive = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        loop {
            let line = read_line(reader)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).ok()?;
            take(reader, size, &mut body)?;
            read_line(reader)?;
            if size == 0 {
                break;
            }
        }
    } else {
        take(reader, length, &mut body)?;
    }
    Some(Request { method, path, body, keep_alive })
}

fn read_line(reader: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut line = Vec::new();
    let read = reader.take(64 << 10).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    (read > 0).then(|| line.trim_end().to_owned())
}

fn take(reader: &mut BufReader<&TcpStream>, size: usize, body: &mut Vec<u8>) -> Option<()> {
    if body.len().checked_add(size)? > MAX_BODY_BYTES {
        return None;
    }
    let start = body.len();
    body.resize(start + size, 0);
    reader.read_exact(&mut body[start..]).ok()
}

fn reply(shared: &Shared, request: &Request) -> Vec<u8> {
    let path = request.path.split('?').next().unwrap_or_default();
    let json = |value: &Value| response("200 OK", "application/json", value.to_string().as_bytes());
    if request.method == "HEAD" {
        return response("200 OK", "application/json", b"");
    }
    if path.ends_with("/messages/count_tokens") {
        return json(&json!({"input_tokens": request.body.len() / 4 + 1}));
    }
    if request.method != "POST" || !path.ends_with("/messages") {
        return json(&json!({"object": "list", "data": [], "has_more": false}));
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no JSON"}});
        return response("400 Bad Request", "application/json", error.to_string().as_bytes());
    };
    let message = message(shared, &body, request.body.len());
    let streamed = body["stream"] == json!(true);
    shared.bodies.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    if streamed {
        response("200 OK", "text/event-stream", events(&message).as_bytes())
    } else {
        json(&message)
    }
}

/// Returns the reply to a messages request.
fn message(shared: &Shared, body: &Value, bytes: usize) -> Value {
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let done = messages.iter().flat_map(blocks).filter(|it| it["type"] == "tool_result").count();
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reader = shared.reader;
    let can_read = tools.iter().any(|tool| tool["name"] == reader.tool);
    let (content, stop) = match shared.touches.get(done).filter(|_| can_read) {
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

pub(crate) fn response(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nrequest-id: req_stub\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[cfg(test)]
mod tests;

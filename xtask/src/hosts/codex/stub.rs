//! A stand-in for the Responses API on a loopback port.
//!
//! It keeps the body of every request and answers "OK.", as a stream of events. Everything else
//! gets an empty list.

use std::{
    io::{BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::stub::{Request, read_request, response};

/// How long a connection may stay silent.
const SILENCE: Duration = Duration::from_secs(60);

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub(super) struct Stub {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    bodies: Mutex<Vec<Value>>,
    stopped: AtomicBool,
}

impl Stub {
    /// Starts a server.
    ///
    /// # Errors
    /// When no loopback port can be had.
    pub(super) fn start() -> Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no loopback port to listen on")?;
        let address = listener.local_addr().context("no loopback port to listen on")?;
        let shared = Arc::new(Shared::default());
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
    pub(super) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the bodies of all requests to the model so far, in order. One that isn't JSON is
    /// null.
    pub(super) fn bodies(&self) -> Vec<Value> {
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
        let mut writer = stream;
        if writer.write_all(&reply(shared, &request)).is_err() || !request.keep_alive {
            return;
        }
    }
}

fn reply(shared: &Shared, request: &Request) -> Vec<u8> {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method != "POST" || !path.ends_with("/responses") {
        let nothing = json!({"object": "list", "data": [], "models": []});
        return response("200 OK", "application/json", nothing.to_string().as_bytes());
    }
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    shared.bodies.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    response("200 OK", "text/event-stream", events().as_bytes())
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

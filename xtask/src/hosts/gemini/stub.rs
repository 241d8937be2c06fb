//! A stand-in for Gemini's API on a loopback port.
//!
//! It answers `streamGenerateContent` and `generateContent`. While files to read are left, it asks
//! for the next one with the `read_file` tool; then it says "OK.". Which file is next is told by the
//! tool results in the request, so a repeated request gets the same reply.

use std::{
    io::{BufReader, Write as _},
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

use crate::stub::{Request, read_request, response};

/// The most requests of one session; the next ones are refused.
const MAX_REQUESTS: usize = 50;
/// How long a connection may stay silent.
const SILENCE: Duration = Duration::from_secs(60);

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub(super) struct Stub {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    touches: Vec<String>,
    bodies: Mutex<Vec<Value>>,
    requests: AtomicUsize,
    stopped: AtomicBool,
}

impl Stub {
    /// Starts a server that asks for these files, one after another.
    pub(super) fn start(touches: Vec<String>) -> Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no loopback port to listen on")?;
        let address = listener.local_addr().context("no loopback port to listen on")?;
        let shared = Arc::new(Shared {
            touches,
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
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the bodies of all requests for content so far, in order.
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

/// Answers requests until the other end is done.
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

fn reply(shared: &Shared, request: &Request) -> Vec<u8> {
    let path = request.path.split('?').next().unwrap_or_default();
    let streamed = path.ends_with(":streamGenerateContent");
    if request.method != "POST" || !(streamed || path.ends_with(":generateContent")) {
        return response("404 Not Found", "application/json", b"{}");
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return response("400 Bad Request", "application/json", b"{}");
    };
    let content = content(shared, &body);
    shared.bodies.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    if streamed {
        response("200 OK", "text/event-stream", format!("data: {content}\n\n").as_bytes())
    } else {
        response("200 OK", "application/json", content.to_string().as_bytes())
    }
}

/// Returns the reply to a request.
fn content(shared: &Shared, body: &Value) -> Value {
    let done = results(body).len();
    let part = match shared.touches.get(done) {
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

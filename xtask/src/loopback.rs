//! A server on a loopback port, in whose place a client believes to talk to the model's API.

use std::{
    fmt,
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
use serde_json::Value;

/// The most requests of one session; the next ones are refused.
const MAX_REQUESTS: usize = 200;
/// The largest body that is read.
const MAX_BODY_BYTES: usize = 64 << 20;
/// How long a connection may stay silent.
const SILENCE: Duration = Duration::from_secs(60);

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// Returns the bytes of a response, and the body of the request where it is one to the model.
type Answer = dyn Fn(&Request) -> (Vec<u8>, Option<Value>) + Send + Sync;

struct Shared {
    answer: Box<Answer>,
    bodies: Mutex<Vec<Value>>,
    requests: AtomicUsize,
    stopped: AtomicBool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("requests", &self.requests).finish_non_exhaustive()
    }
}

/// One request, read to its end.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
    pub(crate) keep_alive: bool,
}

impl Server {
    /// Starts a server that answers so.
    ///
    /// # Errors
    /// When no loopback port can be had.
    pub(crate) fn start(
        answer: impl Fn(&Request) -> (Vec<u8>, Option<Value>) + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no loopback port to listen on")?;
        let address = listener.local_addr().context("no loopback port to listen on")?;
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
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
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the bodies of all requests to the model so far, in order.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.shared.bodies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
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
            let (reply, body) = (shared.answer)(&request);
            let mut bodies = shared.bodies.lock().unwrap_or_else(PoisonError::into_inner);
            bodies.extend(body);
            reply
        } else {
            response("503 Service Unavailable", "application/json", b"{}")
        };
        let mut writer = stream;
        if writer.write_all(&reply).is_err() || !request.keep_alive {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
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

pub(crate) fn response(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nrequest-id: req_stub\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::{Value, json};

use super::Stub;

/// Sends one request on a connection of its own and returns the head and the body of the reply.
fn send(stub: &Stub, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(stub.url().trim_start_matches("http://")).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn post(stub: &Stub, path: &str, body: &Value) -> (String, String) {
    let body = body.to_string();
    let size = body.len();
    send(
        stub,
        &format!(
            "POST {path} HTTP/1.1\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n{body}"
        ),
    )
}

fn ask(results: usize) -> Value {
    let results = vec![json!({"type": "tool_result"}); results];
    json!({"model": "m", "tools": [{"name": "Read"}], "messages": [{"role": "user", "content": results}]})
}

#[test]
fn files_are_asked_for_one_after_another() {
    let stub = Stub::start(vec!["/a".to_owned(), "/b".to_owned()]).unwrap();
    let mut seen = Vec::new();
    for results in [0, 0, 1, 2] {
        let (_, body) = post(&stub, "/v1/messages?beta=true", &ask(results));
        let reply: Value = serde_json::from_str(&body).unwrap();
        seen.push((
            reply["content"][0]["input"]["file_path"].clone(),
            reply["stop_reason"].clone(),
        ));
    }
    let wanted = [
        (json!("/a"), json!("tool_use")),
        (json!("/a"), json!("tool_use")),
        (json!("/b"), json!("tool_use")),
        (Value::Null, json!("end_turn")),
    ];
    assert_eq!(seen, wanted);
    assert_eq!(stub.bodies().len(), 4);
}

#[test]
fn a_model_without_the_tool_is_not_asked_to_read() {
    let stub = Stub::start(vec!["/a".to_owned()]).unwrap();
    let (_, body) = post(&stub, "/v1/messages", &json!({"messages": []}));
    assert!(body.contains("\"OK.\""), "{body}");
}

#[test]
fn replies_are_streamed_when_wanted() {
    let stub = Stub::start(vec!["/a".to_owned()]).unwrap();
    let mut body = ask(0);
    body["stream"] = json!(true);
    let (head, events) = post(&stub, "/v1/messages", &body);
    assert!(head.contains("text/event-stream"), "{head}");
    let names: Vec<_> = events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(
        names,
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
    assert!(events.contains(r#""partial_json":"{\"file_path\":\"/a\"}""#), "{events}");
}

#[test]
fn chunked_bodies_and_kept_connections_work() {
    let stub = Stub::start(Vec::new()).unwrap();
    let body = ask(0).to_string();
    let (one, two) = body.split_at(10);
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
         {:x}\r\n{one}\r\n{:x};x=y\r\n{two}\r\n0\r\n\r\n\
         GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n",
        one.len(),
        two.len()
    );
    let (_, rest) = send(&stub, &request);
    assert!(rest.contains("\"OK.\"") && rest.contains("has_more"), "{rest}");
    assert_eq!(stub.bodies().len(), 1);
}

#[test]
fn other_requests_get_something_harmless() {
    let stub = Stub::start(Vec::new()).unwrap();
    let (_, body) = post(&stub, "/v1/messages/count_tokens", &json!({}));
    assert!(body.contains("input_tokens"), "{body}");
    let (head, _) = send(
        &stub,
        "POST /v1/messages HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
    );
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    assert!(stub.bodies().is_empty());
}

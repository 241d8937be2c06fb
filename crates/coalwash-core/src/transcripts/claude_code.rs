//! The records of Claude Code.
//!
//! Source: records written by Claude Code 2.1.197 and 2.1.332, in `fixtures/claude-code/`.
//! A key that a newer version adds is ignored, a record type that it adds is [`Body::Other`].

use serde::Deserialize;
use std::borrow::Cow;

/// One record: what all have in common, and what it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record<'a> {
    /// The kind of record as the host names it.
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    /// Identity of the record; bookkeeping records have none.
    #[serde(borrow, default)]
    pub uuid: Option<Cow<'a, str>>,
    /// Session that wrote it.
    #[serde(borrow, default)]
    pub session_id: Option<Cow<'a, str>>,
    /// When, as RFC 3339 text.
    #[serde(borrow, default)]
    pub timestamp: Option<Cow<'a, str>>,
    /// Folder the session runs in.
    #[serde(borrow, default)]
    pub cwd: Option<Cow<'a, str>>,
    /// Version of the client.
    #[serde(borrow, default)]
    pub version: Option<Cow<'a, str>>,
    /// Whether a sub-agent wrote it.
    #[serde(default)]
    pub is_sidechain: bool,
    /// The part under `message`.
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    /// The request that an assistant record answers.
    #[serde(borrow, default)]
    request_id: Option<Cow<'a, str>>,
    /// The part under `attachment`.
    #[serde(borrow, default)]
    attachment: Option<&'a serde_json::value::RawValue>,
    /// The part under `subtype`.
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
}

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// Said by the user, or the result of a tool.
    User,
    /// One content block of a reply.
    Assistant {
        /// Identity of the reply; all its blocks share it.
        message_id: Option<Cow<'a, str>>,
        /// Identity of the request.
        request_id: Option<Cow<'a, str>>,
        /// Model that replied.
        model: Option<Cow<'a, str>>,
    },
    /// The instruction files sent at the start.
    Instructions(Vec<SentFile<'a>>),
    /// An instruction file sent when a file was touched.
    NestedMemory(SentFile<'a>),
    /// Any other attachment, by the host's name.
    Attachment(Cow<'a, str>),
    /// The host's own events, by subtype.
    System(Cow<'a, str>),
    /// Anything else, by the host's name.
    Other(Cow<'a, str>),
}

/// A file as the host recorded having sent it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SentFile<'a> {
    /// The path in the header.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// `User`, `Project`, `Local`, `AutoMem` or `Managed`.
    #[serde(rename = "type", borrow, default)]
    pub class: Cow<'a, str>,
    /// The text that was sent.
    #[serde(borrow, default)]
    pub content: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Files<'a> {
    #[serde(borrow, default)]
    files: Vec<SentFile<'a>>,
}

#[derive(Deserialize)]
struct Nested<'a> {
    #[serde(borrow)]
    content: SentFile<'a>,
}

impl<'a> Record<'a> {
    /// Reads one record from the text that [`super::pieces`] found.
    ///
    /// # Errors
    /// When the value is no record of this host: an object without `type`, or with a known key of
    /// another shape.
    pub fn parse(json: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Returns what the record is; an attachment that doesn't have the known shape is
    /// [`Body::Attachment`].
    pub fn body(&self) -> Body<'a> {
        match self.kind.as_ref() {
            "user" => Body::User,
            "assistant" => {
                let message = self.message.clone();
                let (id, model) = message.map_or((None, None), |m| (m.id, m.model));
                Body::Assistant { message_id: id, request_id: self.request_id.clone(), model }
            }
            "attachment" => {
                self.attachment.map_or(Body::Other(self.kind.clone()), |a| attachment(a.get()))
            }
            "system" => Body::System(self.subtype.clone().unwrap_or_default()),
            _ => Body::Other(self.kind.clone()),
        }
    }
}

fn attachment(json: &str) -> Body<'_> {
    let Ok(Kind { kind }) = serde_json::from_str::<Kind<'_>>(json) else {
        return Body::Attachment(Cow::Borrowed(""));
    };
    match kind.as_ref() {
        "instructions" => {
            serde_json::from_str::<Files<'_>>(json).map(|f| Body::Instructions(f.files)).ok()
        }
        "nested_memory" => {
            serde_json::from_str::<Nested<'_>>(json).map(|n| Body::NestedMemory(n.content)).ok()
        }
        _ => None,
    }
    .unwrap_or(Body::Attachment(kind))
}

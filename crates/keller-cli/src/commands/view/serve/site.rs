//! The answers of the server, and the requests that it refuses.
//!
//! The address holds a random token, which other programs and pages on this machine do not know. Requests that name another host,
//! which pages of strangers can make a browser send, and requests that come from another page are refused. No answer copies the
//! page or its parts, and no body of a request is read.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use keller_io::reports::view::View;

/// The headers of every answer: browsers keep it nowhere, and no other page may use it.
const ALWAYS: [(HeaderName, &str); 5] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// A view at an address.
#[derive(Debug)]
pub(super) struct Site {
    page: Bytes,
    parts: Vec<Bytes>,
    /// The start of every path: `/TOKEN`.
    start: String,
    /// The names of this server, with its port.
    hosts: [String; 2],
}

/// An answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) response: Response<Full<Bytes>>,
    /// Whether the request has shown the token.
    pub(super) is_to_known: bool,
}

/// A part of a view, where it lies.
struct Part {
    view: Arc<View>,
    number: usize,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.view.part(self.number).unwrap_or_default()
    }
}

/// A status, a kind and the bytes.
type Found = (StatusCode, &'static str, Bytes);

const PLAIN: &str = "text/plain; charset=utf-8";

fn refused(status: StatusCode, text: &'static str) -> Found {
    (status, PLAIN, Bytes::from_static(text.as_bytes()))
}

impl Site {
    pub(super) fn new(view: View, token: &str, port: u16) -> Self {
        let view = Arc::new(view);
        let part = |number| Part {
            view: Arc::clone(&view),
            number,
        };
        Self {
            page: view.served_page().into(),
            parts: (0..view.num_parts())
                .map(|number| Bytes::from_owner(part(number)))
                .collect(),
            start: format!("/{token}"),
            hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}")),
        }
    }

    pub(super) fn answer<B: Body>(&self, request: &Request<B>) -> Answer {
        let has_body = !request.body().is_end_stream();
        let path = self.path(request);
        let (status, kind, bytes) = self.found(request, path);
        let length = bytes.len();
        let mut response = Response::new(Full::new(bytes));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        for (name, value) in ALWAYS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CONTENT_LENGTH, length.into());
        if has_body {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Answer {
            response,
            is_to_known: path.is_some() && status != StatusCode::FORBIDDEN,
        }
    }

    /// The path of a request behind the token, if it has the token.
    fn path<'a, B>(&self, request: &'a Request<B>) -> Option<&'a str> {
        let uri = request.uri();
        // A request to a proxy names a server in its address.
        let whole = uri.path_and_query().filter(|_| uri.authority().is_none());
        whole?.as_str().strip_prefix(self.start.as_str())
    }

    fn found<B: Body>(&self, request: &Request<B>, path: Option<&str>) -> Found {
        if !self.is_ours(request) {
            return refused(
                StatusCode::FORBIDDEN,
                "this view is for pages of its own address alone\n",
            );
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refused(StatusCode::METHOD_NOT_ALLOWED, "a view can only be read\n");
        }
        if !request.body().is_end_stream() {
            return refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                "a request for a view has no body\n",
            );
        }
        match path {
            Some("/") => (
                StatusCode::OK,
                "text/html; charset=utf-8",
                self.page.clone(),
            ),
            Some(path) => match self.part(path) {
                Some(bytes) => (StatusCode::OK, "application/octet-stream", bytes),
                None => refused(StatusCode::NOT_FOUND, "the view has no such part\n"),
            },
            None => refused(StatusCode::NOT_FOUND, "nothing is here\n"),
        }
    }

    fn part(&self, path: &str) -> Option<Bytes> {
        let number = path.strip_prefix("/part/")?;
        // A plain number has no sign, no space and no second name of a part.
        let is_plain = number.bytes().all(|digit| digit.is_ascii_digit()) && number.len() < 10;
        let number: usize = number.parse().ok().filter(|_| is_plain)?;
        self.parts.get(number).cloned()
    }

    /// Whether a request is meant for this address and comes from its own page, or from no page.
    fn is_ours<B>(&self, request: &Request<B>) -> bool {
        // A header may be there twice: all its values must be right.
        let all = |name: &str, is_good: &dyn Fn(&str) -> bool| {
            let mut values = request.headers().get_all(name).iter();
            values.all(|value| value.to_str().is_ok_and(is_good))
        };
        let is_host = |value: &str| self.hosts.iter().any(|host| host == value);
        let is_origin = |value: &str| value.strip_prefix("http://").is_some_and(is_host);
        request.headers().contains_key("host")
            && all("host", &is_host)
            && all("origin", &is_origin)
            && all("sec-fetch-site", &|site| {
                site == "same-origin" || site == "none"
            })
    }
}

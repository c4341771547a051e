//! A server of one view, for this machine alone.
//!
//! It listens on the loopback interface, on a port that is free. Its address holds a random token, which other programs and pages on
//! this machine do not know. Requests that name another host, which pages of strangers can make a browser send, and requests that
//! come from another page are refused.

use std::ffi::OsStr;
use std::io::Cursor;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use keller_io::view::View;
use tiny_http::{Header, Method, Request, Response, Server};

use super::browse;
use crate::failure::Failure;
use crate::stop;

/// How often a signal is looked for.
const PATIENCE: Duration = Duration::from_millis(100);

/// What every answer says: it is kept nowhere, and no other page may use it.
const ALWAYS: [(&str, &str); 5] = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
];

/// What is handed out, and to whom.
struct Site<'a> {
    view: &'a View,
    page: String,
    token: String,
    port: u16,
}

/// An answer: its status, its kind and its bytes.
type Answer = (u16, &'static str, Vec<u8>);

/// Hands the view out until a signal comes. Opens the browser if `opens`.
pub(super) fn serve(view: &View, opens: bool) -> Result<(), Failure> {
    let system = |problem: String| Failure::System(format!("the page cannot be served: {problem}"));
    let server =
        Server::http((Ipv4Addr::LOCALHOST, 0)).map_err(|error| system(error.to_string()))?;
    let port = server
        .server_addr()
        .to_ip()
        .map_or(0, |address: SocketAddr| address.port());
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| system(error.to_string()))?;
    let site = Site {
        view,
        page: view.served_page(),
        token: format!("{:032x}", u128::from_le_bytes(random)),
        port,
    };
    let address = format!("http://127.0.0.1:{port}/{}/", site.token);
    println!("{address}");
    eprintln!("Ctrl-C ends it");
    if opens {
        browse(OsStr::new(&address));
    }
    thread::scope(|scope| {
        while stop::check().is_ok() {
            let request = server
                .recv_timeout(PATIENCE)
                .map_err(|error| system(error.to_string()))?;
            if let Some(request) = request {
                // Who reads slowly keeps nobody else waiting.
                scope.spawn(|| site.respond(request));
            }
        }
        Ok(())
    })
}

impl Site<'_> {
    fn respond(&self, request: Request) {
        let (status, kind, bytes) = self.answer(&request);
        let length = bytes.len();
        let headers = ALWAYS.into_iter().chain([("Content-Type", kind)]);
        let headers = headers.filter_map(|(name, value)| Header::from_bytes(name, value).ok());
        let response = Response::new(
            status.into(),
            headers.collect(),
            Cursor::new(bytes),
            Some(length),
            None,
        );
        // A browser that has gone away misses nothing.
        request.respond(response).ok();
    }

    fn answer(&self, request: &Request) -> Answer {
        let refuse = |status, text: &str| {
            (
                status,
                "text/plain; charset=utf-8",
                text.as_bytes().to_vec(),
            )
        };
        if !self.is_ours(request) {
            return refuse(403, "this view is for pages of its own address alone\n");
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return refuse(405, "a view can only be read\n");
        }
        let path = request
            .url()
            .strip_prefix('/')
            .and_then(|rest| rest.strip_prefix(&self.token));
        match path {
            Some("/") => (
                200,
                "text/html; charset=utf-8",
                self.page.clone().into_bytes(),
            ),
            Some(path) => match self.part(path) {
                Some(bytes) => (200, "application/octet-stream", bytes.to_vec()),
                None => refuse(404, "the view has no such part\n"),
            },
            None => refuse(404, "nothing is here\n"),
        }
    }

    fn part(&self, path: &str) -> Option<&[u8]> {
        let number = path.strip_prefix("/part/")?;
        // No sign, no space, no second name of a part.
        let is_plain = number.bytes().all(|digit| digit.is_ascii_digit()) && number.len() < 10;
        self.view.part(number.parse().ok().filter(|_| is_plain)?)
    }

    /// Whether a request is meant for this address and comes from its own page, or from no page.
    fn is_ours(&self, request: &Request) -> bool {
        let of = |name: &'static str| {
            let headers = request.headers().iter();
            let mut named = headers.filter(move |header| header.field.equiv(name));
            named.next().map(|header| header.value.as_str().to_owned())
        };
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let is_host = of("Host").is_some_and(|host| hosts.contains(&host));
        let is_origin = of("Origin")
            .is_none_or(|origin| hosts.iter().any(|host| origin == format!("http://{host}")));
        let is_site =
            of("Sec-Fetch-Site").is_none_or(|site| site == "same-origin" || site == "none");
        is_host && is_origin && is_site
    }
}

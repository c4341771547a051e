//! The limits of the server of a view: no client can end it, fill its memory or keep others from the page.

#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::Folder;
use crate::view::{folder, must};
use crate::view_serve::{PATIENCE, Served, said};

/// The resident size of a process in bytes and its number of threads.
fn size(served: &Served) -> (u64, u64) {
    let status = format!("/proc/{}/status", served.child.id());
    let status = std::fs::read_to_string(status).unwrap();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let number = line.unwrap().split_whitespace().next().unwrap();
        number.parse::<u64>().unwrap()
    };
    (1024 * of("VmRSS:"), of("Threads:"))
}

/// A server, and its memory and threads before anyone asked it for much.
struct Watched {
    served: Served,
    before: (u64, u64),
}

impl Watched {
    fn start(folder: &Folder) -> Self {
        must(folder, "$KELLER paths t.toml -o t.csv");
        let served = Served::start(folder);
        for _ in 0..3 {
            let answer = served.send(&page(&served));
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer:.200}");
        }
        let before = size(&served);
        Self { served, before }
    }

    /// The page is there at once, and the server is as small as before.
    fn check(&self, after: &str) {
        let start = Instant::now();
        let answer = self.served.send(&page(&self.served));
        assert!(
            answer.starts_with("HTTP/1.1 200 "),
            "{after}: {answer:.200}"
        );
        assert!(answer.trim_end().ends_with("</html>"), "{after}");
        let waited = start.elapsed();
        assert!(waited < Duration::from_secs(5), "{after}: {waited:?}");
        let (bytes, threads) = size(&self.served);
        let more = bytes.saturating_sub(self.before.0);
        assert!(more < 16 << 20, "{after}: {} KB more", more >> 10);
        assert!(threads <= self.before.1, "{after}: {threads} threads");
    }
}

/// A whole request of the page.
fn page(served: &Served) -> Vec<u8> {
    format!("{}Connection: close\r\n\r\n", served.request()).into_bytes()
}

/// Requests that no browser sends, and the accepted answers: nothing where the connection is reset while the client
/// sends.
fn requests(served: &Served) -> Vec<(&'static str, String, &'static [&'static str])> {
    let (page, host) = (served.request(), served.host());
    let stranger = format!("GET / HTTP/1.1\r\n{host}");
    let many = "X-Name: value\r\n".repeat(10_000);
    vec![
        (
            "the largest body",
            format!("{stranger}Content-Length: 18446744073709551615\r\n\r\n"),
            &["431"],
        ),
        (
            "a body of 200 GB",
            format!("{stranger}Content-Length: 200000000000\r\n\r\nabc"),
            &["413"],
        ),
        (
            "a body without a number",
            format!("{page}Content-Length: {}\r\n\r\n", "9".repeat(400)),
            &["400"],
        ),
        (
            "a body of a known client",
            format!("{page}Content-Length: 3\r\n\r\nabc"),
            &["413"],
        ),
        (
            "two lengths",
            format!("{page}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            &["400"],
        ),
        (
            "a chunked body",
            format!("{page}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc"),
            &["413"],
        ),
        (
            "a body that is posted",
            page.replacen("GET", "POST", 1) + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            &["405"],
        ),
        (
            "a line of 1 MB",
            format!("{page}X: {}\r\n\r\n", "x".repeat(1 << 20)),
            &["431", ""],
        ),
        (
            "a path of 1 MB",
            format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(1 << 20)),
            &["414", "431", ""],
        ),
        ("10 000 headers", format!("{page}{many}\r\n"), &["431", ""]),
        (
            "100 short headers",
            format!("{page}{}\r\n", "X: y\r\n".repeat(100)),
            &["431"],
        ),
        (
            "45 MB of headers",
            format!("{page}{}\r\n", "X: y\r\n".repeat(7_500_000)),
            &["431", ""],
        ),
        ("HTTP/0.9", "GET /\r\n\r\n".to_owned(), &["400"]),
        (
            "another protocol",
            "\u{16}\u{3}\u{1}\u{2}\0\r\n\r\n".to_owned(),
            &["400", ""],
        ),
        (
            "HTTP/2",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
            &["400", "505", ""],
        ),
        (
            "NUL in a header",
            format!("{page}X: a\0b\r\n\r\n"),
            &["400"],
        ),
        (
            "NUL in a path",
            format!("GET /\0 HTTP/1.1\r\n{host}\r\n"),
            &["400"],
        ),
        (
            "a second host",
            format!("{page}Host: evil.example\r\nConnection: close\r\n\r\n"),
            &["403"],
        ),
    ]
}

#[test]
fn no_request_ends_a_server_or_fills_its_memory() {
    let folder = folder("serve-requests");
    let watched = Watched::start(&folder);
    let served = &watched.served;
    let host = served.host();
    for (name, request, statuses) in requests(served) {
        let answer = served.send(request.as_bytes());
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(statuses.contains(&status), "{name}: {answer:.300}");
        watched.check(name);
    }
    for path in [
        "%00",
        "%2e%2e/t.toml",
        "../t.toml",
        "part/%30",
        "part/0%00",
        "part/0?x",
        "?x",
    ] {
        let request = format!(
            "GET /{}/{path} HTTP/1.1\r\n{host}Connection: close\r\n\r\n",
            served.token
        );
        let answer = served.send(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer:.200}");
    }
    let proxy = format!(
        "GET http://127.0.0.1:{}/{}/ HTTP/1.1\r\n{host}Connection: close\r\n\r\n",
        served.port, served.token
    );
    assert!(served.send(proxy.as_bytes()).starts_with("HTTP/1.1 404 "));
    watched.check("paths");
}

#[test]
fn requests_may_follow_each_other_and_end_the_sending_half() {
    let folder = folder("serve-pipelined");
    let watched = Watched::start(&folder);
    let served = &watched.served;
    let head = served.request().replacen("GET", "HEAD", 1);
    let part = served.request().replacen("/ HTTP", "/part/0 HTTP", 1);
    let last = String::from_utf8(page(served)).unwrap();
    let answer = served.send(format!("{head}\r\n{part}\r\n{head}\r\n{last}").as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 200 OK\r\n").count(), 4);
    let lengths: Vec<&str> = answer
        .split("Content-Length: ")
        .skip(1)
        .map(|rest| rest.split('\r').next().unwrap())
        .collect();
    assert_eq!((lengths[0], lengths[2]), (lengths[3], lengths[3]));
    assert!(answer.trim_end().ends_with("</html>"));
    // A client that has said all still gets its answer.
    let mut half = served.connect();
    half.write_all(&page(served)).unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    assert!(said(&mut half).trim_end().ends_with("</html>"));
    let mut cut = served.connect();
    cut.write_all(b"GET / HT").unwrap();
    cut.shutdown(Shutdown::Write).unwrap();
    assert!(!said(&mut cut).contains("200 OK"));
    watched.check("halves");
}

/// Programs of bash that hold so many connections, 500 each. They end with the returned children.
fn idle(served: &Served, count: usize) -> Vec<Child> {
    let line = format!(
        "for k in {{1..500}}; do exec {{c}}<>/dev/tcp/127.0.0.1/{} || exit; done; echo all; read",
        served.port
    );
    let start = |_| {
        let mut child = Command::new("bash")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = [0; 3];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut told)
            .unwrap();
        child
    };
    (0..count / 500).map(start).collect()
}

#[test]
fn thousands_of_idle_connections_keep_nobody_from_the_page() {
    let folder = folder("serve-idle");
    let watched = Watched::start(&folder);
    let children = idle(&watched.served, 3000);
    watched.check("3000 idle connections");
    for mut child in children {
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    watched.check("their end");
}

#[test]
fn slow_clients_keep_nobody_from_the_page_and_are_closed() {
    let folder = folder("serve-slow");
    let watched = Watched::start(&folder);
    let served = &watched.served;
    // These clients know the token and read nothing of a hundred pages.
    let mut requests = served.request() + "\r\n";
    requests = requests.repeat(100);
    let mut stalled: Vec<TcpStream> = (0..80).map(|_| served.connect()).collect();
    for stream in &mut stalled {
        // Some are closed already, since there are too many.
        stream.write_all(requests.as_bytes()).ok();
    }
    watched.check("80 readers who stall");
    // These clients never come to the end of their request, a byte at a time.
    let mut slow: Vec<TcpStream> = (0..20).map(|_| served.connect()).collect();
    let start = Instant::now();
    for byte in served.request().bytes() {
        slow.retain_mut(|stream| stream.write_all(&[byte]).is_ok() && !is_closed(stream));
        if slow.is_empty() {
            break;
        }
        sleep(Duration::from_millis(500));
    }
    let waited = start.elapsed().as_secs();
    assert!(slow.is_empty(), "{} are open after {waited} s", slow.len());
    assert!((5..20).contains(&waited), "closed after {waited} s");
    watched.check("20 who send slowly");
    // Within half a minute those who stall are closed, too.
    let until = Instant::now() + PATIENCE;
    while count_open(served.port) > 0 && Instant::now() < until {
        sleep(Duration::from_millis(500));
    }
    assert_eq!(count_open(served.port), 0);
    watched.check("those who stalled");
}

/// Whether the other side has closed a connection.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = (&mut &*stream).read(&mut [0; 512]);
    stream.set_nonblocking(false).unwrap();
    match read {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

/// The number of established connections to a port, seen from the server.
fn count_open(port: u16) -> usize {
    let all = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{port:04X}");
    let is_open = |line: &&str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().is_some_and(|at| at.ends_with(&port)) && words.nth(1) == Some("01")
    };
    all.lines().filter(is_open).count()
}

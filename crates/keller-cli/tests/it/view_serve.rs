//! The server of a view, which hands the page out to this machine and its own page alone.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::Folder;
use crate::view::{folder, manifest, must, unpacked};

/// Longer than a server waits for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(50);

/// A server of a view, and its address.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Served {
    /// Serves `t.toml` and `t.csv` of a folder.
    pub(crate) fn start(folder: &Folder) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keller"))
            .args(["view", "t.toml", "t.csv", "--serve", "--no-open"])
            .current_dir(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        Self {
            child,
            port: port.parse().unwrap(),
            token: token.trim_end_matches('/').to_owned(),
        }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(
            head.contains("Cross-Origin-Resource-Policy: same-origin"),
            "{head}"
        );
        (status, answer[end + 4..].to_vec())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are. Returns the answer before the server closes or resets the connection.
    pub(crate) fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // It may close before it has read all.
        stream.write_all(bytes).ok();
        said(&mut stream)
    }

    /// A request of the page itself, which may be followed by more headers.
    pub(crate) fn request(&self) -> String {
        format!("GET /{}/ HTTP/1.1\r\n{}", self.token, self.host())
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }
}

/// The bytes that a server sends until it closes or resets the connection, which it must do.
pub(crate) fn said(stream: &mut TcpStream) -> String {
    let (mut answer, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&bytes[..count]),
            Err(error) => {
                let is_open = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                assert!(!is_open, "the connection stays open: {}", answer.len());
                break;
            }
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_served_view_is_for_its_own_page_alone() {
    let folder = folder("view-serve");
    must(&folder, "$KELLER paths t.toml -o t.csv");
    let [first, second] = [Served::start(&folder), Served::start(&folder)];
    assert_ne!(first.token, second.token);
    assert_eq!(first.token.len(), 32);
    let (token, host) = (&first.token, first.host());
    let (status, page) = first.ask("GET", &format!("/{token}/"), &host);
    let page = String::from_utf8(page).unwrap();
    assert_eq!(status, 200);
    let view = manifest(&page);
    assert!(!page.contains("id=\"part-0\""), "parts are not in the page");
    for (number, size) in view["parts"].as_array().unwrap().iter().enumerate() {
        let (status, packed) = first.ask("GET", &format!("/{token}/part/{number}"), &host);
        assert_eq!(status, 200);
        assert_eq!(unpacked(&packed).len() as u64, size.as_u64().unwrap());
    }
    let last = view["parts"].as_array().unwrap().len();
    for path in [
        "/".to_owned(),
        "/part/0".to_owned(),
        format!("/{}/", second.token),
        format!("/{token}"),
        format!("/{token}/part/{last}"),
        format!("/{token}/part/+1"),
        format!("/{token}/part/-1"),
        format!("/{token}/part/0/"),
        format!("/{token}/../t.toml"),
        format!("/{token}/part/../../t.toml"),
        format!("/{token}/%2e%2e/t.toml"),
        format!("/{token}//t.toml"),
        "/t.toml".to_owned(),
    ] {
        let (status, body) = first.ask("GET", &path, &host);
        assert_eq!(status, 404, "{path}");
        assert!(
            !String::from_utf8_lossy(&body).contains("frequency"),
            "{path}"
        );
    }
    let page = format!("/{token}/");
    for (headers, expected) in [
        (host.clone(), 200),
        (format!("Host: localhost:{}\r\n", first.port), 200),
        (
            format!("{host}Origin: http://127.0.0.1:{}\r\n", first.port),
            200,
        ),
        // A name of a stranger that leads to this machine, and pages of strangers.
        (format!("Host: evil.example:{}\r\n", first.port), 403),
        ("Host: 127.0.0.1\r\n".to_owned(), 403),
        (String::new(), 403),
        (format!("{host}Origin: http://evil.example\r\n"), 403),
        (format!("{host}Origin: null\r\n"), 403),
        (
            format!("{host}Origin: http://127.0.0.1:{}\r\n", second.port),
            403,
        ),
        (format!("{host}Sec-Fetch-Site: cross-site\r\n"), 403),
    ] {
        assert_eq!(first.ask("GET", &page, &headers).0, expected, "{headers}");
    }
    assert_eq!(
        first
            .ask("POST", &page, &format!("{host}Content-Length: 0\r\n"))
            .0,
        405
    );
    assert_eq!(first.ask("HEAD", &page, &host).0, 200);
}

/// Ctrl-C is the ordinary end of a server; after another signal, a message says that it ended the server.
#[cfg(unix)]
#[test]
fn a_server_ends_with_a_signal() {
    let folder = folder("view-signal");
    must(&folder, "$KELLER paths t.toml -o t.csv");
    for (signal, code) in [("INT", 0), ("TERM", 143)] {
        let mut served = Served::start(&folder);
        // A client that waits for nothing does not hold it up.
        let _idle = served.connect();
        must(&folder, &format!("kill -{signal} {}", served.child.id()));
        assert_eq!(served.child.wait().unwrap().code(), Some(code));
        assert!(TcpStream::connect(("127.0.0.1", served.port)).is_err());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_listens_to_this_machine_alone() {
    let folder = folder("view-loopback");
    must(&folder, "$KELLER paths t.toml -o t.csv");
    let served = Served::start(&folder);
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X}", served.port);
    let mut own = listening.lines().filter(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next().is_some_and(|at| at.ends_with(&port)) && words.nth(1) == Some("0A")
    });
    // 127.0.0.1, in the order of this machine's bytes.
    assert!(own.next().unwrap().contains("0100007F:"));
    assert!(own.next().is_none());
}

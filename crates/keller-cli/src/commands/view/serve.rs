//! A server of one view, for this machine alone.
//!
//! It listens on the loopback interface, on a free port. One thread serves all connections, and each costs a bounded amount of
//! memory and time: [`limits`] on the head of a request, no body, a number of connections, and a time in which something must move.

mod connections;
mod site;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use keller_io::reports::view::View;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

use self::connections::Connections;
use self::site::Site;
use super::browse;
use crate::failure::Failure;
use crate::messages::say;
use crate::stop;

/// The interval between looks for a signal and stalled connections.
const TICK: Duration = Duration::from_millis(100);

/// The least time that a connection has to show that it knows the token while others wait.
const TURN: Duration = Duration::from_millis(1);

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// The largest number of bytes of the head of a request. Browsers send one or two thousand.
const MAX_HEAD: usize = 16 << 10;

/// The largest number of header lines of a request. Browsers send about 20.
const MAX_HEADERS: usize = 64;

/// The time that a head may take to arrive, from the start of a connection or the end of the previous answer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Hands the view out until a signal comes. Opens the browser if `opens`.
pub(super) fn serve(view: View, opens: bool) -> Result<(), Failure> {
    let system = |problem: String| Failure::System(format!("the page cannot be served: {problem}"));
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| system(error.to_string()))?;
    let token = format!("{:032x}", u128::from_le_bytes(random));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| system(error.to_string()))?;
    let tasks = LocalSet::new();
    tasks.block_on(&runtime, async {
        let listener = listen().map_err(|error| system(error.to_string()))?;
        let port = listener.local_addr().map(|address| address.port());
        let port = port.map_err(|error| system(error.to_string()))?;
        let address = format!("http://127.0.0.1:{port}/{token}/");
        writeln!(io::stdout(), "{address}")?;
        say!("Ctrl-C ends it");
        if opens {
            browse(OsStr::new(&address));
        }
        hand_out(&listener, Rc::new(Site::new(view, &token, port))).await;
        Ok::<(), Failure>(())
    })?;
    if stop::is_by_ctrl_c() {
        // The ordinary end.
        return Ok(());
    }
    Err(Failure::Kept(
        "stopped: nothing is served any more".to_owned(),
    ))
}

fn listen() -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    socket.listen(BACKLOG)
}

/// Answers requests until a signal comes.
async fn hand_out(listener: &TcpListener, site: Rc<Site>) {
    let server = limits();
    let mut connections = Connections::default();
    while stop::check().is_ok() {
        connections.close_stalled();
        match timeout(TICK, listener.accept()).await {
            Ok(Ok((stream, _))) => {
                if connections.is_full() {
                    sleep(TURN).await;
                    connections.make_room();
                }
                connections.add(stream, &server, &site);
            }
            // The system has no room for another connection now.
            Ok(Err(_)) => sleep(TICK).await,
            // No client came.
            Err(_) => {}
        }
    }
}

/// HTTP with limits on all that a client can send.
fn limits() -> http1::Builder {
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        // A client that has said all still wants its answer.
        .half_close(true)
        .title_case_headers(true);
    server
}

//! The open connections, of which there are few: a new one closes an old one where there are too many.
//!
//! A connection that has not shown the token is closed first, the oldest of them: strangers keep nobody from the page. Among those
//! that know the token, the one that has moved nothing for the longest time is closed.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::Instant;

use super::site::Site;

/// The largest number of connections at once. Browsers open six.
const MAX_CONNECTIONS: usize = 64;

/// A connection on which nothing moves for so long is closed, such as that of a reader who stops reading.
const MAX_STALL: Duration = Duration::from_secs(30);

/// All open connections, in the order in which they were opened.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Vec<Connection>,
}

#[derive(Debug)]
struct Connection {
    task: AbortHandle,
    state: Rc<State>,
}

/// The history of a connection, which decides whether it is closed first.
#[derive(Debug)]
struct State {
    /// Whether it has shown the token.
    is_known: Cell<bool>,
    /// The time at which bytes were last read or written.
    moved: Cell<Instant>,
}

impl Connections {
    /// Whether a connection must be closed before the next is added.
    pub(super) fn is_full(&mut self) -> bool {
        self.open.retain(|one| !one.task.is_finished());
        self.open.len() >= MAX_CONNECTIONS
    }

    /// Closes one connection if there are too many.
    pub(super) fn make_room(&mut self) {
        if !self.is_full() {
            return;
        }
        let stranger = self.open.iter().position(|one| !one.state.is_known.get());
        let by_time = || (0..self.open.len()).min_by_key(|k| self.open[*k].state.moved.get());
        if let Some(closed) = stranger.or_else(by_time) {
            self.open.remove(closed).task.abort();
        }
    }

    /// Closes connections on which nothing moves.
    pub(super) fn close_stalled(&mut self) {
        self.open.retain(|one| {
            let is_stalled = one.state.moved.get().elapsed() > MAX_STALL;
            if is_stalled {
                one.task.abort();
            }
            !is_stalled
        });
    }

    /// Serves a new connection until it ends or is closed.
    pub(super) fn add(&mut self, stream: TcpStream, server: &http1::Builder, site: &Rc<Site>) {
        let state = Rc::new(State {
            is_known: Cell::new(false),
            moved: Cell::new(Instant::now()),
        });
        let watched = Watched {
            stream,
            state: Rc::clone(&state),
        };
        let (site, asker) = (Rc::clone(site), Rc::clone(&state));
        let service = service_fn(move |request| {
            let answer = site.answer(&request);
            asker
                .is_known
                .set(asker.is_known.get() || answer.is_to_known);
            std::future::ready(Ok::<_, std::convert::Infallible>(answer.response))
        });
        let connection = server.serve_connection(TokioIo::new(watched), service);
        let task = spawn_local(async move {
            // A browser that has gone away misses nothing.
            connection.await.ok();
        });
        let task = task.abort_handle();
        self.open.push(Connection { task, state });
    }
}

/// A stream that notes when bytes move.
struct Watched {
    stream: TcpStream,
    state: Rc<State>,
}

impl Watched {
    fn noted<T>(&self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.state.moved.set(Instant::now());
        }
        polled
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.noted(polled)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.noted(polled)
    }

    /// Parts are written from where they lie.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

//! Limits the number of open connections and closes idle ones.
//!
//! A viewer that runs for days gets visits from scanners, crawlers and forgotten tabs. Every client
//! can connect. At the limit, the connection that has been idle longest is closed.

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// The maximum number of connections. With the files of pages, they stay below 256 files, the limit
/// for a process on some systems.
const MAX_CONNECTIONS: usize = 128;

/// Minimum number of connections: a browser opens six.
const MIN_CONNECTIONS: usize = 6;

/// Maximum idle time: between two requests, within one, or while a client reads a response.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Pause before checking again for a free connection or file.
const PAUSE: Duration = Duration::from_millis(20);

/// Accepts connections until the process ends.
pub(crate) async fn serve(listener: TcpListener, pages: Router, patience: Duration) {
    let mut open = OpenConnections {
        connections: Vec::new(),
        at_once: MAX_CONNECTIONS,
    };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                open.make_room().await;
                let quiet = Arc::new(IdleSince(Mutex::new(Some(Instant::now()))));
                let task =
                    tokio::spawn(answer(stream, Arc::clone(&quiet), pages.clone(), patience));
                open.connections.push(Connection { quiet, task });
            }
            Err(error) if is_of_one_connection(&error) => {}
            // The system has no free files. Close connections, since pages need files too.
            Err(_) => {
                open.at_once = (open.connections.len() / 2).max(MIN_CONNECTIONS);
                open.make_room().await;
                sleep(PAUSE).await;
            }
        }
    }
}

/// True if the client disconnected before the connection was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}

/// The open connections.
struct OpenConnections {
    connections: Vec<Connection>,
    at_once: usize,
}

struct Connection {
    quiet: Arc<IdleSince>,
    task: JoinHandle<()>,
}

impl OpenConnections {
    /// Closes idle connections, longest idle first, until there is room for one more. Waits if all
    /// are busy.
    async fn make_room(&mut self) {
        loop {
            self.connections
                .retain(|connection| !connection.task.is_finished());
            if self.connections.len() < self.at_once {
                return;
            }
            let quiet = self
                .connections
                .iter()
                .enumerate()
                .filter_map(|(index, it)| Some((it.quiet.since()?, index)));
            match quiet.min() {
                Some((_, index)) => {
                    let connection = self.connections.swap_remove(index);
                    connection.task.abort();
                    // The file is free only after the task has ended.
                    _ = connection.task.await;
                }
                None => sleep(PAUSE).await,
            }
        }
    }
}

/// Serves one connection until it ends, or has been idle for too long.
async fn answer(stream: TcpStream, quiet: Arc<IdleSince>, pages: Router, patience: Duration) {
    let pages = TowerToHyperService::new(pages);
    let busy = Arc::clone(&quiet);
    let service = service_fn(move |request| {
        let busy = BusyMark::new(&busy);
        let page = pages.call(request);
        async move {
            let page = page.await;
            drop(busy);
            page
        }
    });
    let mut connection =
        pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    // The idle time may have restarted during each wait, so compute the rest of it.
    let mut remaining = patience;
    while !remaining.is_zero() {
        if timeout(remaining, connection.as_mut()).await.is_ok() {
            return;
        }
        remaining = quiet
            .since()
            .map_or(patience, |since| patience.saturating_sub(since.elapsed()));
    }
}

/// The time when a connection became idle; `None` while it gets a page.
struct IdleSince(Mutex<Option<Instant>>);

impl IdleSince {
    fn since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}

/// Marks the connection as busy until dropped.
struct BusyMark(Arc<IdleSince>);

impl BusyMark {
    fn new(quiet: &Arc<IdleSince>) -> Self {
        quiet.set(None);
        Self(Arc::clone(quiet))
    }
}

impl Drop for BusyMark {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    /// Runs a test against a viewer with these pages.
    fn with_server<F: Future<Output = ()>>(
        pages: Router,
        patience: Duration,
        test: impl FnOnce(std::net::SocketAddr) -> F,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(serve(listener, pages, patience));
            test(address).await;
        });
    }

    async fn answered(stream: &mut TcpStream) -> bool {
        let mut answer = [0; 256];
        // Read the whole response, so the next one starts at the right byte.
        stream.write_all(GET).await.is_ok()
            && stream
                .read(&mut answer)
                .await
                .is_ok_and(|read| answer[..read].starts_with(b"HTTP/1.1 200 OK"))
    }

    #[test]
    fn idle_connections_time_out() {
        let patience = Duration::from_millis(300);
        with_server(
            Router::new().route("/", get(|| async { "page" })),
            patience,
            async |address| {
                for sent in [&b""[..], b"GET / HTTP/1.1\r\nho", GET] {
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    let begun = Instant::now();
                    stream.write_all(sent).await.unwrap();
                    let mut answer = Vec::new();
                    timeout(Duration::from_secs(60), stream.read_to_end(&mut answer))
                        .await
                        .unwrap()
                        .unwrap();
                    assert_eq!(answer.is_empty(), sent != GET);
                    assert!(begun.elapsed() >= patience, "{:?}", begun.elapsed());
                }
            },
        );
    }

    #[test]
    fn slow_pages_do_not_time_out() {
        let patience = Duration::from_millis(100);
        let slow = async || {
            sleep(Duration::from_millis(500)).await;
            "page"
        };
        with_server(
            Router::new().route("/", get(slow)),
            patience,
            async |address| {
                assert!(answered(&mut TcpStream::connect(address).await.unwrap()).await);
            },
        );
    }

    #[test]
    fn longest_idle_connection_is_closed_first() {
        let pages = Router::new()
            .route("/", get(|| async { "page" }))
            .route("/never", get(pending::<()>));
        with_server(pages, IDLE_TIMEOUT, async |address| {
            let mut waiting = TcpStream::connect(address).await.unwrap();
            waiting
                .write_all(b"GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n")
                .await
                .unwrap();
            let mut others = Vec::new();
            for _ in 0..MAX_CONNECTIONS + 20 {
                let mut stream = TcpStream::connect(address).await.unwrap();
                assert!(answered(&mut stream).await);
                others.push(stream);
            }
            let mut open = 0;
            for stream in &mut others {
                open += usize::from(answered(stream).await);
            }
            assert_eq!(
                open,
                MAX_CONNECTIONS - 1,
                "the page that is being made keeps its connection"
            );
        });
    }
}

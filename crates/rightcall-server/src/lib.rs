//! The history of runs in the browser: runs, a run, a case, a comparison.
//!
//! The server renders pages from the same parts as reports; a small script only adds keyboard
//! shortcuts and live filters. Every page is the response to a `GET` and changes nothing. Only an
//! [editable](Viewer::editable) viewer answers a `POST`, which accepts a new expectation. The
//! database filters and pages long lists, so a page of a run with fifty thousand cases is as fast
//! as one with fifty.

mod connections;
mod expectation_files;
mod guard;
mod link;
mod pages;
mod strength_reports;
mod viewed;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::get;
use rightcall_run::fresh_hash_key;
use rightcall_store::{History, StoreError};

use connections::IDLE_TIMEOUT;
use guard::Hosts;
use viewed::Viewed;

/// A viewer, bound to its address.
#[derive(Debug)]
pub struct Viewer {
    listener: TcpListener,
    history: PathBuf,
    history_words: Vec<String>,
    address: SocketAddr,
    /// The secret that forms send back; `None` if the viewer changes no file.
    token: Option<String>,
}

/// Why a viewer cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The history cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be bound.
    #[error("{address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error.
        error: std::io::Error,
    },
    /// The server failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Viewer {
    /// Binds a viewer for the history in this file to this address. Port 0 selects any free port.
    ///
    /// # Errors
    /// The history cannot be read, or the address is taken.
    pub fn bind(history: &Path, address: SocketAddr) -> Result<Self, ViewError> {
        History::open_to_read(history)?;
        let listen = |error| ViewError::Listen { address, error };
        let listener = TcpListener::bind(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        Ok(Self {
            listener,
            history: history.to_owned(),
            history_words: Vec::new(),
            address,
            token: None,
        })
    }

    /// A viewer that adds these words to the commands on its pages, such as `--history FILE`, so
    /// they open the same history.
    #[must_use]
    pub fn naming_history(self, words: Vec<String>) -> Self {
        Self {
            history_words: words,
            ..self
        }
    }

    /// A viewer that can also accept new expectations into the files of suites. Each viewer has a
    /// new token, which keeps other sites from doing so.
    #[must_use]
    pub fn editable(self) -> Self {
        let key = fresh_hash_key();
        Self {
            token: Some(format!("{:016x}{:016x}", key.0, key.1)),
            ..self
        }
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// True if only this machine can connect.
    pub fn is_private(&self) -> bool {
        guard::is_loopback(self.address.ip())
    }

    /// Serves pages until the process ends.
    ///
    /// # Errors
    /// The server fails.
    pub fn serve(self) -> Result<(), ViewError> {
        // One thread handles connections; database reads run on at most 16 others, to limit the number of open files.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(16)
            .build()?;
        self.listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            connections::serve(
                listener,
                router(
                    Viewed::new(self.history, self.history_words, self.token),
                    Hosts::of(self.address),
                ),
                IDLE_TIMEOUT,
            )
            .await;
            Ok(())
        })
    }
}

/// All routes.
fn router(viewed: Viewed, hosts: Hosts) -> Router {
    let accept = get(pages::accept::proposal).post(pages::accept::accept);
    let edits = match viewed.token {
        Some(_) => Router::new().route("/runs/{run}/cases/{case}/accept", accept),
        None => Router::new(),
    };
    Router::new()
        .merge(edits)
        .route("/", get(pages::runs::runs))
        .route("/runs/{run}", get(pages::run::run))
        .route("/runs/{run}/cases/{case}", get(pages::case::case))
        .route("/runs/{run}/cases/{case}/file", get(pages::case::file))
        .route("/compare", get(pages::compare::compare))
        .route("/evaluators", get(pages::evaluators::evaluators))
        .route("/evaluators/{*id}", get(pages::evaluators::evaluator))
        .route("/style.css", get(pages::style))
        .route("/viewer.js", get(pages::script))
        .fallback(pages::not_found)
        .with_state(Arc::new(viewed))
        .layer(map_response(guard::headers))
        .layer(from_fn_with_state(Arc::new(hosts), guard::only_known_hosts))
}

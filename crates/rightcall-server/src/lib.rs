//! The history of runs in the browser: runs, a run, a case, a comparison.
//!
//! Pages are made here, from the same parts as reports; a small script adds keys and nothing else. Every page is an answer to a
//! `GET` and changes nothing. Everything that may be long is filtered and paged in the database, so that a page of a run of fifty
//! thousand cases is made as fast as one of fifty.

mod connections;
mod guard;
mod link;
mod pages;
mod viewed;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::get;
use rightcall_store::{History, StoreError};

use connections::PATIENCE;
use guard::Hosts;
use viewed::Viewed;

/// A viewer that is ready to answer.
#[derive(Debug)]
pub struct Viewer {
    listener: TcpListener,
    history: PathBuf,
    address: SocketAddr,
}

/// Why a viewer cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The history cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be listened on.
    #[error("{address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The server failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Viewer {
    /// A viewer of the history in this file, at this address. The port 0 takes any that is free.
    ///
    /// # Errors
    /// Where the history cannot be read, or the address is taken.
    pub fn bind(history: &Path, address: SocketAddr) -> Result<Self, ViewError> {
        History::open_to_read(history)?;
        let listen = |error| ViewError::Listen { address, error };
        let listener = TcpListener::bind(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        Ok(Self {
            listener,
            history: history.to_owned(),
            address,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it answers this machine alone.
    pub fn is_private(&self) -> bool {
        guard::is_loopback(self.address.ip())
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// Where the server cannot go on.
    pub fn serve(self) -> Result<(), ViewError> {
        // One thread answers; the database is read on others, so many that few files are open at once.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(16)
            .build()?;
        self.listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            connections::serve(
                listener,
                router(self.history, Hosts::of(self.address)),
                PATIENCE,
            )
            .await;
            Ok(())
        })
    }
}

/// All addresses and what answers them.
fn router(history: PathBuf, hosts: Hosts) -> Router {
    Router::new()
        .route("/", get(pages::runs::runs))
        .route("/runs/{run}", get(pages::run::run))
        .route("/runs/{run}/cases/{case}", get(pages::case::case))
        .route("/compare", get(pages::compare::compare))
        .route("/evaluators", get(pages::evaluators::evaluators))
        .route("/evaluators/{*id}", get(pages::evaluators::evaluator))
        .route("/style.css", get(pages::style))
        .route("/viewer.js", get(pages::script))
        .fallback(pages::not_found)
        .with_state(Arc::new(Viewed::new(history)))
        .layer(map_response(guard::headers))
        .layer(from_fn_with_state(Arc::new(hosts), guard::only_known_hosts))
}

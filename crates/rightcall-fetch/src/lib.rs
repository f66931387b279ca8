//! Fetches traces from tracing services into files that rightcall reads.
//!
//! A [`Service`] knows the public API of one service: its address, its environment variables and its pages. [`fetch`] does the rest for all
//! services: it requests page after page, writes whole traces as JSON Lines, and resumes a stopped fetch. A [`Connection`] retries while a
//! service is busy, waits as long as the service asks, and never sends a secret to another host.
//!
//! This crate reads only the ids of traces. It writes them as the service sent them; the formats of `rightcall-formats` parse them. The
//! caller supplies the clock and the waits.

mod answer;
mod circles;
mod connection;
mod error;
mod fetch;
mod own_file;
mod packing;
mod part_file;
mod question;
mod retry;
mod secrets;
mod services;
mod url;

pub use connection::Connection;
pub use error::FetchError;
pub use fetch::fetch;
pub use part_file::Fetched;
pub use question::{FetchQuestion, TimeBound};
pub use retry::Pause;
pub use services::{FetchedTrace, SERVICES, Service, TracePage, TraceSource, Variables};

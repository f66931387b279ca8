//! Brings traces from the services that keep them into files that rightcall reads.
//!
//! A [`Service`] knows the public interface of one service: where it is, by which variables it is reached, and how its traces come page by
//! page. [`fetch`] does the rest for all of them: it goes from page to page, writes whole traces as JSON Lines, and goes on where it was
//! stopped. A [`Connection`] asks again where a service is busy, as it says when, and takes no secret to another host.
//!
//! Nothing is read of the traces here beyond their ids: what is written is what the service answered, and the formats of
//! `rightcall-formats` read it. Clocks and pauses are the caller's.

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

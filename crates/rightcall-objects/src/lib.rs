//! Lets rightcall read what lies in object stores: `s3://bucket/key`, `gs://bucket/key`, `az://container/key`.
//!
//! [`use_object_stores`] tells the readers once how an object is opened and how a glob is matched. An object is read as a stream, as standard
//! input is: JSON Lines block by block, Parquet through a temporary file. Credentials come from the variables that each store's own tools
//! read, by `object_store`, which signs and repeats questions; they are asked over the same blocking client as all else.

mod address;
mod blocking;
mod reader;
mod transport;

pub use reader::use_object_stores;

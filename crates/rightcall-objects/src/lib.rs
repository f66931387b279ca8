//! Lets rightcall read from object stores: `s3://bucket/key`, `gs://bucket/key`, `az://container/key`.
//!
//! [`use_object_stores`] registers, once, how readers open an object and match a glob. An object is read as a stream, like standard input:
//! JSON Lines block by block, Parquet through a temporary file. `object_store` takes credentials from the same variables as each store's
//! own tools, signs requests and retries them. Requests use the same blocking client as all others.

mod address;
mod blocking;
mod reader;
mod transport;

pub use reader::use_object_stores;

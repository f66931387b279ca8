#![doc = include_str!("../README.md")]

pub mod javascript;
pub mod pointer;

mod decode;
mod deserialize;
mod digest;
mod equality;
mod fingerprint;
mod quick_equality;
mod reader;
mod serialize;
mod syntax;
mod writer;

pub use decode::{decode, decode_with, is_json};
pub use deserialize::{DocumentError, deserialize_present, from_json};
pub use digest::{Digest, Digester, HashKey, KnownDigest};
pub use equality::ValueEquality;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use quick_equality::{equals_itself, quick_equal};
pub use reader::{First, Plain, Reader};
pub use rightcall_python_values::{
    self as python, CodePoints, Integer, Object, PythonValue, Text, TextBuilder, Value,
    repr as python_repr, str as python_str,
};
pub use serialize::{RawJson, serialize_raw, serialize_raw_option};
pub use syntax::{JsonNumber, Kind, MAX_DEPTH, Misfit, Syntax, SyntaxError};
pub use writer::{JsonText, JsonWriter, on_one_line};

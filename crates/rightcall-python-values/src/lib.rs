#![doc = include_str!("../README.md")]

pub mod difflib;

mod arithmetic;
mod characters;
mod integer;
mod json_text;
mod literal;
mod operators;
mod percent;
mod printable;
mod repr;
mod text;
mod value;

pub use arithmetic::{is_falsy, round, true_divide};
pub use characters::{decimal_digit, is_space};
pub use integer::Integer;
pub use json_text::json_text;
pub use literal::{Literal, LiteralError, parse_literal};
pub use operators::{binary, unary};
pub use repr::{list_text, push_list, push_repr, push_repr_text, repr, str};
pub use text::{CodePoints, Text, TextBuilder, is_plain, plain_prefix};
pub use value::{Object, PythonValue, SMALL_OBJECT, Value};

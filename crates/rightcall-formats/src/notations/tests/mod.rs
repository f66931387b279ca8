//! The goldens, and a test for each rule.

mod goldens;

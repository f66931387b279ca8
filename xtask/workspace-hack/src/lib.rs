//! Nothing: the manifest is what counts.

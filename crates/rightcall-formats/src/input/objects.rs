//! Objects in stores, `s3://bucket/key`, read as streams by a pluggable client.
//!
//! The readers don't contain a client: another crate registers one at startup.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::OpenError;

/// How to read objects and list them.
#[derive(Clone, Copy, Debug)]
pub struct ObjectStores {
    /// The bytes of the object at an address.
    pub open: fn(&str) -> io::Result<Box<dyn Read + Send>>,
    /// The addresses of the objects that a glob matches, sorted.
    pub list: fn(&str) -> io::Result<Vec<String>>,
}

static STORES: OnceLock<ObjectStores> = OnceLock::new();

/// URL schemes of objects.
const SCHEMES: [&str; 6] = ["s3://", "s3a://", "gs://", "az://", "abfs://", "abfss://"];

/// Makes all inputs read objects this way. Only the first call has an effect.
pub fn use_object_stores(stores: ObjectStores) {
    _ = STORES.set(stores);
}

/// True for the address of an object, or for a glob of addresses.
pub fn is_object(path: &Path) -> bool {
    let address = path.to_str().unwrap_or_default();
    SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

/// The objects that a glob matches, sorted; the address itself if it isn't a glob.
///
/// # Errors
/// No object matches, the store doesn't respond, or no client is registered.
pub fn objects_like(glob: &str) -> Result<Vec<PathBuf>, OpenError> {
    if !glob.contains(['*', '?', '[']) {
        return Ok(vec![glob.into()]);
    }
    let path = Path::new(glob);
    let found = (stores(path)?.list)(glob).map_err(|cause| unopened(path, cause))?;
    if found.is_empty() {
        return Err(OpenError {
            path: path.to_owned(),
            reason: "no object matches".into(),
            help: Some("* stands for any part of a name, ** for any folders".into()),
            cause: None,
        });
    }
    Ok(found.into_iter().map(PathBuf::from).collect())
}

/// The bytes of an object.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read + Send>, OpenError> {
    let address = path.to_str().unwrap_or_default();
    (stores(path)?.open)(address).map_err(|cause| unopened(path, cause))
}

fn stores(path: &Path) -> Result<&'static ObjectStores, OpenError> {
    STORES.get().ok_or_else(|| OpenError {
        path: path.to_owned(),
        reason: "is in an object store, which this build does not read".into(),
        help: Some("cargo install --path crates/rightcall-cli --profile dist --features columns,object-store".into()),
        cause: None,
    })
}

/// The error for an object that cannot be opened.
fn unopened(path: &Path, cause: io::Error) -> OpenError {
    let (reason, help) = match cause.kind() {
        io::ErrorKind::NotFound => ("no such object, or no such bucket".into(), None),
        io::ErrorKind::InvalidInput => (cause.to_string().into(), None),
        io::ErrorKind::PermissionDenied => (
            "no permission to read it".into(),
            Some("docs/large-inputs.md says which variables hold credentials".into()),
        ),
        _ => (format!("cannot be read: {cause}").into(), None),
    };
    OpenError {
        path: path.to_owned(),
        reason,
        help,
        cause: Some(cause),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Input, Limits, ReadOptions};

    use super::*;

    #[test]
    fn without_a_client_the_error_says_how_to_build_with_one() {
        let open = |path: &str| {
            let error = Input::open(Path::new(path), Limits::default(), &ReadOptions::default());
            error.unwrap_err()
        };
        for path in [
            "s3://shop/a.jsonl",
            "gs://shop/a.jsonl",
            "az://shop/a.jsonl",
        ] {
            let error = open(path);
            assert_eq!(
                error.to_string(),
                format!("{path}: is in an object store, which this build does not read")
            );
            assert!(error.help.unwrap().contains("object-store"));
        }
        assert!(objects_like("s3://shop/*.jsonl").is_err());
        assert_eq!(
            objects_like("s3://shop/a.jsonl").unwrap(),
            [PathBuf::from("s3://shop/a.jsonl")]
        );
        assert!(
            open("s3:/shop/a.jsonl")
                .to_string()
                .contains("no such file")
        );
        assert!(!is_object(Path::new("runs/s3://x")));
    }
}

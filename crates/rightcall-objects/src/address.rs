//! The address of an object: its store, and its name in it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};

use crate::transport::BlockingConnector;

/// A store, and the name of an object or a glob in it.
pub(crate) struct ObjectAddress<'u> {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// `s3://bucket`.
    pub(crate) bucket: &'u str,
    /// The part after the slash.
    pub(crate) key: &'u str,
}

impl<'u> ObjectAddress<'u> {
    /// Parses an address. The credentials and the endpoint come from environment variables such as `AWS_ACCESS_KEY_ID`.
    pub(crate) fn parse(url: &'u str) -> io::Result<Self> {
        let none = || io::Error::new(io::ErrorKind::InvalidInput, "names no bucket and no object");
        let (scheme, rest) = url.split_once("://").ok_or_else(none)?;
        let (name, key) = rest.split_once('/').ok_or_else(none)?;
        if name.is_empty() || key.is_empty() {
            return Err(none());
        }
        let bucket = &url[..scheme.len() + 3 + name.len()];
        let failed = |error: object_store::Error| {
            io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
        };
        let store: Arc<dyn ObjectStore> = match scheme {
            "s3" | "s3a" => {
                let builder = AmazonS3Builder::from_env().with_url(bucket);
                let builder = builder.with_http_connector(BlockingConnector);
                Arc::new(builder.with_retry(retries()).build().map_err(failed)?)
            }
            "gs" => {
                let builder = GoogleCloudStorageBuilder::from_env().with_url(bucket);
                let builder = builder.with_http_connector(BlockingConnector);
                Arc::new(builder.with_retry(retries()).build().map_err(failed)?)
            }
            _ => {
                let builder = MicrosoftAzureBuilder::from_env().with_url(bucket);
                let builder = builder.with_http_connector(BlockingConnector);
                Arc::new(builder.with_retry(retries()).build().map_err(failed)?)
            }
        };
        Ok(Self { store, bucket, key })
    }
}

/// Retries for at most a minute, since a user is waiting.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(10),
            base: 2.0,
        },
        max_retries: 6,
        retry_timeout: Duration::from_secs(60),
    }
}

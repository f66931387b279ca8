//! Sends the requests of `object_store` over a blocking client, so that all requests share one client and its trust settings.
//!
//! A call blocks the waiting thread, which has no other work.

use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, BodyReader, Error};

/// Creates blocking clients.
#[derive(Debug)]
pub(crate) struct BlockingConnector;

impl HttpConnector for BlockingConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // A request is signed for one address, so it can't follow redirects.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .timeout_per_read(Some(Duration::from_secs(60)))
            .user_agent(concat!("rightcall/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build()
            .new_agent();
        Ok(HttpClient::new(BlockingService { agent }))
    }
}

#[derive(Debug)]
struct BlockingService {
    agent: Agent,
}

#[async_trait]
impl HttpService for BlockingService {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let answered = match body.as_bytes().filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => self
                .agent
                .run(hyper::Request::from_parts(parts, bytes.to_vec())),
            None => self.agent.run(hyper::Request::from_parts(parts, ())),
        };
        let (parts, body) = answered.map_err(failed)?.into_parts();
        let frames = Frames(Mutex::new(body.into_with_config().limit(u64::MAX).reader()));
        let body = HttpResponseBody::new(StreamBody::new(stream::iter(frames)));
        Ok(HttpResponse::from_parts(parts, body))
    }
}

/// The body of a response, read in parts. `object_store` requires `Sync`, hence the mutex; it is never shared.
struct Frames(Mutex<BodyReader<'static>>);

/// Bytes read at a time.
const FRAME: usize = 1 << 17;

impl Iterator for Frames {
    type Item = Result<Frame<Bytes>, HttpError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut frame = vec![0; FRAME];
        match reader.read(&mut frame) {
            Ok(0) => None,
            Ok(length) => {
                frame.truncate(length);
                Some(Ok(Frame::data(frame.into())))
            }
            Err(error) => Some(Err(HttpError::new(HttpErrorKind::Interrupted, error))),
        }
    }
}

fn failed(error: Error) -> HttpError {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof};
    let kind = match &error {
        Error::Timeout(_) => HttpErrorKind::Timeout,
        Error::Protocol(_) => HttpErrorKind::Interrupted,
        Error::Io(error) => match error.kind() {
            ConnectionAborted | ConnectionReset | UnexpectedEof => HttpErrorKind::Interrupted,
            TimedOut => HttpErrorKind::Timeout,
            // Such as a refused connection or an unknown host: a retry won't help.
            _ => HttpErrorKind::Unknown,
        },
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}

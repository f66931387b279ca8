//! What keeps strangers out: pages of other sites that ask the loopback address, and foreign text that wants to be markup.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Nothing but what this server sends itself: no inline script or style, no other site, no frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Names under which the server may be asked.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// False where the user let others in, who may know the machine by any name.
    is_loopback: bool,
}

impl Hosts {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self { is_loopback: address.ip().is_loopback() }
    }

    /// A page elsewhere can point a name of its own at the loopback address; it cannot change what the browser says it asks for.
    fn admits(&self, host: &str) -> bool {
        let name = match host.rfind(':').filter(|colon| !host[*colon..].contains(']')) {
            Some(colon) => &host[..colon],
            None => host,
        };
        !self.is_loopback || matches!(name, "localhost" | "127.0.0.1" | "[::1]") || name.ends_with(".localhost")
    }
}

pub(crate) async fn only_known_hosts(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if hosts.admits(host) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "the viewer answers on localhost; `rightcall view --host` lets others in\n").into_response()
    }
}

pub(crate) async fn headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_viewer_answers_to_its_own_names_alone() {
        let local = Hosts { is_loopback: true };
        for host in ["localhost:7300", "127.0.0.1:7300", "[::1]:7300", "[::1]", "localhost", "rightcall.localhost:1"] {
            assert!(local.admits(host), "{host}");
        }
        for host in ["example.com", "localhost.example.com:7300", "127.0.0.1.example.com", "", "evil:7300"] {
            assert!(!local.admits(host), "{host}");
        }
        assert!(Hosts { is_loopback: false }.admits("build-3:7300"));
    }
}

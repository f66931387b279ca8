//! Security: rejects requests from other sites to the loopback address, and keeps foreign text from
//! acting as markup.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Allows only content from this server: no inline scripts or styles, no other site, no frames.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Decides which `Host` headers are accepted.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// False if the user allows other machines, which may use any name for this one.
    is_loopback: bool,
}

/// The host that a request names.
#[derive(Debug, PartialEq, Eq)]
enum Host<'h> {
    Address(IpAddr),
    Name(&'h str),
}

impl Hosts {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self {
            is_loopback: is_loopback(address.ip()),
        }
    }

    /// Prevents DNS rebinding. A foreign page can resolve its own name to the loopback address, but
    /// cannot change the `Host` header. Addresses are safe, since they are not resolved.
    fn admits(&self, host: &Host<'_>) -> bool {
        !self.is_loopback
            || match host {
                Host::Address(address) => is_loopback(*address),
                Host::Name(name) => {
                    let name = name.to_ascii_lowercase();
                    name == "localhost" || name.ends_with(".localhost")
                }
            }
    }
}

/// True for loopback addresses of this machine, including `127.0.0.2` and `::ffff:127.0.0.1`.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

impl<'h> Host<'h> {
    /// The host without the port; `None` for text that no browser sends.
    fn parse(text: &'h str) -> Option<Self> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (address, port) = rest.split_once(']')?;
            (Self::Address(IpAddr::V6(address.parse().ok()?)), port)
        } else {
            let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            match name.parse() {
                Ok(address) => (Self::Address(IpAddr::V4(address)), port),
                Err(_) if name.split('.').all(is_label) => (Self::Name(name), port),
                Err(_) => return None,
            }
        };
        let is_port = |port: &str| {
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
        };
        (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(host)
    }

    /// The host of a request; `None` if it names none, or two.
    fn of(request: &'h Request) -> Option<Self> {
        let mut named = request.headers().get_all(HOST).iter();
        let host = Self::parse(named.next()?.to_str().ok()?)?;
        // A request to a proxy has the full address, which takes precedence.
        let authority = request.uri().authority().map(|it| Self::parse(it.as_str()));
        (named.next().is_none() && authority.is_none_or(|it| it.as_ref() == Some(&host)))
            .then_some(host)
    }
}

/// True for a valid label of a host name, as browsers write it.
fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

pub(crate) async fn only_known_hosts(
    State(hosts): State<Arc<Hosts>>,
    request: Request,
    next: Next,
) -> Response {
    match Host::of(&request).map(|host| hosts.admits(&host)) {
        Some(true) => next.run(request).await,
        Some(false) => (
            StatusCode::FORBIDDEN,
            "the viewer answers on localhost; `rightcall view --host` lets others in\n",
        )
            .into_response(),
        None => (
            StatusCode::BAD_REQUEST,
            "the request does not say which host it asks, or not clearly\n",
        )
            .into_response(),
    }
}

/// True if a form on a page of this viewer sent the request. Browsers send the page's site as
/// `Origin`.
pub(crate) fn is_of_own_page(headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let (origin, host) = (origins.next(), headers.get(HOST));
    let text = |value: Option<&HeaderValue>| Some(value?.to_str().ok()?.to_ascii_lowercase());
    let own = text(host).map(|host| format!("http://{host}"));
    own.is_some() && text(origin) == own && origins.next().is_none()
}

pub(crate) async fn headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    // Without a referrer, browsers also hide the `Origin` of a form. Other sites still see none.
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn admits(hosts: &Hosts, host: &str) -> Option<bool> {
        Host::parse(host).map(|host| hosts.admits(&host))
    }

    #[test]
    fn loopback_viewer_accepts_only_its_own_names() {
        let local = Hosts { is_loopback: true };
        for host in [
            "localhost:7300",
            "LocalHost",
            "127.0.0.1:7300",
            "127.0.0.2:7300",
            "127.255.255.254",
            "[::1]:7300",
            "[::1]",
            "[0:0:0:0:0:0:0:1]:80",
            "[::ffff:127.0.0.1]:1",
            "[::ffff:7f00:2]:1",
            "localhost",
            "rightcall.localhost:1",
        ] {
            assert_eq!(admits(&local, host), Some(true), "{host}");
        }
        for host in [
            "example.com",
            "localhost.example.com:7300",
            "127.0.0.1.example.com",
            "evil:7300",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
            "[::ffff:10.0.0.1]",
            "2130706433",
            "127.1",
        ] {
            assert_eq!(admits(&local, host), Some(false), "{host}");
        }
        assert_eq!(
            admits(&Hosts { is_loopback: false }, "build-3:7300"),
            Some(true)
        );
    }

    #[test]
    fn malformed_hosts_are_rejected() {
        for host in [
            "",
            ":7300",
            "localhost:x",
            "localhost:+1",
            "localhost:99999",
            "localhost:1:2",
            "[::1",
            "::1",
            "[::1]7300",
            "[localhost]",
            "user@localhost",
            "evil.com@localhost:7300",
            "localhost/",
            "localhost,evil.com",
            "localhost evil.com",
            "localhost..",
            ".localhost",
            "[fe80::1%eth0]",
        ] {
            assert_eq!(Host::parse(host), None, "{host}");
        }
    }

    #[test]
    fn forms_are_accepted_only_from_the_same_site() {
        let is_own = |headers: &[(&'static str, &'static str)]| {
            let headers = headers.iter();
            let headers = headers
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
            // `HeaderMap::from_iter` appends, so a header may occur twice.
            is_of_own_page(&headers.collect::<HeaderMap>())
        };
        let host = ("host", "localhost:7300");
        assert!(is_own(&[host, ("origin", "http://localhost:7300")]));
        for origin in [
            "null",
            "http://localhost",
            "http://localhost:7301",
            "http://evil.example",
            "https://localhost:7300",
            "http://127.0.0.1:7300",
        ] {
            assert!(!is_own(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(!is_own(&[host]));
        assert!(!is_own(&[("origin", "http://localhost:7300")]));
        let own = ("origin", "http://localhost:7300");
        assert!(!is_own(&[host, own, own]));
    }

    #[test]
    fn request_needs_exactly_one_host() {
        let named = |address: &str, hosts: &[&str]| {
            let request = hosts
                .iter()
                .fold(axum::http::Request::get(address), |request, host| {
                    request.header(HOST, *host)
                });
            Host::of(&request.body(Body::empty()).unwrap()).is_some()
        };
        assert!(named("/", &["localhost:7300"]));
        assert!(named("http://localhost:7300/", &["localhost:7300"]));
        assert!(!named("http://evil.example/", &["localhost:7300"]));
        assert!(!named("http://user@localhost/", &["localhost"]));
        assert!(!named("/", &["localhost", "localhost"]));
        assert!(!named("/", &["localhost", "evil.example"]));
        assert!(!named("/", &[]));
    }
}

//! HTTP requests: retried while a service is busy, and never with a secret for another host.

use std::io::{self, Read as _};
use std::rc::Rc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::{HeaderMap, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::FetchError;
use crate::answer::{Answer, AnswerPlace, UnreadAnswer, read};
use crate::retry::{ATTEMPTS, MAX_WAIT, Pause, RateHeaders, backoff, may_retry};
use crate::secrets::Secrets;
use crate::url::{origin, shown};

/// How to reach a service: its address, the headers with the credentials, and how to wait while it is busy.
pub struct Connection {
    agent: Agent,
    base: String,
    headers: Vec<(&'static str, String)>,
    /// The texts to remove from messages.
    secrets: Rc<Secrets>,
    /// The environment variables that hold the credentials.
    variables: &'static str,
    pause: Box<dyn FnMut(&Pause)>,
    /// The delay before the next request, from the last response.
    delay: Option<Duration>,
    /// The number of bytes left for responses of this page.
    left_of_page: u64,
}

/// The maximum number of bytes of a response, and of all responses for a page of traces. Responses
/// are held in memory.
const LARGEST_ANSWER: u64 = 256 << 20;
const LARGEST_PAGE: u64 = 512 << 20;

/// The maximum number of redirects for a request.
const REDIRECTS: usize = 5;

impl Connection {
    /// Connects to the service at this address, without a slash at its end. `pause` waits, and may
    /// report the delay.
    pub(crate) fn new(
        base: String,
        variables: &'static str,
        pause: Box<dyn FnMut(&Pause)>,
    ) -> Self {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_recv_response(Some(Duration::from_secs(120)))
            .timeout_recv_body(Some(Duration::from_secs(600)))
            .user_agent(concat!("rightcall/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .tls_config(tls)
            .build()
            .new_agent();
        Self {
            agent,
            base,
            headers: Vec::new(),
            secrets: Rc::default(),
            left_of_page: LARGEST_PAGE,
            variables,
            pause,
            delay: None,
        }
    }

    /// Adds a header with credentials that contains this secret.
    pub(crate) fn with_secret(mut self, header: &'static str, value: String, secret: &str) -> Self {
        let secrets = Rc::make_mut(&mut self.secrets);
        secrets.add(secret);
        // The part after `Basic` or `Bearer`.
        value.rsplit(' ').take(1).for_each(|word| secrets.add(word));
        self.headers.push((header, value));
        self
    }

    /// Adds an API key.
    pub(crate) fn with_key(self, key: &str) -> Self {
        self.with_secret("authorization", format!("Bearer {key}"), key)
    }

    /// Adds a user and a password.
    pub(crate) fn with_password(self, user: &str, password: &str) -> Self {
        let both = STANDARD.encode(format!("{user}:{password}"));
        self.with_secret("authorization", format!("Basic {both}"), password)
    }

    /// Adds a header that is not secret.
    pub(crate) fn with_header(mut self, header: &'static str, value: String) -> Self {
        self.headers.push((header, value));
        self
    }

    /// The address of the service, safe to show.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Starts the byte limit of a new page.
    pub(crate) fn begin_page(&mut self) {
        self.left_of_page = LARGEST_PAGE;
    }

    pub(crate) fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<Answer<T>, FetchError> {
        self.ask(path, None)
    }

    pub(crate) fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: &Value,
    ) -> Result<Answer<T>, FetchError> {
        self.ask(path, Some(&body.to_string()))
    }

    /// The address of responses to this path.
    pub(crate) fn place(&self, path: &str) -> AnswerPlace {
        AnswerPlace {
            url: format!("{}{path}", self.base),
            secrets: Rc::clone(&self.secrets),
        }
    }

    /// An address without its query and without secrets.
    fn shown(&self, url: &str) -> String {
        self.secrets.redacted(shown(url))
    }

    /// Sends a request, and retries it until it succeeds or no retry can help.
    fn ask<T: DeserializeOwned>(
        &mut self,
        path: &str,
        body: Option<&str>,
    ) -> Result<Answer<T>, FetchError> {
        let url = format!("{}{path}", self.base);
        if let Some(length) = self.delay.take() {
            self.wait(&url, length, "the limit of questions is reached")?;
        }
        for attempt in 0.. {
            let is_last = attempt + 1 == ATTEMPTS;
            let (length, why) = match self.ask_once(&url, body) {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(busy)) if is_last => {
                    return Err(self.status(&url, busy.status, &busy.said));
                }
                Ok(Err(busy)) => (
                    busy.wait.unwrap_or_else(|| backoff(attempt)),
                    format!("it answered {}", busy.status),
                ),
                Err(NoAnswer { error, .. }) if is_last => return Err(error),
                Err(NoAnswer {
                    error,
                    may_retry: false,
                }) => return Err(error),
                Err(NoAnswer { error, .. }) => (backoff(attempt), error.to_string()),
            };
            self.wait(&url, length, &why)?;
        }
        unreachable!("the last attempt returns")
    }

    fn wait(&mut self, url: &str, length: Duration, why: &str) -> Result<(), FetchError> {
        if length > MAX_WAIT {
            return Err(FetchError::Busy {
                address: self.shown(url),
                seconds: length.as_secs(),
            });
        }
        (self.pause)(&Pause {
            length,
            why: why.to_owned(),
        });
        Ok(())
    }

    /// Sends a request once and follows redirects.
    fn ask_once<T: DeserializeOwned>(
        &mut self,
        url: &str,
        body: Option<&str>,
    ) -> Result<Result<Answer<T>, Busy>, NoAnswer> {
        let mut target = url.to_owned();
        let mut body = body;
        let mut cursor = None;
        for _ in 0..=REDIRECTS {
            let response = self
                .send(&target, body)
                .map_err(|error| self.no_answer(&target, &error))?;
            let status = response.status().as_u16();
            cursor = cursor.or_else(|| header(response.headers(), CURSOR).map(str::to_owned));
            if matches!(status, 301..=303 | 307 | 308) {
                target = self.next_target(&target, &response, body.is_some())?;
                // Redirects below 307 turn any request into a GET without a body.
                body = body.filter(|_| status >= 307);
                continue;
            }
            let rates = rates(response.headers());
            if may_retry(status) {
                let wait = rates.wait();
                let said = self.error_message(response);
                return Ok(Err(Busy { status, wait, said }));
            }
            let delay = rates.wait_if_used_up();
            if !(200..300).contains(&status) {
                let said = self.error_message(response);
                return Err(NoAnswer::permanent(self.status(&target, status, &said)));
            }
            self.delay = delay;
            let value = self.read(&target, response)?;
            let secrets = Rc::clone(&self.secrets);
            let place = AnswerPlace {
                url: target,
                secrets,
            };
            return Ok(Ok(Answer {
                value,
                place,
                cursor,
            }));
        }
        Err(NoAnswer::permanent(FetchError::NoAnswer {
            address: self.shown(url),
            said: format!("the answer leads elsewhere more than {REDIRECTS} times"),
        }))
    }

    fn send(&self, url: &str, body: Option<&str>) -> Result<Response<Body>, ureq::Error> {
        let is_home = origin(url) == origin(&self.base);
        let headers = self.headers.iter().filter(|_| is_home);
        if let Some(body) = body {
            let request = self.agent.post(url).content_type("application/json");
            headers
                .fold(request, |request, (name, value)| {
                    request.header(*name, value)
                })
                .send(body)
        } else {
            headers
                .fold(self.agent.get(url), |request, (name, value)| {
                    request.header(*name, value)
                })
                .call()
        }
    }

    /// The target of a redirect. A request body is never sent to another host, and no request moves from https to http.
    fn next_target(
        &self,
        url: &str,
        response: &Response<Body>,
        has_body: bool,
    ) -> Result<String, NoAnswer> {
        let status = response.status().as_u16();
        let refuse = |said: String| {
            NoAnswer::permanent(FetchError::NoAnswer {
                address: self.shown(url),
                said: self.secrets.redacted(&said),
            })
        };
        let location = header(response.headers(), "location").unwrap_or_default();
        let target = match origin(url) {
            Some(home) if location.starts_with('/') && !location.starts_with("//") => {
                format!("{home}{location}")
            }
            _ => location.to_owned(),
        };
        let Some(target_origin) = origin(&target) else {
            return Err(refuse(format!("it leads to `{}`", self.shown(location))));
        };
        let is_elsewhere = Some(target_origin) != origin(&self.base);
        let is_unsafe = url.starts_with("https://") && !target_origin.starts_with("https://");
        if is_unsafe || is_elsewhere && has_body && status >= 307 {
            return Err(refuse(format!(
                "it leads to {target_origin}, where nothing is sent; name the address that answers"
            )));
        }
        Ok(target)
    }

    /// Reads a response as a stream.
    fn read<T: DeserializeOwned>(
        &mut self,
        url: &str,
        response: Response<Body>,
    ) -> Result<T, NoAnswer> {
        let limit = LARGEST_ANSWER.min(self.left_of_page);
        let (value, bytes) = read(response.into_body().into_reader(), limit);
        self.left_of_page -= bytes;
        value.map_err(|unread| match unread {
            UnreadAnswer::Broken(error) => self.no_answer(url, &ureq::Error::Io(error)),
            UnreadAnswer::TooLong(LARGEST_ANSWER) => NoAnswer::permanent(FetchError::TooLong {
                address: self.shown(url),
                limit: LARGEST_ANSWER,
                of: "in an answer",
            }),
            UnreadAnswer::TooLong(_) => NoAnswer::permanent(FetchError::TooLong {
                address: self.shown(url),
                limit: LARGEST_PAGE,
                of: "in the answers for a page of traces",
            }),
            UnreadAnswer::Unexpected(error) => {
                let secrets = Rc::clone(&self.secrets);
                let url = url.to_owned();
                NoAnswer::permanent(AnswerPlace { url, secrets }.unexpected(&error))
            }
        })
    }

    /// The service's error message, shortened and without secrets.
    fn error_message(&self, response: Response<Body>) -> String {
        /// Longer messages are cut.
        const LONGEST_TEXT: usize = 300;
        let mut body = Vec::new();
        _ = response
            .into_body()
            .into_reader()
            .take(1 << 16)
            .read_to_end(&mut body);
        let text = String::from_utf8_lossy(&body);
        let value: Option<Value> = serde_json::from_str(&text).ok();
        let message = value.as_ref().and_then(|value| {
            ["message", "error", "detail", "Message"]
                .iter()
                .find_map(|key| value.get(key)?.as_str())
        });
        let text = self.secrets.redacted(message.unwrap_or(text.trim()));
        match text.char_indices().nth(LONGEST_TEXT) {
            _ if text.is_empty() => "it does not say why".to_owned(),
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn no_answer(&self, url: &str, error: &ureq::Error) -> NoAnswer {
        use io::ErrorKind::{
            ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock,
        };
        let may_retry = match error {
            ureq::Error::Timeout(_) | ureq::Error::Protocol(_) => true,
            ureq::Error::Io(error) => matches!(
                error.kind(),
                ConnectionAborted | ConnectionReset | TimedOut | UnexpectedEof | WouldBlock
            ),
            _ => false,
        };
        NoAnswer {
            error: FetchError::NoAnswer {
                address: self.shown(url),
                said: self.secrets.redacted(&error.to_string()),
            },
            may_retry,
        }
    }

    fn status(&self, url: &str, status: u16, said: &str) -> FetchError {
        let (address, said) = (self.shown(url), said.to_owned());
        if matches!(status, 401 | 403) {
            FetchError::Refused {
                address,
                status,
                said,
                variables: self.variables,
            }
        } else {
            FetchError::Status {
                address,
                status,
                said,
            }
        }
    }
}

/// A response of a busy service. A retry may help.
struct Busy {
    status: u16,
    wait: Option<Duration>,
    said: String,
}

/// An error without a response; `may_retry` is true if a retry may help.
struct NoAnswer {
    error: FetchError,
    may_retry: bool,
}

impl NoAnswer {
    fn permanent(error: FetchError) -> Self {
        Self {
            error,
            may_retry: false,
        }
    }
}

/// The header in which Braintrust sends the next page's cursor.
const CURSOR: &str = "x-bt-cursor";

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn rates(headers: &HeaderMap) -> RateHeaders<'_> {
    let either = |names: [&str; 2]| names.into_iter().find_map(|name| header(headers, name));
    RateHeaders {
        retry_after: header(headers, "retry-after"),
        remaining: either(["ratelimit-remaining", "x-ratelimit-remaining"]),
        reset: either(["ratelimit-reset", "x-ratelimit-reset"]),
        date: header(headers, "date"),
    }
}

/// Checks the address in a variable and removes the slash at its end.
///
/// # Errors
/// It is not an http or https address, or it contains a user and a password, which would be shown.
pub(crate) fn base_address(variable: &str, address: &str) -> Result<String, FetchError> {
    let address = address.trim().trim_end_matches('/');
    let home = origin(address).filter(|_| address.parse::<Uri>().is_ok());
    match home {
        Some(home) if home.contains('@') => Err(FetchError::usage(
            format!("{variable} holds a user or a password"),
            "credentials have variables of their own",
        )),
        Some(_) if !address.contains(['?', '#']) => Ok(address.to_owned()),
        _ => Err(FetchError::usage(
            format!("{variable} holds no address of the web"),
            "it begins with https:// or http://",
        )),
    }
}

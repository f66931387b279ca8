//! A local server that computes its responses with a function and records its requests.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Decoded, in order.
    pub(crate) query: Vec<(String, String)>,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn query(&self, key: &str) -> Option<&str> {
        let pair = self.query.iter().find(|(name, _)| name == key);
        pair.map(|(_, value)| value.as_str())
    }

    pub(crate) fn header(&self, key: &str) -> Option<&str> {
        let pair = self.headers.iter().find(|(name, _)| name == key);
        pair.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A response.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    /// Bytes of the body to send before closing the connection.
    cut: Option<usize>,
    /// True if the body continues with spaces until the client stops reading.
    is_endless: bool,
}

impl Reply {
    pub(crate) fn of(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
            cut: None,
            is_endless: false,
        }
    }

    /// A response without an end.
    pub(crate) fn endless(body: impl Into<String>) -> Self {
        Self {
            is_endless: true,
            ..Self::of(200, body)
        }
    }

    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self::of(200, body.to_string())
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    pub(crate) fn cut_after(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers until the tests end. `answer` also receives the number of earlier requests.
    pub(crate) fn new(mut answer: impl FnMut(&Asked, usize) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(one) = read(&stream) else { continue };
                let before = kept.lock().unwrap().len();
                kept.lock().unwrap().push(one.clone());
                write(&mut stream, &answer(&one, before));
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut asked = Asked {
        method: method.to_owned(),
        path: path.to_owned(),
        query: form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect(),
        ..Asked::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        asked.headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = asked
        .header("content-length")
        .map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.body = String::from_utf8(body).unwrap();
    Some(asked)
}

fn write(stream: &mut TcpStream, reply: &Reply) {
    let mut head = format!("HTTP/1.1 {} X\r\nConnection: close\r\n", reply.status);
    if !reply.is_endless {
        _ = write!(head, "Content-Length: {}\r\n", reply.body.len());
    }
    for (name, value) in &reply.headers {
        _ = write!(head, "{name}: {value}\r\n");
    }
    let body = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
    // A killed client reads no response.
    _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    while reply.is_endless && stream.write_all(&[b' '; 1 << 14]).is_ok() {}
}

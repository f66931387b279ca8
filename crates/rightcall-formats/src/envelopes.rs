//! Envelopes that services and tools put around values of known formats, and how they are removed. This is the only list of them.
//!
//! An envelope holds either an exchange with a model, whose reply is in any message format, or a page of values in any format. Exchanges
//! are read as [`recordings`](crate::formats), pages as their contents.

use rightcall_core::value::Text;

use crate::node::Node;

/// An envelope around values of known formats.
#[derive(Debug)]
pub struct Envelope {
    /// The services or tools that write it.
    pub title: &'static str,
    /// Its layout, in Markdown.
    pub looks: &'static str,
    holds: EnvelopeContent,
}

/// Keys that lead from an object to a part of it.
type Path = &'static [&'static str];

#[derive(Debug)]
enum EnvelopeContent {
    Exchange(ExchangePlaces),
    /// A list or an object. If a key is given, the values are under it in each item of the list.
    Page(Path, Option<&'static str>),
}

/// The parts of an exchange, each at the first of its paths that exists.
#[derive(Debug)]
struct ExchangePlaces {
    /// The marks of the envelope: one path of each group must exist, even with a null value.
    marks: &'static [&'static [Path]],
    reply: &'static [Path],
    request: &'static [Path],
    id: &'static [Path],
    /// The reason for a missing reply.
    failure: &'static [Path],
}

impl Envelope {
    /// True if it holds an exchange with a model, false if it holds values of any format.
    pub fn holds_exchange(&self) -> bool {
        matches!(self.holds, EnvelopeContent::Exchange(_))
    }
}

/// All envelopes; the first that fits is removed.
pub static ENVELOPES: &[Envelope] = &[
    Envelope {
        title: "results of batches of OpenAI, and of those who speak its language (Azure, Groq, Mistral, Together, vLLM)",
        looks: "`custom_id` with `response.body` or `error`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[&[&["custom_id"]], &[&["response"], &["error"]]],
            reply: &[&["response", "body"]],
            request: &[],
            id: &[&["custom_id"]],
            failure: &[
                &["error"],
                &["response", "body", "error"],
                &["response", "status_code"],
            ],
        }),
    },
    Envelope {
        title: "results of message batches of Anthropic",
        looks: "`custom_id` with `result.message`, or a `result.type` that is not `succeeded`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[&[&["custom_id"]], &[&["result", "type"]]],
            reply: &[&["result", "message"]],
            request: &[],
            id: &[&["custom_id"]],
            failure: &[&["result", "error"], &["result", "type"]],
        }),
    },
    Envelope {
        title: "results of batches of Gemini",
        looks: "`key` or `metadata.key` with `response.candidates` or `error`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[
                &[&["key"], &["metadata", "key"]],
                &[&["response", "candidates"], &["error", "code"]],
            ],
            reply: &[&["response"]],
            request: &[],
            id: &[&["key"], &["metadata", "key"]],
            failure: &[&["error"]],
        }),
    },
    Envelope {
        title: "results of batches of Vertex AI",
        looks: "`processed_time` with `request` and `response`, or a `status` that says why not",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[
                &[&["processed_time"]],
                &[&["request"]],
                &[&["response"], &["status"]],
            ],
            reply: &[&["response"]],
            request: &[&["request"]],
            id: &[&["id"], &["key"]],
            failure: &[&["status"]],
        }),
    },
    Envelope {
        title: "results of batches of AWS Bedrock",
        looks: "`recordId` with `modelInput`, `modelOutput` or `error`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[&[&["recordId"]], &[&["modelOutput"], &["error"]]],
            reply: &[&["modelOutput"]],
            request: &[&["modelInput"]],
            id: &[&["recordId"]],
            failure: &[&["error"]],
        }),
    },
    Envelope {
        title: "invocation logs of AWS Bedrock",
        looks: "`schemaType: ModelInvocationLog` with `output.outputBodyJson`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[
                &[&["schemaType"]],
                &[&["modelId"]],
                &[&["input"], &["output"]],
            ],
            reply: &[&["output", "outputBodyJson"]],
            request: &[&["input", "inputBodyJson"]],
            id: &[&["requestId"]],
            failure: &[&["errorCode"], &["output", "outputBodyS3Path"]],
        }),
    },
    Envelope {
        title: "entries of HAR files, as browsers and proxies write them",
        looks: "`request.postData.text` with `response.content.text`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[&[&["request", "url"]], &[&["response", "content"]]],
            reply: &[&["response", "content"]],
            request: &[&["request", "postData"]],
            id: &[],
            failure: &[
                &["response", "content", "encoding"],
                &["response", "status"],
            ],
        }),
    },
    Envelope {
        title: "requests as Helicone exports them",
        looks: "`request_body` with `response_body`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[&[&["request_body"]], &[&["response_body"]]],
            reply: &[&["response_body"]],
            request: &[&["request_body"]],
            id: &[&["request_id"]],
            failure: &[&["response_body", "error"], &["response_status"]],
        }),
    },
    Envelope {
        title: "recordings of httpmock",
        looks: "`when` with `then`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[
                &[&["when", "path"], &["when", "method"]],
                &[&["then", "status"], &["then", "body"]],
            ],
            reply: &[&["then"]],
            request: &[&["when"]],
            id: &[],
            failure: &[&["then", "status"]],
        }),
    },
    Envelope {
        title: "logs of your own",
        looks: "`req` with `res` or `resp`",
        holds: EnvelopeContent::Exchange(ExchangePlaces {
            marks: &[
                &[
                    &["req", "messages"],
                    &["req", "contents"],
                    &["req", "input"],
                    &["req", "body"],
                ],
                &[&["res"], &["resp"]],
            ],
            reply: &[&["res", "body"], &["resp", "body"], &["res"], &["resp"]],
            request: &[&["req", "body"], &["req"]],
            id: &[&["id"], &["request_id"]],
            failure: &[
                &["res", "error"],
                &["resp", "error"],
                &["res", "status"],
                &["resp", "status"],
            ],
        }),
    },
    page("HAR files", "`log.entries`", &["log", "entries"], None),
    page(
        "cassettes of VCR",
        "`interactions`",
        &["interactions"],
        None,
    ),
    page(
        "cassettes of VCR for Ruby and R",
        "`http_interactions`",
        &["http_interactions"],
        None,
    ),
    page(
        "inline batches of Gemini",
        "`response.inlinedResponses`",
        &["response", "inlinedResponses"],
        None,
    ),
    page(
        "inline batches of Gemini's libraries",
        "`dest.inlined_responses`",
        &["dest", "inlined_responses"],
        None,
    ),
    page(
        "lists of such replies",
        "`inlinedResponses`",
        &["inlinedResponses"],
        None,
    ),
    page(
        "pages of OpenSearch and Elasticsearch",
        "`hits.hits[]._source`",
        &["hits", "hits"],
        Some("_source"),
    ),
    page(
        "pages of Hugging Face's dataset viewer",
        "`rows[].row`",
        &["rows"],
        Some("row"),
    ),
    page(
        "pages of GraphQL",
        "`edges[].node`",
        &["edges"],
        Some("node"),
    ),
    page("pages of APIs", "`data`", &["data"], None),
    page("pages of LangSmith", "`runs`", &["runs"], None),
    page("pages of traces", "`traces`", &["traces"], None),
    page("pages of Opik", "`content`", &["content"], None),
    page("pages of Weave", "`calls`", &["calls"], None),
    page("pages of Azure", "`value`", &["value"], None),
    page("other pages", "`results`", &["results"], None),
    page("other pages", "`items`", &["items"], None),
    page("other pages", "`records`", &["records"], None),
    page("other pages", "`rows`", &["rows"], None),
    page("other pages", "`entries`", &["entries"], None),
    page("replies around a value", "`result`", &["result"], None),
    page(
        "rows of runs",
        "`output`, an object, next to keys of a case such as `id` and `input`",
        &["output"],
        None,
    ),
    page("replies around a value", "`json`", &["json"], None),
    page("stubs of WireMock", "`mappings`", &["mappings"], None),
    page("lists of runs", "`trajectories`", &["trajectories"], None),
    page("requests and replies of HTTP", "`body`", &["body"], None),
    page("messages of queues", "`Body`", &["Body"], None),
    page("records of logs", "`message`", &["message"], None),
    page("notifications of AWS", "`Message`", &["Message"], None),
    page("records around a trace", "`trace`", &["trace"], None),
    page("records around a session", "`session`", &["session"], None),
];

const fn page(
    title: &'static str,
    looks: &'static str,
    path: Path,
    item: Option<&'static str>,
) -> Envelope {
    Envelope {
        title,
        looks,
        holds: EnvelopeContent::Page(path, item),
    }
}

/// An exchange with a model, without its envelope.
pub(crate) struct EnvelopedExchange<'n, 'a> {
    pub(crate) id: Option<Text<'static>>,
    pub(crate) request: Option<&'n Node<'a>>,
    pub(crate) reply: Option<&'n Node<'a>>,
    /// The reason for a missing reply.
    pub(crate) failure: Option<&'n Node<'a>>,
    /// The members of the envelope that hold the request and the reply.
    pub(crate) members: Vec<&'static str>,
}

/// The exchange in a value, if the value is such an envelope.
pub(crate) fn exchange<'n, 'a>(value: &'n Node<'a>) -> Option<EnvelopedExchange<'n, 'a>> {
    let places = ENVELOPES
        .iter()
        .find_map(|envelope| match &envelope.holds {
            EnvelopeContent::Exchange(places) if places.are_in(value) => Some(places),
            _ => None,
        })?;
    let first = |paths: &[Path]| paths.iter().find_map(|path| value.at(path));
    let members = places.reply.iter().chain(places.request);
    Some(EnvelopedExchange {
        id: places.id.iter().find_map(|path| value.at(path)?.label()),
        request: first(places.request),
        reply: first(places.reply),
        failure: first(places.failure),
        members: members.map(|path| path[0]).collect(),
    })
}

impl ExchangePlaces {
    fn are_in(&self, value: &Node<'_>) -> bool {
        let leads = |path: &Path| {
            let (last, lead) = path.split_last().expect("a path has a key");
            value.at(lead).is_some_and(|node| node.has(last))
        };
        self.marks.iter().all(|group| group.iter().any(leads))
    }
}

/// The maximum nesting of pages.
const DEEPEST: usize = 3;

/// The values in a page and the member that holds them, if at least one value is of a known format. An empty page has no values. `None`
/// if this is not a page.
pub(crate) fn values_of_page<'n, 'a>(
    page: &'n Node<'a>,
    is_known: &dyn Fn(&Node<'_>) -> bool,
) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    values_within(page, is_known, DEEPEST).or_else(|| empty_page(page))
}

/// The member of an empty page that would hold its values.
fn empty_page<'n, 'a>(page: &'n Node<'a>) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    let member = ENVELOPES.iter().find_map(|envelope| match envelope.holds {
        EnvelopeContent::Page(path, _) => {
            let list = page.at(path)?;
            (list.is_list() && list.items().is_empty()).then_some(path[0])
        }
        EnvelopeContent::Exchange(_) => None,
    })?;
    Some((member, Vec::new()))
}
fn values_within<'n, 'a>(
    page: &'n Node<'a>,
    is_known: &dyn Fn(&Node<'_>) -> bool,
    depth: usize,
) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    if page.is_list() {
        return values_of_pages(page, is_known, depth);
    }
    ENVELOPES.iter().find_map(|envelope| {
        let EnvelopeContent::Page(path, item) = envelope.holds else {
            return None;
        };
        // Any other output is an answer, or the output of a step.
        if path == ["output"] && (depth < DEEPEST || !is_row(page)) {
            return None;
        }
        let inside = page.at(path).filter(|it| it.is_object() || it.is_list())?;
        let values: Vec<_> = match item {
            // A list of messages is one conversation, so it stays one value.
            None => vec![inside],
            Some(key) => inside.items().iter().filter_map(|it| it.get(key)).collect(),
        };
        if values.iter().any(|value| is_known(value)) {
            return Some((path[0], values));
        }
        let inner = inside.is_object() && depth > 0;
        let (_, values) = inner.then(|| values_within(inside, is_known, depth - 1))??;
        Some((path[0], values))
    })
}

/// True for a row with the keys of a case, but without its sides, whose output is an object.
fn is_row(page: &Node<'_>) -> bool {
    const KEYS: [&str; 7] = [
        "id",
        "input",
        "output",
        "tags",
        "trial",
        "meta",
        "description",
    ];
    page.get("output").is_some_and(Node::is_object) && page.has_only(&KEYS)
}

/// The values of a list of pages or plain values.
fn values_of_pages<'n, 'a>(
    pages: &'n Node<'a>,
    is_known: &dyn Fn(&Node<'_>) -> bool,
    depth: usize,
) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    let mut values = Vec::new();
    for item in pages.items() {
        if is_known(item) {
            values.push(item);
        } else if item.is_object() {
            let page = values_within(item, is_known, depth).or_else(|| empty_page(item));
            values.extend(page?.1);
        } else {
            return None;
        }
    }
    (!values.is_empty()).then_some(("", values))
}

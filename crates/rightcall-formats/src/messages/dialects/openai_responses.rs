//! Items of the Responses API of `OpenAI`.

use std::collections::{BTreeMap, HashMap, HashSet};

use rightcall::value::{MAX_DEPTH, Text};

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::{output_of, pieces::ArgumentPieces};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Executor, TraceArguments, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "items of type function_call",
    decides: |item| kind_of(item) != ItemKind::Other || item.says("type", "mcp_list_tools"),
    owns: |value| value.says("object", "response") && value.has("output"),
    message: |message, conversation| _ = item(message, conversation),
    is_event: |value| {
        let kind = value.str_at("type").unwrap_or_default();
        let is_of_session = kind.starts_with("session.") && value.has("event_id");
        kind.starts_with("response.") || kind.starts_with("conversation.item.") || is_of_session
    },
    stream: Some(|| Box::new(Events::default())),
    object: Some(("response", &["output"])),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "openai-responses",
    title: "OpenAI Responses",
    summary: "items such as `function_call` and `function_call_output`, responses, streamed events and those of the Realtime API",
    reads: &[
        ("calls", "items of type `function_call`, `custom_tool_call`, `mcp_call`, `web_search_call` and the like"),
        ("arguments", "`arguments`, `input`, `action`, `code`, `queries`, `operation`"),
        ("results", "items of type `…_output`, and `output`, `outputs`, `results` of what the provider ran"),
        ("ids", "`call_id`"),
        ("errors", "`error` of `mcp_call`"),
        ("order", "the order of items; calls with no message or result between them are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Lists of items, stored responses, and event streams, from which the finished items count. Of the Realtime API these are
the items of `response.output_item.done`, else of `response.done`; items of the conversation count where no response holds them. A call of `parallel` or
`multi_tool_use.parallel` is taken apart into the calls that it holds; `--read wrappers=keep` leaves it whole.",
    extensions: &["json", "jsonl"],
    example: r#"[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"find_order","arguments":"{\"id\":7}","status":"completed"},
 {"type":"function_call_output","call_id":"call_1","output":"shipped"}]"#,
    priority: Priority::SharedMessages,
    reading: Reading::Messages(&DIALECT),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    /// A call that the caller of the API runs.
    Call,
    /// A call that the provider runs.
    ProviderCall,
    /// The result of a call.
    Output,
    /// Neither.
    Other,
}

fn kind_of(item: &Node<'_>) -> ItemKind {
    match item.str_at("type").unwrap_or_default() {
        "function_call" | "custom_tool_call" | "computer_call" | "local_shell_call"
        | "shell_call" | "apply_patch_call" => ItemKind::Call,
        "tool_search_call" if item.says("execution", "client") => ItemKind::Call,
        "program" => ItemKind::ProviderCall,
        kind if kind.ends_with("_call_output")
            || matches!(kind, "program_output" | "tool_search_output") =>
        {
            ItemKind::Output
        }
        kind if kind.ends_with("_call") && kind != "tool_call" => ItemKind::ProviderCall,
        _ => ItemKind::Other,
    }
}

/// Reads an item. Gives the place of the call that it is or answers.
pub(crate) fn item(item: &Node<'_>, conversation: &mut Conversation) -> Option<usize> {
    match kind_of(item) {
        ItemKind::Call => {
            conversation.item();
            conversation.call(call(item))
        }
        ItemKind::ProviderCall => {
            conversation.item();
            let result = item.any(&["output", "outputs", "results", "result"]);
            conversation.call(TraceCall {
                executor: Executor::Provider,
                output: result.map(output_of),
                error: item.get("error").map(output_of),
                ..call(item)
            })
        }
        ItemKind::Output => {
            conversation.interrupt();
            let kind = item.str_at("type");
            conversation.result(CallResult {
                name: kind.map(|kind| Text::from(tool_of(kind).to_owned())),
                ..CallResult::from_node(item, &["call_id"], &[], &["output", "result", "tools"])
            })
        }
        ItemKind::Other => {
            if !item.says("type", "reasoning") {
                conversation.interrupt();
                conversation.message();
            }
            None
        }
    }
}

fn call(item: &Node<'_>) -> TraceCall {
    let kind = item.str_at("type").unwrap_or_default();
    let arguments = match item.any(&["arguments", "action", "operation"]) {
        Some(arguments) => TraceArguments::from_node(arguments),
        None if kind == "custom_tool_call" => TraceArguments::free(item, "input"),
        None if item.has_any(&["code", "queries"]) => {
            TraceArguments::from_members(item, &["code", "queries"])
        }
        // A function is always given arguments: where there are none, they were left out.
        None if matches!(kind, "function_call" | "mcp_call") => TraceArguments::Absent,
        None => TraceArguments::from_call(item, &[]),
    };
    TraceCall {
        name: item
            .label_at(&["name"])
            .unwrap_or_else(|| Text::from(tool_of(kind).to_owned())),
        arguments,
        id: item.label_at(&["call_id", "id"]),
        ..TraceCall::default()
    }
}

/// The name of a tool that is named by the type of its item alone.
fn tool_of(kind: &str) -> &str {
    let kind = kind.strip_suffix("_output").unwrap_or(kind);
    kind.strip_suffix("_call").unwrap_or(kind)
}

/// Streamed items.
#[derive(Default)]
struct Events {
    /// Items that have begun and not ended: their text and the pieces of their arguments.
    open: BTreeMap<i128, (String, ArgumentPieces)>,
    /// True if an item of the current response has ended.
    has_items: bool,
    /// Calls that stand in the conversation of the Realtime API, until a response holds them as well: their places and texts, by
    /// the id of the call.
    waiting: HashMap<Text<'static>, (usize, String)>,
    /// How many have waited.
    places: usize,
    /// Calls that a response held, and results that were given: the conversation repeats them.
    told: HashSet<(bool, Text<'static>)>,
}

impl Events {
    /// An item that is whole.
    fn done(&mut self, done: &Node<'_>, conversation: &mut Conversation) {
        if let Some(id) = done.label_at(&["call_id"]) {
            self.waiting.remove(&id);
            self.told.insert((false, id));
        }
        item(done, conversation);
    }

    /// An item of a conversation, which is told when it begins, when it ends, and by who adds it.
    fn of_conversation(&mut self, item: &Node<'_>, conversation: &mut Conversation) {
        let Some(id) = item.label_at(&["call_id"]) else {
            return;
        };
        match kind_of(item) {
            ItemKind::Output if self.told.insert((true, id.clone())) => {
                self.tell(Some(&id), conversation);
                self::item(item, conversation);
            }
            ItemKind::Call if !self.told.contains(&(false, id.clone())) => {
                self.places += 1;
                self.waiting
                    .insert(id, (self.places, item.raw().to_owned()));
            }
            _ => {}
        }
    }

    /// Tells the waiting call of this id, or all of them in their order.
    fn tell(&mut self, id: Option<&Text<'static>>, conversation: &mut Conversation) {
        let mut now: Vec<_> = match id {
            Some(id) => self.waiting.remove_entry(id).into_iter().collect(),
            None => self.waiting.drain().collect(),
        };
        now.sort_unstable_by_key(|(_, (place, _))| *place);
        for (id, (_, text)) in now {
            self.told.insert((false, id));
            if let Ok(call) = Node::parse(&text, MAX_DEPTH) {
                item(&call, conversation);
            }
        }
    }
}

impl Stream for Events {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let index = event.whole_at("output_index").unwrap_or_default();
        match event.str_at("type").unwrap_or_default() {
            "response.created" => self.has_items = false,
            "response.output_item.added" => {
                if let Some(item) = event.get("item") {
                    self.open
                        .insert(index, (item.raw().to_owned(), ArgumentPieces::default()));
                }
            }
            "response.output_item.done" => {
                self.open.remove(&index);
                self.has_items = true;
                if let Some(done) = event.get("item") {
                    self.done(done, conversation);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                let output = event.list_at(&["response", "output"]);
                if !self.has_items {
                    self.open.clear();
                    output.iter().for_each(|it| self.done(it, conversation));
                }
                self.has_items = false;
            }
            kind if kind.starts_with("conversation.item.") => {
                if let Some(item) = event.get("item") {
                    self.of_conversation(item, conversation);
                }
            }
            kind if kind.rsplit('.').next() == Some("delta") => {
                let are_arguments =
                    kind.ends_with("arguments.delta") || kind.ends_with("input.delta");
                if let Some((_, pieces)) = self.open.get_mut(&index) {
                    let piece = event.get("delta").filter(|_| are_arguments);
                    pieces.push(piece.and_then(Node::text));
                }
            }
            _ => {}
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        // Between the events of a session of the Realtime API are those of its sound and its limits.
        value.has("event_id") && !value.has("item")
    }

    fn end(&mut self, conversation: &mut Conversation) {
        for (text, pieces) in std::mem::take(&mut self.open).into_values() {
            let Ok(begun) = Node::parse(&text, MAX_DEPTH) else {
                continue;
            };
            if matches!(kind_of(&begun), ItemKind::Call | ItemKind::ProviderCall) {
                let pieces = pieces.finish();
                let call = TraceCall {
                    arguments: pieces.unwrap_or_else(|| TraceArguments::Text(Text::default())),
                    ..call(&begun)
                };
                call.id.iter().for_each(|id| _ = self.waiting.remove(id));
                conversation.item();
                conversation.call(call);
            }
        }
        self.tell(None, conversation);
        self.told.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn items_are_paired_by_call_id() {
        check(
            "openai-responses",
            r#"[{"role":"user","content":"q"},
                {"type":"reasoning","id":"r"},
                {"type":"function_call","id":"f1","call_id":"c","name":"find","arguments":"{\"id\":7}"},
                {"type":"function_call","id":"f2","call_id":"d","name":"look","arguments":""},
                {"type":"function_call_output","call_id":"d","output":[{"type":"input_text","text":"x"}]},
                {"type":"function_call_output","call_id":"c","output":"y"},
                {"type":"custom_tool_call","call_id":"e","name":"sql","input":"SELECT 1"},
                {"type":"function_call_output","call_id":"gone","output":"y"}]"#,
            &[
                r#"find("{\"id\":7}") c @1 group-1 -> "y""#,
                r#"look("") d @1 group-1 -> "x""#,
                r#"sql(free "SELECT 1") e @2"#,
                "1 orphans",
            ],
        );
    }

    #[test]
    fn what_the_provider_runs_holds_both_halves() {
        check(
            "openai-responses",
            r#"{"object":"response","output":[
                {"type":"mcp_list_tools","tools":[]},
                {"type":"mcp_call","id":"m","name":"ask","arguments":"{}","output":"x","error":null},
                {"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}},
                {"type":"code_interpreter_call","id":"i","code":"1","outputs":[]},
                {"type":"tool_search_call","call_id":null,"execution":"server","arguments":{"paths":[]}},
                {"type":"tool_search_output","call_id":null,"tools":[1]},
                {"type":"message","content":[]}]}"#,
            &[
                r#"ask("{}") m @1 group-1 by provider -> "x""#,
                r#"web_search({"type":"search","query":"q"}) w @1 group-1 by provider"#,
                r#"code_interpreter({"code":"1"}) i @1 group-1 by provider -> []"#,
                r#"tool_search({"paths":[]}) @1 group-1 by provider -> [1]"#,
            ],
        );
    }

    #[test]
    fn a_stream_gives_each_item_once_and_the_last_may_be_cut_off() {
        let item =
            r#"{"type":"function_call","id":"f","call_id":"c","name":"find","arguments":"{}"}"#;
        let begun =
            r#"{"type":"function_call","id":"g","call_id":"d","name":"look","arguments":""}"#;
        check(
            "openai-responses",
            &format!(
                r#"{{"type":"response.created","response":{{}}}}
{{"type":"response.output_item.added","output_index":0,"item":{item}}}
{{"type":"response.output_item.done","output_index":0,"item":{item}}}
{{"type":"response.completed","response":{{"output":[{item}]}}}}
{{"type":"response.created","response":{{}}}}
{{"type":"response.completed","response":{{"output":[{item}]}}}}
{{"type":"response.output_item.added","output_index":1,"item":{begun}}}
{{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{{\"a\""}}
"#
            ),
            &[
                r#"find("{}") c @0 group-1"#,
                r#"find("{}") c @0 group-1"#,
                r#"look("{\"a\"") d @0 group-1"#,
            ],
        );
    }

    #[test]
    fn events_of_the_realtime_api_tell_each_call_once() {
        let call = |id: &str, status: &str, arguments: &str| {
            format!(
                r#"{{"id":"item_{id}","object":"realtime.item","type":"function_call","status":"{status}","call_id":"{id}","name":"find","arguments":"{arguments}"}}"#
            )
        };
        let event =
            |kind: &str, rest: &str| format!(r#"{{"type":"{kind}","event_id":"e",{rest}}}"#);
        let begun = call("a", "in_progress", "");
        let whole = call("a", "completed", r#"{\"id\":7}"#);
        let answer = r#""item":{"type":"function_call_output","call_id":"a","output":"x"}"#;
        let of_another = call("b", "completed", "{}");
        let cut = call("c", "in_progress", "");
        let events = [
            event("session.created", r#""session":{}"#),
            event(
                "response.created",
                r#""response":{"object":"realtime.response","output":[]}"#,
            ),
            event(
                "response.output_item.added",
                &format!(r#""output_index":0,"item":{begun}"#),
            ),
            event("conversation.item.created", &format!(r#""item":{begun}"#)),
            event(
                "response.function_call_arguments.delta",
                r#""output_index":0,"delta":"{}""#,
            ),
            event("rate_limits.updated", r#""rate_limits":[]"#),
            event(
                "response.output_item.done",
                &format!(r#""output_index":0,"item":{whole}"#),
            ),
            event(
                "response.done",
                &format!(r#""response":{{"object":"realtime.response","output":[{whole}]}}"#),
            ),
            event("conversation.item.create", answer),
            event("conversation.item.created", answer),
            // Only the last event of a response was kept.
            event(
                "response.done",
                &format!(r#""response":{{"output":[{of_another}]}}"#),
            ),
            event("conversation.item.done", &format!(r#""item":{cut}"#)),
        ];
        let found = [
            r#"find("{\"id\":7}") a @0 -> "x""#,
            r#"find("{}") b @1 group-2"#,
            r#"find("") c @1 group-2"#,
        ];
        check("openai-responses", &events.join("\n"), &found);
        check(
            "openai-responses",
            &format!("[{}]", events.join(",")),
            &found,
        );
    }
}

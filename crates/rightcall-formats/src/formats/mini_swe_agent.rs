//! Trajectories of mini-swe-agent, which has a shell as its only tool.

use rightcall_core::value::Text;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::json;
use crate::messages::{
    dialects::{openai_chat, openai_responses},
    output_of,
    speaker::{is_of_model, keep_question},
};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Scope, Trace, TraceArguments, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "mini-swe-agent",
    title: "mini-swe-agent trajectories",
    summary: "`trajectory_format` mini-swe-agent-N with `messages`, or messages with actions in fences of `mswea_bash_command`",
    reads: &[
        ("calls", "`tool_calls` of messages, items of the Responses API, else `extra.actions`, else the one fenced command of a text"),
        ("arguments", "`function.arguments`; of a command `{\"command\": …}`"),
        ("results", "messages with the role `tool`, `function_call_output`; of a command the message of the user that follows"),
        ("question", "the first message of the user"),
        ("ids", "`tool_calls[].id`, `call_id`; commands have none"),
        ("order", "the order of messages"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "The `.traj.json` files of mini-swe-agent. An action that is a command is a call of `bash`, which is what the agent makes of it; as
there, a text with no such fence, or with several, acts not at all.",
    extensions: &["traj.json", "json"],
    example: r#"{"trajectory_format":"mini-swe-agent-1.1","info":{"exit_status":"Submitted"},"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\": 7}"}}]},{"role":"tool","tool_call_id":"c1","content":"shipped"}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let is_named = value.str_at("trajectory_format").is_some_and(|format| format.starts_with("mini-swe-agent"));
            let acts = |message: &Node<'_>| {
                message.says("role", "assistant") && text_of(message).is_some_and(|text| command(text, FENCE).is_some())
            };
            let is_run = is_named || value.get("info").is_some_and(|info| info.has("mini_version"));
            Recognition::certain_if(is_run && value.has("messages") || messages(value).iter().any(acts))
        },
        |scope| Box::new(Runs(scope)),
    ),
};

/// The code fence of a command, now and in older versions.
const FENCE: &str = "```mswea_bash_command";
const OLD_FENCE: &str = "```bash";

fn messages<'n, 'a>(run: &'n Node<'a>) -> &'n [Node<'a>] {
    if run.is_list() {
        run.items()
    } else {
        run.list("messages")
    }
}

/// A list holds the messages of one run, or runs.
struct Runs(Scope);

impl TraceReader for Runs {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if !value.items().iter().any(|item| item.has("messages"))
            || !self.each_item(value, place, found)
        {
            found.trace(place.line, run(value, self.0));
        }
    }
}

fn run(value: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = value.label_at(&["instance_id", "id"]);
    let mut awaits_result = false;
    for message in messages(value) {
        keep_question(message, &mut conversation);
        let items = message.list("output").iter();
        let said = items.chain([message]).filter(|item| is_of_model(item));
        said.for_each(|item| conversation.note_agent_message(item));
        if !message.has_any(&["role", "type", "object"]) {
            conversation.left_over("a message without a role");
        }
        awaits_result = conversation.part(message, |conversation| {
            self::message(message, awaits_result, conversation)
        });
    }
    let mut known = value.keys_of_lists(&["messages"]);
    known.push("info");
    conversation.finish_record(value, &known)
}

/// Reads a message; true if it is a command, which the next message answers.
fn message(message: &Node<'_>, is_awaited: bool, conversation: &mut Conversation) -> bool {
    if is_awaited && message.says("role", "user") {
        let output = message
            .at(&["extra", "raw_output"])
            .or_else(|| message.get("content"))
            .map(output_of);
        conversation.message();
        conversation.result(CallResult {
            output,
            ..CallResult::default()
        });
    } else if message.says("object", "response") {
        for item in message.list("output") {
            openai_responses::item(item, conversation);
        }
    } else if message.has("type") && !message.list("tool_calls").iter().any(Node::is_object) {
        openai_responses::item(message, conversation);
    } else {
        openai_chat::message(message, conversation);
        let may_act = message
            .str_at("role")
            .is_none_or(|role| role == "assistant");
        if !may_act || !message.list("tool_calls").is_empty() {
            return false;
        }
        let has_acted = acts(message, conversation);
        if !has_acted && text_of(message).is_none() {
            conversation.left_over("a message of the agent without a text or a call");
        }
        return has_acted;
    }
    false
}

/// Reads a shell command from a message without structured calls; true if it has one.
fn acts(message: &Node<'_>, conversation: &mut Conversation) -> bool {
    let mut call = |command: &Text<'_>| {
        let arguments = json::object(|writer| _ = writer.key("command").text(command));
        conversation.call(TraceCall {
            name: Text::new("bash"),
            arguments: TraceArguments::Json(arguments),
            ..TraceCall::default()
        });
    };
    let actions = message.list_at(&["extra", "actions"]);
    let commands: Vec<_> = actions
        .iter()
        .filter_map(|action| action.get("command").unwrap_or(action).text())
        .collect();
    commands.iter().for_each(|command| call(command));
    if !commands.is_empty() {
        return true;
    }
    let found =
        text_of(message).and_then(|text| command(text, FENCE).or_else(|| command(text, OLD_FENCE)));
    found.inspect(|command| call(&Text::new(command))).is_some()
}

/// The text of a message, or of its first part.
fn text_of<'n>(message: &'n Node<'_>) -> Option<&'n str> {
    let content = message.get("content")?;
    content
        .str()
        .or_else(|| content.items().first()?.str_at("text"))
}

/// The only command in a text, inside a fence of this kind; `None` if there are none or several.
fn command<'t>(text: &'t str, fence: &str) -> Option<&'t str> {
    let mut commands = text.split(fence).skip(1).filter_map(|rest| {
        let (mark, rest) = rest.split_once('\n')?;
        let end = rest.find("\n```")?;
        mark.trim().is_empty().then(|| rest[..end].trim())
    });
    commands.next().filter(|_| commands.next().is_none())
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn a_run_is_read_with_tools_and_with_commands_in_a_text() {
        check(
            "mini-swe-agent",
            r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"q"},
                {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{}"}}],"extra":{"actions":[{"command":"ls","tool_call_id":"a"}]}},
                {"role":"tool","tool_call_id":"a","content":"x"},
                {"object":"response","output":[{"type":"reasoning"},{"type":"function_call","call_id":"b","name":"bash","arguments":"{}"}]},
                {"type":"function_call_output","call_id":"b","output":"y"},
                {"role":"assistant","content":"no fence","extra":{"actions":[{"command":"pwd"}]}},
                {"role":"user","content":"shown","extra":{"raw_output":"/","returncode":0}},
                {"role":"exit","content":"done"}]}"#,
            &[
                r#"bash("{}") a @1 -> "x""#,
                r#"bash("{}") b @3 -> "y""#,
                r#"bash({"command":"pwd"}) @4 -> "/""#,
            ],
        );
        check(
            "mini-swe-agent",
            r#"[{"role":"system","content":"```mswea_bash_command\nno\n```"},
                {"role":"assistant","content":"THOUGHT\n\n```mswea_bash_command\ncat <<'E'\nx\nE\n```"},
                {"role":"user","content":"<returncode>0</returncode>"},
                {"role":"assistant","content":"```mswea_bash_command\na\n```\n```mswea_bash_command\nb\n```"},
                {"role":"user","content":"one only"}]"#,
            &[r#"bash({"command":"cat <<'E'\nx\nE"}) @1 -> "<returncode>0</returncode>""#],
        );
    }
}

//! Signs of unparsed calls: parts of blocks without a beginning, unsupported notations, dropped tokens.

use memchr::{memchr_iter, memmem};

use super::names::{is_name_letter, name_prefix, name_suffix, placeholder_length};
use super::places::starts_line;
use super::python_call::called_name;
use super::xml_tags::parameter_tag;

/// Known notations that are not parsed.
const UNPARSED: [&str; 5] = [
    "<start_function_call>",
    "<|tool_call>",
    "✿FUNCTION✿",
    "<steptml:invoke",
    "<|tools_prefix|>",
];

/// Tools that Cline and Roo Code call by tags, with a tag for each parameter inside.
const TAGGED_TOOLS: [&str; 20] = [
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "execute_command",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "codebase_search",
    "ask_followup_question",
    "attempt_completion",
    "fetch_instructions",
    "new_task",
    "switch_mode",
    "update_todo_list",
];

/// Tokens inside a block.
const INSIDE: [&str; 3] = [
    "<｜tool▁sep｜>",
    "<|tool▁sep|>",
    "<|tool_call_argument_begin|>",
];

/// A sign, and a test for a part of a call around it.
struct Net {
    sign: &'static str,
    holds: fn(&str, usize) -> bool,
}

const NETS: [Net; 16] = [
    // Cherry Studio and others.
    Net {
        sign: "<tool_use>",
        holds: is_named_use,
    },
    Net {
        sign: "<tool_call ",
        holds: is_named_by_attribute,
    },
    Net {
        sign: "<arg_key>",
        holds: is_pair,
    },
    Net {
        sign: "<parameter",
        holds: is_parameter,
    },
    Net {
        sign: "Action Input:",
        holds: is_action_input,
    },
    Net {
        sign: "ACTION INPUT:",
        holds: is_action_input,
    },
    Net {
        sign: "Action input:",
        holds: is_action_input,
    },
    Net {
        sign: "ACTION:",
        holds: is_after_thought,
    },
    Net {
        sign: "Act:",
        holds: is_after_thought,
    },
    Net {
        sign: "<execute_tool>",
        holds: is_python_call,
    },
    // Functionary.
    Net {
        sign: "<|recipient|>",
        holds: is_addressed,
    },
    Net {
        sign: ">>>",
        holds: is_addressed_object,
    },
    Net {
        sign: "to=functions.",
        holds: is_recipient,
    },
    Net {
        sign: "functions.",
        holds: is_numbered,
    },
    Net {
        sign: "[ARGS]",
        holds: is_arguments,
    },
    Net {
        sign: "[CALL_ID]",
        holds: is_numbered_call,
    },
];

/// True if there is a sign of a call between two offsets.
pub(super) fn is_caught(text: &str, from: usize, to: usize) -> bool {
    let part = text.get(from..to).unwrap_or_default().as_bytes();
    let places = |sign: &'static str| {
        memmem::find_iter(part, sign.as_bytes())
            .map(move |at| from + at)
            .collect::<Vec<_>>()
    };
    UNPARSED
        .iter()
        .any(|sign| memmem::find(part, sign.as_bytes()).is_some())
        || memchr_iter(b'<', part)
            .any(|at| starts_line(text, from + at) && is_tagged_tool(&text[from + at..]))
        || INSIDE.iter().any(|sign| {
            places(sign)
                .into_iter()
                .any(|at| !is_in_template(text, at, sign))
        })
        || NETS.iter().any(|net| {
            places(net.sign)
                .into_iter()
                .any(|at| (net.holds)(text, at + net.sign.len()))
        })
}

/// True if a text begins with the tag of a tool and the tag of a parameter: `<read_file>`, `<path>`.
pub(super) fn is_tagged_tool(text: &str) -> bool {
    let tool = TAGGED_TOOLS.iter().find_map(|tool| {
        let rest = text.strip_prefix('<')?.strip_prefix(tool)?;
        rest.strip_prefix('>')
    });
    let parameter = tool.and_then(|rest| rest.trim_start().strip_prefix('<'));
    parameter.is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_alphabetic()))
}

/// True if a placeholder is next to a token.
fn is_in_template(text: &str, at: usize, token: &str) -> bool {
    let before = text[..at].trim_end();
    let open = match before.chars().next_back() {
        Some('}') => '{',
        Some('>') => '<',
        Some(']') => '[',
        _ => '\0',
    };
    let begin = before.rfind(open).unwrap_or(at);
    let is_before =
        placeholder_length(&text[begin..at]).is_some_and(|length| begin + length == before.len());
    is_before || placeholder_length(text[at + token.len()..].trim_start()).is_some()
}

/// `<tool_use><name>f</name>` or `<tool_use>{"name": "f"`
fn is_named_use(text: &str, after: usize) -> bool {
    let inside = text[after..].trim_start();
    let name = inside.strip_prefix("<name>");
    name.is_some_and(|name| placeholder_length(name).is_none() && name.contains("</name>"))
        || inside.starts_with('{') && inside.contains("\"name\"")
}

/// `<tool_call name="f">`
fn is_named_by_attribute(text: &str, after: usize) -> bool {
    let name = text[after..].strip_prefix("name=\"");
    name.is_some_and(|name| placeholder_length(name).is_none() && name.contains("\">"))
}

/// `<arg_key>k</arg_key><arg_value>`
fn is_pair(text: &str, after: usize) -> bool {
    const END: &str = "</arg_key>";
    let rest = &text[after..];
    let length = rest.find(['<', '\n']).unwrap_or(rest.len());
    let key = rest[..length].trim();
    let Some(value) = rest[length..].strip_prefix(END) else {
        return false;
    };
    let is_key = !key.is_empty() && placeholder_length(key).is_none();
    is_key && value.trim_start().starts_with("<arg_value>")
}

/// `<parameter=k>` or `<parameter name="k">`, at the start of a line or after a tag
fn is_parameter(text: &str, after: usize) -> bool {
    let at = after - "<parameter".len();
    let is_placed = starts_line(text, at) || text[..at].trim_end().ends_with('>');
    let is_template =
        |key: &str| placeholder_length(key).is_some() || !key.contains(char::is_alphanumeric);
    let placeholder = text[after..].strip_prefix('=').and_then(placeholder_length);
    let tag = parameter_tag(&text[after..]).filter(|_| placeholder.is_none());
    is_placed && tag.is_some_and(|tag| !is_template(tag.key))
}

/// A line `Action Input: {`, possibly in bold or as a heading
fn is_action_input(text: &str, after: usize) -> bool {
    let rest = text[after..].trim_start_matches([' ', '\t', '*']);
    let label = after - "Action Input:".len();
    let before = text[..label].trim_end_matches(['*', '#', ' ']);
    let is_label = starts_line(text, before.len());
    is_label && rest.starts_with('{') && placeholder_length(rest).is_none()
}

/// A line `THOUGHT: …`, and after it a line `ACTION: …`
fn is_after_thought(text: &str, after: usize) -> bool {
    const THOUGHTS: [&str; 3] = ["Think:", "THOUGHT:", "Thought:"];
    // The longest thought, in lines: texts are read in linear time.
    const LINES: usize = 30;
    let before = &text[..after];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let is_label = before[line..].trim_start().len() < "ACTION:x".len();
    let says_something = text[after..].chars().any(char::is_alphanumeric);
    let is_thought = |line: &str| {
        let line = line.trim_start();
        THOUGHTS.iter().any(|label| line.starts_with(label))
    };
    let mut lines = text[..line].lines().rev().take(LINES);
    is_label && says_something && lines.any(is_thought)
}

/// `<execute_tool>f(`
fn is_python_call(text: &str, after: usize) -> bool {
    called_name(text[after..].trim_start()).is_some()
}

/// `<|recipient|>f`, but not `all`
fn is_addressed(text: &str, after: usize) -> bool {
    let name = name_prefix(text[after..].trim_start());
    name.contains(is_name_letter) && name != "all"
}

/// A line `>>>f` with an object on the next one
fn is_addressed_object(text: &str, after: usize) -> bool {
    let name = name_prefix(&text[after..]);
    let next = text[after + name.len()..].strip_prefix('\n');
    let is_line = starts_line(text, after - ">>>".len());
    is_line && name.contains(is_name_letter) && next.is_some_and(|next| next.starts_with('{'))
}

/// `to=functions.f`
fn is_recipient(text: &str, after: usize) -> bool {
    text[after..].starts_with(|it: char| it.is_alphanumeric() || it == '_')
}

/// `functions.f:0{`
fn is_numbered(text: &str, after: usize) -> bool {
    let head = name_prefix(&text[after..]);
    let Some((name, number)) = head.rsplit_once(':') else {
        return false;
    };
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    !name.is_empty() && is_number && is_object(text, after + head.len())
}

/// `f[CALL_ID]id`, cut off before its arguments
fn is_numbered_call(text: &str, after: usize) -> bool {
    let name = name_suffix(&text[..after - "[CALL_ID]".len()]);
    let id = &text[after..];
    name.contains(is_name_letter) && id.chars().all(char::is_alphanumeric)
}

/// `f[ARGS]{`
fn is_arguments(text: &str, after: usize) -> bool {
    let name = name_suffix(&text[..after - "[ARGS]".len()]);
    name.contains(is_name_letter) && is_object(text, after)
}

fn is_object(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start();
    rest.starts_with('{') && placeholder_length(rest).is_none()
}

//! Adds skills loaded by a harness as separate calls: `--read skills=on`.
//!
//! A skill is a folder with a `SKILL.md`. A harness loads it with its own tool, or the model reads the file. These calls are kept; the
//! added ones have the same form for all harnesses.

use rightcall_core::call::Executor;
use rightcall_core::value::{MAX_DEPTH, Text};

use super::arguments::TraceArguments;
use super::call::TraceCall;
use super::record::Trace;
use crate::json;
use crate::node::Node;

/// The name of the added calls.
const SKILL: &str = "skill";

/// Tools that load a skill, without namespace.
const LOADERS: [&str; 5] = [
    "skill",
    "load_skill",
    "activate_skill",
    "use_skill",
    "read_skill",
];

/// Argument keys with the name of the skill.
const NAMES: [&str; 5] = ["skill", "name", "skill_name", "skillName", "command"];

/// Formats of harnesses that record each loaded skill. In other formats, a run without skills is not conclusive.
const SHOWN_BY: [&str; 5] = [
    "claude-code",
    "codex",
    "copilot-cli",
    "gemini-cli",
    "opencode",
];

/// Adds a call for each skill recorded as loaded, right after the call that loaded it.
pub(crate) fn add_skills(trace: &mut Trace, format: &str) {
    let calls = std::mem::take(&mut trace.calls);
    // The new index of each call, to update references to enclosing calls.
    let mut places = Vec::with_capacity(calls.len());
    let (mut has_any, mut has_unnamed) = (false, false);
    for call in calls {
        places.push(trace.calls.len());
        let loaded = loaded_by(&call);
        has_any |= !loaded.is_empty() || call.name == *SKILL;
        has_unnamed |= loaded.contains(&None);
        let skill = |name: &String| TraceCall {
            name: Text::from(SKILL.to_owned()),
            arguments: TraceArguments::Json(json::object(|writer| {
                writer.key("name").str(name);
            })),
            start: call.start,
            end: call.end,
            turn: call.turn,
            actor: call.actor.clone(),
            parent: call.parent,
            part: call.part.clone(),
            ..TraceCall::default()
        };
        let added: Vec<_> = loaded.iter().flatten().map(skill).collect();
        trace.calls.push(call);
        trace.calls.extend(added);
    }
    for call in &mut trace.calls {
        call.parent = call.parent.map(|parent| places[parent]);
    }
    let why = if has_unnamed {
        "a skill whose name is not recorded"
    } else if !has_any && !SHOWN_BY.contains(&format) {
        "this format does not show which skills were loaded"
    } else {
        return;
    };
    trace.incomplete = trace.incomplete.take().or(Some(why.to_owned()));
}

/// The skills loaded by a call; `None` for one whose name is not recorded.
fn loaded_by(call: &TraceCall) -> Vec<Option<String>> {
    if call.has_failed() || call.executor == Executor::Nobody {
        return Vec::new();
    }
    let text = match &call.arguments {
        TraceArguments::Absent => return Vec::new(),
        TraceArguments::Json(json) => json.clone(),
        TraceArguments::Text(text) | TraceArguments::Free(text) => text.to_display().into_owned(),
    };
    let node = Node::parse(&text, MAX_DEPTH).ok();
    let name = call.name.to_display();
    let plain = name.rsplit(['.', ':', '/']).next().unwrap_or(&name);
    let plain = plain
        .rsplit("__")
        .next()
        .unwrap_or(plain)
        .to_ascii_lowercase();
    if LOADERS.contains(&plain.as_str()) {
        let node = node.as_ref();
        // This call already equals the one to be added.
        let is_same =
            name == SKILL && node.is_some_and(|node| node.entries().len() == 1 && node.has("name"));
        let named = node.and_then(|node| node.any(&NAMES)).and_then(Node::str);
        return if is_same {
            Vec::new()
        } else {
            vec![named.map(ToOwned::to_owned)]
        };
    }
    let mut found = Vec::new();
    match node.filter(|node| !node.entries().is_empty()) {
        Some(node) => {
            let is_view = node.says("command", "view");
            let is_other = plain == "ls" || OTHER_TOOLS.iter().any(|word| plain.contains(word));
            if is_view || !is_other {
                each_text(&node, &mut |text| in_text(text, &mut found));
            }
        }
        None => in_text(&text, &mut found),
    }
    found
}

/// Words in the names of tools that do not show the text of a file.
const OTHER_TOOLS: [&str; 16] = [
    "create", "delete", "edit", "find", "glob", "grep", "insert", "list", "mail", "move", "patch",
    "remove", "replace", "search", "update", "write",
];

/// Commands that show the text of a file.
const READERS: [&str; 14] = [
    "awk",
    "bat",
    "batcat",
    "cat",
    "gc",
    "get-content",
    "head",
    "less",
    "more",
    "nl",
    "sed",
    "tac",
    "tail",
    "type",
];

/// Commands that run another one, which follows.
const RUNNERS: [&str; 8] = [
    "bash", "env", "sh", "sudo", "time", "timeout", "xargs", "zsh",
];

/// The command that a word names, possibly by its path.
fn command_of(word: &str) -> String {
    let word = word.trim_matches(['"', '\'']);
    let name = word.rsplit('/').next().unwrap_or(word);
    name.to_ascii_lowercase()
}

/// Passes on the texts in arguments. A list of words is one command.
fn each_text(node: &Node<'_>, each: &mut dyn FnMut(&str)) {
    if let Some(text) = node.str() {
        return each(text);
    }
    let words: Option<Vec<&str>> = node.items().iter().map(Node::str).collect();
    let is_command = |words: &[&str]| words.first().is_some_and(|it| READERS.contains(it));
    if let Some(words) = words.filter(|words| is_command(words)) {
        return each(&words.join(" "));
    }
    let items = node.items().iter();
    items
        .chain(node.entries().iter().map(|(_, value)| value))
        .for_each(|inner| each_text(inner, each));
}

/// The folders of `SKILL.md` files in a path or in commands that read them, without duplicates.
fn in_text(text: &str, found: &mut Vec<Option<String>>) {
    let mut add = |path: &str, folder: &str| {
        let Some(rest) = path.trim_matches(['"', '\'', '`']).strip_suffix("SKILL.md") else {
            return;
        };
        let of_path = rest.strip_suffix(['/', '\\']);
        let is_file = of_path.is_some() || rest.is_empty();
        let folder = of_path.unwrap_or(folder).rsplit(['/', '\\']).next();
        let name = folder.filter(|it| !it.is_empty()).map(ToOwned::to_owned);
        if is_file && !path.contains('*') && !found.contains(&name) {
            found.push(name);
        }
    };
    let is_reader = |word: &str| READERS.contains(&command_of(word).as_str());
    let is_path = || text.starts_with(['/', '~']) || text.get(1..3) == Some(":\\");
    let begins_with_reader = || text.split_whitespace().next().is_some_and(is_reader);
    if !text.contains(char::is_whitespace) || is_path() && !begins_with_reader() {
        return add(text, "");
    }
    let mut folder = "";
    for command in text.split(['\n', ';', '|', '&', '(', ')']) {
        // What is written into a file is not read from it.
        let command = command.split('>').next().unwrap_or_default();
        let mut words = command.split_whitespace();
        let first = words.next().unwrap_or_default();
        let name = command_of(first);
        let runs_reader = || RUNNERS.contains(&name.as_str()) && words.clone().any(is_reader);
        if name == "cd" {
            folder = words.next().unwrap_or_default().trim_matches(['"', '\'']);
        } else if (is_reader(first) || runs_reader()) && !command.contains(" -i") {
            words.for_each(|word| add(word, folder));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> TraceCall {
        TraceCall {
            name: Text::from(name.to_owned()),
            arguments: TraceArguments::Json(arguments.to_owned()),
            ..TraceCall::default()
        }
    }

    fn skills(name: &str, arguments: &str) -> Vec<String> {
        let found = loaded_by(&call(name, arguments)).into_iter();
        found
            .map(|name| name.unwrap_or_else(|| "?".to_owned()))
            .collect()
    }

    #[test]
    fn tools_that_load_skills_and_readers_of_their_files_show_a_skill() {
        for (name, arguments, expected) in [
            ("Skill", r#"{"skill":"pdf"}"#, &["pdf"][..]),
            ("Skill", r#"{"command":"pdf"}"#, &["pdf"]),
            ("activate_skill", r#"{"name":"pdf"}"#, &["pdf"]),
            (
                "mcp__skills__load_skill",
                r#"{"skill_name":"pdf"}"#,
                &["pdf"],
            ),
            (
                "Read",
                r#"{"file_path":"/u/.claude/skills/pdf/SKILL.md"}"#,
                &["pdf"],
            ),
            (
                "shell",
                r#"{"command":["bash","-lc","cat 'skills/pdf/SKILL.md' && cat skills/csv/SKILL.md"]}"#,
                &["pdf", "csv"],
            ),
            ("Read", r#"{"file_path":"/u/skills/pdf/SKILL.md.bak"}"#, &[]),
            ("Read", r#"{"file_path":"SKILL.md"}"#, &["?"]),
            (
                "Read",
                r#"{"file_path":"C:\\u\\skills\\pdf\\SKILL.md"}"#,
                &["pdf"],
            ),
            (
                "view_edit",
                r#"{"command":"view","path":"/s/pdf/SKILL.md"}"#,
                &["pdf"],
            ),
            (
                "shell",
                r#"{"command":["cat","/s/pdf/SKILL.md"]}"#,
                &["pdf"],
            ),
            (
                "shell",
                r#"{"command":"cd /s/pdf && sed -n 1,99p SKILL.md"}"#,
                &["pdf"],
            ),
            (
                "shell",
                r#"{"command":"bash -lc 'cat /s/pdf/SKILL.md'"}"#,
                &["pdf"],
            ),
            (
                "shell",
                r#"{"command":"/bin/cat s/pdf/SKILL.md"}"#,
                &["pdf"],
            ),
            ("Read", r#"{"path":"/u/My Skills/pdf/SKILL.md"}"#, &["pdf"]),
            ("shell", r#"{"command":"ls skills/*/SKILL.md"}"#, &[]),
            (
                "shell",
                r#"{"command":"rm /s/pdf/SKILL.md; git add s/pdf/SKILL.md"}"#,
                &[],
            ),
            ("shell", r#"{"command":"echo x > /s/pdf/SKILL.md"}"#, &[]),
            (
                "shell",
                r#"{"command":"sed -i s/a/b/ /s/pdf/SKILL.md"}"#,
                &[],
            ),
            (
                "Write",
                r#"{"file_path":"/s/pdf/SKILL.md","content":"x"}"#,
                &[],
            ),
            ("Grep", r#"{"pattern":"x","path":"/s/pdf/SKILL.md"}"#, &[]),
            ("Task", r#"{"prompt":"Read /s/pdf/SKILL.md and go"}"#, &[]),
            ("send_email", r#"{"body":"see /s/pdf/SKILL.md"}"#, &[]),
            ("Skill", r"{}", &["?"]),
            ("skill", r#"{"name":"pdf"}"#, &[]),
        ] {
            assert_eq!(skills(name, arguments), expected, "{name} {arguments}");
        }
    }

    #[test]
    fn calls_stay_and_inner_calls_keep_the_call_around_them() {
        let inner = TraceCall {
            parent: Some(1),
            ..call("look", "{}")
        };
        let mut trace = Trace {
            calls: vec![
                call("Skill", r#"{"skill":"pdf"}"#),
                call("Task", "{}"),
                inner,
            ],
            ..Trace::default()
        };
        add_skills(&mut trace, "claude-code");
        let shown: Vec<_> = trace
            .calls
            .iter()
            .map(|it| (it.name.to_string(), it.parent))
            .collect();
        let expected = [
            ("Skill", None),
            ("skill", None),
            ("Task", None),
            ("look", Some(2)),
        ];
        assert_eq!(
            shown,
            expected.map(|(name, parent)| (name.to_owned(), parent))
        );
        assert_eq!(trace.incomplete, None);
    }

    #[test]
    fn a_run_in_a_format_that_shows_no_skills_is_incomplete() {
        for (format, is_known) in [("codex", true), ("openai-chat", false)] {
            let mut trace = Trace {
                calls: vec![call("look", "{}")],
                ..Trace::default()
            };
            add_skills(&mut trace, format);
            assert_eq!(
                (trace.calls.len(), trace.incomplete.is_none()),
                (1, is_known),
                "{format}"
            );
        }
    }
}

//! The begin and end markers of marked notations.

/// The delimiters and the content of a marked block.
#[derive(Debug)]
pub(super) struct Marker {
    pub(super) begin: &'static str,
    pub(super) ends: &'static [&'static str],
    /// The notation's name in messages.
    pub(super) notation: &'static str,
    pub(super) form: Form,
}

/// The content after a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Call objects.
    Json,
    /// Call objects with `tool_name` as the name key.
    Actions,
    /// Call objects, functions of Qwen3-Coder, or a name and pairs as in GLM.
    ToolCall,
    /// Functions or invocations inside a wrapper.
    Wrapper,
    /// Invocations inside a wrapper, Python calls, or call objects.
    FunctionCalls,
    /// `f>`, after `<function=`.
    Function,
    /// Attributes, after `<invoke`.
    Invoke,
    /// Python calls, or call objects.
    Python,
    /// Call objects, or `f.call(…)`.
    PythonTag,
    /// Call objects, or `f[ARGS]{…}`.
    Mistral,
    /// Calls with tokens around name and arguments, or the first of these calls.
    Section,
    SectionCall,
    /// A token that announces the content.
    Plugin,
    /// Call objects, possibly with arguments in single quotes.
    Glaive,
}

const fn marker(
    begin: &'static str,
    ends: &'static [&'static str],
    notation: &'static str,
    form: Form,
) -> Marker {
    Marker {
        begin,
        ends,
        notation,
        form,
    }
}

pub(super) const DEEPSEEK_CALL: &str = "<｜tool▁call▁begin｜>";
pub(super) const KIMI_CALL: &str = "<|tool_call_begin|>";
pub(super) const FUNCTOOLS: &str = "functools[";
const DEEPSEEK_END: &[&str] = &["<｜tool▁calls▁end｜>"];
const KIMI_END: &[&str] = &["<|tool_calls_section_end|>"];

static MARKERS: [Marker; 25] = [
    marker("<tool_call>", &["</tool_call>"], "Hermes", Form::ToolCall),
    marker(
        "<longcat_tool_call>",
        &["</longcat_tool_call>"],
        "LongCat",
        Form::Json,
    ),
    marker("<TOOLCALL>", &["</TOOLCALL>"], "Nemotron", Form::Json),
    marker(
        "<seed:tool_call>",
        &["</seed:tool_call>"],
        "Seed-OSS",
        Form::Wrapper,
    ),
    marker(
        "<minimax:tool_call>",
        &["</minimax:tool_call>"],
        "MiniMax-M2",
        Form::Wrapper,
    ),
    marker(
        "<function_calls>",
        &["</function_calls>"],
        "OLMo",
        Form::FunctionCalls,
    ),
    marker(
        "<｜DSML｜function_calls>",
        &["</｜DSML｜function_calls>"],
        "DeepSeek V3.2",
        Form::Wrapper,
    ),
    marker(
        "<function=",
        &["</function>"],
        "Qwen3-Coder",
        Form::Function,
    ),
    marker("<invoke", &["</invoke>"], "Anthropic", Form::Invoke),
    marker(
        "<｜DSML｜invoke",
        &["</｜DSML｜invoke>"],
        "DeepSeek V3.2",
        Form::Invoke,
    ),
    marker("<|python_tag|>", &[], "Llama", Form::PythonTag),
    marker(
        "<|python_start|>",
        &["<|python_end|>"],
        "Llama 4",
        Form::Python,
    ),
    marker(
        "<|tool_call_start|>",
        &["<|tool_call_end|>"],
        "LFM2",
        Form::Python,
    ),
    marker("[TOOL_CALLS]", &["[/TOOL_CALLS]"], "Mistral", Form::Mistral),
    marker(
        "<｜tool▁calls▁begin｜>",
        DEEPSEEK_END,
        "DeepSeek",
        Form::Section,
    ),
    marker(DEEPSEEK_CALL, DEEPSEEK_END, "DeepSeek", Form::SectionCall),
    marker(
        "<|tool_calls_section_begin|>",
        KIMI_END,
        "Kimi",
        Form::Section,
    ),
    marker(KIMI_CALL, KIMI_END, "Kimi", Form::SectionCall),
    marker("<tool_calls>", &["</tool_calls>"], "Jamba", Form::Json),
    marker("<|tool_call|>", &["<|/tool_call|>"], "Granite", Form::Json),
    marker(
        "<function_call>",
        &["</function_call>"],
        "Granite",
        Form::Json,
    ),
    marker(FUNCTOOLS, &[], "Phi-4", Form::Json),
    marker(
        "<|action_start|>",
        &["<|action_end|>"],
        "InternLM",
        Form::Plugin,
    ),
    marker(
        "<|START_ACTION|>",
        &["<|END_ACTION|>"],
        "Command R",
        Form::Actions,
    ),
    marker(
        "<functioncall>",
        &["</functioncall>"],
        "Glaive",
        Form::Glaive,
    ),
];

/// End markers of parts of blocks.
const PART_ENDS: [&str; 8] = [
    "</parameter>",
    "</parameters>",
    "</tool_name>",
    "</arg_key>",
    "</arg_value>",
    "</｜DSML｜parameter>",
    "<｜tool▁call▁end｜>",
    "<|tool_call_end|>",
];

/// The marker that a `<` or `[` begins or ends, and its start.
pub(super) fn marker_at(text: &str, at: usize) -> Option<(usize, &'static Marker)> {
    let rest = &text[at..];
    let is_list = rest.starts_with('[');
    let mut markers = MARKERS
        .iter()
        .filter(|it| it.begin.starts_with('[') == is_list);
    if let Some(found) = markers.find(|it| rest.starts_with(it.begin)) {
        let after = rest[found.begin.len()..].chars().next();
        // `<invoked` is a different word.
        let is_word = found.form == Form::Invoke && after.is_some_and(char::is_alphanumeric);
        return (!is_word).then_some((at, found));
    }
    let before = text[..=at].strip_suffix(FUNCTOOLS)?;
    let is_part = before.ends_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '.'));
    let functools = MARKERS.iter().find(|it| it.begin == FUNCTOOLS);
    functools.filter(|_| !is_part).map(|it| (before.len(), it))
}

/// True if a text starts with an end marker.
pub(super) fn starts_with_end(text: &str) -> bool {
    let ends = MARKERS.iter().flat_map(|it| it.ends).chain(&PART_ENDS);
    text.starts_with(['<', '[']) && ends.into_iter().any(|end| text.starts_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_told_from_words() {
        let begin = |text: &str, at| marker_at(text, at).map(|(from, it)| (from, it.begin));
        assert_eq!(begin("a <tool_call>", 2), Some((2, "<tool_call>")));
        assert_eq!(begin("<tool_calls>", 0), Some((0, "<tool_calls>")));
        assert_eq!(begin("a functools[{", 11), Some((2, "functools[")));
        for (text, at) in [
            ("myfunctools[{", 11),
            ("x.functools[", 11),
            ("<invoked>", 0),
            ("<tool_cal", 0),
            ("[", 0),
            ("é[", 2),
        ] {
            assert_eq!(begin(text, at), None, "{text}");
        }
        assert_eq!(begin("<invoke>", 0), Some((0, "<invoke")));
        assert!(starts_with_end("</tool_call> x") && !starts_with_end("<tool_call>"));
    }
}

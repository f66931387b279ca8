//! What the pages of formats say beside each format: what stands around them, what is not understood, and what is not read.

use rightcall_formats::ENVELOPES;

/// What happens to what no reader understands.
pub(crate) const NOT_UNDERSTOOD: &str = "
## What is not understood

No trace is scored as less than it says.

- A run of which no call was read, although something in it looks like one, is an error and has no score. What looks like a call is
  an object with the name of a tool (`name`, `toolName`, `tool`, `tool_name`, `function_name`, `function`) and arguments (`args`,
  `arguments`, `input`, `input_parameters`, `kwargs`, `parameters`, `tool_input`), one whose `type` contains `tool` or
  `function_call`, what stands under keys such as `tool_calls`, and spans that are named or marked as those of tools are. Definitions of
  tools, schemas, results, expectations and texts are none. `--read unread=note` takes such a run for one without calls.
- Where other calls of the run were read, such things are counted, and `inspect`, `score`, `run`, `convert` and `record` warn of them,
  with the place of the first. An agent that called no tool raises no warning.
- A call without a name is an error.
- What was left out, and results without a call, are counted by [`rightcall inspect`](../commands/inspect.md).
";

/// What is read under another name, what is not read, and what to do about it.
pub(crate) const NOT_READ: &str = r#"
## What has no format of its own

| what | is read as |
| --- | --- |
| batches of OpenAI, Anthropic, Gemini, Vertex AI and Bedrock, HAR files, logs of gateways, recordings of Llama Stack, pages of APIs | what they hold: [what is taken off](wrappers.md) |
| frames of spans with a column for each attribute, as lines of JSON, CSV, Parquet or Arrow | [`flat-spans`](flat-spans.md) |
| chats of AutoGen 0.2 and AG2, of Ollama, vLLM, Groq, Mistral, DeepSeek, OpenRouter and others who speak OpenAI's language | [`openai-chat`](openai-chat.md) |
| tables in `.csv` and `.tsv`: each row is a record, a cell with JSON or a list of Python is what it holds | what the columns are: [cases](cases.md), spans or another |
| messages of Mastra | [`vercel`](vercel.md) |
| messages of LangChain.js, plain, stored or serialized | [`langchain`](langchain.md) |
| calls that models write as text: Hermes, Qwen | [`sharegpt`](sharegpt.md); as text of Python: [`bfcl`](bfcl.md) |
| frameworks with instrumentation of OpenTelemetry: CrewAI, Haystack, DSPy, Strands, Google ADK, Pydantic AI and others | [`otlp`](otlp.md) |

## What is not read

Files of these are refused, or name what looked like a call; none is scored.

| what | instead |
| --- | --- |
| CSV from standard input | a file whose name ends in `.csv` or `.tsv`, also packed |
| data bases: Cursor's chats in the editor, opencode's and LangGraph's checkpoints, the files of Phoenix, MLflow and Weave | their export, or their API |
| states of LangGraph as the JSON of a tuple | `dumpd(state._asdict())` |
| bodies of HAR files in base64, and of Bedrock's invocation logs in S3 | an export with text; they have no run here, and say so |
| requests of batches without their results | the file of results |
| calls as XML in text (Qwen3-Coder), `<functioncall>` of Glaive | a server that parses them |
| sessions of Goose, Aider, Zed and Amp | cases, as below |

Anything else becomes cases with a few lines of any language: one object a line, and a list of calls that has a name, arguments and
whatever else is known.

```python
import json

with open("cases.jsonl", "w") as out:
    for run in my_runs():
        calls = [{"name": it.tool, "args": it.arguments, "output": it.result} for it in run.calls]
        out.write(json.dumps({"id": run.id, "actual": calls}) + "\n")
```

[`rightcall convert`](../commands/convert.md) writes what is read as such cases, or in another format: messages, OTLP, ATIF, and the files of
Inspect, tau2-bench, BFCL, Google ADK, promptfoo, DeepEval and Ragas.
"#;

/// The page of what is taken off: a row for each envelope.
pub(crate) fn wrappers() -> String {
    let row = |holds_exchange: bool| {
        let those = ENVELOPES
            .iter()
            .filter(|it| it.holds_exchange() == holds_exchange);
        let rows = those.map(|it| format!("| {} | {} |\n", it.title, it.looks));
        rows.collect::<String>()
    };
    format!("{WRAPPERS}{}{PAGES}{}{BESIDE}", row(true), row(false))
}

const WRAPPERS: &str = "# What is taken off

Services and tools put something around values whose format is known. It is taken off by one rule, whatever stands inside.

## Around exchanges with a model

The reply in them is read in any format of messages, by the format [`recordings`](recordings.md). The id becomes that of the case. An
entry without a reply, because it failed or expired, has no run: evaluators are *not applicable*, and `meta.error` says why. Traffic of HAR
files with others than a model is passed over.

| what | looks like |
| --- | --- |
";

const PAGES: &str = "
## Around values of any format

Pages are taken off where what they hold is of a format, up to four deep and in lists; a file may hold several. Formats whose own
documents have such a key, such as [`jaeger`](jaeger.md), read it themselves.

| what | the values stand under |
| --- | --- |
";

const BESIDE: &str = "
What stands beside the values of a page tells about the page, and is not read. Where it looks like a call, that is an error.
";

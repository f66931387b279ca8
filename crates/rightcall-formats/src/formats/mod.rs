//! All formats: one file each, and its line in the list.

mod adk;
mod adk_eval_sets;
mod adk_sessions;
pub(crate) mod agentevals;
mod anthropic;
mod atif;
pub(crate) mod axion;
mod azure;
pub(crate) mod bedrock;
pub(crate) mod bfcl;
mod cases;
mod claude_code;
mod codex;
mod cohere;
pub(crate) mod deepeval;
pub(crate) mod evalite;
mod flat_spans;
mod gemini;
mod gemini_interactions;
mod inspect;
mod jaeger;
mod langchain;
mod langfuse;
mod langsmith;
mod mcp;
mod mini_swe_agent;
mod mlflow;
mod openai_agents;
mod openai_chat;
mod openai_responses;
mod otlp;
pub(crate) mod ragas;
mod recordings;
mod swe_agent;
mod tau;
mod tau2;
mod tpmjs;
mod uipath;
mod uipath_evals;
mod vercel;

use crate::format::Format;

/// All formats, in the order in which a value is tested for them: the most telling marks come first.
pub static FORMATS: &[&Format] = &[
    &otlp::ENTRY,
    &atif::ENTRY,
    &uipath_evals::ENTRY,
    &inspect::ENTRY,
    &adk_eval_sets::ENTRY,
    &adk_sessions::ENTRY,
    &mcp::ENTRY,
    &swe_agent::ENTRY,
    &mini_swe_agent::ENTRY,
    &tau2::ENTRY,
    &tau::ENTRY,
    &bfcl::ENTRY,
    &codex::ENTRY,
    &claude_code::ENTRY,
    &recordings::ENTRY,
    &langfuse::ENTRY,
    &langsmith::ENTRY,
    &mlflow::ENTRY,
    &openai_agents::ENTRY,
    &jaeger::ENTRY,
    &flat_spans::ENTRY,
    &uipath::ENTRY,
    &deepeval::ENTRY,
    &axion::ENTRY,
    &evalite::ENTRY,
    &tpmjs::ENTRY,
    &ragas::ENTRY,
    &agentevals::ENTRY,
    &adk::ENTRY,
    &cases::ENTRY,
    &langchain::ENTRY,
    &gemini_interactions::ENTRY,
    &gemini::ENTRY,
    &bedrock::ENTRY,
    &azure::ENTRY,
    &vercel::ENTRY,
    &anthropic::ENTRY,
    &openai_responses::ENTRY,
    &cohere::ENTRY,
    &openai_chat::ENTRY,
];

#[cfg(test)]
mod tests;

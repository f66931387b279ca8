//! Replies and messages of Flowise.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "flowise",
    title: "Flowise replies and messages",
    summary: "a `chatId` with `usedTools`, or with the tools of `agentReasoning` or `agentFlowExecutedData`",
    reads: &[],
    lacks: &["ids", "times"],
    notes: "Replies of the prediction API, and exported messages of a chat. Those of one `chatId` are a run.",
    extensions: &["json", "jsonl"],
    example: r#"{"text":"It has shipped.","question":"Where is order 7?","chatId":"v1","chatMessageId":"m1","sessionId":"v1","usedTools":[{"tool":"find_order","toolInput":{"id":7},"toolOutput":"shipped"}]}
"#,
    priority: Priority::Messages,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "flowise",
    "known_by:
- {chatId: any, chatflowid: any, role: [userMessage, apiMessage]}
- {chatId: any, usedTools: any}
- {chatId: any, agentReasoning: any}
- {chatId: any, agentFlowExecutedData: any}
run: chatId
question: question
call:
  at: usedTools | agentReasoning.usedTools | agentFlowExecutedData.data.output.usedTools
  name: tool
  args: toolInput
  output: toolOutput
  error: error
finished: [{text: any}, {role: apiMessage, content: any}]
",
);

"""The graph that the recorders of LangGraph run: a model, a node of tools, a memory."""

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from shop import RUNS, Script


class ScriptedModel(BaseChatModel):
    script: object

    @property
    def _llm_type(self):
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        reply = self.script.reply()
        calls = [{"type": "tool_call", **call} for call in reply.get("calls", [])]
        message = AIMessage(content=reply.get("text", ""), tool_calls=calls, id=f"run-{self.script.run}-{self.script.next}")
        return ChatResult(generations=[ChatGeneration(message=message)])


async def converse(shop):
    """Runs the whole scenario in one thread; gives the messages at its end."""
    script = Script(shop)
    model = ScriptedModel(script=script)

    async def ask(state: MessagesState):
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("agent", ask)
    tools = [StructuredTool.from_function(coroutine=tool, name=tool.__name__) for tool in shop.tools]
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", tools_condition)
    graph.add_edge("tools", "agent")
    agent = graph.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "scratched-lamps"}}
    for number, run in enumerate(RUNS):
        script.begin(number)
        state = await agent.ainvoke({"messages": [("user", run["ask"])]}, thread)
    return state["messages"]

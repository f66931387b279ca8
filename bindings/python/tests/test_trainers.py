"""Rewards in the real trainers: a few steps on a tiny random model, on the processor. The weekly job installs what they need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rightcall.rewards import tool_calls

EXPECTED = [{"name": "find_order", "args": {"id": 7}}]
#: Whole completions as words of the vocabulary, so that a random model writes calls.
WORDS = [
    '<tool_call>{"name":"find_order","arguments":{"id":7}}</tool_call>',
    '<tool_call>{"name":"find_order","arguments":{"id":8}}</tool_call>',
    '<tool_call>{"name":"refund","arguments":{}}</tool_call>',
    '<tool_call>{"name":</tool_call>',
    "sorry",
]
PROMPT = "where is order seven"
PARTS = ["name", "keys", "values", "order", "extra", "format"]


@pytest.fixture
def tokenizer() -> Any:
    """A tokenizer trained here, of words between spaces."""
    pytest.importorskip("trl", reason="TRL is not installed: the weekly job has it")
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel(unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.train_from_iterator([*WORDS, PROMPT], trainers.WordLevelTrainer(special_tokens=["<unk>", "<pad>", "<eos>"]))
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>", pad_token="<pad>", eos_token="<eos>")


def test_grpo_trains_by_the_reward_and_logs_its_parts(tokenizer: Any, tmp_path: Path) -> None:
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed
    from trl import GRPOConfig, GRPOTrainer

    set_seed(7)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )
    before = [weights.detach().clone() for weights in model.parameters()]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=tool_calls(malformed=-1.0, missing=-0.5),
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=2,
            per_device_train_batch_size=16,
            num_generations=8,
            max_completion_length=3,
            learning_rate=0.01,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            seed=7,
        ),
        train_dataset=Dataset.from_list([{"prompt": PROMPT, "answer_calls": json.dumps(EXPECTED)}] * 8),
        processing_class=tokenizer,
    )
    trainer.train()
    steps = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert [entry["step"] for entry in steps] == [1, 2]
    for entry in steps:
        assert -1 <= entry["rewards/tool_calls/mean"] <= 1
        # The completions of a prompt earn different rewards, which is what a step is made of.
        assert entry["reward_std"] > 0
        for part in PARTS:
            assert entry[f"tool_calls/{part}"] >= 0, part
        assert entry["tool_calls/format"] <= 1
    changed = [bool((one != other).any()) for one, other in zip(before, model.parameters())]
    assert any(changed)


async def test_verifiers_records_the_reward_and_its_parts() -> None:
    vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed: the weekly job has it")
    from rightcall import verifiers

    class OrderData(vf.TaskData):  # type: ignore[misc, name-defined]
        answer_calls: list[dict[str, Any]] | None = None

    class Order(vf.Task[OrderData]):  # type: ignore[misc, name-defined]
        tool_calls = verifiers.tool_calls(malformed=-1.0, missing=-0.5, weight=2.0)

    def call(arguments: str) -> dict[str, Any]:
        return {"id": "1", "name": "find_order", "arguments": arguments}

    async def scored(expected: list[dict[str, Any]] | None, **message: Any) -> Any:
        task = Order(OrderData(prompt=PROMPT, answer_calls=expected), vf.TaskConfig())
        prompt = vf.MessageNode(message=vf.UserMessage(content=PROMPT))
        answer = vf.MessageNode(message=vf.AssistantMessage(**message), parent=0, sampled=True)
        recorded = vf.TraceTask(type="Order", data=task.data)
        trace = vf.Trace.model_construct(task=recorded, nodes=[prompt, answer], rewards={}, metrics={})
        await task.score(trace)
        return trace

    right = await scored(EXPECTED, tool_calls=[call('{"id": 7}')])
    assert right.reward == 2.0 and right.rewards["tool_calls"].score == 1.0
    assert {part: right.metrics[f"tool_calls/{part}"] for part in PARTS} == dict.fromkeys(PARTS, 1.0) | {"extra": 0.0}
    assert (await scored(EXPECTED, content=WORDS[0])).rewards["tool_calls"].score == 1.0
    wrong = await scored(EXPECTED, tool_calls=[call('{"id": "7"}')])
    assert -0.5 < wrong.rewards["tool_calls"].score < 0.5
    broken = await scored(EXPECTED, tool_calls=[call('{"id": ')])
    assert broken.rewards["tool_calls"].score == -1.0 and broken.metrics["tool_calls/format"] == 0.0
    assert (await scored(EXPECTED, content="sorry")).rewards["tool_calls"].score == -0.5
    assert (await scored(None, content="sorry")).rewards == {}


def test_ms_swift_calls_the_reward_by_its_name() -> None:
    swift = pytest.importorskip("swift.rewards", reason="ms-swift is not installed: it needs an environment of its own")
    from swift.rl_core import grpo_algorithm

    from rightcall import ms_swift

    swift.orms["tool_calls"] = ms_swift.tool_calls(malformed=-1.0, missing=-0.5)
    reward = swift.orms["tool_calls"](args=None)

    class Sample:
        def __init__(self, text: str, expected: Any) -> None:
            self.messages = [{"role": "user", "content": PROMPT}, {"role": "assistant", "content": text}]
            self.expected = expected

        def to_reward_row(self) -> dict[str, Any]:
            return {"messages": self.messages, "answer_calls": self.expected}

    samples = [Sample(text, EXPECTED) for text in WORDS] + [Sample(WORDS[0], json.dumps(EXPECTED)), Sample("sorry", None)]
    found = grpo_algorithm.compute_rewards_per_func(samples, [reward], [None], device="cpu")[:, 0].tolist()
    right, other_value, other_tool, broken, missing, as_text, unscored = found
    assert right == as_text == 1.0 and broken == -1.0 and missing == -0.5
    assert -0.5 <= other_tool < other_value < 1.0
    assert unscored != unscored  # None is not a number there.


def test_openenv_rewards_an_episode_at_its_end() -> None:
    pytest.importorskip("openenv.core.rubrics", reason="OpenEnv is not installed: it needs an environment of its own")
    from openenv.core.env_server.mcp_types import CallToolAction
    from openenv.core.env_server.types import Observation

    from rightcall import openenv

    rubric = openenv.ToolCalls(malformed=-1.0, missing=-0.5)

    def episode(*actions: tuple[str, dict[str, Any]], expected: Any = EXPECTED) -> float:
        rubric.reset()
        rewards = []
        for place, (name, arguments) in enumerate(actions, 1):
            metadata = {} if expected is None else {"answer_calls": expected}
            seen = Observation(done=place == len(actions), metadata=metadata)
            rewards.append(rubric(CallToolAction(tool_name=name, arguments=arguments), seen))
        assert rewards[:-1] == [0.0] * (len(rewards) - 1)
        assert rubric.compute_step_rewards() == [rewards[-1]] * len(rewards)
        return float(rewards[-1])

    assert episode(("find_order", {"id": 7})) == 1.0
    assert 0.0 < episode(("find_order", {"id": 7}), ("refund", {})) < 1.0
    assert episode(("refund", {})) < episode(("find_order", {"id": 8})) < 1.0
    assert episode(("find_order", {"id": 7}), expected=json.dumps(EXPECTED)) == 1.0
    assert episode(("refund", {}), expected=None) == 0.0

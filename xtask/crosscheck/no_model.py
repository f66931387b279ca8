"""A model for DeepEval that must never be called: its metrics require a model, but those that compute never use it."""
from deepeval.models import DeepEvalBaseLLM


class NoModel(DeepEvalBaseLLM):
    def __init__(self):
        pass

    def load_model(self):
        return self

    def generate(self, *_, **__):
        raise RuntimeError("a deterministic metric asked its model")

    a_generate = generate

    def get_model_name(self):
        return "none"

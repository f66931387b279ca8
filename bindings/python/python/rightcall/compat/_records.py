"""Plain objects with named fields, as replacements for the originals' models."""

from __future__ import annotations

from typing import Any


def schema_of(cls: Any) -> Any:
    """Lets pydantic accept a class with `model_validate`: its objects, and dicts that describe them."""
    from pydantic_core import core_schema

    def validated(value: Any) -> Any:
        return value if isinstance(value, cls) else cls.model_validate(value)

    def dumped(value: Any) -> Any:
        return value.model_dump() if hasattr(value, "model_dump") else value

    serialization = core_schema.plain_serializer_function_ser_schema(dumped)
    return core_schema.no_info_plain_validator_function(validated, serialization=serialization)


class Record:
    """An object with fields as attributes. It is compared by value and dumped as a dict."""

    _defaults: dict[str, Any] = {}

    def __init__(self, **fields: Any) -> None:
        for name, value in {**self._defaults, **fields}.items():
            setattr(self, name, value)

    @classmethod
    def model_validate(cls, value: Any) -> Any:
        """Creates an object from a dict or from another such object."""
        if isinstance(value, cls):
            return value
        return cls(**(value if isinstance(value, dict) else vars(value)))

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The fields as a dict."""
        return {name: _dumped(value) for name, value in vars(self).items()}

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        return schema_of(cls)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"

    def __str__(self) -> str:
        return " ".join(f"{name}={value!r}" for name, value in vars(self).items())


def _dumped(value: Any) -> Any:
    if isinstance(value, Record):
        return value.model_dump()
    if isinstance(value, dict):
        return {key: _dumped(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_dumped(item) for item in value]
    return value

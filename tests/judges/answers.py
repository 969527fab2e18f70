"""What an obedient judge answers: valid JSON of the shape that was asked for, the same for the same question.

The shape is read from the schema in `response_format`; without one, from the field names that the prompt quotes;
without those, from the blocks in it. A trajectory's score follows from the text of its own block alone, so that the
same trajectories in another order get the same scores in another order.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

_TRAJECTORY = re.compile(r'<trajectory id="([^"]+)"[^>]*>(.*?)</trajectory>', re.DOTALL)
_CRITERION = re.compile(r'<criterion id="([^"]+)"[^>]*>(.*?)</criterion>', re.DOTALL)
# An item of "criteria" holds a "met", so the outer name is looked for first.
_SHAPES = ("scores", "criteria", "rating", "met")


def obedient_answer(body: dict[str, Any]) -> str:
    """The content of the reply to a chat-completions request `body`."""
    text = "\n".join(_content_text(message.get("content")) for message in body.get("messages", ()))
    schema: Schema | None = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    trajectories, criteria = _TRAJECTORY.findall(text), _CRITERION.findall(text)
    shape = _shape(schema, text, bool(trajectories), bool(criteria))
    seed = _hash(text)
    if shape == "scores" and trajectories:
        reply: object = {"scores": [_score(identifier, block) for identifier, block in trajectories]}
    elif shape == "criteria" and criteria:
        reply = {"criteria": [{"id": identifier, **_verdict(_hash(block) ^ seed)} for identifier, block in criteria]}
    elif schema is not None:
        reply = minimal_instance(schema, seed)
    elif shape == "met":
        reply = _verdict(seed)
    else:
        reply = {"explanation": "scripted", "rating": 1 + seed % 10}
    return json.dumps(reply)


def _shape(schema: Schema | None, text: str, has_trajectories: bool, has_criteria: bool) -> str:
    if schema is not None:
        return next((name for name in _SHAPES if name in schema.get("properties", {})), "")
    quoted = next((name for name in _SHAPES if f'"{name}"' in text), None)
    if quoted is not None:
        return quoted
    return (
        "scores" if has_trajectories else "criteria" if has_criteria else "met" if "<criterion>" in text else "rating"
    )


def _score(identifier: str, block: str) -> dict[str, object]:
    return {"trajectory_id": identifier, "explanation": "scripted", "score": _hash(block) % 101 / 100}


def _verdict(number: int) -> dict[str, object]:
    return {"explanation": "scripted", "met": number % 2 == 0}


def _content_text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return "" if content is None else str(content)


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def minimal_instance(schema: Schema, seed: int) -> object:
    """The smallest value that the schema admits, its free choices drawn from `seed`.

    Knows what judges' schemas use: `$ref` into `$defs`, `const`, `enum`, `anyOf`, `oneOf`, type lists, bounds and
    lengths. Optional properties are given too, and an array without `minItems` gets one item.
    """
    return _instance(schema, schema.get("$defs", {}), seed)


def _instance(schema: Schema, definitions: dict[str, Schema], seed: int) -> object:
    if "$ref" in schema:
        return _instance(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions, seed)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][seed % len(schema["enum"])]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return _instance(schema[union][0], definitions, seed)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            properties: dict[str, Schema] = schema.get("properties", {})
            return {name: _instance(part, definitions, _hash(f"{seed}/{name}")) for name, part in properties.items()}
        case "array":
            size = schema.get("minItems", min(1, schema.get("maxItems", 1)))
            return [_instance(schema["items"], definitions, _hash(f"{seed}/{place}")) for place in range(size)]
        case "integer":
            low, high = _integer_bounds(schema)
            return low + seed % (high - low + 1)
        case "number":
            low_end, high_end = schema.get("minimum", 0.0), schema.get("maximum", schema.get("minimum", 0.0) + 1.0)
            return low_end + (high_end - low_end) * (seed % 101) / 100
        case "boolean":
            return seed % 2 == 0
        case "string":
            return "scripted".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]
        case _:
            return None


def _integer_bounds(schema: Schema) -> tuple[int, int]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)  # without a bound: a rating from 1 to 10
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 10) - 1)
    return low, max(low, high)

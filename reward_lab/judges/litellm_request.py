"""Which litellm call a judge becomes, and whether it may carry the keys of this process."""

from __future__ import annotations

import os
import re
from typing import Final

from reward_lab.core.chat import Json
from reward_lab.core.judge import Judge
from reward_lab.core.verdict import Fault, Reason
from reward_lab.judges.completion import CallFault
from reward_lab.judges.endpoint import named, normal
from reward_lab.judges.keys import NO_KEY
from reward_lab.judges.prices import price_of_model

COMPATIBLE: Final = "hosted_vllm"
"""litellm's route for a server that speaks OpenAI's protocol and is not OpenAI.

Unlike its ``openai`` route it goes without the OpenAI SDK, which adds the organisation, the
project and custom headers from the environment to every request, wherever it goes; and it
takes about a quarter less CPU.
"""

_COMPATIBLE_PREFIXES: Final = frozenset(
    {"openai", "custom_openai", "openai_like", "hosted_vllm", "lm_studio", "llamafile", "litellm_proxy"}
)
_OLLAMA_PREFIXES: Final = frozenset({"ollama", "ollama_chat"})

_KEY_NAMES: Final = {
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
    "llamafile": "LLAMAFILE_API_KEY",
    "litellm_proxy": "LITELLM_PROXY_API_KEY",
    "openai_like": "OPENAI_LIKE_API_KEY",
}

_OF_THE_MODEL: Final = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "typical_p",
        "presence_penalty",
        "frequency_penalty",
        "repetition_penalty",
        "repeat_penalty",
        "logit_bias",
        "seed",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "reasoning_effort",
        "thinking",
        "verbosity",
        "service_tier",
        "num_ctx",
        "num_predict",
        "num_gpu",
        "num_thread",
        "mirostat",
        "mirostat_eta",
        "mirostat_tau",
        "keep_alive",
        "think",
        "extra_body",
    }
)
"""Parameters that litellm hands to the model. It takes many more for itself, such as fallbacks with an endpoint."""

_OURS: Final = frozenset({"model", "messages", "response_format", "stream", "stream_options", "n", "timeout"})

_PLAIN_MODEL: Final = re.compile(r"(?!.*\.\.)[\w.:@+-]+(?:/[\w.:@+-]+)*")


def request_of(
    judge: Judge, *, trusted_endpoints: frozenset[str], trust_all: bool, providers: frozenset[str]
) -> dict[str, Json]:
    """The arguments of the litellm call for a judge: all but messages, reply format and time limit.

    ``trusted_endpoints``, in :func:`~reward_lab.judges.endpoint.normal` spelling, may receive
    the keys of this process; so may all where ``trust_all`` is set, which is for callers who
    own the environment. ``providers`` are litellm's provider prefixes.

    Raises:
        CallFault: the judge cannot be asked as it is.
    """
    parameters = _parameters(judge, trust_all)
    if not trust_all and not _PLAIN_MODEL.fullmatch(judge.model):
        # Some of litellm's providers take an address for a model, and would send their key there.
        detail = f"The model {judge.model!r} is not the name of a model: put an address into the endpoint."
        raise CallFault(Fault(Reason.BAD_REQUEST, detail))
    if judge.api_base is None:
        return {"model": judge.model, **parameters}
    trusted = trust_all or normal(judge.api_base) in trusted_endpoints
    prefix, _, name = judge.model.partition("/")
    if not name or prefix not in providers:
        prefix, name = "openai", judge.model
    compatible = prefix in _COMPATIBLE_PREFIXES
    key = os.environ.get(_KEY_NAMES.get(prefix, "OPENAI_API_KEY")) if trusted and compatible else None
    if trusted and not compatible:
        return {"model": judge.model, "api_base": judge.api_base, **parameters}
    if trusted and price_of_model(judge.model) is not None:
        # A gateway to OpenAI's own models, whose parameters litellm adapts by name.
        return {"model": judge.model, "api_base": judge.api_base, "api_key": key or NO_KEY, **parameters}
    if not compatible and prefix not in _OLLAMA_PREFIXES:
        detail = (
            f"{named(judge)}: an endpoint that is not in the server's settings is asked in OpenAI's or Ollama's "
            f"protocol. Write openai/{name} for the model, or add the endpoint to the settings."
        )
        raise CallFault(Fault(Reason.BAD_REQUEST, detail))
    return {
        "model": name,
        "custom_llm_provider": COMPATIBLE if compatible else prefix,
        "api_base": judge.api_base,
        "api_key": key or NO_KEY,
        **parameters,
    }


def _parameters(judge: Judge, trust_all: bool) -> dict[str, Json]:
    taken = sorted(_OURS & judge.parameters.keys())
    if taken:
        detail = f"The parameter {taken[0]!r} of {named(judge)} is not the judge's to set: remove it."
        raise CallFault(Fault(Reason.BAD_REQUEST, detail))
    if trust_all:
        return dict(judge.parameters)
    own = {name: value for name, value in judge.parameters.items() if name in _OF_THE_MODEL}
    others = {name: value for name, value in judge.parameters.items() if name not in _OF_THE_MODEL}
    if others:
        own["extra_body"] = {**others, **(own.get("extra_body") or {})}
    return own

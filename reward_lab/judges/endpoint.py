"""Endpoint: where a judge is reached, how that is named, and whether it may be told a key."""

from __future__ import annotations

from urllib.parse import urlsplit

from reward_lab.core.judge import Judge

_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_of(url: str) -> str:
    """Host and port, which is all of an endpoint that a message needs: a path or query may hold a secret.

    >>> host_of("https://user:pass@Example.com:8443/v1?key=x")
    'example.com:8443'
    """
    parts = urlsplit(url)
    host = parts.hostname or url
    return f"{host}:{parts.port}" if parts.port else host


def named(judge: Judge) -> str:
    """A judge as messages name it: the model, and the endpoint's host where it has one of its own."""
    return f"{judge.model} at {host_of(judge.api_base)}" if judge.api_base else judge.model


def normal(url: str) -> str:
    """One spelling for equal endpoints.

    >>> normal("HTTPS://Example.com:443/v1/")
    'https://example.com:443/v1'
    """
    parts = urlsplit(url.strip())
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    credentials = f"{parts.username}:{parts.password}@" if parts.username or parts.password else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{credentials}{parts.hostname}:{port}{parts.path.rstrip('/')}{query}"

"""Formulas over named scores: the weights of a weighted sum, where a formula is one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum: the weight of each name, and what is added to it."""

    weights: Mapping[str, float] = field(default_factory=dict)
    constant: float = 0.0

    def plus(self, other: Linear, times: float = 1.0) -> Linear:
        """This sum and another one, ``times`` over."""
        names = {**self.weights, **other.weights}
        weights = {name: self.weights.get(name, 0.0) + times * other.weights.get(name, 0.0) for name in names}
        return Linear(weights, self.constant + times * other.constant)


def linear(formula: str) -> Linear | None:
    """The weighted sum that a formula of ``+ - * /``, numbers and names is, ``None`` where it is none.

    >>> linear("(0.5 * exact + style) / 2").weights
    {'exact': 0.25, 'style': 0.5}
    """
    if len(formula) > _LONGEST:
        return None
    try:
        return _linear(ast.parse(formula.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError, OverflowError):
        return None


def _linear(node: ast.expr) -> Linear:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return Linear(constant=float(number))
        case ast.Name(id=name):
            return Linear({name: 1.0})
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Linear().plus(_linear(operand), -1.0)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _linear(left).plus(_linear(right))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _linear(left).plus(_linear(right), -1.0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            one, other = _linear(left), _linear(right)
            factor, summed = (one, other) if not one.weights else (other, one)
            if factor.weights:
                raise ValueError("a product of two scores")
            return Linear().plus(summed, factor.constant)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if not (divisor := _linear(right)).weights:
            return Linear().plus(_linear(left), 1 / divisor.constant)
        case _:
            raise ValueError("not a weighted sum")

"""How many specializations a callable may have, and what is said when it asks for more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from thunder.core.failures import Failure

OPTION, VARIABLE, DEFAULT = "recompile_limit", "THUNDER_SYMBOLIC_RECOMPILE_LIMIT", 64


class RecompileLimitWarning(RuntimeWarning):
    """A callable has as many specializations as it may have: calls that none of them serves run eagerly."""


class LimitReached(Exception):
    """No specialization serves the call, and there may be no more."""


def limit_from(option: Any) -> int:
    """Return how many specializations a callable may have.

    Args:
        option: what was given to ``thunder.jit`` as ``recompile_limit``; where None, the environment variable
            ``THUNDER_SYMBOLIC_RECOMPILE_LIMIT`` decides, and the default is 64.

    Raises:
        ValueError: where either is not a positive integer.
    """
    if option is not None:
        if type(option) is not int or option < 1:
            raise ValueError(f"{OPTION} is the number of specializations to keep, at least 1, not {option!r}")
        return option
    text = os.environ.get(VARIABLE, "").strip() or str(DEFAULT)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{VARIABLE} is the number of specializations to keep, at least 1, not {text!r}")
    return int(text)


def limit_message(name: str, limit: int, reasons: Sequence[Failure], last: Failure, consequence: str) -> str:
    """Return the warning of a callable that has reached its limit.

    Args:
        name: of the callable.
        limit: the number of its specializations.
        reasons: why each of them but the first was compiled.
        last: why none of them serves this call.
        consequence: what happens to calls that none of them serves.
    """
    # Guards that differ in a constant only come from one line and look at the same values
    alike = Counter((reason.source, tuple(reason.values)) for reason in (*reasons, last))
    (source, values), times = alike.most_common(1)[0]
    keeps = next(r for r in (last, *reversed(reasons)) if (r.source, tuple(r.values)) == (source, values))
    seen = ", ".join(f"{key} = {value}" for key, value in keeps.values.items())
    return (
        f"{name} has {limit} specializations, the most it may have ({OPTION}=... of thunder.jit or {VARIABLE} sets "
        f"the number): {consequence}. The guard that keeps failing ({times} of {len(reasons) + 1} times) is "
        f"{keeps.text}{'' if source is None else f' ({source})'}, last with {seen or 'nothing to show'}. "
        "See print(thunder.symbolic.explain(...))."
    )

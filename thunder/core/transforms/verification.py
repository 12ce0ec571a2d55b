"""When traces are verified: after every pass, where ``THUNDER_VERIFY=1`` asks for it."""

from __future__ import annotations

import os

from thunder.core.compile_data import guard_recorder
from thunder.core.trace import TraceCtx
from thunder.core.transforms.timing import timed


def _asked() -> bool:
    return os.environ.get("THUNDER_VERIFY") == "1"


def verify_if_asked(trace: TraceCtx, stage: str) -> TraceCtx:
    """Return ``trace``, verified where the environment variable ``THUNDER_VERIFY`` is ``1``.

    The seconds spent are added to ``verification_seconds`` of the function's compile stats.

    Raises:
        TraceVerificationError: where a rule of the SSA contract is broken.
    """
    recorder = guard_recorder()
    if recorder is None or not _asked():
        return trace
    from thunder.core.transforms.verifier import verify_trace

    with recorder.quiet():
        timed("verification_seconds")(verify_trace)(trace, stage=stage)
    return trace


def verify_saved_if_asked(forward: TraceCtx, backward: TraceCtx) -> None:
    """Verify what forward hands to backward, where ``THUNDER_VERIFY`` is ``1``.

    Raises:
        TraceVerificationError: where backward receives what forward does not save.
    """
    if _asked():
        from thunder.core.transforms.verifier import verify_saved

        verify_saved(forward, backward)

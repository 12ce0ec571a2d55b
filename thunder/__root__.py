"""Patch to the package ``thunder`` itself: a jitted callable keeps a record of each specialization."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from thunder.core.module import ThunderModule
from thunder.core.options import CACHE_OPTIONS
from thunder_symbolic.vocabulary import wrap

if TYPE_CHECKING:
    from thunder.core.specializations import SpecializationCache

# The cache of the callable that is being made, for the functions that upstream makes on the way
_in_making: ContextVar[SpecializationCache | None] = ContextVar("cache_in_making", default=None)


@wrap("jit")
def jit(original: Callable[..., Any], function: Callable[..., Any], /, *, cache: Any = None, **options: Any) -> Any:
    symbolic = cache is CACHE_OPTIONS.SYMBOLIC_VALUES or (isinstance(cache, str) and cache.lower() == "symbolic values")
    if not symbolic:
        return original(function, cache=cache, **options)
    from thunder.core.members import JitOptions, follow_assignments
    from thunder.core.recompile_limit import OPTION, limit_from
    from thunder.core.specializations import SpecializationCache

    specializations = SpecializationCache(function, limit_from(options.get(OPTION)))
    token = _in_making.set(specializations)
    try:
        jitted = original(function, cache=cache, **options)
    finally:
        _in_making.reset(token)
    specializations.belongs_to(jitted)
    if isinstance(jitted, ThunderModule):
        follow_assignments(jitted)
        jitted._jit_options = JitOptions({"cache": cache, **options})
    return jitted


@wrap("_with_cache_info_ctx")
def with_cache_info(original: Callable[..., Any], search: Callable[..., Any]) -> Callable[..., Any]:
    """Let the cache see the arguments of the call that upstream searches it for."""
    specializations = _in_making.get()
    wrapped = original(search)
    return wrapped if specializations is None else specializations.seeing_calls(wrapped)

"""What is paid for: every token that a request or the summariser reads."""

from __future__ import annotations

import numpy as np

from sim.context import Context
from sim.workload import prefix_sum


class Bill:
    """Tokens read so far by each task's requests and by its summariser: int64 (n,) each."""

    def __init__(self, context: Context) -> None:
        n = len(context.tokens)
        self.request_tokens = np.zeros(n, dtype=np.int64)
        self.summariser_tokens = np.zeros(n, dtype=np.int64)
        # Sums of the contexts themselves, so that the requests of many steps are one subtraction.
        self._growth_sum = prefix_sum(context.growth)

    def read_until(self, context: Context, tasks: np.ndarray, done: np.ndarray) -> None:
        """Bill the request of each step from the context's position to before ``done``."""
        since = context.done[tasks]
        base = context.tokens[tasks] - context.growth[since]
        grown = self._growth_sum[done] - self._growth_sum[since]
        self.request_tokens[tasks] += (done - since) * base + grown

    def read_once(self, context: Context, tasks: np.ndarray) -> None:
        """Bill one request that reads the context as it stands."""
        self.request_tokens[tasks] += context.tokens[tasks]

    def read_by_summariser(self, context: Context, tasks: np.ndarray) -> None:
        """Bill the summariser's reading of the context as it stands."""
        self.summariser_tokens[tasks] += context.tokens[tasks]

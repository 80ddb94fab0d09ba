"""Experiments of their own beside the simulator; ``import sim`` loads none of them."""

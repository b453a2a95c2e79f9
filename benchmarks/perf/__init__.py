"""Performance: ratios against a named reference, taken in one run."""

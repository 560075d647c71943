"""Benchmarks: what this machine gives, as ratios against limits and against peers."""

"""Searching positions: net-guided search over many games at once, and what to make of its results."""

from rayzero.search.inspect import read_tree, tree_text
from rayzero.search.search import Counters, Search, SearchResult
from rayzero.search.settings import SearchSettings

__all__ = ["Counters", "Search", "SearchResult", "SearchSettings", "read_tree", "tree_text"]

"""Smart Game Format: the main line of a file as nodes of properties, and back.

Only syntax is known here; which moves the properties mean is the business of `formats`.
"""

from rayzero.errors import GameError

Node = dict[str, list[str]]


def parse_sgf(text: str) -> list[Node]:
    """The nodes of the first game's main line (the first variation at every fork)."""
    start = text.find("(")
    if start < 0:
        raise GameError("This is no SGF: it has no opening bracket.")
    nodes: list[Node] = []
    position, depth, skipping, closed = start, 0, 0, False
    while position < len(text):
        sign = text[position]
        if sign == "(":
            # A second variation starts where one of the same parent has been closed already.
            depth += 1
            if closed and not skipping:
                skipping = depth
            closed = False
            position += 1
        elif sign == ")":
            skipping = 0 if skipping == depth else skipping
            depth -= 1
            closed = True
            position += 1
            if depth == 0:
                break
        elif sign == ";":
            closed = False
            node, position = _parse_node(text, position + 1)
            if not skipping:
                nodes.append(node)
        elif sign.isspace():
            position += 1
        else:
            raise GameError(f"This is no SGF: {sign!r} at character {position + 1} belongs to no node.")
    if depth:
        raise GameError("This SGF ends in the middle: a closing bracket is missing.")
    if not nodes:
        raise GameError("This SGF holds no nodes.")
    return nodes


def _parse_node(text: str, position: int) -> tuple[Node, int]:
    node: Node = {}
    while position < len(text):
        sign = text[position]
        if sign.isspace():
            position += 1
        elif sign.isalpha() and sign.isascii():
            end = position
            while end < len(text) and text[end].isalnum() and text[end].isascii():
                end += 1
            values, after = _parse_values(text, end)
            if not values:
                raise GameError(f"This is no SGF: the property at character {position + 1} has no value.")
            # Old files write names such as "Black" in mixed case; only the capitals count.
            name = "".join(letter for letter in text[position:end] if not letter.islower())
            node.setdefault(name, []).extend(values)
            position = after
        else:
            break
    return node, position


def _parse_values(text: str, position: int) -> tuple[list[str], int]:
    values: list[str] = []
    while True:
        start = position
        while start < len(text) and text[start].isspace():
            start += 1
        if start >= len(text) or text[start] != "[":
            return values, position
        letters: list[str] = []
        position = start + 1
        while position < len(text) and text[position] != "]":
            if text[position] == "\\":
                position += 1
            letters.append(text[position : position + 1])
            position += 1
        if position >= len(text):
            raise GameError(f"This SGF ends in the middle: the value from character {start + 1} is not closed.")
        values.append("".join(letters))
        position += 1


def format_sgf(nodes: list[Node]) -> str:
    """One game without variations."""
    return "(" + "\n".join(";" + "".join(_format(name, node[name]) for name in node) for node in nodes) + ")\n"


def _format(name: str, values: list[str]) -> str:
    return name + "".join("[" + value.replace("\\", "\\\\").replace("]", "\\]") + "]" for value in values)

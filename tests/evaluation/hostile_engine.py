"""An engine that misbehaves in the way its argument says; `plain` plays the first free cell."""

import sys
import time

way = sys.argv[1]
moves = 0
size = 0
board: set[tuple[int, int]] = set()


def say(text: str) -> None:
    print(text, flush=True)


def first_free() -> str:
    return next(f"{x},{y}" for y in range(size) for x in range(size) if (x, y) not in board)


def move() -> None:
    global moves
    moves += 1
    if moves < 2 or way in ("plain", "norestart"):
        say("MESSAGE thinking")
        say(first_free())
    elif way == "garbage":
        say("\x00\xff lorem ipsum " * 50)
    elif way == "hang":
        time.sleep(60)
    elif way == "exit":
        sys.exit(3)
    elif way == "occupied":
        x, y = next(iter(board)) if board else (99, 99)
        say(f"{x},{y}")
    elif way == "outside":
        say("77,3")
    elif way == "error":
        say("ERROR no idea")
    elif way == "flood":
        while True:
            say("MESSAGE " + "x" * 1000)


if way == "mute":
    time.sleep(60)
if way == "blast":
    while True:
        sys.stdout.write("7,7\n")
reading = False
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    word = word.upper()
    if reading:
        if word == "DONE":
            reading = False
            move()
        else:
            x, y, _ = map(int, word.split(","))
            board.add((x, y))
    elif word == "ABOUT":
        say('name="hostile", version="1", author="x", country="x"')
    elif word == "START":
        size = int(rest)
        say("ERROR too large" if way == "refuse" else "OK")
    elif word == "RESTART":
        board.clear()
        say("UNKNOWN" if way == "norestart" else "OK")
    elif word == "BEGIN":
        move()
    elif word == "BOARD":
        reading = True
        board.clear()
    elif word == "END":
        break

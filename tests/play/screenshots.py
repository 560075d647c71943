"""Take the pictures of the docs: python tests/play/screenshots.py docs/images [MODEL]"""

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from rayzero.play.models import ModelBook
from tests.play.conftest import Served
from tests.play.test_browser import CHROMIUM, FLAGS, PATIENCE

GOMOKU = "H8I9I8H9G8J8J7K6K7L7H7G7H6H5I6J6I5L8F7"
CONNECT4 = "44445322"
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
PICTURES = [
    ("gomoku15-light", f"#gomoku15/{GOMOKU}?mode=analyse", DESKTOP, "light"),
    ("gomoku15-dark", f"#gomoku15/{GOMOKU}", DESKTOP, "dark"),
    ("gomoku15-phone", f"#gomoku15/{GOMOKU}", PHONE, "light"),
    ("connect4-light", f"#connect4/{CONNECT4}?mode=analyse", DESKTOP, "light"),
    ("connect4-dark", f"#connect4/{CONNECT4}?mode=analyse", DESKTOP, "dark"),
    ("connect4-phone", f"#connect4/{CONNECT4}?mode=analyse", PHONE, "dark"),
]


def settle(page: Page, link: str) -> None:
    """Wait for the analysis, and sweep the whole game."""
    page.wait_for_selector("body[data-ready]")
    if "analyse" not in link:
        page.wait_for_timeout(500)
        return
    page.wait_for_selector(".facts button, .proof")
    page.keyboard.press("w")
    page.wait_for_selector(".graph")
    page.wait_for_selector(".card-head button:text('Look at the whole game'):enabled")
    page.wait_for_selector(".facts button, .proof")
    page.wait_for_timeout(400)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    book = ModelBook(sys.argv[2] if len(sys.argv) > 2 else None)
    served = Served(book)
    only = {name for entry in book.entries() if entry.kind == "net" for name in entry.games}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, link, size, scheme in PICTURES:
            if only and name.partition("-")[0] not in only:
                continue
            phone = size is PHONE
            context = browser.new_context(
                viewport=size, color_scheme=scheme, device_scale_factor=1.5 if phone else 1.25
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(served.address + link)
            settle(page, link)
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(256, Image.Quantize.MEDIANCUT).save(folder / f"{name}.png", optimize=True)
            context.close()
        browser.close()
    served.stop()
    book.close()


if __name__ == "__main__":
    main()

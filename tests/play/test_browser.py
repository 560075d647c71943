"""The page in a real browser: by pointer, by finger, by keyboard alone."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rayzero.play.models import ModelBook
from tests.play.conftest import Served

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000  # milliseconds; kernels may have to be compiled first

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served_run(run: Path) -> Iterator[Served]:
    book = ModelBook(str(run), shipped=False)
    served = Served(book)
    yield served
    served.stop()
    book.close()


@pytest.fixture
def open_page(browser: Browser, served: Served):
    """Opens pages and, in the end, asks that none of them complained."""
    complaints: list[str] = []
    contexts = []

    def open_page(link: str, path: str = "", at: Served = served, **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(at.address + path + link)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A refused game is no fault of the page, though the browser logs the answer.
    assert [one for one in complaints if not re.search("status of 40[04]", one)] == []


def cells(page: Page):
    return page.locator(".cells [role=gridcell]")


def free_cells(page: Page) -> list[int]:
    return page.evaluate(
        "[...document.querySelectorAll('.cells button')].flatMap((b, i) => b.ariaLabel.includes('empty') ? [i] : [])"
    )


def my_turn_or_over(page: Page, moves: int = 0) -> None:
    """Wait until so many moves are on the list and the engine is not thinking."""
    if moves:
        expect(page.locator("#moves button").nth(moves - 1)).to_be_attached(timeout=PATIENCE)
    expect(page.locator("#status")).to_have_text(re.compile("Your move|You win|You lose|draw"), timeout=PATIENCE)


def play_out(page: Page) -> str:
    """Click free cells until the game is over; returns the verdict."""
    while True:
        moves = page.locator("#moves button").count()
        my_turn_or_over(page)
        status = page.locator("#status").inner_text()
        if "Your move" not in status:
            return status
        cells(page).nth(free_cells(page)[0]).click()
        my_turn_or_over(page, moves + 1)


def axe_finds_nothing(page: Page) -> None:
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_a_whole_game_by_clicks(open_page) -> None:
    page = open_page("#tictactoe")
    verdict = play_out(page)
    assert "You win" not in verdict
    played = page.locator("#moves button").count()
    assert played >= 5
    expect(page.locator("#ply")).to_have_text(f"{played} of {played}")
    axe_finds_nothing(page)
    page.get_by_role("button", name="Undo").click()
    my_turn_or_over(page)
    expect(page.locator("#moves button")).not_to_have_count(played)


def test_reload_keeps_the_game_and_colours_can_be_swapped(open_page) -> None:
    page = open_page("#tictactoe")
    cells(page).nth(4).click()
    my_turn_or_over(page, 2)
    expect(page.locator("#moves button")).to_have_count(2)
    moves = page.locator("#moves").inner_text()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.locator("#moves").inner_text() == moves
    page.keyboard.press("h")
    expect(page.locator("#status")).to_contain_text("Hint:")
    assert page.locator(".hint-ring").count() == 1
    page.get_by_role("button", name="Swap").click()
    expect(page.locator("#moves button")).to_have_count(3)  # The engine took the other side and moved.
    my_turn_or_over(page, 3)
    expect(page.locator("#status")).to_have_text("Your move: Circle.")
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#moves button")).to_have_count(1)


def test_analysis_never_moves_and_shows_what_it_sees(open_page) -> None:
    page = open_page("#tictactoe/b2a1?mode=analyse")
    expect(page.locator(".facts")).to_contain_text("simulations")
    expect(page.locator("#analyse-panel table tbody tr").first).to_be_visible()
    expect(page.locator("#moves button")).to_have_count(2)
    page.wait_for_timeout(500)
    expect(page.locator("#moves button")).to_have_count(2)
    assert page.locator(".heat").count() >= 1
    axe_finds_nothing(page)
    cells(page).nth(free_cells(page)[0]).click()
    expect(page.locator("#moves button")).to_have_count(3)
    expect(page.locator("#status")).to_have_text("Circle to move.")


def test_the_whole_game_its_mistakes_and_another_try(open_page) -> None:
    page = open_page("#tictactoe/a3a2b3b2c1c2?mode=analyse")  # Cross missed C3 twice over.
    page.get_by_role("button", name="Look at the whole game").click()
    mistake = page.locator(".mistakes li").first
    expect(mistake).to_contain_text("5. C1 gave away 100 %")
    expect(page.locator("#moves .sign").first).to_have_text("??")
    axe_finds_nothing(page)
    page.locator(".graph").click(position={"x": 20, "y": 50})
    expect(page.locator("#ply")).to_have_text(re.compile("^[01] of 6"))
    mistake.get_by_role("button", name="Try again").click()
    expect(page.locator("#status")).to_contain_text("find something better than C1")
    assert page.locator(".heat").count() == 0  # No spoilers.
    cells(page).nth(7).click()  # B1
    expect(page.locator("#status")).to_contain_text("Try again")
    cells(page).nth(2).click()  # C3
    expect(page.locator("#status")).to_contain_text("that is it")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#status")).to_contain_text("Cross to move")


def test_keyboard_alone(open_page) -> None:
    page = open_page("#tictactoe")
    page.keyboard.press("b")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    my_turn_or_over(page, 2)
    expect(page.locator("#moves button").first).to_have_text("A3")
    while "Your move" in page.locator("#status").inner_text():
        moves = page.locator("#moves button").count()
        target = free_cells(page)[0]
        page.keyboard.press("b")
        focused = page.evaluate("Number(document.activeElement.dataset.action)")
        for key, steps in (("ArrowDown", target // 3 - focused // 3), ("ArrowRight", target % 3 - focused % 3)):
            back = {"ArrowDown": "ArrowUp", "ArrowRight": "ArrowLeft"}[key]
            for _ in range(abs(steps)):
                page.keyboard.press(key if steps > 0 else back)
        page.keyboard.press("Enter")
        my_turn_or_over(page, moves + 1)
    page.keyboard.press("2")
    page.keyboard.press("w")
    expect(page.locator(".graph")).to_be_visible()
    page.keyboard.press(",")
    page.keyboard.press("Home")
    expect(page.locator("#ply")).to_have_text(re.compile("^0 of"))
    page.keyboard.press(".")
    expect(page.locator("#ply")).to_have_text(re.compile("^1 of"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Enter")
    axe_finds_nothing(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("l")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    axe_finds_nothing(page)


def test_a_phone_asks_twice_on_small_cells(open_page) -> None:
    page = open_page("#gomoku15", viewport=PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cells(page).nth(112).tap()
    expect(page.locator("#confirm")).to_be_visible()
    expect(page.locator("#moves button")).to_have_count(0)
    page.locator("#confirm").tap()
    expect(page.locator("#moves button").first).to_have_text("H8")
    axe_finds_nothing(page)


def test_the_other_pages(open_page) -> None:
    for path, words in (("docs.html", "/api/sessions/{id}/reply"), ("run.html", "No run is open here")):
        page = open_page("", path)
        expect(page.locator("main")).to_contain_text(words)
        axe_finds_nothing(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_training_run(open_page, served_run: Served, scheme: str) -> None:
    page = open_page("", "run.html", served_run, color_scheme=scheme)
    expect(page.locator("h1")).to_have_text("ttt")
    expect(page.locator("tbody tr").first).to_contain_text("step-7@200")
    axe_finds_nothing(page)
    page.locator(".games a").first.click()
    expect(page.locator("#moves button")).to_have_count(6)
    page.get_by_role("radio", name="Watch").check()
    page.get_by_role("button", name="Follow the training").click()
    expect(page.locator("#watch-panel")).to_contain_text("A game of net 7, 6 plies.")
    axe_finds_nothing(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_game_opens_clean(open_page, scheme: str) -> None:
    for link in ("#connect4/44453?mode=analyse", "#othello", "#gomoku15/h8h9?mode=watch"):
        page = open_page(link, color_scheme=scheme)
        page.wait_for_timeout(300)
        axe_finds_nothing(page)


def test_truth_beside_opinion(open_page) -> None:
    page = open_page("#connect4?mode=analyse")
    expect(page.locator(".exact")).to_have_text(["−2", "−1", "0", "+1", "0", "−1", "−2"])
    expect(page.locator("thead")).to_contain_text("Exact")
    page.keyboard.press("x")
    expect(page.locator(".exact")).to_have_count(0)


def test_games_in_and_out(open_page) -> None:
    page = open_page("#gomoku15")
    page.keyboard.press("o")
    page.get_by_label("A game as text").fill("(;SZ[15];B[hh];W[hg])")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#moves button")).to_have_text(["H8", "H9"])
    assert "#gomoku15/H8H9" in page.url
    page.keyboard.press("o")
    axe_finds_nothing(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SGF").click()
    assert "B[hh]" in download.value.path().read_text()
    page.get_by_label("A game as text").fill("nonsense")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("is no move on this board")
    page.evaluate("location.hash = '#gomoku15/a1a2?mode=analyse'")
    expect(page.locator("#moves button")).to_have_text(["A1", "A2"])


def test_models_play_each_other(open_page) -> None:
    page = open_page("#tictactoe?mode=watch")
    page.get_by_label("Speed").fill("4")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#status")).to_have_text(re.compile("wins|draw"))
    assert page.locator("#moves button").count() >= 5


def test_idle_costs_nothing(open_page, served) -> None:
    page = open_page("#tictactoe/b2a1?mode=analyse")
    expect(page.locator(".facts")).to_contain_text("simulations")
    page.wait_for_timeout(1500)
    renderers = [p for p in psutil.Process().children(recursive=True) if "--type=renderer" in " ".join(p.cmdline())]
    busy = [psutil.Process(), *renderers]
    before = sum(sum(p.cpu_times()[:2]) for p in busy)
    page.wait_for_timeout(3000)
    assert (sum(sum(p.cpu_times()[:2]) for p in busy) - before) / 3 < 0.05

// Games in and out: links, files and the strings that people paste.
import { dialog, el, toast } from "./dom.js";

const TITLES = { moves: "Moves", sgf: "SGF", psq: "Piskvork .psq" };

export function openShare(app) {
  const { table } = app;
  const text = el("textarea", { "aria-label": "A game as text", placeholder: "Paste SGF, .psq, h8h7i9… or Connect4 digits", spellcheck: "false" });
  const file = el("input", { type: "file", "aria-label": "Open a file", accept: ".sgf,.psq,.txt", onchange: async () => { text.value = await file.files[0].text(); } });
  const open = async () => {
    const opened = await app.attempt(() => table.open(table.game, text.value));
    if (opened) { app.setMode("analyse"); box.close(); }
  };
  const save = async (format) => {
    const content = await app.attempt(() => table.write(format));
    if (!content) return;
    const link = el("a", { href: URL.createObjectURL(new Blob([content], { type: "text/plain" })), download: `${table.game.name}.${format === "moves" ? "txt" : format}` });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const copy = async (content, what) => {
    try { await navigator.clipboard.writeText(content); toast(`${what} copied.`); } catch { text.value = content; text.select(); toast("Copy it from the box."); }
  };
  const box = dialog("Open, save, share",
    el("section", {}, el("h3", {}, "This game"), el("div", { class: "row" },
      el("button", { type: "button", class: "primary", onclick: () => copy(location.href, "Link") }, "Copy link"),
      el("button", { type: "button", class: "plain", onclick: async () => copy(await app.attempt(() => table.write("moves")), "Moves") }, "Copy moves"),
      ...table.game.formats.map((format) => el("button", { type: "button", class: "plain", onclick: () => save(format) }, `Save ${TITLES[format]}`)))),
    el("section", {}, el("h3", {}, `Another game of ${table.game.title}`), text, el("div", { class: "row" }, file, el("button", { type: "button", class: "primary", onclick: open }, "Open"))));
}

// The keyboard, wherever the focus is not in a field.
import { $ } from "./dom.js";
import { openHelp } from "./help.js";
import { openShare } from "./share.js";
import { switchTheme } from "./theme.js";

export function listenToKeys(app, steps) {
  const actions = {
    "?": openHelp, b: () => app.board.focus(), n: () => (app.mode === "watch" ? app.watch.restart() : app.play.do("restart")),
    u: () => app.mode === "play" && app.play.do("undo"), h: () => app.mode === "play" && app.play.do("hint"), s: () => app.mode === "play" && app.play.do("swap"),
    e: () => app.analyse.toggle("on"), m: () => app.analyse.toggle("heat"), x: () => app.analyse.toggle("exact"),
    w: () => app.mode === "analyse" && app.analyse.sweep.run(),
    t: () => app.mode === "analyse" && app.analyse.sweep.mistakes.length && app.analyse.sweep.tryAgain(app.analyse.sweep.mistakes[0]),
    o: () => openShare(app), l: switchTheme, 1: () => app.setMode("play"), 2: () => app.setMode("analyse"), 3: () => app.setMode("watch"),
    ",": steps.back, ".": steps.forth, Home: steps.first, End: steps.last, ArrowLeft: steps.back, ArrowRight: steps.forth,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const field = event.target.matches("input:not([type=checkbox]), select, textarea");
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (field || !action) return;
    event.preventDefault();
    action();
  });
  $("board").addEventListener("focus", () => app.board.focus());
}

// Every key there is.
import { dialog, el } from "./dom.js";

const KEYS = [
  [["←", "→", "↑", "↓"], "move about on the board; elsewhere ← and → step through the game"],
  [["Enter"], "play on the point under the focus"],
  [[",", "."], "step back and forth, from anywhere"],
  [["Home", "End"], "first and last position"],
  [["1", "2", "3"], "Play, Analyse, Watch"],
  [["B"], "to the board"],
  [["N"], "new game"],
  [["U"], "undo"],
  [["H"], "hint"],
  [["S"], "swap sides"],
  [["E"], "engine on or off"],
  [["M"], "heat map on or off"],
  [["X"], "exact scores on or off"],
  [["W"], "look at the whole game"],
  [["T"], "try the biggest mistake again"],
  [["O"], "open, save, share"],
  [["L"], "light or dark"],
  [["?"], "this help"],
];

export function openHelp() {
  dialog("Keys and help",
    el("dl", { class: "keys" }, ...KEYS.flatMap(([keys, what]) => [el("dt", {}, ...keys.map((key) => el("kbd", {}, key))), el("dd", {}, what)])),
    el("section", {}, el("h3", {}, "What the numbers are"),
      el("p", { class: "fine" }, "Visits say how often the search looked at a move; the move with the most is its choice (◆). Expects is what the search expects of it, wins and half the draws counted. Net is the first glance without search. Proven results follow from the rules alone; exact scores come from a perfect solver: +n wins, −n loses, with n stones to spare."),
      el("p", { class: "fine" }, el("a", { href: "docs.html" }, "The service's interface"), " is open to programs as well.")));
}

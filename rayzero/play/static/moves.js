// The list of moves, one line a pair, for eyes and for screen readers.
import { el } from "./dom.js";

export function drawMoves(list, table, slips, onpick) {
  const { moves } = table.session;
  if (!moves.length) return list.replaceChildren(el("li", {}, el("span", { class: "none" }, "No moves yet.")));
  const button = (ply) => {
    const slip = slips.get(ply);
    const current = table.cursor === ply + 1;
    return el("button", { type: "button", "aria-current": current ? "step" : null, "aria-label": `Ply ${ply + 1}, ${table.game.players[ply % 2]} ${moves[ply].text}${slip ? `, ${slip.severe ? "blunder" : "mistake"}` : ""}`, onclick: () => onpick(ply + 1) },
      moves[ply].text, slip ? el("span", { class: "sign" }, slip.severe ? "??" : "?") : null);
  };
  const rows = [];
  for (let ply = 0; ply < moves.length; ply += 2) {
    rows.push(el("li", {}, el("span", { class: "turn-number" }, `${ply / 2 + 1}.`), button(ply), ply + 1 < moves.length ? button(ply + 1) : el("span")));
  }
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...rows);
  const current = list.querySelector("[aria-current]");
  if (current) {
    // Scrolls the list alone; scrollIntoView would move the page under the player's finger.
    const [box, row] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
    if (row.top < box.top || row.bottom > box.bottom) list.scrollTop += row.top - box.top - box.height / 2;
    if (focused) current.focus({ preventScroll: true });
  } else list.scrollTop = 0;
}

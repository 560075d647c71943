// What analysis draws on the board. Size and number say the same as colour.
import { svg } from "./dom.js";
import { CELL, centre, margin, typeSize } from "./look.js";

export function drawHeat(game, view) {
  return [...view.heat].flatMap(([, { cell, share, label, best }]) => {
    if (cell === null) return [];
    const [cx, cy] = centre(game, cell);
    const r = 5 + 12 * Math.sqrt(share);
    const shapes = [svg("circle", { cx, cy, r: best ? Math.max(r, 14) : r, class: best ? "heat best" : "heat", "fill-opacity": best ? 0.95 : 0.35 + 0.5 * Math.sqrt(share) })];
    if (best || share >= 0.04) shapes.push(svg("text", { x: cx, y: cy + 0.5, class: "heat-text" }, label.replace(" %", "")));
    return shapes;
  });
}

// The solver's score of every column, above it.
export function drawExact(game, scores) {
  const best = Math.max(...scores.filter((score) => score !== null));
  return scores.flatMap((score, column) => {
    if (score === null) return [];
    const x = margin(game) + CELL * (column + 0.5);
    const y = margin(game) / 2 + 1;
    const text = score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0";
    const shapes = [svg("text", { x, y, class: "exact" }, text)];
    const half = 10 * typeSize(game);
    if (score === best) shapes.push(svg("rect", { x: x - 1.9 * half, y: y - half, width: 3.8 * half, height: 2 * half, rx: half, class: "exact-best" }));
    return shapes;
  });
}

export function drawHint(game, cell) {
  if (cell === null) return [];
  const [cx, cy] = centre(game, cell);
  return [svg("circle", { cx, cy, r: 15.5, class: "hint-ring" })];
}

export function drawLine(game, line) {
  const ends = [line[0], line[line.length - 1]].map((cell) => centre(game, cell));
  const [[x1, y1], [x2, y2]] = ends;
  return [svg("line", { x1, y1, x2, y2, class: "win-line" }), svg("line", { x1, y1, x2, y2, class: "win-line-core" })];
}

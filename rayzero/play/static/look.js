// How boards and pieces are drawn; one unit of the picture is a fortieth of a cell.
import { svg } from "./dom.js";

export const CELL = 40;

// Room around the cells for the labels, in units.
export const margin = (game) => (game.board === "points" ? 19 : 22);

export function definitions() {
  const gradient = (id, stops, attributes) =>
    svg(attributes ? "radialGradient" : "linearGradient", { id, ...(attributes ?? { x1: 0, y1: 0, x2: 0.35, y2: 1 }) },
      ...stops.map(([offset, look]) => svg("stop", { offset, ...(look.startsWith("#") ? { "stop-color": look } : { class: look }) })));
  const light = { cx: 0.36, cy: 0.3, r: 0.78 };
  return svg("defs", {},
    gradient("wood", [[0, "stop-wood-1"], [1, "stop-wood-2"]]),
    gradient("panel", [[0, "stop-panel-1"], [1, "stop-panel-2"]]),
    gradient("felt", [[0, "stop-felt-1"], [1, "stop-felt-2"]]),
    gradient("stone-0", [[0, "#6a706f"], [0.38, "#333837"], [1, "#0e1110"]], light),
    gradient("stone-1", [[0, "#ffffff"], [0.55, "#f4f1ea"], [1, "#cfc8ba"]], light));
}

export function centre(game, cell) {
  const edge = margin(game);
  return [edge + CELL * ((cell % game.width) + 0.5), edge + CELL * (Math.floor(cell / game.width) + 0.5)];
}

// Text of the same height on every board: a picture of few cells is shown larger.
export const typeSize = (game) => Math.min(1, 0.12 + game.width / 14);

export function size(game) {
  return [game.width * CELL + 2 * margin(game), game.height * CELL + 2 * margin(game)];
}

function stars(game) {
  if (game.width !== game.height || game.width < 9) return [];
  const edge = game.width >= 13 ? 3 : 2;
  const middle = (game.width - 1) / 2;
  const lines = game.width % 2 ? [edge, middle, game.width - 1 - edge] : [edge, game.width - 1 - edge];
  return lines.flatMap((row) => lines.map((column) => row * game.width + column));
}

function labels(game, kind) {
  const [, height] = size(game);
  const edge = margin(game);
  const text = (x, y, content) => svg("text", { x, y, class: `label ${kind}` }, content);
  const inset = game.board === "points" ? 12 : edge / 2;
  const columns = game.columns.map((name, i) => text(edge + CELL * (i + 0.5), height - inset, name));
  const rows = game.rows.map((name, i) => text(inset, edge + CELL * (i + 0.5), name));
  return [...columns, ...rows];
}

function points(game) {
  const [width, height] = size(game);
  let path = "";
  for (let row = 0; row < game.height; row += 1) {
    const [x, y] = centre(game, row * game.width);
    path += `M${x} ${y}h${CELL * (game.width - 1)}`;
  }
  for (let column = 0; column < game.width; column += 1) {
    const [x, y] = centre(game, column);
    path += `M${x} ${y}v${CELL * (game.height - 1)}`;
  }
  return [
    svg("rect", { width, height, class: "base-wood" }),
    svg("path", { d: path, class: "grid" }),
    ...stars(game).map((cell) => { const [cx, cy] = centre(game, cell); return svg("circle", { cx, cy, r: 3.4, class: "star" }); }),
    ...labels(game, ""),
  ];
}

function squares(game) {
  const [width, height] = size(game);
  const felt = game.pieces === "stones";
  const cells = [];
  for (let cell = 0; cell < game.width * game.height; cell += 1) {
    const [x, y] = centre(game, cell);
    cells.push(felt
      ? svg("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: "square-felt" })
      : svg("rect", { x: x - CELL / 2 + 1.2, y: y - CELL / 2 + 1.2, width: CELL - 2.4, height: CELL - 2.4, rx: 5, class: "square" }));
  }
  return [svg("rect", { width, height, class: felt ? "base-felt" : "base-plain" }), ...cells, ...labels(game, felt ? "on-felt" : "on-plain")];
}

// A board with holes is drawn in two sheets: discs fall between them.
function holes(game) {
  const [width, height] = size(game);
  let path = `M0 0h${width}v${height}h${-width}z`;
  const rims = [];
  for (let cell = 0; cell < game.width * game.height; cell += 1) {
    const [cx, cy] = centre(game, cell);
    path += `M${cx - 16} ${cy}a16 16 0 1 0 32 0a16 16 0 1 0 -32 0z`;
    rims.push(svg("circle", { cx, cy, r: 16, class: "hole-rim" }));
  }
  return [svg("path", { d: path, class: "base-panel", "fill-rule": "evenodd" }), ...rims, ...labels(game, "on-panel")];
}

export function sheets(game) {
  const [width, height] = size(game);
  if (game.board === "holes") return { back: [svg("rect", { width, height, class: "hole" })], front: holes(game) };
  return { back: game.board === "points" ? points(game) : squares(game), front: [] };
}

export function piece(game, player, x, y) {
  if (game.pieces === "discs") {
    const inside = player === 0
      ? svg("circle", { cx: x, cy: y, r: 6.5, class: "disc-glyph" })
      : svg("path", { d: `M${x - 5.5} ${y + 4.6}h11l-5.5 -10z`, class: "disc-glyph disc-glyph-1", "stroke-linejoin": "round" });
    return svg("g", {}, svg("circle", { cx: x, cy: y, r: 17, class: `disc-${player}` }), svg("circle", { cx: x, cy: y, r: 12, class: `disc-${player}-rim` }), inside);
  }
  if (game.pieces === "marks") {
    return player === 0
      ? svg("path", { d: `M${x - 9} ${y - 9}l18 18m0 -18l-18 18`, class: "cross" })
      : svg("circle", { cx: x, cy: y, r: 10, class: "ring" });
  }
  return svg("g", {}, svg("circle", { cx: x + 0.8, cy: y + 1.9, r: 17.4, class: "shade" }), svg("circle", { cx: x, cy: y, r: 17.2, class: `stone-${player}` }));
}

// A small picture of a player's piece for plates and lists.
export const badge = (game, player) =>
  svg("svg", { viewBox: "0 0 40 40", class: "disc", "aria-hidden": "true" }, piece(game, player, 20, 20));

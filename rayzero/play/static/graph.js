// The course of the game as the first player's expectation; a click goes to that ply.
import { svg } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 116;

export function drawGraph(values, plies, cursor, mistakes, onpick) {
  const x = (ply) => 6 + ((WIDTH - 12) * ply) / Math.max(1, plies);
  const y = (value) => 8 + ((HEIGHT - 16) * (1 - value)) / 2;
  const known = values.map((value, ply) => [ply, value]).filter(([, value]) => value !== null && value !== undefined);
  const line = known.map(([ply, value], i) => `${i ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const area = known.length > 1 ? `${line}L${x(known.at(-1)[0]).toFixed(1)} ${y(0)}L${x(known[0][0]).toFixed(1)} ${y(0)}z` : "";
  const slips = mistakes.map(({ ply, severe }) => {
    const [cx, cy] = [x(ply + 1), y(values[ply + 1] ?? 0)];
    return severe ? svg("rect", { x: cx - 5, y: cy - 5, width: 10, height: 10, class: "slip" }) : svg("path", { d: `M${cx} ${cy - 6}l6 10.5h-12z`, class: "slip" });
  });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line", { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: "zero" }),
    svg("path", { d: area, class: "area" }), svg("path", { d: line, class: "curve" }), ...slips,
    svg("line", { x1: x(cursor), x2: x(cursor), y1: 2, y2: HEIGHT - 2, class: "here" }));
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - 6) / (WIDTH - 12);
    onpick(Math.round(share * plies));
  });
  return picture;
}

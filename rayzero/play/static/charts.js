// Small charts without a library.
import { svg } from "./dom.js";

export function drawCurve({ points, title }) {
  const [width, height] = [290, 96];
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const x = (value) => 4 + ((width - 8) * (value - left)) / (right - left || 1);
  const y = (value) => height - 16 - ((height - 24) * (value - low)) / (high - low || 1);
  const path = points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
  const area = `${path}L${x(right)} ${height - 14}L${x(left)} ${height - 14}z`;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": `${title}: from ${ys[0].toPrecision(3)} to ${ys.at(-1).toPrecision(3)}` },
    svg("path", { d: area, class: "area" }), svg("path", { d: path, class: "curve" }),
    svg("text", { x: 4, y: height - 2 }, `${left.toFixed(0)} min`), svg("text", { x: width - 4, y: height - 2, "text-anchor": "end" }, `${right.toFixed(0)} min`));
}

// Every player as a dot with its interval; pure MCTS are the anchors.
export function drawRatings(ratings) {
  const shown = ratings.slice(0, 14);
  const [row, top, width] = [24, 22, 720];
  const low = Math.min(0, ...shown.map((rating) => rating.low));
  const high = Math.max(0, ...shown.map((rating) => rating.high));
  const x = (elo) => 150 + ((width - 220) * (elo - low)) / (high - low || 1);
  const height = top + row * shown.length + 8;
  const lines = shown.flatMap((rating, i) => {
    const y = top + row * (i + 0.5);
    const anchor = rating.name.startsWith("mcts");
    return [svg("text", { x: 140, y: y + 4, "text-anchor": "end" }, rating.name),
      svg("line", { x1: x(rating.low), x2: x(rating.high), y1: y, y2: y, class: anchor ? "span span-anchor" : "span" }),
      anchor ? svg("rect", { x: x(rating.elo) - 4.5, y: y - 4.5, width: 9, height: 9, class: "dot-anchor" }) : svg("circle", { cx: x(rating.elo), cy: y, r: 5, class: "dot" }),
      svg("text", { x: x(rating.high) + 10, y: y + 4 }, rating.elo.toFixed(0))];
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "ladder", role: "img", "aria-label": "Ratings as a chart; the table below holds the same." },
    svg("line", { x1: x(0), x2: x(0), y1: top - 6, y2: height, class: "zero" }), svg("text", { x: x(0), y: 10, "text-anchor": "middle", class: "axis" }, "0 = pure MCTS, 1000 playouts"), ...lines);
}

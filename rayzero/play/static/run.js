// The page of a training run: who is how strong, how it got there, what it plays.
import "./theme.js";
import { api } from "./api.js";
import { drawCurve, drawRatings } from "./charts.js";
import { $, el, svg } from "./dom.js";
import { centre, definitions, piece, sheets, size } from "./look.js";
import { switchTheme } from "./theme.js";

const REFRESH = 15_000;

function ratings(run) {
  if (!run.ratings.length) return [el("p", { class: "fine" }, "No matches have been played yet.")];
  const rows = run.ratings.map((rating) => el("tr", {},
    el("td", {}, rating.name), el("td", {}, rating.elo.toFixed(0)), el("td", {}, `${rating.low.toFixed(0)} to ${rating.high.toFixed(0)}`),
    el("td", {}, String(rating.games)), el("td", {}, `${(100 * rating.score).toFixed(0)} %`),
    el("td", {}, rating.model ? el("a", { href: `api/run/models/${rating.model}`, "aria-label": `Download ${rating.name}` }, "download") : "")));
  const head = ["Player", "Elo", "95 %", "Games", "Score", "Net"].map((name) => el("th", { scope: "col" }, name));
  return [drawRatings(run.ratings), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ratings" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)))];
}

function downloads(run) {
  const free = run.models.filter((id) => !run.ratings.some((rating) => rating.model === id));
  if (!free.length) return null;
  return el("p", { class: "fine" }, "Nets without a match yet: ", ...free.flatMap((id, i) => [i ? ", " : "", el("a", { href: `api/run/models/${id}` }, id)]), ".");
}

// The final position of a game, rebuilt by the service.
async function picture(game, text) {
  const session = await api.create(game.name, text);
  const [width, height] = size(game);
  const { back, front } = sheets(game);
  const cells = new Map(session.start);
  for (const move of session.moves) for (const [cell, player] of move.changes) cells.set(cell, player);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, definitions(), svg("g", {}, back),
    ...[...cells].map(([cell, player]) => piece(game, player, ...centre(game, cell))), svg("g", {}, front));
}

async function games(run, game) {
  const items = await Promise.all(run.newest.slice(0, 6).map(async (one) => {
    const winner = one.outcome === 0 ? "draw" : `${game.players[one.outcome > 0 ? 0 : 1]} wins`;
    return el("li", {}, el("a", { href: `./#${game.name}/${encodeURIComponent(one.text)}?mode=analyse` }, await picture(game, one.text),
      el("div", { class: "caption" }, `${winner}, ${one.plies} plies, net ${one.version.toLocaleString("en")}`)));
  }));
  return items.length ? el("ul", { class: "games" }, items) : el("p", { class: "fine" }, "No finished games yet.");
}

let shown = null;
async function refresh() {
  if (document.hidden) return;
  const run = await api.run();
  const newest = run.newest[0]?.id;
  const state = JSON.stringify([run.steps, newest, run.ratings.length]);
  if (state === shown) return;
  shown = state;
  const game = (await api.games()).find((one) => one.name === run.game);
  const curves = run.curves.map((curve) => el("div", { class: "card" }, el("h3", {}, curve.title, el("b", {}, curve.points.at(-1)[1].toLocaleString("en", { maximumSignificantDigits: 3 }))), drawCurve(curve)));
  $("content").replaceChildren(
    el("h1", {}, run.name), el("p", { class: "fine", role: "status" }, `${game.title}, ${run.steps.toLocaleString("en")} steps so far. `, el("a", { href: `./#${game.name}` }, "Play against it"), "."),
    el("h2", {}, "How strong"), ...ratings(run), downloads(run) ?? "",
    el("h2", {}, "Newest games"), await games(run, game),
    ...(curves.length ? [el("h2", {}, "Curves"), el("div", { class: "grid-cards" }, curves)] : []));
}

$("theme").onclick = switchTheme;
refresh().then(() => setInterval(() => refresh().catch(() => {}), REFRESH)).catch((error) => {
  $("content").replaceChildren(el("h1", {}, "Training"), el("p", { role: "status" }, error.message), el("p", { class: "fine" }, "Then this page shows every net with its rating, the curves and the newest games."));
}).finally(() => { document.body.dataset.ready = "true"; });

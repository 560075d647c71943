// The whole game in the address: #gomoku15/h8h7i9?mode=analyse&at=2&me=1

let last = "";

export function readLink() {
  const [path, query] = location.hash.slice(1).split("?");
  const [game, text] = path.split("/");
  const options = new URLSearchParams(query ?? "");
  const mode = ["play", "analyse", "watch"].includes(options.get("mode")) ? options.get("mode") : "play";
  return {
    game: decodeURIComponent(game), text: decodeURIComponent(text ?? ""), mode, me: options.get("me") === "1" ? 1 : 0,
    at: options.has("at") ? Number(options.get("at")) || 0 : null, written: location.hash === last,
  };
}

export function writeLink({ table, mode, play }) {
  const options = new URLSearchParams();
  if (mode !== "play") options.set("mode", mode);
  if (play.me) options.set("me", "1");
  if (!table.atEnd) options.set("at", table.cursor);
  const query = options.toString();
  const next = `#${table.game.name}/${encodeURIComponent(table.session.text)}${query ? `?${query}` : ""}`;
  if (next === location.hash) return;
  last = next;
  history.replaceState(null, "", next);
}

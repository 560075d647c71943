// The service, as its OpenAPI page describes it.

async function call(method, path, body) {
  const response = await fetch(`api/${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => { throw new Error("The service does not answer. Is it still running?"); });
  const text = await response.text();
  if (response.ok) return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  let message = `The service answered ${response.status}.`;
  try { message = JSON.parse(text).detail ?? message; } catch { /* not JSON: keep the number */ }
  throw Object.assign(new Error(message), { status: response.status });
}

const at = (id, rest = "") => `sessions/${encodeURIComponent(id)}${rest}`;

export const api = {
  games: () => call("GET", "games"),
  models: () => call("GET", "models"),
  create: (game, text = "") => call("POST", "sessions", { game, text }),
  move: (id, action, ply) => call("POST", at(id, "/moves"), { action, ply }),
  undo: (id, plies) => call("POST", at(id, "/undo"), { plies }),
  reply: (id, player) => call("POST", at(id, "/reply"), player),
  resign: (id, player) => call("POST", at(id, "/resign"), { player }),
  write: async (id, format) => (await call("GET", at(id, `/text?format=${encodeURIComponent(format)}`))).text,
  truth: (id, ply) => call("GET", at(id, `/truth?ply=${ply}`)),
  run: () => call("GET", "run"),
};

// One socket; asking again makes the service forget what was asked before.
export class Thinking {
  #socket = null;
  #number = 0;
  #listener = null;
  #pending = null;

  ask(request, listener) {
    this.#number += 1;
    this.#listener = listener;
    this.#send({ ...request, number: this.#number });
  }

  stop() {
    if (!this.#listener) return;
    this.#number += 1;
    this.#listener = null;
    this.#send({ kind: "stop", number: this.#number });
  }

  #send(message) {
    const text = JSON.stringify(message);
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket.send(text);
    this.#pending = text;
    if (this.#socket?.readyState === WebSocket.CONNECTING) return;
    const address = new URL("api/think", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.#socket = new WebSocket(address);
    this.#socket.onopen = () => { this.#socket.send(this.#pending); this.#pending = null; };
    this.#socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.number === this.#number) this.#listener?.(message);
    };
    this.#socket.onclose = () => {
      const listener = this.#listener;
      this.#listener = null;
      listener?.({ kind: "error", message: "The connection to the service was lost." });
    };
  }
}

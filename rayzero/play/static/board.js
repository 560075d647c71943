// The board: draws a position, and takes moves by pointer, touch and keyboard.
import { el, svg } from "./dom.js";
import { CELL, centre, definitions, margin, piece, sheets, size, typeSize } from "./look.js";
import { drawExact, drawHeat, drawHint, drawLine } from "./marks.js";

export class Board {
  constructor(root, { onplay, onghost }) {
    this.root = root;
    this.onplay = onplay;
    this.onghost = onghost;
    this.game = null;
    this.waiting = null; // An action that awaits its second tap.
  }

  setGame(game) {
    this.game = game;
    this.before = [];
    const [width, height] = size(game);
    document.documentElement.style.setProperty("--ratio", width / height);
    const { back, front } = sheets(game);
    this.layers = { pieces: svg("g"), marks: svg("g") };
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
      definitions(), svg("g", {}, back), this.layers.pieces, svg("g", {}, front), this.layers.marks);
    picture.style.setProperty("--type", typeSize(game));
    this.root.replaceChildren(picture, this.#buttons(width, height));
  }

  #buttons(width, height) {
    const { game } = this;
    const edge = margin(game);
    const rows = game.drop ? 1 : game.height;
    const grid = el("div", { class: game.drop ? "cells columns" : "cells", role: "grid", "aria-label": "Board" });
    Object.assign(grid.style, {
      left: `${(100 * edge) / width}%`, right: `${(100 * edge) / width}%`, top: `${(100 * edge) / height}%`, bottom: `${(100 * edge) / height}%`,
      gridTemplate: `repeat(${rows}, 1fr) / repeat(${game.width}, 1fr)`,
    });
    this.cells = [];
    for (let row = 0; row < rows; row += 1) {
      const line = el("div", { role: "row" });
      for (let column = 0; column < game.width; column += 1) {
        const action = row * game.width + column;
        const button = el("button", { type: "button", role: "gridcell", tabindex: "-1", "data-action": action });
        this.cells.push(button);
        line.append(button);
      }
      grid.append(line);
    }
    this.#setFocus(game.drop ? Math.floor(game.width / 2) : Math.floor(game.height / 2) * game.width + Math.floor(game.width / 2), false);
    grid.addEventListener("click", (event) => this.#clicked(event));
    grid.addEventListener("keydown", (event) => this.#arrow(event));
    grid.addEventListener("focusin", (event) => this.#setFocus(Number(event.target.dataset.action), false));
    grid.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") this.#hover(event.target.dataset?.action); });
    grid.addEventListener("pointerleave", () => this.#hover(undefined));
    return grid;
  }

  #setFocus(action, move) {
    if (!this.cells[action]) return;
    if (this.current !== undefined) this.cells[this.current]?.setAttribute("tabindex", "-1");
    this.current = action;
    this.cells[action].setAttribute("tabindex", "0");
    if (move) this.cells[action].focus();
  }

  focus() { this.cells?.[this.current]?.focus(); }

  #arrow(event) {
    const { game } = this;
    const column = this.current % game.width;
    const row = Math.floor(this.current / game.width);
    const rows = game.drop ? 1 : game.height;
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    if (down === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [toRow, toColumn] = [row + down, column + right];
    if (toRow >= 0 && toRow < rows && toColumn >= 0 && toColumn < game.width) this.#setFocus(toRow * game.width + toColumn, true);
  }

  #clicked(event) {
    const action = Number(event.target.dataset.action);
    if (!this.view || !(action in this.cells) || !this.legal.has(action)) return;
    // A finger is wider than a cell of a large board: the first tap shows, the second one plays.
    const cell = this.cells[action].getBoundingClientRect();
    const narrow = Math.min(cell.width, cell.height) < 34 && matchMedia("(pointer: coarse)").matches && event.detail > 0;
    if (narrow && this.waiting !== action) {
      this.waiting = action;
      this.#draw();
      this.onghost(action);
      return;
    }
    this.confirm(action);
  }

  confirm(action = this.waiting) {
    this.waiting = null;
    this.onghost(null);
    if (action !== null) this.onplay(action);
  }

  #hover(action) {
    const next = action === undefined ? null : Number(action);
    if (next === this.hovered) return;
    this.hovered = next;
    if (this.view) this.#drawGhost();
  }

  show(view) {
    this.view = view;
    this.legal = new Set(view.playable ? view.legal : []);
    if (this.waiting !== null && !this.legal.has(this.waiting)) { this.waiting = null; this.onghost(null); }
    this.#draw();
  }

  #draw() {
    this.#drawPieces();
    this.#drawMarks();
    this.#describe();
  }

  #drawPieces() {
    const { game, view, before } = this;
    const fresh = view.cells.filter((player, cell) => player !== before[cell] && player >= 0).length;
    const shapes = view.cells.map((player, cell) => {
      if (player < 0) return null;
      const [x, y] = centre(game, cell);
      const shape = piece(game, player, x, y);
      if (before.length && before[cell] !== player && fresh < 20) this.#animate(shape, cell);
      return shape;
    });
    this.before = view.cells;
    this.layers.pieces.replaceChildren(...shapes.filter(Boolean));
  }

  #animate(shape, cell) {
    if (!this.game.drop) return shape.classList.add("new");
    const rows = Math.floor(cell / this.game.width) + 1;
    shape.classList.add("fall");
    shape.style.setProperty("--fall", `${-rows * CELL}px`);
    shape.style.setProperty("--fall-time", `${0.09 + 0.05 * rows}s`);
  }

  #drawMarks() {
    const { game, view } = this;
    const marks = [];
    if (view.last !== null && !view.numbers) marks.push(...this.#lastMark(view.last));
    if (view.numbers) marks.push(...this.#numbers(view.numbers));
    if (view.line?.length) marks.push(...drawLine(game, view.line));
    if (view.heat && !view.variation) marks.push(...drawHeat(game, view));
    if (view.variation) marks.push(...this.#variation(view.variation));
    if (view.exact) marks.push(...drawExact(game, view.exact));
    if (view.hint !== null && view.hint !== undefined) marks.push(...drawHint(game, this.#landing(view.hint)));
    this.ghost = svg("g", { class: "ghost" });
    this.layers.marks.replaceChildren(...marks, this.ghost);
    this.root.classList.toggle("confirming", this.waiting !== null);
    this.#drawGhost();
  }

  #lastMark(cell) {
    const [cx, cy] = centre(this.game, cell);
    const player = this.view.cells[cell];
    if (player < 0) return [];
    if (this.game.pieces === "marks") return [svg("rect", { x: cx - 17, y: cy - 17, width: 34, height: 34, rx: 5, class: "last-square" })];
    return [svg("circle", { cx, cy, r: this.game.pieces === "discs" ? 14.6 : 7.5, class: `last-${player}` })];
  }

  #numbers(numbers) {
    return numbers.map(([cell, number]) => {
      const [x, y] = centre(this.game, cell);
      return svg("text", { x, y, class: `number number-${this.view.cells[cell]}` }, String(number));
    });
  }

  #variation(moves) {
    return moves.flatMap(([cell, player], i) => {
      const [x, y] = centre(this.game, cell);
      const shape = piece(this.game, player, x, y);
      shape.setAttribute("opacity", "0.82");
      return [shape, svg("text", { x, y, class: `number number-${player}` }, String(i + 1))];
    });
  }

  #drawGhost() {
    const action = this.waiting ?? this.hovered;
    const cell = action !== null && action !== undefined && this.legal.has(action) ? this.#landing(action) : null;
    if (cell === null || (this.view.heat && this.waiting === null)) return this.ghost.replaceChildren();
    this.ghost.replaceChildren(piece(this.game, this.view.player, ...centre(this.game, cell)));
  }

  // The cell on which a move of this position comes to lie.
  #landing(action) {
    const { game, view } = this;
    if (!game.drop) return action < view.cells.length ? action : null;
    for (let row = game.height - 1; row >= 0; row -= 1) if (view.cells[row * game.width + action] < 0) return row * game.width + action;
    return null;
  }

  #describe() {
    const { game, view } = this;
    const names = [...game.players.map((name) => name.toLowerCase())];
    this.cells.forEach((button, action) => {
      let label;
      if (game.drop) {
        const held = [];
        for (let row = game.height - 1; row >= 0; row -= 1) {
          const player = view.cells[row * game.width + action];
          if (player >= 0) held.push(names[player]);
        }
        label = `Column ${game.columns[action]}: ${held.length ? `from below ${held.join(", ")}` : "empty"}`;
      } else {
        const place = `${game.columns[action % game.width]}${game.rows[Math.floor(action / game.width)]}`;
        label = `${place}, ${view.cells[action] >= 0 ? names[view.cells[action]] : "empty"}${action === view.last ? ", last move" : ""}`;
      }
      const shares = view.heat?.get(action);
      if (shares) label += shares.share ? `, ${shares.label} of the visits` : ", proven best";
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      button.setAttribute("aria-disabled", String(!this.legal.has(action)));
    });
  }
}

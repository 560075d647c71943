// Elements without a framework.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const percent = (share) => `${Math.round(100 * share)} %`;

export function signed(number, digits = 0) {
  const text = Math.abs(number).toFixed(digits);
  return number < 0 && Number(text) !== 0 ? `−${text}` : `+${text}`;
}

let toastTimer;
export function toast(message) {
  const box = $("toast");
  box.textContent = message;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, 6000);
}

export function dialog(title, ...children) {
  const close = el("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => box.close() }, "×");
  const box = el("dialog", { "aria-label": title }, el("div", { class: "card-head" }, el("h2", {}, title), close), ...children);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

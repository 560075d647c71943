// Light or dark: the system's wish until a person chooses.
const dark = matchMedia("(prefers-color-scheme: dark)");
const saved = () => localStorage.getItem("rayzero-theme");

export function applyTheme() {
  document.documentElement.dataset.theme = saved() ?? (dark.matches ? "dark" : "light");
}

export function switchTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  if (next === (dark.matches ? "dark" : "light")) localStorage.removeItem("rayzero-theme");
  else localStorage.setItem("rayzero-theme", next);
  applyTheme();
}

applyTheme();
dark.addEventListener("change", applyTheme);

// What this browser keeps between pages; where storage is forbidden it lasts as long as the page.

export function recall(key, usual = "") {
  try {
    return localStorage.getItem(key) ?? usual;
  } catch {
    return usual;
  }
}

export function keep(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // it then lasts as long as the page
  }
}

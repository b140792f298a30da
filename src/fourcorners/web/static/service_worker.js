// The service worker: a page for when there is no connection, and notifications while the site is closed.
//
// It keeps that page with what it needs, and nothing else: everything else comes from the server or the browser's cache.

/** The names of `ServiceWorkerGlobalScope`, which the types of pages do not have. */
const worker = /** @type {any} */ (self);
/** A digest of what is kept, which the server puts here: a new one makes browsers install this anew. */
const VERSION = "";
const KEPT = `offline ${VERSION}`;
const PAGE = "/offline";
/** What the page needs. No other page asks for these addresses, so that the worker delays none. */
const PARTS = ["/static/page.css?offline", "/static/theme.js?offline", "/static/offline.js?offline"];
const ICON = "/static/icons/192.png";

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  const isPart = origin === location.origin && PARTS.includes(pathname + search);
  if (isPart) event.respondWith(findKept(request));
  else if (request.mode === "navigate" && request.method === "GET") event.respondWith(navigate(event));
});
worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(notify(event.data.json())));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(showTable(event.notification.tag));
});

async function install() {
  const cache = await caches.open(KEPT);
  // Without the cookie, the page is the same for all.
  await cache.addAll([PAGE, ...PARTS].map((path) => new Request(path, { credentials: "omit", cache: "no-cache" })));
  await worker.skipWaiting();
}

/** Delete what earlier versions kept, and let the browser ask for pages while this starts. */
async function activate() {
  const old = (await caches.keys()).filter((name) => name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.registration.navigationPreload?.enable();
}

/** Answer with a part of the page. @param {Request} request */
async function findKept(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** Answer with the page that was asked for, or the one for no connection. @param {any} event */
async function navigate(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const page = await caches.match(PAGE);
    if (!page) throw error;
    // The status keeps a download from saving the page as the file.
    return new Response(page.body, { status: 503, headers: page.headers });
  }
}

/** List the pages of this site that are open. @returns {Promise<any[]>} */
function listPages() {
  return worker.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** Show what the server has sent, unless the player looks at the table. @param {{ title: string, path: string }} message */
async function notify({ title, path }) {
  const pages = await listPages();
  const isSeen = pages.some((page) => page.visibilityState === "visible" && new URL(page.url).pathname === path);
  if (!isSeen) await worker.registration.showNotification(title, { tag: path, icon: ICON });
}

/** Show a table in the page that has it open, or in a new one. @param {string} path */
async function showTable(path) {
  const page = (await listPages()).find(({ url }) => new URL(url).pathname === path);
  await (page ? page.focus() : worker.clients.openWindow(path));
}

// The service worker of this site, where the browser has service workers: on HTTPS and on this computer.

/** Have the service worker installed, or brought up to date, once the page is shown. */
export function installWorker() {
  if (!("serviceWorker" in navigator) || window.top !== window) return;
  const register = () => navigator.serviceWorker.register("/service-worker.js").catch(() => null);
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

/** Return the registration of the installed service worker; null without one. */
export async function findWorker() {
  if (!("serviceWorker" in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration("/").catch(() => undefined);
  return registration?.active ? registration : null;
}

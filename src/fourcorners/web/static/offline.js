// The page for when there is no connection: it asks for the page that was wanted, once there is one, or on request.

addEventListener("online", () => location.reload());
document.getElementById("again")?.addEventListener("click", () => location.reload());

// A browser gives up what it loads when some network of the machine comes or goes (a container, a VPN), even from this machine.
// A page of which a script or style did not arrive is loaded again, a few times. A classic script: it has to be there first.
(() => {
  const MOST = 3;
  const NAME = "takeback.again";
  addEventListener(
    "error",
    (event) => {
      if (!(event.target instanceof HTMLScriptElement || event.target instanceof HTMLLinkElement)) return;
      let times = MOST;
      try {
        times = Number(sessionStorage.getItem(NAME) ?? 0);
        sessionStorage.setItem(NAME, String(times + 1));
      } catch {
        // Without storage nobody counts, so it is not tried.
      }
      if (times < MOST) setTimeout(() => location.reload(), 300 * (times + 1));
    },
    true,
  );
  addEventListener("load", () => setTimeout(() => sessionStorage.removeItem(NAME), 3000));
})();

// A page from kymo view --serve polls whether the run has grown.

const PAUSE_MS = 1000;

export function watchServer(app) {
  if (!app.data.run.is_served) return;
  let known = null;
  const ask = async () => {
    try {
      const answer = await fetch("generation", { cache: "no-store" });
      const generation = await answer.text();
      if (known !== null && answer.ok && generation !== known) {
        location.reload(); // the link keeps the view and its state
        return;
      }
      if (answer.ok) known = generation;
    } catch {
      app.announce("The server has ended: this is the run as it was.");
      return;
    }
    setTimeout(ask, PAUSE_MS);
  };
  ask();
}

/** Runs in the page: what a benchmark asks it. Plain JavaScript, because the rest of the benchmarks knows no browser. */
globalThis.vireoBench = {
  /** Reads and parses the lists of the table and draws nothing; the milliseconds that it took. */
  async read() {
    const startedAt = performance.now();
    for (const resource of ['virtualmachines', 'virtualmachineinstances']) {
      for (let next = ''; ; ) {
        const path = `/apis/kubevirt.io/v1/${resource}?limit=500&continue=${next}`;
        const response = await fetch(path, { headers: { 'x-vireo-dashboard': '1' } });
        const { metadata } = await response.json();
        if (!metadata.continue) break;
        next = encodeURIComponent(metadata.continue);
      }
    }
    return performance.now() - startedAt;
  },

  /** Looks out for a text in the table; it must be called, and have returned, before the text can come. */
  lookOut(text) {
    const isThere = () => document.querySelector('main')?.textContent.includes(text) ?? false;
    if (isThere()) throw new Error(`${text} is there already`);
    this.drawing = new Promise((resolve) => {
      const tell = () =>
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        tell();
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  },

  /** Resolves with the time at which a frame with that text was drawn, by the clock of the host. */
  drawn() {
    return this.drawing;
  },

  /** Scrolls the list up and down; the longest task of the main thread, in milliseconds: 0 if all were below 50. */
  async scroll(seconds) {
    let longest = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    });
    observer.observe({ entryTypes: ['longtask'] });
    const area = [...document.querySelectorAll('main, main *')].find(
      (each) => each.scrollHeight > 5 * each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY),
    );
    if (!area) throw new Error('nothing in the page can be scrolled');
    const until = performance.now() + seconds * 1_000;
    for (let step = 400; performance.now() < until; ) {
      const before = area.scrollTop;
      area.scrollTop += step;
      if (area.scrollTop === before) step = -step;
      await new Promise(requestAnimationFrame);
    }
    area.scrollTop = 0;
    await new Promise((resolve) => setTimeout(resolve, 200));
    observer.disconnect();
    return longest;
  },
};

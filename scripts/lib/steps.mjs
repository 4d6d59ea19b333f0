/** A duration as people say it: `40 ms`, `1.2 s`, `33 s`, `2 min 5 s`. */
export function formatDuration(ms) {
  if (ms < 995) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Prints one line a step with its duration: `Installing npm packages … 33 s`. On a terminal the time counts up while
 * the step runs; elsewhere (CI, a file) the line is written once, in two parts.
 *
 * @param {NodeJS.WriteStream} stream
 */
export function createSteps(stream) {
  const animated = Boolean(stream.isTTY) && !process.env.CI && process.env.TERM !== 'dumb';

  return {
    /**
     * @template T
     * @param {string} title
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    async step(title, work) {
      const startedAt = performance.now();
      const elapsed = () => formatDuration(performance.now() - startedAt);
      stream.write(`${title} …`);
      const ticker = animated ? setInterval(() => stream.write(`\r${title} … ${elapsed()}\x1b[K`), 1000) : undefined;
      const finish = (/** @type {string} */ text) => {
        clearInterval(ticker);
        stream.write(animated ? `\r${title} … ${text}\x1b[K\n` : ` ${text}\n`);
      };
      try {
        const result = await work();
        finish(elapsed());
        return result;
      } catch (error) {
        finish(`failed after ${elapsed()}`);
        throw error;
      }
    },

    /** A plain line. */
    say(/** @type {string} */ text) {
      stream.write(`${text}\n`);
    },
  };
}

/** @typedef {ReturnType<typeof createSteps>} Steps */

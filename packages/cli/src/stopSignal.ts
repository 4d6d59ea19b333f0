const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C reaches every process of the terminal's group, and npm and the launcher hand it on: one press, many signals. */
const DOUBLE_SIGNAL_MS = 500;

/**
 * Resolves with the reason when this process is asked to stop: a signal, or the end of the launcher that waits for it.
 * Asked again later than one press of Ctrl-C can explain, the process ends at once.
 */
export function stopSignal({ endsWithLauncher }: { endsWithLauncher: boolean }): Promise<string> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        firstAt ??= performance.now();
        resolve(signal);
        if (performance.now() - firstAt > DOUBLE_SIGNAL_MS) {
          console.error(`Second ${signal}: exiting immediately.`);
          process.exit(1);
        }
      });
    }
    if (endsWithLauncher) process.once('disconnect', () => resolve('the exit of its launcher'));
    process.channel?.unref();
  });
}

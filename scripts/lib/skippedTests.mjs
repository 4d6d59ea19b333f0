/** @typedef {{ file: string, name: string, count: number, why: string }} Skipped a suite or a test that did not run */

/**
 * What did not run on this host, and why, for people; nothing if everything did. Tests say why by `meta.whySkipped`.
 *
 * @param {readonly Skipped[]} skipped
 */
export function skippedText(skipped) {
  if (skipped.length === 0) return '';
  const reasons = [...new Set(skipped.map(({ why }) => why))];
  const lines = reasons.flatMap((reason) => [
    `  ${reason}:`,
    ...skipped
      .filter(({ why }) => why === reason)
      .map(({ file, name, count }) => `    ${file}: ${name}${count === 1 ? '' : ` (${count} tests)`}`),
  ]);
  return ['Not run on this host:', ...lines].join('\n');
}

/** @param {import('vitest/node').TestModule} module @returns {Skipped[]} */
function skippedIn({ children, relativeModuleId: file }) {
  const whyOf = (task) =>
    task
      .meta()
      .whySkipped?.trim()
      .replaceAll(/\s*\n\s*/g, ' ')
      .replace(/[.:]$/, '');
  const isNews = (task) => whyOf(task) && !(task.parent.type === 'suite' && whyOf(task.parent));
  const found = (task, count) => ({ file, name: task.fullName.replace(/[ >]+$/, ''), count, why: whyOf(task) });
  return [
    ...[...children.allSuites()].filter(isNews).map((suite) => found(suite, [...suite.children.allTests()].length)),
    ...[...children.allTests('skipped')].filter(isNews).map((test) => found(test, 1)),
  ].filter(({ count }) => count > 0);
}

/** Tells at the end of a run what was left out. */
export class SkippedReporter {
  onTestRunEnd(modules) {
    const text = skippedText(modules.flatMap(skippedIn));
    if (text) console.log(`\n${text}\n`);
  }
}

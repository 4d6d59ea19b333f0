import { relative } from 'node:path';
import { formatDuration } from './steps.mjs';

/**
 * What is known of a host, as a table in Markdown.
 *
 * @param {{ kvm: { isUsable: boolean, reason: string, finding?: string }, probeMs: number, host: Record<string, string> }} facts
 */
export function hostTable({ kvm, probeMs, host }) {
  const probe = kvm.isUsable
    ? `a guest reached 64-bit mode within ${probeMs} ms`
    : `${kvm.finding ?? 'unknown'}: ${kvm.reason}`;
  const rows = [['KVM', probe], ...Object.entries(host)];
  return ['| host | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${cell(value)} |`)].join('\n');
}

/**
 * The report of a run, in Markdown: the host, each file of tests, and what failed or was skipped.
 *
 * @param {Parameters<typeof hostTable>[0]} facts
 * @param {{ testResults: readonly File[] }} results what Vitest's JSON reporter wrote
 * @param {string} root paths are shown relative to it
 * @param {number} tookMs
 */
export function kvmReport(facts, { testResults }, root, tookMs) {
  const files = testResults
    .map((file) => ({ ...file, path: relative(root, file.name) }))
    .sort((a, b) => a.path.localeCompare(b.path));
  const tests = files.flatMap(({ path, assertionResults }) => assertionResults.map((each) => ({ ...each, path })));
  const count = (list, ...states) => list.filter(({ status }) => states.includes(status)).length;
  // A file that could not be loaded has no tests that could fail.
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && !count(assertionResults, 'failed'),
  );
  const passed = count(tests, 'passed');
  const failed = count(tests, 'failed') + broken.length;
  const skipped = count(tests, ...SKIPPED);
  return [
    `### Vireo with KVM: ${passed} passed, ${failed} failed, ${skipped} skipped in ${formatDuration(tookMs)}`,
    '',
    hostTable(facts),
    '',
    '| tests | passed | failed | skipped | seconds |',
    '|---|--:|--:|--:|--:|',
    ...files.map(({ path, assertionResults, startTime, endTime }) => {
      const counts = [['passed'], ['failed'], SKIPPED].map((states) => count(assertionResults, ...states));
      return `| ${path} | ${counts.join(' | ')} | ${((endTime - startTime) / 1000).toFixed(1)} |`;
    }),
    ...section('Failed', [
      ...broken.map(({ path, message }) => `${path}: ${firstLine(message)}`),
      ...tests
        .filter(({ status }) => status === 'failed')
        .map(({ path, fullName, failureMessages }) => `${path}: ${fullName}: ${firstLine(failureMessages?.[0])}`),
    ]),
    ...section(
      'Skipped',
      tests.filter(({ status }) => SKIPPED.includes(status)).map(({ path, fullName }) => `${path}: ${fullName}`),
    ),
  ].join('\n');
}

/** @typedef {{ name: string, status: string, message?: string, startTime: number, endTime: number, assertionResults: readonly { status: string, fullName: string, failureMessages?: readonly string[] }[] }} File */

const SKIPPED = ['skipped', 'pending', 'todo', 'disabled'];

const section = (title, lines) => (lines.length > 0 ? ['', `${title}:`, ...lines.map((line) => `- ${line}`)] : []);

const firstLine = (text = '') => text.split('\n')[0].slice(0, 300);

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

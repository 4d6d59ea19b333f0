import { PARTS } from './parts.ts';
import { formatReport, runParts } from './runParts.ts';

const parts = PARTS.filter(({ name }) => (process.argv[2] ?? 'permissions,tls,files,routes').split(',').includes(name));
const t = performance.now();
const reports = await runParts(parts, { seed: 1, deadlineMs: Number.POSITIVE_INFINITY, isShort: true, say: () => {} });
console.log(formatReport(reports), (performance.now() - t) / 1000);

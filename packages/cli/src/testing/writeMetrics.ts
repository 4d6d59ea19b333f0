import { readFileSync, writeFileSync } from 'node:fs';
import { METRICS_MARK, metricsPage, metricsTable } from './metricsReference.ts';

const [byHand] = readFileSync(metricsPage, 'utf8').split(METRICS_MARK);
writeFileSync(metricsPage, `${byHand}${METRICS_MARK}\n${metricsTable()}`);

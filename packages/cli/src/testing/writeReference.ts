import { readFileSync, writeFileSync } from 'node:fs';
import { commandReference, MARK, referencePage } from './reference.ts';

const [byHand] = readFileSync(referencePage, 'utf8').split(MARK);
writeFileSync(referencePage, `${byHand}${MARK}\n${commandReference()}`);

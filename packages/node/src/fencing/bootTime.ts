import { readFileSync } from 'node:fs';

/** Milliseconds since the host started, those in which it was suspended included; nobody can set this clock. */
export const bootTimeMs = (): number => Math.round(Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000);

/** Another after every start of the host: times of an earlier one mean nothing. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();

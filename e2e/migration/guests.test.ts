import { describe } from 'vitest';
import { cancelSpecs } from './cases/cancel.ts';
import { deviceSpecs } from './cases/devices.ts';
import { loadSpecs } from './cases/load.ts';
import { postCopySpecs } from './cases/postCopy.ts';
import { settingsSpecs } from './cases/settings.ts';
import { volumeSpecs } from './cases/volumes.ts';
import { linux, useGuests } from './guests.ts';
import { isWhole } from './specs.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(isWhole && isRoot)('specs with guests on two nodes', () => {
  const guests = useGuests();
  deviceSpecs(guests);
  loadSpecs(guests);
  postCopySpecs(guests);
  settingsSpecs(guests);
  volumeSpecs(guests);
  // Their memory is more than what a guest of 512 bytes has touched: it moves for longer than a command takes to start.
  cancelSpecs(guests.specs, (name, spec) => linux(name, { memory: '192Mi', ...(spec && { spec }) }), '32Mi');
});

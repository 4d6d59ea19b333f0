import { describe } from 'vitest';
import { cancelSpecs } from './cases/cancel.ts';
import { deviceSpecs } from './cases/devices.ts';
import { loadSpecs } from './cases/load.ts';
import { postCopySpecs } from './cases/postCopy.ts';
import { settingsSpecs } from './cases/settings.ts';
import { volumeSpecs } from './cases/volumes.ts';
import { small, useGuests } from './guests.ts';
import { isWhole } from './specs.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(isWhole && isRoot)('specs with guests on two nodes', () => {
  const guests = useGuests();
  deviceSpecs(guests);
  loadSpecs(guests);
  postCopySpecs(guests);
  settingsSpecs(guests);
  volumeSpecs(guests);
  cancelSpecs(guests.specs, (name, spec) => small(name, spec ? { spec } : {}), '2Mi');
});

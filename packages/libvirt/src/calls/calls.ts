import type { Caller } from '../caller.ts';
import { deviceCalls } from './devices.ts';
import { guestCalls } from './guest.ts';
import { hostCalls } from './host.ts';
import { lifecycleCalls } from './lifecycle.ts';
import { metadataCalls } from './metadata.ts';
import { migrationCalls } from './migration.ts';
import { resourceCalls } from './resources.ts';
import { savingCalls } from './saving.ts';
import { screenCalls } from './screen.ts';

/** All of libvirt's calls that this library knows, over anything that carries calls. */
export const callsOver = (caller: Caller) => ({
  ...hostCalls(caller),
  ...lifecycleCalls(caller),
  ...deviceCalls(caller),
  ...resourceCalls(caller),
  ...guestCalls(caller),
  ...savingCalls(caller),
  ...migrationCalls(caller),
  ...metadataCalls(caller),
  ...screenCalls(caller),
});

/** libvirt's calls as methods. */
export type Calls = ReturnType<typeof callsOver>;

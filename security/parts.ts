import { breakout } from './breakout/index.ts';
import { dashboard } from './dashboard/index.ts';
import { dependencies } from './dependencies.ts';
import { exhaustion } from './exhaustion/index.ts';
import { files } from './fileModes.ts';
import { routes } from './fuzz/index.ts';
import { manifests } from './manifests/index.ts';
import type { Part } from './part.ts';
import { permissions } from './permissions/index.ts';
import { schemas } from './schemas/index.ts';
import { secrets } from './secrets/index.ts';
import { tlsSettings } from './tlsSettings.ts';

/** In the order in which they run: what leaves the server in a mess comes last. */
export const PARTS: readonly Part[] = [
  dependencies,
  permissions,
  tlsSettings,
  manifests,
  secrets,
  dashboard,
  files,
  routes,
  schemas,
  breakout,
  exhaustion,
];

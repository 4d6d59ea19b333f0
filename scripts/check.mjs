import './lib/nodeVersion.mjs';

import('./lib/verify.mjs').then(({ check }) => check());

import './lib/nodeVersion.mjs';

import('./lib/pack.mjs').then(({ pack }) => pack(process.argv.slice(2)));

import './lib/nodeVersion.mjs';

import('./lib/soak.mjs').then(({ soak }) => soak(process.argv.slice(2)));

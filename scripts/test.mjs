import './lib/nodeVersion.mjs';

import('./lib/verify.mjs').then(({ test }) => test(process.argv.slice(2)));

import './lib/nodeVersion.mjs';

import('./lib/bench.mjs').then(({ bench }) => bench(process.argv.slice(2)));

import './lib/nodeVersion.mjs';

import('./lib/lab.mjs').then(({ lab }) => lab(process.argv.slice(2)));

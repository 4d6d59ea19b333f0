import './lib/nodeVersion.mjs';

import('./lib/vireo.mjs').then(({ vireo }) => vireo(['up', ...process.argv.slice(2)], process.stdout));

import './lib/nodeVersion.mjs';

import('./lib/cluster.mjs').then(({ cluster }) => cluster(process.argv.slice(2)));

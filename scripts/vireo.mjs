import './lib/nodeVersion.mjs';

import('./lib/vireo.mjs').then(({ vireo }) => vireo(process.argv.slice(2), process.stderr));

import './lib/nodeVersion.mjs';

import('./lib/oracle.mjs').then(({ oracle }) => oracle(process.argv.slice(2)));

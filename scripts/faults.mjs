import './lib/nodeVersion.mjs';

import('./lib/faults.mjs').then(({ faults }) => faults(process.argv.slice(2)));

import './lib/nodeVersion.mjs';

import('./lib/security.mjs').then(({ security }) => security(process.argv.slice(2)));

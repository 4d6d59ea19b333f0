import './lib/nodeVersion.mjs';

import('./lib/s3.mjs').then(({ s3 }) => s3(process.argv.slice(2)));

import './lib/nodeVersion.mjs';

import('./lib/specs.mjs').then(({ specs }) => specs(process.argv.slice(2)));

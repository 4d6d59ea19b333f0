import './lib/nodeVersion.mjs';

import('./lib/kvm.mjs').then(({ kvm }) => kvm(process.argv.slice(2)));

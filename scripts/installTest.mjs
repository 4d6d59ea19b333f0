import './lib/nodeVersion.mjs';

import('./lib/installTest.mjs').then(({ installTest }) => installTest());

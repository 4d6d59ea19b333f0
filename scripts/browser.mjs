import './lib/nodeVersion.mjs';

import('./lib/browser.mjs').then(({ browser }) => browser(process.argv.slice(2)));

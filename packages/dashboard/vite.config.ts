import { defineConfig } from 'vite';

export default defineConfig({
  root: `${import.meta.dirname}/page`,
  base: '/dashboard/',
  cacheDir: `${import.meta.dirname}/../../.cache/vite`,
  build: {
    outDir: `${import.meta.dirname}/dist`,
    emptyOutDir: true,
    target: 'es2023',
    // Those that know light-dark(), with which each colour is written once.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The Content-Security-Policy allows nothing inline and no data: URLs of scripts, styles or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

/** Builds the web app into dist/web. `npm run build` runs it; `npx vite web` serves it while developing. */
import { fileURLToPath, URL } from 'node:url';
import { defineConfig } from 'vite';
import { breakpoints } from './build/breakpoints.ts';
import { compressed } from './build/compressed.ts';
import { firstScreens } from './build/first-screens.ts';
import { guides } from './build/guides/guides.ts';
import { sizeBudget } from './build/size-budget.ts';
import { starterRules } from './build/starter-rules.ts';

const SERVICE = process.env['COUNTERSIGN_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    // The last two versions of Chrome, Edge, Firefox and Safari.
    target: ['chrome140', 'edge140', 'firefox140', 'safari18'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Libraries mark their modules for server components, which this app does not have.
      onwarn: (warning, report) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') report(warning);
      },
    },
  },
  css: { transformer: 'lightningcss' },
  plugins: [breakpoints(), guides(), starterRules(), firstScreens(), sizeBudget(), compressed()],
  server: { proxy: { '^/(api|auth)/': SERVICE } },
});

/** A Vite plugin: gives the style sheets of the app the breakpoints that their media queries name. */
import type { Plugin } from 'vite';
import { BREAKPOINTS } from '../src/shared/design/breakpoints.ts';

const CUSTOM_MEDIA = Object.entries(BREAKPOINTS)
  .map(([name, condition]) => `@custom-media --${name} ${condition};`)
  .join(' ');

export function breakpoints(): Plugin {
  return {
    name: 'breakpoints',
    enforce: 'pre',
    // Lightning CSS refuses the name of a condition that it does not know.
    config: () => ({ css: { lightningcss: { drafts: { customMedia: true } } } }),
    transform: {
      filter: { id: /\.css$/, code: '@media (--' },
      // On the first line, so that those of messages stay right.
      handler: (code) => ({ code: `${CUSTOM_MEDIA} ${code}`, map: null }),
    },
  };
}

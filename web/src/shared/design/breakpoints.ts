/**
 * Where the layout changes, in one place. Style sheets ask `@media (--phone)`, by this name, and `web/build/breakpoints.ts`
 * puts the condition there.
 */
export const BREAKPOINTS = {
  'small-phone': '(width <= 30em)',
  phone: '(width <= 48em)',
  /** No width has both of these, and each has one: a list, or the way back to it. */
  'one-pane': '(width < 64em)',
  'two-panes': '(width >= 64em)',
} as const;

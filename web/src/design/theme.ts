/** What Mantine's components take from our tokens. Colors are CSS variables, so light and dark need no code. */
import {
  Button,
  createTheme,
  defaultVariantColorsResolver,
  PasswordInput,
  TextInput,
  type VariantColorsResolver,
} from '@mantine/core';
import classes from './theme.module.css';

const variantColorResolver: VariantColorsResolver = (input) =>
  input.variant === 'filled'
    ? {
        background: 'var(--accent)',
        hover: 'var(--accent-strong)',
        color: 'var(--on-accent)',
        border: '1px solid transparent',
      }
    : defaultVariantColorsResolver(input);

export const theme = createTheme({
  cursorType: 'pointer',
  focusRing: 'auto',
  variantColorResolver,
  components: {
    Button: Button.extend({ classNames: { root: classes['button'] ?? '' } }),
    TextInput: TextInput.extend({ classNames: { input: classes['input'] ?? '' } }),
    PasswordInput: PasswordInput.extend({
      classNames: {
        wrapper: classes['withToggle'] ?? '',
        input: classes['input'] ?? '',
        visibilityToggle: classes['toggle'] ?? '',
      },
    }),
  },
});

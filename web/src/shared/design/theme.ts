/** What Mantine's components take from our tokens. Colors are CSS variables, so light and dark need no code. */
import {
  createTheme,
  defaultVariantColorsResolver,
  type ButtonProps,
  type PasswordInputProps,
  type TextInputProps,
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

/** By name and not by `extend`: the page would need the code of each component. */
const components = {
  Button: { classNames: { root: classes['button'] ?? '' } } satisfies Partial<ButtonProps>,
  TextInput: { classNames: { input: classes['input'] ?? '' } } satisfies Partial<TextInputProps>,
  PasswordInput: {
    classNames: {
      wrapper: classes['withToggle'] ?? '',
      input: classes['input'] ?? '',
      visibilityToggle: classes['toggle'] ?? '',
    },
  } satisfies Partial<PasswordInputProps>,
};

export const theme = createTheme({
  cursorType: 'pointer',
  focusRing: 'auto',
  variantColorResolver,
  components,
});

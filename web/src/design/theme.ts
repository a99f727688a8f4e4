/** What Mantine's components take from our tokens. Colors are CSS variables, so light and dark need no code. */
import { Button, createTheme, PasswordInput, TextInput } from '@mantine/core';
import classes from './theme.module.css';

export const theme = createTheme({
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Button: Button.extend({ classNames: { root: classes['button'] ?? '' } }),
    TextInput: TextInput.extend({ classNames: { input: classes['input'] ?? '' } }),
    PasswordInput: PasswordInput.extend({ classNames: { input: classes['input'] ?? '' } }),
  },
});

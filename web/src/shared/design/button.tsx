/** What does something, and a link that looks the same because it starts something. */
import type { ComponentProps } from 'react';
import classes from './button.module.css';

interface Look {
  /** Not the main act of its part of the page. */
  readonly isSecondary?: boolean;
  /** For rows of lists. */
  readonly isSmall?: boolean;
}

const classOf = (look: Required<Look>, more: string | undefined): string =>
  [
    classes['button'],
    look.isSecondary && classes['secondary'],
    look.isSmall && classes['small'],
    more,
  ]
    .filter(Boolean)
    .join(' ');

export function Button({
  isSecondary = false,
  isSmall = false,
  className,
  ...button
}: Look & ComponentProps<'button'>) {
  const look = classOf({ isSecondary, isSmall }, className);
  return <button type="button" {...button} className={look} />;
}

export function ButtonLink({
  isSecondary = false,
  isSmall = false,
  className,
  ...link
}: Look & ComponentProps<'a'>) {
  return <a {...link} className={classOf({ isSecondary, isSmall }, className)} />;
}

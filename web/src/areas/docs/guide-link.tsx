/** A link to a guide, or to one of its headings. */
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf } from './guide-ids.ts';

interface GuideLinkProps {
  readonly guide: string;
  readonly anchor?: string | undefined;
  readonly activeOptions?: NonNullable<LinkProps['activeOptions']>;
  readonly children: ReactNode;
}

export function GuideLink({ guide, anchor = '', children, ...props }: GuideLinkProps) {
  return (
    <Link {...addressOf(guide)} {...(anchor !== '' && { hash: anchor })} {...props}>
      {children}
    </Link>
  );
}

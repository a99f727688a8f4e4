/** Text of a guide with its links. */
import { Fragment } from 'react';
import { GuideLink } from '../guide-link.tsx';
import type { Inline } from '../guide-tree.ts';
import { docs as text } from '../text.ts';
import classes from './blocks.module.css';

export function Inlines({ parts }: { readonly parts: readonly Inline[] }) {
  return parts.map((part, index) => (
    // The parts of a page never change.
    <Fragment key={index}>
      <InlinePart part={part} />
    </Fragment>
  ));
}

function InlinePart({ part }: { readonly part: Inline }) {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'code':
      return <code className={classes['inlineCode']}>{part.text}</code>;
    case 'strong':
      return (
        <strong>
          <Inlines parts={part.parts} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inlines parts={part.parts} />
        </em>
      );
    case 'guide':
      return (
        <GuideLink guide={part.guide} anchor={part.anchor}>
          <Inlines parts={part.parts} />
        </GuideLink>
      );
    case 'link':
      return (
        // eslint-disable-next-line no-restricted-syntax -- The build lets through paths and https only, and the text is ours.
        <a href={part.href} rel="noreferrer">
          <Inlines parts={part.parts} />
        </a>
      );
    case 'source':
      return (
        <>
          <Inlines parts={part.parts} />{' '}
          <span className={classes['source']}>({text.inSource(part.path)})</span>
        </>
      );
  }
}

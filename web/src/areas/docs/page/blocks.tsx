/** What a guide is made of: headings, text, lists, tables, code and pictures. */
import { Link } from '@tanstack/react-router';
import { Code } from '../../../shared/page/code.tsx';
import type {
  Block,
  Code as CodeBlock,
  Guide,
  Inline,
  Picture,
  PictureFile,
  Table,
} from '../guide-tree.ts';
import { docs as text } from '../text.ts';
import { Inlines } from './inlines.tsx';
import classes from './blocks.module.css';

export function Blocks({ blocks, pictures }: Guide) {
  return blocks.map((block, index) => (
    // The blocks of a page never change.
    <BlockPart key={index} block={block} pictures={pictures} />
  ));
}

interface BlockProps {
  readonly block: Block;
  readonly pictures: readonly PictureFile[];
}

function BlockPart({ block, pictures }: BlockProps) {
  switch (block.kind) {
    case 'heading':
      return <HeadingPart {...block} />;
    case 'paragraph':
      return (
        <p>
          <Inlines parts={block.parts} />
        </p>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List className={classes['list']}>
          {block.items.map((item, index) => (
            <li key={index}>
              <Blocks blocks={item} pictures={pictures} />
            </li>
          ))}
        </List>
      );
    }
    case 'code':
      return <CodePart {...block} />;
    case 'table':
      return <TablePart {...block} />;
    case 'picture':
      return <PicturePart picture={block} pictures={pictures} />;
  }
}

const TAGS = { 1: 'h1', 2: 'h2', 3: 'h3' } as const;

function HeadingPart(heading: Extract<Block, { readonly kind: 'heading' }>) {
  const { level, anchor, parts } = heading;
  const Tag = TAGS[level as 1 | 2 | 3] ?? 'h4';
  return (
    <Tag id={level === 1 ? undefined : anchor} tabIndex={-1} className={classes['heading']}>
      <Inlines parts={parts} />
      {level > 1 && (
        <Link
          to="."
          hash={anchor}
          className={classes['anchor']}
          aria-label={text.linkTo(heading.text)}
        >
          #
        </Link>
      )}
    </Tag>
  );
}

function CodePart({ language, file, text: code }: CodeBlock) {
  if (file === undefined) return <Code label={text.codeOf(language)} value={code} />;
  return (
    <figure className={classes['file']}>
      <figcaption>{text.fileOf(file)}</figcaption>
      <Code label={text.fileOf(file)} value={code} />
    </figure>
  );
}

const wordsOf = (parts: readonly Inline[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.kind === 'code' ? part.text : wordsOf(part.parts);
    })
    .join('');

function TablePart({ head, rows }: Table) {
  const label = text.tableOf(head.map(wordsOf).filter(Boolean).join(', '));
  return (
    <div className={classes['table']} role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <Cell key={index} tag={wordsOf(cell) === '' ? 'td' : 'th'} parts={cell} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <Cell key={column} tag="td" parts={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  tag: Tag,
  parts,
}: {
  readonly tag: 'th' | 'td';
  readonly parts: readonly Inline[];
}) {
  return (
    <Tag scope={Tag === 'th' ? 'col' : undefined}>
      <Inlines parts={parts} />
    </Tag>
  );
}

interface PictureProps {
  readonly picture: Picture;
  readonly pictures: readonly PictureFile[];
}

/** Its size is known before it loads, so that the page keeps its place. */
function PicturePart({ picture, pictures }: PictureProps) {
  const light = pictures[picture.light];
  if (!light) return null;
  const dark = picture.dark === undefined ? undefined : pictures[picture.dark];
  const width = picture.width ?? light.width;
  return (
    <picture className={classes['picture']}>
      {dark && <source media="(prefers-color-scheme: dark)" srcSet={dark.src} />}
      <img
        src={light.src}
        alt={picture.alt}
        width={width}
        height={Math.round((light.height * width) / light.width)}
        loading="lazy"
      />
    </picture>
  );
}

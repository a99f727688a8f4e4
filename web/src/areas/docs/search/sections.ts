/** All text of the guides. It is read once someone searches. */
import type { Section } from '../guide-tree.ts';
import { guideIdOf } from '../guide-ids.ts';
import { outlines } from '../guides.ts';
import type { Searched } from './find.ts';

const SECTIONS = import.meta.glob<readonly Section[]>(
  ['../../../../../docs/*.md', '../../../../../docs/{guides,operations}/**/*.md'],
  { eager: true, query: '?sections', import: 'sections' },
);

export const searched: readonly Searched[] = Object.entries(SECTIONS).flatMap(
  ([file, sections]) => {
    const guide = guideIdOf(file.replace(/^(?:\.\.\/)+/, '')) ?? '';
    const title = outlines.get(guide)?.title ?? '';
    return sections.map((section) => ({ ...section, guide, title }));
  },
);

/** Each page leads to a guide that exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { WEB_PAGES } from '../../../src/domain/web-pages.ts';
import { outlineOf, readPage } from '../../../web/build/guides/markdown.ts';
import { guideIdOf } from '../../../web/src/areas/docs/guide-ids.ts';
import { guideOf, GUIDES } from '../../../web/src/shared/guide/guide-of.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { DOCUMENTS, readDocument } from '../../docs/documents.ts';

/** For people who are not signed in, and the guides themselves. */
const WITHOUT = new Set([
  ...['/login', '/welcome', '/password/forgot', '/password/reset/$token', '/invitations/$token'],
  ...['/docs', '/docs/$page', '/docs/$folder/$page'],
]);

const headings = new Map(
  DOCUMENTS.flatMap((path) => {
    const id = guideIdOf(path);
    if (id === undefined) return [];
    const outline = outlineOf(readPage(readDocument(path), path));
    return [[id, outline.headings.map(({ anchor }) => anchor)] as const];
  }),
);

test('every page names a guide, unless it is for people who are not signed in', () => {
  const pages: readonly string[] = Object.values(WEB_PAGES);
  expect(pages.filter((page) => !WITHOUT.has(page) && GUIDES[page] === undefined)).toEqual([]);
  expect(pages.filter((page) => WITHOUT.has(page) && GUIDES[page] !== undefined)).toEqual([]);
});

test('every guide that a page names exists, with its heading', () => {
  const broken = Object.values(GUIDES).filter((guide) => {
    const [id = '', anchor] = guide.split('#');
    const own = headings.get(id);
    return !own || (anchor !== undefined && !own.includes(anchor));
  });
  expect(broken).toEqual([]);
});

const SOURCES = join(packageRoot(), 'web/src');

/** A queue and requests that must be small, what comes before signing in, what asks for one thing, and what is no page. */
const WITH_ANOTHER_HEADING = [
  'app/other-person.tsx',
  'areas/docs/search/search-results.tsx',
  'areas/oauth/consent.tsx',
  'areas/requests/queue/queue.tsx',
  'areas/requests/request/request-header.tsx',
  'areas/sign-in/enroll.tsx',
  'areas/sign-in/page.tsx',
  'shared/guide/page-title.tsx',
  'shared/page/states.tsx',
];

test('every other page has the heading that links to its guide', () => {
  const own = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.tsx') && /<h1\b/.test(readFileSync(join(SOURCES, file), 'utf8')),
  );
  expect(own.toSorted()).toEqual(WITH_ANOTHER_HEADING);
});

test('a page is found by its address', () => {
  expect(guideOf('/agents/support-bot/connect')).toBe('connecting-agents');
  expect(guideOf('/People/Invitations')).toBe('people-and-permissions#invite-people');
  expect(guideOf('/Rules/')).toBe('rules#in-the-browser');
  expect(guideOf('/nowhere')).toBeUndefined();
});

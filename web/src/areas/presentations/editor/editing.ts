/** What the parts of the editor share. */
import { editor as text } from '../text.ts';
import type { Edit } from './entry.ts';
import type { Proposal } from './proposals.ts';

export interface Editing {
  readonly edit: (change: Edit, group?: string) => void;
  readonly problemAt: (pointer: string) => string | undefined;
  readonly proposals: readonly Proposal[];
  readonly isReadOnly: boolean;
}

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

export const KINDS = optionsOf(text.kinds);
export const ROLES = optionsOf(text.roles);
export const ITEM_KINDS = KINDS.filter(({ value }) => !['list', 'table', 'diff'].includes(value));
export const WITH_LANGUAGE: readonly string[] = ['code', 'command', 'diff'];

export const pathOptions = (proposals: readonly Proposal[]) =>
  proposals.map(({ path, label, kind, example }) => ({
    value: path,
    label: path,
    detail: `${label}, ${text.kinds[kind]}`,
    ...(example !== undefined && { examples: [example] }),
  }));

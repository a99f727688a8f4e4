/** What a document of an endpoint says, and changing it. Pure. */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { readDocument } from '../../../shared/editor/problems.ts';
import { withValue } from '../../../shared/editor/splices.ts';

export const MEMBERS = ['name', 'url'] as const;
export type Member = (typeof MEMBERS)[number];
export type EndpointDocument = Readonly<Record<Member, string>>;

/** What an endpoint is compared with while none of its revisions is active. */
export const NOTHING = '{ "name": "", "url": "" }';

const textOf = (document: ExactValue | undefined, member: Member): string => {
  const value = isExactObject(document) ? document[member] : undefined;
  return typeof value === 'string' ? value : '';
};

export const documentOf = (value: ExactValue | undefined): EndpointDocument => ({
  name: textOf(value, 'name'),
  url: textOf(value, 'url'),
});

export const documentIn = (text: string): EndpointDocument => documentOf(readDocument(text).value);

export const setMember =
  (member: Member, value: string) =>
  (text: string): string =>
    withValue(text, `/${member}`, stringifyExact(value));

export const changedMembers = (before: string, after: string): readonly Member[] => {
  const [one, other] = [documentIn(before), documentIn(after)];
  return MEMBERS.filter((member) => one[member] !== other[member]);
};

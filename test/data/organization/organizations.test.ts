/** The API and the table have the same bounds for an organization's settings. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  findOrganization,
  updateOrganization,
} from '../../../src/data/organization/organizations.ts';
import { parseDuration } from '../../../src/domain/durations.ts';
import {
  DURATION_BOUNDS,
  type OrganizationTerms,
} from '../../../src/domain/organization/organizations.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createOrganization, type TestOrganization } from '../../support/scene/factories.ts';

let app: TestApp;
let organization: TestOrganization;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
});

afterAll(() => app.close());

const terms = Object.keys(DURATION_BOUNDS) as readonly (keyof typeof DURATION_BOUNDS)[];
const seconds = (text: string) => (parseDuration(text) ?? NaN) / 1_000;

test.each(terms)(
  'the table accepts %s from its minimum to its maximum, and nothing beyond',
  async (term) => {
    const now = await findOrganization(app.db, organization.id);
    if (!now) throw new Error('the organization is gone');
    const store = (value: number) =>
      updateOrganization(app.db, organization.id, {
        ...(now satisfies OrganizationTerms),
        [term]: value,
      });
    const { min, max } = DURATION_BOUNDS[term];
    await store(seconds(min));
    await store(seconds(max));
    await expect(store(seconds(min) - 1)).rejects.toMatchObject({ code: '23514' });
    await expect(store(seconds(max) + 1)).rejects.toMatchObject({ code: '23514' });
  },
);

/** The list of escalation paths: its order, its pages, and its search. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { document, PATHS, pathCalls } from './path-scene.ts';

const app = await appForFile();
let owner: TestMember;

beforeEach(async () => {
  ({ owner } = await createOrganization(app));
});

const { create, archive } = pathCalls(() => owner);

describe('the list', () => {
  test('is ordered by key, has the newest names, and includes archived paths on demand', async () => {
    for (const key of ['zebra', 'alpha', 'middle']) await create({ name: key }, key);
    await owner.http.post(`${PATHS}/alpha/revisions`, document({ name: 'Renamed' }));
    await archive('middle');
    const live = await owner.http.get(PATHS);
    expect(live.body).toEqual({
      escalation_paths: [
        {
          path_key: 'alpha',
          name: 'Renamed',
          latest_revision: 2,
          revision_count: 2,
          latest_created_at: expect.any(String),
        },
        {
          path_key: 'zebra',
          name: 'zebra',
          latest_revision: 1,
          revision_count: 1,
          latest_created_at: expect.any(String),
        },
      ],
    });
    const archived = await owner.http.get(`${PATHS}?status=archived`);
    expect(archived.body).toMatchObject({
      escalation_paths: [{ path_key: 'middle', archived_at: expect.any(String) }],
    });
    const first = await owner.http.get(`${PATHS}?status=all&limit=2`);
    expect(first.body).toMatchObject({
      escalation_paths: [{ path_key: 'alpha' }, { path_key: 'middle' }],
    });
    const second = await owner.http.get(
      `${PATHS}?status=all&limit=2&cursor=${String(first.body['next_cursor'])}`,
    );
    expect(second.body).toMatchObject({ escalation_paths: [{ path_key: 'zebra' }] });
    expect(second.body).not.toHaveProperty('next_cursor');
    expect(
      (await owner.http.get(`${PATHS}?cursor=${String(first.body['next_cursor'])}`)).status,
    ).toBe(400);
  });

  test('finds a text in keys and names of newest revisions, ignoring case', async () => {
    await create({ name: 'Night shift Süd' }, 'nights');
    await create({ name: 'Days' }, 'office');
    const found = async (q: string) => {
      const { text } = await owner.http.get(`${PATHS}?q=${encodeURIComponent(q)}`);
      const page = JSON.parse(text) as { escalation_paths: { path_key: string }[] };
      return page.escalation_paths.map(({ path_key }) => path_key);
    };
    expect(await found('T SÜD')).toEqual(['nights']);
    expect(await found('s')).toEqual(['nights', 'office']);
    expect(await found('Fic')).toEqual(['office']);
    expect(await found('_')).toEqual([]);
    const first = await owner.http.get(`${PATHS}?q=s&limit=1`);
    const cursor = String(first.body['next_cursor']);
    const second = await owner.http.get(`${PATHS}?q=s&limit=1&cursor=${cursor}`);
    expect(second.body).toMatchObject({ escalation_paths: [{ path_key: 'office' }] });
    expect((await owner.http.get(`${PATHS}?limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { permissions } from '../../src/domain/people/permissions.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { abilitiesOf } from '../../web/src/areas/account/abilities.ts';
import { deviceText } from '../../web/src/shared/text/user-agents.ts';
import { permissionAreas } from '../../web/src/shared/text/permissions.ts';
import { shortcutGroups } from '../../web/src/shared/text/shortcuts.ts';

describe('the texts of the account pages', () => {
  test('describe every permission that a person may hold, and no other', () => {
    const ofPeople = permissions.filter(({ holders }) => holders.some((kind) => kind === 'human'));
    const described = Object.values(permissionAreas).flatMap((texts) => Object.keys(texts));
    expect(described.toSorted()).toEqual(ofPeople.map(({ key }) => key).toSorted());
  });

  test('limit a permission to its teams and agents, unless it holds everywhere', () => {
    const grant = (permission: string, scope_id?: string) => ({
      permission,
      ...(scope_id === undefined
        ? { scope_kind: 'organization' as const }
        : { scope_kind: 'agent' as const, scope_id }),
    });
    const [requests] = abilitiesOf([
      grant('request.read', 'bot'),
      grant('request.read'),
      grant('request.decide', 'bot'),
      grant('request.decide', 'bot'),
      grant('request.unheard'),
    ]);
    expect(requests?.abilities.map(({ permission, scopes }) => [permission, scopes])).toEqual([
      ['request.read', []],
      ['request.decide', [{ kind: 'agent', id: 'bot' }]],
    ]);
  });

  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605', 'Safari on macOS'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Safari/604.1', 'Safari on iPhone'],
    ['curl/8.14', 'Unknown browser'],
    [null, 'Unknown browser'],
  ])('recognize %s', (userAgent, device) => {
    expect(deviceText(userAgent)).toBe(device);
  });

  test('list every single key that a page uses', () => {
    const root = join(packageRoot(), 'web/src');
    const used = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => [
        ...readFileSync(join(root, name), 'utf8').matchAll(/useSingleKeys\(\{(.*?)\}\)/gs),
      ])
      .flatMap(([, keys = '']) => [...keys.matchAll(/(?:^|[\s,])'?(\S)'?:/g)])
      .map(([, key]) => key);
    const listed = shortcutGroups.flatMap(({ isSingle, keys }) =>
      isSingle ? keys.map(([key]) => key) : [],
    );
    expect([...new Set(used)].toSorted()).toEqual(listed.toSorted());
  });
});

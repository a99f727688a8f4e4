import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { describeInChromium, startChromium } from '../../support/web/chromium.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});

describeInChromium('the first reads of a page', () => {
  const chromium = startChromium();

  test('are under way before its code has loaded, and are sent once', async () => {
    const id = await ask({ tool: 'first_read' });
    const page = await chromium.open(`${app.url}/icon.svg`, { as: people.ada });
    const sent: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/') && !search.includes('wait=')) sent.push(pathname + search);
    });
    let free: (() => void) | undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    await page.route('**/assets/shared-*.js', async (route) => {
      await isFree;
      await route.continue();
    });
    await page.goto(`${app.url}/requests/${id}?tab=all&q=first read&unknown=1`, {
      waitUntil: 'commit',
    });
    const first = [
      '/api/v1/me',
      '/api/v1/requests/changes?scope=visible',
      '/api/v1/requests?view=summary&limit=50&scope=visible&status=pending&q=first+read',
      `/api/v1/requests/${id}`,
    ];
    await until('all are sent', () => first.every((each) => sent.includes(each)));
    free?.();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByText('Nothing matches').waitFor();
    expect(first.map((each) => sent.filter((other) => other === each).length)).toEqual([
      1, 1, 1, 1,
    ]);
    expect(sent.filter((each) => each.startsWith('/api/v1/requests?'))).toHaveLength(1);
  });
});

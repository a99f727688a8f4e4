/** `npm run demo` against the service of this test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { builtPath } from '../support/run/built.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { until } from '../support/waiting.ts';

const { app, people, agents, decide } = await scene({
  app: { rules: 'door' },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});

function runDemo(token: string) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [builtPath('demo/main.ts')], {
    env: { PATH, HOME, COUNTERSIGN_URL: app.url, COUNTERSIGN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => code as unknown);
  return { ended, output: () => output };
}

test('the demo pays with an approval alone, and says where to decide', async () => {
  const token = agents.bot.credential;
  for (const status of ['approved', 'denied'] as const) {
    const demo = runDemo(token);
    await until('it says where to decide', () => demo.output().includes('No rule decided'));
    const id = /[-0-9a-f]{36}/.exec(demo.output())?.[0] ?? '';
    expect((await decide(people.ada, id, { status })).status).toBe(200);
    expect(await demo.ended).toBe(status === 'approved' ? 0 : 1);
    expect(demo.output()).toContain(status === 'approved' ? '"amount":249.95' : 'Not paid.');
    expect(demo.output().includes('Approved.')).toBe(status === 'approved');
  }
  const stranger = runDemo('whc_wrong');
  expect(await stranger.ended).toBe(1);
  expect(stranger.output()).toContain('Not paid.');
});

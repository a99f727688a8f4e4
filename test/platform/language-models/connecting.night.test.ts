/** A server that never agrees on TLS. The test takes as long as connecting may take. */
import { expect, test } from '@jest/globals';
import { openAnthropic } from '../../../src/platform/language-models/anthropic.ts';
import { openOpenAi } from '../../../src/platform/language-models/openai.ts';
import { rawPeer } from '../../support/servers/failing-peers.ts';

test('a provider to which no connection came about was not heard', async () => {
  const silent = await rawPeer();
  const options = { url: silent.url.replace('http:', 'https:'), apiKey: 'a-key' };
  const question = {
    ...{ model: 'judge-small', system: 'The instruction.', user: '{}', schema: {} },
    ...{ maxOutputTokens: 100, timeoutMs: 60_000, signal: new AbortController().signal },
  };
  const asking = [openOpenAi, openAnthropic].map((open) => open(options).ask(question));
  const failure = {
    ...{ kind: 'failed', timedOut: false, unheard: true },
    ...{ code: 'CONNECT_TIMEOUT', errorCause: 'timeout' },
  };
  expect(await Promise.all(asking)).toEqual([failure, failure]);
  silent.close();
});

import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.ts';

function collect(
  format: 'json' | 'pretty',
  write: (logger: ReturnType<typeof createLogger>) => void,
): string {
  const lines: string[] = [];
  write(
    createLogger({
      level: 'info',
      format,
      destination: { write: (line: string) => void lines.push(line) },
    }),
  );
  return lines.join('');
}

test('redacts credentials in every place of a log line', () => {
  const output = collect('json', (logger) => {
    logger.info(
      { authorization: 'hunter2', headers: { cookie: 'hunter2', 'set-cookie': 'hunter2' } },
      'request',
    );
    logger.info(
      { req: { headers: { authorization: 'hunter2' } }, body: { password: 'hunter2' } },
      'request',
    );
  });
  expect(output).not.toContain('hunter2');
  expect(output.match(/\[redacted\]/g)).toHaveLength(5);
});

test('leaves out what Postgres quotes of a row, wherever the error is', () => {
  const quotes = { detail: 'hunter2', where: 'hunter2', internalQuery: 'hunter2' };
  const refused = () => Object.assign(new Error('violates a constraint'), quotes);
  const wrapped = Object.assign(new Error('no row'), { original: refused() });
  const outputs = [
    refused(),
    wrapped,
    new AggregateError([refused()], 'none'),
    new Error('no row', { cause: refused() }),
  ].map((err) =>
    collect('json', (logger) => {
      logger.error({ err }, 'failed');
    }),
  );
  for (const output of outputs) {
    expect(output).toContain('violates a constraint');
    expect(output).not.toContain('hunter2');
  }
});

test('writes one JSON object per line with the level as a word and the time in UTC', () => {
  const line = JSON.parse(
    collect('json', (logger) => logger.warn({ request_id: 'r1' }, 'slow')),
  ) as Record<string, unknown>;
  expect(line).toMatchObject({ level: 'warn', request_id: 'r1', msg: 'slow' });
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('omits lines below its level', () => {
  expect(collect('json', (logger) => logger.debug('detail'))).toBe('');
});

test('is readable for people on demand', () => {
  expect(collect('pretty', (logger) => logger.info('listening'))).toMatch(/INFO.*listening/);
});

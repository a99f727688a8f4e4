/** The parts of readiness: what /health/ready and the system page say about this process. */
import type { Probe, Probes } from './ports.ts';

export interface Check {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly message?: string;
}

const PROBE_TIMEOUT_MS = 2_000;

/** All at once, each for some seconds at most. */
export async function runProbes(probes: Probes): Promise<Readonly<Record<string, Check>>> {
  return Object.fromEntries(await Promise.all(Object.entries(probes).map(runProbe)));
}

async function runProbe([name, probe]: [string, Probe]): Promise<[string, Check]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(
      resolve,
      PROBE_TIMEOUT_MS,
      `no response within ${PROBE_TIMEOUT_MS / 1000} s`,
    );
  });
  const problem = await Promise.race([probe().catch((error: unknown) => String(error)), late]);
  clearTimeout(timer);
  if (problem === undefined) return [name, { status: 'ok' }];
  return [
    name,
    typeof problem === 'string'
      ? { status: 'unavailable', message: problem }
      : { status: 'degraded', message: problem.degraded },
  ];
}

/** Of all parts together: the worst of theirs. */
export function overall(checks: Readonly<Record<string, Check>>): Check['status'] {
  const states = Object.values(checks).map(({ status }) => status);
  if (states.includes('unavailable')) return 'unavailable';
  return states.includes('degraded') ? 'degraded' : 'ok';
}

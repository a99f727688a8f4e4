/** The parts of readiness: what /health/ready and the system page say about this process. */

/** One named part: undefined when well, else its problem. */
export type Probe = () => Promise<string | undefined>;
export type Probes = Readonly<Record<string, Probe>>;

export interface Check {
  readonly status: 'ok' | 'unavailable';
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
  const message = await Promise.race([probe().catch((error: unknown) => String(error)), late]);
  clearTimeout(timer);
  return [name, message === undefined ? { status: 'ok' } : { status: 'unavailable', message }];
}

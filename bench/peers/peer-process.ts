/**
 * The process of one peer: its workers, its client and the callers. Started with the peer's name
 * and its options as JSON. Sends the pids of its servers, and then one measurement for each load.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { measureFor, type TimedLoad } from '../frame/load.ts';
import { TOOL_ARGUMENTS } from '../frame/service.ts';
import { startDbos } from './dbos.ts';
import { startFloor } from './floor.ts';
import { startLangGraph } from './langgraph.ts';
import { DECISION, type StartPeer } from './peer.ts';
import { startRestate } from './restate.ts';

const peers: Readonly<Record<string, StartPeer>> = {
  DBOS: startDbos,
  Restate: startRestate,
  LangGraph: startLangGraph,
  floor: startFloor,
};

const [name = '', folder = '', databaseUrl = '', directory = '', temporalAddress = ''] =
  process.argv.slice(2);
const load = createRequire(join(folder === '' ? directory : folder, 'package.json'));
const peer = await peers[name]?.({ load, databaseUrl, temporalAddress, directory });
if (!peer) throw new Error(`no peer is called ${name}`);

async function approve(): Promise<void> {
  const decision = await peer?.approve(randomUUID(), TOOL_ARGUMENTS);
  if (decision !== DECISION) throw new Error(`${name} answered ${JSON.stringify(decision)}`);
}

process.on('message', (timed: TimedLoad) => {
  void measureFor(approve, timed).then((measured) => process.send?.(measured));
});
process.on('disconnect', () => {
  process.exit();
});
process.send?.(peer.servers);

/** `countersign-hook`: a gate before the tools of coding agents, and the commands that put it there. */
import { gate } from './run/gate.ts';

const [command = '', ...rest] = process.argv.slice(2);
if (command === 'run') gate(rest);
else {
  const { perform } = await import('./commands.ts');
  process.exitCode = await perform(command, rest);
}

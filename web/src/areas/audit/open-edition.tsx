/** What the open edition has instead of the list: commands that export and verify the log. */
import { Panel } from '../../shared/design/panel.tsx';
import { Code } from '../../shared/page/code.tsx';
import { EXPORT, getKeys, VERIFY, VERIFY_DATABASE } from './commands.ts';
import { open as text } from './text.ts';

export function OpenEdition() {
  const steps = [
    [text.export, EXPORT],
    [text.keys, getKeys()],
    [text.verify, VERIFY],
    [text.database, VERIFY_DATABASE],
  ] as const;
  return (
    <Panel title={text.title} hint={text.hint}>
      {steps.map(([label, command]) => (
        <div key={command}>
          <p>{label}</p>
          <Code label={label} value={command} />
        </div>
      ))}
    </Panel>
  );
}

/** What the open edition has instead of the list: commands that export and verify the log. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Panel } from '../../shared/design/panel.tsx';
import { Code } from '../../shared/page/code.tsx';
import { EXPORT, getKeys, VERIFY, VERIFY_DATABASE } from './commands.ts';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { chain, open as text } from './text.ts';
import classes from './audit.module.css';

export function OpenEdition() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const steps = [
    [text.export, EXPORT],
    [text.keys, getKeys()],
    [text.verify, VERIFY],
    [text.database, VERIFY_DATABASE],
  ] as const;
  return (
    <Panel title={text.title} hint={text.hint}>
      {hasPermission(account, 'organization.settings.write') && (
        <p className={classes['downloads']}>
          <a href="/api/v1/audit/checkpoint" download="">
            {chain.keep}
          </a>
        </p>
      )}
      {steps.map(([label, command]) => (
        <div key={command}>
          <p>{label}</p>
          <Code label={label} value={command} />
        </div>
      ))}
    </Panel>
  );
}

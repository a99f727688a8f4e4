/** The first step of a request in the process that created it. */
import { expect, test } from '@jest/globals';
import { readSettled } from '../../../src/services/engine/settle.ts';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { statementsDuring } from '../../support/sql/statements.ts';

const { app, ask, read } = await scene({
  app: { rules: 'workflow' },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
});

test('hands the request to people with one view of it', async () => {
  const id = await ask({ evaluated: false });
  const created = await readSettled(app.context, id);
  if (!created) throw new Error('the request is gone');
  app.context.workflowSync.created.set(id, created);
  const statements = await statementsDuring(app, () =>
    stepRequest(app.context, id, { floor: new Date(0), by: 'workflow' }),
  );
  expect(statements.filter((sql) => sql.includes(' as version,'))).toHaveLength(1);
  expect(await read(id)).toMatchObject({ status: 'pending' });
  expect(app.context.workflowSync.created.size).toBe(0);
});
